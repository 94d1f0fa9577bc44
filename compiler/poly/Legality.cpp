//===- Legality.cpp - the one judge of every schedule ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk: the pairs of every dependence go down the tree together. At a
// member they are divided into those that it carries forward (done), backward
// (a violation) and not at all (further down); at a sequence into those that
// its order satisfies, those that it breaks, and those inside one filter.
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Legality.h"
#include "compiler/poly/Coverage.h"
#include "compiler/poly/Model.h"
#include "compiler/poly/Structure.h"
#include "compiler/poly/Witness.h"
#include "compiler/support/Diagnostics.h"

#include <isl/map.h>

#include <algorithm>
#include <map>
#include <set>

namespace girih::poly {

namespace {

// A broken tree can break everything below; more than this helps nobody.
constexpr size_t kMaxViolations = 16;

class Walk {
public:
  Walk(const Model &model, const ScheduleTree &tree,
       std::vector<Violation> &violations)
      : model(model), scop(model.scop()), violations(violations) {
    setKernels(tree);
  }
  /// Asks of one member whether it carries anything; the tree is legal.
  Walk(const Model &model, const ScheduleTree &tree,
       std::vector<Violation> &violations, const Node &asked, size_t member)
      : model(model), scop(model.scop()), violations(violations), asked(&asked),
        askedMember(member) {
    setKernels(tree);
  }

  void node(const Node &node, std::vector<Piece> pieces) {
    if (pieces.empty() || violations.size() >= kMaxViolations || isAnswered)
      return;
    switch (node.kind) {
    case Node::Kind::Sequence:
      return sequence(node, std::move(pieces));
    case Node::Kind::Band:
      for (size_t m = 0; m < node.members.size() && !isAnswered; ++m)
        pieces = member(node, m, std::move(pieces));
      break;
    case Node::Kind::Tile:
      return tile(node, std::move(pieces));
    case Node::Kind::Leaf:
      for (const Piece &piece : pieces)
        undistinguished(node, piece, "at the end of its path");
      return;
    case Node::Kind::Filter:
    case Node::Kind::Kernel:
    case Node::Kind::Stage:
      break;
    }
    if (!isAnswered)
      this->node(*node.children[0], std::move(pieces));
  }

private:
  void setKernels(const ScheduleTree &tree) {
    for (unsigned s = 0; s < scop.statements.size(); ++s)
      kernels.push_back(kernelOf(tree, s));
  }

  using Compare = isl_map *(*)(isl_pw_aff *, isl_pw_aff *);

  isl::map compare(const Node &band, size_t member, const Piece &piece,
                   Compare relation) {
    isl::pw_aff source =
        model.digit(piece.source, digitOf(band, member, piece.source));
    isl::pw_aff sink =
        model.digit(piece.sink, digitOf(band, member, piece.sink));
    return own(model.ctx(), relation(source.release(), sink.release()));
  }

  /// The pairs that `member` leaves undivided, for the levels below.
  std::vector<Piece> member(const Node &band, size_t index,
                            std::vector<Piece> pieces) {
    const Member &member = band.members[index];
    bool isAsked = asked == &band && askedMember == index;
    bool apart =
        member.coincident || member.binding == Binding::Grid || isAsked;
    std::vector<Piece> rest;
    isAnswered = isAsked;
    for (Piece &piece : pieces) {
      if (violations.size() >= kMaxViolations)
        break;
      if (asked && !isAsked) {
        piece.pairs =
            piece.pairs
                .intersect(compare(band, index, piece, isl_pw_aff_eq_map))
                .coalesce();
        if (!piece.pairs.is_empty())
          rest.push_back(std::move(piece));
        continue;
      }
      isl::map backward =
          piece.pairs.intersect(compare(band, index, piece, isl_pw_aff_gt_map));
      if (apart) {
        isl::map divided = backward.unite(piece.pairs.intersect(
            compare(band, index, piece, isl_pw_aff_lt_map)));
        if (!divided.is_empty())
          carriedByParallel(band, index, piece, divided);
      } else if (piece.order != Piece::Order::AnyTerm && !backward.is_empty()) {
        carriedBackward(band, index, piece, backward);
      }
      if (member.binding == Binding::Time && piece.kind == DependenceKind::Flow)
        acrossTurns(piece, piece.pairs.intersect(
                               compare(band, index, piece, isl_pw_aff_lt_map)));
      isl::map together =
          piece.pairs.intersect(compare(band, index, piece, isl_pw_aff_eq_map));
      piece.pairs = together.coalesce();
      if (!piece.pairs.is_empty())
        rest.push_back(std::move(piece));
    }
    return rest;
  }

  void sequence(const Node &node, std::vector<Piece> pieces) {
    std::map<unsigned, size_t> filterOf;
    for (size_t f = 0; f < node.children.size(); ++f)
      for (unsigned s : node.children[f]->statements)
        filterOf[s] = f;
    std::vector<std::vector<Piece>> inside(node.children.size());
    for (Piece &piece : pieces) {
      size_t source = filterOf.at(piece.source);
      size_t sink = filterOf.at(piece.sink);
      if (source == sink)
        inside[source].push_back(std::move(piece));
      else if (asked)
        continue; // in order
      else if (source > sink && piece.order != Piece::Order::AnyTerm)
        outOfSequence(node, *node.children[sink], piece);
      else if (kernels[piece.source] != kernels[piece.sink])
        acrossLaunches(piece, piece.pairs, "in another kernel");
    }
    for (size_t f = 0; f < node.children.size(); ++f)
      this->node(*node.children[f], std::move(inside[f]));
  }

  void tile(const Node &node, std::vector<Piece> pieces) {
    const Node &below = *node.children[0];
    // Coincident axes run at once; the others in the order of the statement's
    // dims, which every pair within one statement follows. Only a reduction
    // and a scatter can be inside one tile op.
    for (size_t m = 0; m < below.members.size(); ++m)
      if (below.members[m].coincident)
        pieces = member(below, m, std::move(pieces));
    for (const Piece &piece : pieces)
      if (piece.order == Piece::Order::Plain &&
          scop.statements[piece.source].kind != StatementKind::Scatter)
        undistinguished(node, piece, "inside one tile");
  }

  Violation &add(Violation::Rule rule, const Piece &piece, unsigned line,
                 const isl::map &pairs) {
    Violation violation;
    violation.rule = rule;
    violation.kind = piece.kind;
    violation.line = line;
    violation.witness = smallestPair(model, piece.source, piece.sink, pairs);
    if (violation.witness)
      findElement(scop, piece, *violation.witness);
    return violations.emplace_back(std::move(violation));
  }

  std::string name(unsigned statement) const {
    return "'" + scop.statements[statement].name + "'";
  }

  /// ` (ko = 1)`: where `statement`'s instance stands at the member.
  std::string value(const Node &band, size_t index, unsigned statement,
                    const std::vector<int64_t> &at,
                    const Witness &witness) const {
    std::vector<int64_t> sizes;
    for (const auto &[param, size] : witness.sizes)
      sizes.push_back(size);
    return printInstance(scop.statements[statement].name, at) + " (" +
           band.members[index].name + " = " +
           std::to_string(
               evaluate(digitOf(band, index, statement), at, sizes)) +
           ")";
  }

  void carriedByParallel(const Node &band, size_t index, const Piece &piece,
                         const isl::map &pairs) {
    const Member &member = band.members[index];
    Violation &v = add(Violation::Rule::Coincidence, piece, band.line, pairs);
    v.member = member.name;
    std::string how = " is called coincident";
    if (member.binding == Binding::Grid)
      how = " is bound to the grid";
    else if (member.binding == Binding::Thread)
      how = " is mapped to threads";
    else if (member.binding == Binding::Vector)
      how = " is vectorized";
    else if (member.binding == Binding::Point)
      how = " is a coincident point";
    std::string what = piece.order == Piece::Order::Plain
                           ? "a dependence by '"
                           : "the reduction of '";
    v.message = "member '" + member.name + "' of " + name(piece.sink) + how +
                " but carries " + what + scop.arrays[piece.array].name +
                "': " + printConflict(scop, piece, v.witness);
    if (member.binding == Binding::Grid)
      v.help = "bind '" + member.name + "' to a loop";
    else if (isCarriedByTile(member.binding))
      v.help = "leave '" + member.name + "' a loop";
    else if (member.binding == Binding::Point &&
             piece.order == Piece::Order::Plain)
      v.help = "move '" + member.name + "' above the tile mark as a loop";
    else
      v.help = "do not call '" + member.name + "' coincident";
  }

  void carriedBackward(const Node &band, size_t index, const Piece &piece,
                       const isl::map &pairs) {
    const Member &member = band.members[index];
    bool isTerm = piece.order == Piece::Order::Term;
    Violation &v =
        add(isTerm ? Violation::Rule::ReductionOrder : Violation::Rule::Order,
            piece, band.line, pairs);
    v.member = member.name;
    std::string source = name(piece.source), sink = name(piece.sink);
    if (v.witness) {
      source = value(band, index, piece.source, v.witness->source, *v.witness);
      sink = value(band, index, piece.sink, v.witness->sink, *v.witness);
    }
    v.message = "member '" + member.name + "' runs " + sink + " before " +
                source + ", but " +
                (isTerm ? "the term orders them the other way: " : "") +
                printConflict(scop, piece, v.witness);
    if (isTerm) {
      const Reduction &reduction = *reductionUpdatedBy(scop, piece.source);
      std::string dims;
      const Statement &update = scop.statements[piece.source];
      for (size_t d = reduction.cellEnd; d < update.dims.size(); ++d)
        dims += (dims.empty() ? "" : ", ") + update.dims[d];
      v.help = "run the dimensions of the reduction in the order " + dims;
    } else if (piece.source != piece.sink) {
      v.help = "keep " + name(piece.sink) + " after " + name(piece.source) +
               ": move it out of '" + member.name + "'";
    } else {
      v.help = "put the dimensions of " + name(piece.source) +
               " in the order of the text";
    }
  }

  void outOfSequence(const Node &sequence, const Node &sinkFilter,
                     const Piece &piece) {
    Violation &v =
        add(Violation::Rule::Order, piece,
            sinkFilter.line ? sinkFilter.line : sequence.line, piece.pairs);
    v.message = "the sequence runs " + name(piece.sink) + " before " +
                name(piece.source) + ", but " +
                printConflict(scop, piece, v.witness);
    v.help = "keep " + name(piece.sink) + " after " + name(piece.source);
  }

  /// What a block keeps to itself is gone when its kernel ends.
  void acrossLaunches(const Piece &piece, const isl::map &pairs,
                      const std::string &where) {
    if (piece.kind != DependenceKind::Flow)
      return;
    const Node *source = kernels[piece.source], *sink = kernels[piece.sink];
    if (!source || !sink)
      return; // a plain tree keeps nothing anywhere
    const Node *kernel = keepsToItself(scop, *source, piece.array) ? source
                         : keepsToItself(scop, *sink, piece.array) ? sink
                                                                   : nullptr;
    if (!kernel)
      return;
    const std::string &array = scop.arrays[piece.array].name;
    Violation &v =
        add(Violation::Rule::KernelOrder, piece, kernel->line, pairs);
    v.message = "kernel \"" + kernel->kernel.name + "\" keeps '" + array +
                "' to its blocks, but " + where + " " +
                printConflict(scop, piece, v.witness);
    v.help = "place '" + array + "' in the workspace in both kernels";
  }

  /// Each turn launches its kernels anew.
  void acrossTurns(const Piece &piece, const isl::map &pairs) {
    if (!pairs.is_empty())
      acrossLaunches(piece, pairs, "in a later turn");
  }

  void undistinguished(const Node &node, const Piece &piece,
                       const std::string &where) {
    if (asked)
      return;
    Violation &v = add(piece.order == Piece::Order::Plain
                           ? Violation::Rule::Order
                           : Violation::Rule::ReductionOrder,
                       piece, node.line, piece.pairs);
    v.message = "nothing orders two instances of " + name(piece.source) + " " +
                where + ", but " + printConflict(scop, piece, v.witness);
    v.help = "carry the dependence by a loop above the tile mark";
  }

  const Model &model;
  const Scop &scop;
  std::vector<const Node *> kernels; ///< by statement
  std::vector<Violation> &violations;
  const Node *asked = nullptr;
  size_t askedMember = 0;
  bool isAnswered = false;
};

/// The listed dependences, equal ones once, and the pairs that associative
/// reductions leave out of the list but that must not run at once either.
/// False when one of them cannot be read.
///
/// Where `among` is given, only those between its statements (sorted).
bool readPieces(const Model &model, const Dependences &dependences,
                std::vector<Piece> &pieces, std::string &problem,
                const std::vector<unsigned> *among = nullptr) {
  const Scop &scop = model.scop();
  std::set<std::tuple<unsigned, unsigned, unsigned, bool, std::string>> seen;
  for (const Dependence &d : dependences.list) {
    if (d.source >= scop.statements.size() ||
        d.sink >= scop.statements.size() || d.array >= scop.arrays.size() ||
        (d.withinReduction && !reductionUpdatedBy(scop, d.source))) {
      problem = "a dependence names what the Scop has not";
      return false;
    }
    auto isAmong = [&](unsigned statement) {
      return !among ||
             std::binary_search(among->begin(), among->end(), statement);
    };
    if (!isAmong(d.source) || !isAmong(d.sink))
      continue;
    if (!seen.emplace(d.source, d.sink, d.array, d.withinReduction, d.relation)
             .second)
      continue;
    Piece piece;
    piece.kind = d.kind;
    piece.source = d.source;
    piece.sink = d.sink;
    piece.array = d.array;
    piece.order = d.withinReduction ? Piece::Order::Term : Piece::Order::Plain;
    isl::map read = own(model.ctx(),
                        isl_map_read_from_str(model.ctx(), d.relation.c_str()));
    read = own(model.ctx(),
               isl_map_align_params(read.release(),
                                    isl_space_params(model.newSetSpace(0))));
    isl_space *expected = isl_space_map_from_domain_and_range(
        model.newStatementSpace(d.source), model.newStatementSpace(d.sink));
    isl_space *found = isl_map_get_space(read.get());
    isl_bool fits = isl_space_is_equal(expected, found);
    isl_space_free(expected);
    isl_space_free(found);
    if (!isTrue(model.ctx(), fits)) {
      problem = "the dependence " + scop.statements[d.source].name + " -> " +
                scop.statements[d.sink].name +
                " is not between those statements";
      return false;
    }
    piece.pairs = read;
    pieces.push_back(std::move(piece));
  }
  for (const Reduction &reduction : scop.reductions) {
    if (!reduction.associative ||
        (among &&
         !std::binary_search(among->begin(), among->end(), reduction.update)))
      continue;
    const Statement &update = scop.statements[reduction.update];
    isl::map cells = model.access(
        reduction.update, static_cast<unsigned>(update.accesses.size() - 1));
    Piece piece;
    piece.source = piece.sink = reduction.update;
    piece.array = reduction.accumulator;
    piece.order = Piece::Order::AnyTerm;
    piece.pairs = cells.apply_range(cells.reverse())
                      .intersect(model.orderAfter(reduction.update, 0));
    // What reaches a cell that is made anew is no value.
    Piece anew = piece;
    anew.kind = DependenceKind::Output;
    anew.pairs = piece.pairs.intersect_range(model.initialised(reduction));
    piece.pairs = piece.pairs.subtract(anew.pairs);
    pieces.push_back(std::move(anew));
    if (!piece.pairs.is_empty())
      pieces.push_back(std::move(piece));
  }
  return true;
}

Violation undecided(const Scop &scop, const std::string &why) {
  Violation violation;
  violation.rule = Violation::Rule::Undecided;
  violation.message =
      "the schedule of '" + scop.name + "' is not proved legal: " + why;
  violation.help = "raise the limit of isl's operations, or simplify the "
                   "schedule";
  return violation;
}

} // namespace

std::vector<Violation> checkLegality(const Scop &scop,
                                     const Dependences &dependences,
                                     const ScheduleTree &tree,
                                     const PolyBudget &budget) {
  std::vector<Violation> violations;
  for (const StructureProblem &problem : structureProblems(scop, tree)) {
    Violation violation;
    violation.rule = Violation::Rule::Coverage;
    violation.line = problem.line;
    violation.message = problem.message;
    violations.push_back(std::move(violation));
  }
  if (!violations.empty())
    return violations;
  IslSession session;
  std::optional<Model> model;
  std::vector<Piece> pieces;
  std::string problem;
  // Building and parsing stand outside the quota: a quota that ends inside a
  // parse reads as a syntax error.
  IslOutcome outcome = guarded(session, 0, [&] {
    model.emplace(session, scop);
    readPieces(*model, dependences, pieces, problem);
  });
  if (outcome.finished() && problem.empty())
    outcome = guarded(session, budget.maxOperations, [&] {
      checkCoverage(*model, tree, violations);
      Walk(*model, tree, violations).node(*tree.root, std::move(pieces));
    });
  if (!problem.empty())
    violations.push_back(undecided(scop, problem));
  else if (!outcome.finished())
    violations.push_back(undecided(scop, outcome.message));
  return violations;
}

std::optional<Violation> carriedBy(const Scop &scop,
                                   const Dependences &dependences,
                                   const ScheduleTree &tree, const Node &band,
                                   size_t member, const PolyBudget &budget) {
  IslSession session;
  std::optional<Model> model;
  std::vector<Piece> pieces;
  std::vector<Violation> violations;
  std::string problem;
  IslOutcome outcome = guarded(session, 0, [&] {
    model.emplace(session, scop);
    readPieces(*model, dependences, pieces, problem, &band.statements);
  });
  if (outcome.finished() && problem.empty())
    outcome = guarded(session, budget.maxOperations, [&] {
      Walk(*model, tree, violations, band, member)
          .node(*tree.root, std::move(pieces));
    });
  if (!problem.empty() || !outcome.finished())
    return undecided(scop, problem.empty() ? outcome.message : problem);
  if (violations.empty())
    return std::nullopt;
  return std::move(violations.front());
}

void reportViolations(const Scop &scop,
                      const std::vector<Violation> &violations,
                      Diagnostics &diags, std::optional<SourceRange> at) {
  for (const Violation &violation : violations) {
    const char *code = "G0701";
    switch (violation.rule) {
    case Violation::Rule::Order:
    case Violation::Rule::KernelOrder:
      code = "G0701";
      break;
    case Violation::Rule::Coincidence:
      code = "G0702";
      break;
    case Violation::Rule::ReductionOrder:
      code = "G0703";
      break;
    case Violation::Rule::Coverage:
      code = "G0704";
      break;
    case Violation::Rule::Undecided:
      code = "G0705";
      break;
    }
    std::optional<SourceRange> range = at;
    const SourceFile *file = diags.file();
    if (!range && file && violation.line) {
      uint32_t begin = file->offset({violation.line, 1});
      auto length = static_cast<uint32_t>(file->line(violation.line).size());
      range = SourceRange{begin, begin + length};
    }
    Diagnostic &diagnostic = diags.error(code, violation.message, range);
    for (const std::string &note : violation.notes)
      diagnostic.note(note);
    if (!violation.help.empty())
      diagnostic.help(violation.help);
  }
}

} // namespace girih::poly
