//===- SemaParts.cpp - statements that define parts of tensors ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No element is defined twice, every element of an output and every one that is
// read is defined: proved for all sizes, or refused with an element.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Conditions.h"
#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/PartImage.h"
#include "compiler/frontend/Sema.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

namespace {

/// Parts of one tensor; each is compared with every other.
constexpr size_t kMaxParts = 256;

/// "Y[3, 0]" and ", with D = 4" for values of all variables.
struct Witness {
  std::string element, sizes;
};

Witness witnessOf(const OpDecl &op, const Tensor &tensor,
                  const Element &element, const std::vector<int64_t> &values,
                  const std::set<const SizeSymbol *> &mentioned) {
  Witness witness;
  witness.element = tensor.name.text;
  for (size_t d = 0; d < element.size(); ++d) {
    int64_t value = element[d].constant;
    for (size_t v = 0; v < values.size(); ++v)
      value += element[d].factor(v) * values[v];
    witness.element += fmt::format("{}{}", d ? ", " : "[", value);
  }
  if (!element.empty())
    witness.element += "]";
  for (const auto &size : op.sizes)
    if (mentioned.count(size.get()))
      witness.sizes +=
          fmt::format("{}{} = {}", witness.sizes.empty() ? " (with " : ", ",
                      size->name.text, values[size->number]);
  if (!witness.sizes.empty())
    witness.sizes += ")";
  return witness;
}

void mention(std::set<const SizeSymbol *> &sizes, const Extent &extent) {
  for (auto [size, factor] : extent.terms)
    sizes.insert(size);
}

/// The sizes that say what `statement` defines.
void mention(std::set<const SizeSymbol *> &sizes, const Statement &statement) {
  for (const IndexSum &sum : leftSums(statement))
    mention(sizes, sum.offset);
  for (const auto &index : statement.indices)
    mention(sizes, *index->extent);
  for (const Condition &condition : statement.domain)
    mention(sizes, condition.sum.offset);
}

/// An element of the tensor's box: one new variable a dimension.
Element anyElement(Prover &region, const Tensor &tensor) {
  Element element;
  for (const Extent &dim : tensor.dims) {
    LinearForm form;
    form.add(region.addVariable(), 1);
    region.assume(form);
    LinearForm below = plus(formOf(dim), form, -1);
    below.constant -= 1;
    region.assume(below);
    element.push_back(std::move(form));
  }
  return element;
}

/// Both write a constant of their own in some dimension.
bool differClearly(const Statement &a, const Statement &b) {
  std::vector<IndexSum> left = leftSums(a), right = leftSums(b);
  for (size_t d = 0; d < left.size(); ++d)
    if (left[d].terms.empty() && right[d].terms.empty() &&
        (left[d].offset - right[d].offset).isConstant() &&
        !(left[d].offset == right[d].offset))
      return true;
  return false;
}

} // namespace

bool Sema::isPart(const OpScope &scope, const Statement &statement) const {
  auto count = scope.statementCount.find(statement.target.text);
  return !statement.at.empty() ||
         (count != scope.statementCount.end() && count->second > 1);
}

//===----------------------------------------------------------------------===//
// The left-hand side
//===----------------------------------------------------------------------===//

/// Names of sizes and integer constants are no indices: what holds one is a
/// computed subscript.
void Sema::sortLeftNames(OpScope &scope, Statement &statement) {
  auto isValue = [&](const std::string &name) {
    if (scope.sizes.count(name))
      return true;
    for (const auto &constant : scope.op.constants)
      if (constant->name.text == name)
        return isInteger(constant->type);
    const Global *global = findGlobal(name);
    return global && global->constant && isInteger(global->constant->type);
  };
  auto &indices = statement.indices;
  auto isIndex = [&](const auto &index) { return !isValue(index->name.text); };
  if (std::all_of(indices.begin(), indices.end(), isIndex))
    return;
  if (statement.at.empty())
    for (const auto &index : indices) {
      Subscript &subscript = statement.at.emplace_back();
      NameExpr name;
      name.name = index->name.text;
      subscript.value = std::make_unique<Expr>();
      subscript.value->node = std::move(name);
      subscript.value->range = subscript.range = index->name.range;
    }
  indices.erase(std::stable_partition(indices.begin(), indices.end(), isIndex),
                indices.end());
}

/// Each subscript on the left is a sum of one index at most.
bool Sema::checkLeftSide(OpScope &scope, Statement &statement) {
  std::vector<std::string> names;
  for (const auto &index : statement.indices)
    names.push_back(index->name.text);
  auto findIndex = [&](std::string_view name) -> const IndexVariable * {
    for (const auto &index : statement.indices)
      if (index->name.text == name)
        return index.get();
    return nullptr;
  };
  IndexSums sums{
      *this,     reporter, scope, "a left-hand subscript", codes::kNoSubscript,
      findIndex, names};
  bool fine = true;
  std::set<const IndexVariable *> seen;
  for (Subscript &subscript : statement.at) {
    auto sum = sums.of(*subscript.value);
    if (!sum) {
      fine = false;
      continue;
    }
    subscript.sum = std::move(*sum);
    for (auto [index, factor] : subscript.sum.terms)
      seen.insert(index);
    if (subscript.sum.terms.size() <= 1)
      continue;
    reporter
        .error(codes::kLeftSubscript,
               fmt::format("'{}' holds two indices: a left-hand subscript is a "
                           "sum of one index, sizes and integers",
                           printExpr(*subscript.value)),
               subscript.range)
        .help("use one index a dimension; the right-hand side may subtract "
              "another one from it");
    fine = false;
  }
  if (!fine || statement.at.empty())
    return fine;
  for (const auto &index : statement.indices)
    if (!seen.count(index.get())) {
      reporter.error(codes::kLeftSubscript,
                     fmt::format("the index '{}' cancels out: every instance "
                                 "would define the same element",
                                 index->name.text),
                     index->name.range);
      return false;
    }
  return true;
}

/// Another part has the rank and the type of the first.
bool Sema::checkLaterPart(const Statement &statement, const Tensor &tensor) {
  const Statement &first = *tensor.definition;
  size_t rank = leftSums(statement).size();
  if (rank != tensor.dims.size()) {
    reporter
        .error(codes::kRankMismatch,
               fmt::format("'{}' has {} dimension{}, this part gives {} "
                           "subscript{}",
                           tensor.name.text, tensor.dims.size(),
                           tensor.dims.size() == 1 ? "" : "s", rank,
                           rank == 1 ? "" : "s"),
               statement.target.range)
        .note("the first part stands here", first.target.range);
    return false;
  }
  ScalarType type = statement.value->type;
  if (type == tensor.type)
    return true;
  reporter
      .error(codes::kResultTypeDiffers,
             fmt::format("'{}' holds {}, the value of this part is {}",
                         tensor.name.text, spelling(tensor.type),
                         spelling(type)),
             statement.value->range)
      .note("the first part stands here", first.target.range)
      .help(fmt::format("cast it: {}({})", spelling(tensor.type),
                        shortened(*statement.value)));
  return false;
}

//===----------------------------------------------------------------------===//
// Domains
//===----------------------------------------------------------------------===//

/// Where `seen` reads a tensor that one statement defines in part, the ranges
/// of what reads are cut to that part.
void Sema::cutToDefined(Statement &statement, const SeenAccess &seen,
                        const RangeSolver &solver, bool declared) {
  const Tensor &tensor = *seen.access->tensor;
  if (&tensor == statement.tensor)
    return cutToInside(statement, seen, solver);
  if (tensor.whole || tensor.parts.size() != 1 || seen.access->otherwise ||
      seen.inOtherwise)
    return;
  for (const Subscript &subscript : seen.access->subscripts)
    if (subscript.rule != AccessRule::None)
      return;
  auto conditions = elementConditions(*tensor.parts[0]);
  if (!conditions)
    return;
  for (const ElementCondition &condition : *conditions) {
    Condition here{{{}, condition.offset}, condition.range, false};
    for (size_t d = 0; d < condition.factors.size(); ++d)
      here.sum = added(here.sum, scaled(seen.access->subscripts[d].sum,
                                        condition.factors[d]));
    // What only some instances evaluate cuts nothing.
    if (solver.proverAt(seen, false).proves(solver.formOf(here.sum)) ||
        !seen.facts.empty())
      continue;
    auto holds = [&](const auto &indices, bool &inferred) {
      bool any = false;
      for (auto [index, factor] : here.sum.terms)
        for (const auto &each : indices)
          if (each.get() == index) {
            any = true;
            inferred |= !each->end;
          }
      return any;
    };
    bool done = false;
    for (auto it = seen.reductions.rbegin();
         !done && it != seen.reductions.rend(); ++it) {
      bool inferred = false;
      done = holds((*it)->indices, inferred);
      if (inferred)
        (*it)->domain.push_back(here);
    }
    if (!done && !declared && !statement.otherwise)
      statement.domain.push_back(std::move(here));
  }
}

/// Whether the statement must be several definitions: an `else` chooses where
/// that costs nothing, and nothing undefined is read.
static bool mustSplit(const Statement &statement,
                      const std::vector<SeenAccess> &accesses) {
  if (!statement.otherwise || statement.domain.empty())
    return false;
  if (holdsReduction(*statement.value))
    return true;
  return std::any_of(accesses.begin(), accesses.end(), [](const auto &seen) {
    return !seen.access->tensor->whole;
  });
}

bool Sema::finishRanges(OpScope &scope, Statement &statement, Tensor &tensor,
                        ExprChecker &checker) {
  RangeSolver solver(reporter, scope.op, checker.allIndices(),
                     checker.allAccesses());
  solver.setStatement(statement, checker.ranges());
  bool part = isPart(scope, statement);
  bool output = tensor.role == Tensor::Role::Output || tensor.inOut;
  bool given = statement.declared.size() == leftSums(statement).size() &&
               !statement.declared.empty();
  if (part && !output && given && tensor.dims.empty())
    for (const auto &[extent, range] : statement.declared)
      tensor.dims.push_back(extent);
  // A part's subscripts lie inside what is declared.
  AccessExpr node;
  SeenAccess target;
  if (part && (output || given)) {
    node.tensorName = statement.target;
    node.tensor = &tensor;
    target = {&node, statement.target.range, {}, {}, {}, false};
    target.inOtherwise = statement.otherwise != nullptr;
    for (const auto &index : statement.indices)
      target.indices.push_back(index.get());
    node.subscripts = std::move(statement.at);
    if (node.subscripts.empty())
      for (const auto &index : statement.indices) {
        Subscript &subscript = node.subscripts.emplace_back();
        NameExpr name;
        name.name = index->name.text;
        subscript.value = std::make_unique<Expr>();
        subscript.value->node = std::move(name);
        subscript.range = index->name.range;
        subscript.sum.terms.push_back({index.get(), 1});
      }
    solver.setTarget(target);
  } else if (!part && output) {
    // The whole output must be defined: its declaration is one more access.
    const TensorDecl &decl = *declOf(scope, tensor);
    for (size_t i = 0; i < tensor.dims.size(); ++i)
      solver.declare(*statement.indices[i], tensor.dims[i], decl.dims[i].range,
                     /*checked=*/true);
  } else if (!part && given) {
    for (size_t i = 0; i < statement.declared.size(); ++i)
      solver.declare(*statement.indices[i], statement.declared[i].first,
                     statement.declared[i].second, /*checked=*/false);
  }
  bool fine = solver.settle();
  if (fine) {
    bool declared = !part && (output || given);
    for (const SeenAccess &seen : checker.allAccesses())
      cutToDefined(statement, seen, solver, declared);
    statement.splits = mustSplit(statement, checker.allAccesses());
    fine = solver.checkAccesses();
  }
  if (part && (output || given) && node.subscripts.size() != 0) {
    bool written =
        std::any_of(node.subscripts.begin(), node.subscripts.end(),
                    [](const Subscript &s) { return !s.sum.plainIndex(); });
    std::set<const IndexVariable *> distinct;
    for (const Subscript &subscript : node.subscripts)
      distinct.insert(subscript.sum.plainIndex());
    if (written || distinct.size() != node.subscripts.size())
      statement.at = std::move(node.subscripts);
  }
  for (const SeenAccess &seen : checker.allAccesses()) {
    bool ends = seen.access->otherwise != nullptr;
    for (const Subscript &subscript : seen.access->subscripts)
      ends |= subscript.rule != AccessRule::None;
    if (ends)
      scope.readToEnd.insert(seen.access->tensor);
  }
  fine = fine && checker.checkOrders();
  if (fine && !scope.faulty)
    for (const SeenAccess &seen : checker.allAccesses())
      fine = fine && (seen.access->tensor == &tensor && !statement.updates
                          ? checkOwnRead(scope, statement, seen, solver)
                          : checkDefined(scope, seen, solver));
  return fine;
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

/// What is read is defined.
bool Sema::checkDefined(OpScope &scope, const SeenAccess &seen,
                        const RangeSolver &solver) {
  const Tensor &tensor = *seen.access->tensor;
  if (tensor.whole)
    return true;
  auto regionOf = [&](bool weak, Element &element) {
    Prover region = solver.proverAt(seen, weak);
    Element inside = anyElement(region, tensor);
    for (size_t d = 0; d < inside.size(); ++d) {
      const Subscript &subscript = seen.access->subscripts[d];
      if (subscript.rule != AccessRule::None)
        continue;
      LinearForm form = solver.formOf(subscript.sum);
      region.assume(plus(inside[d], form, -1));
      region.assume(plus(form, inside[d], -1));
    }
    element = std::move(inside);
    return region;
  };
  Element element;
  Prover region = regionOf(/*weak=*/false, element);
  Cover cover(tensor.parts);
  if (cover.holds(region, element))
    return true;
  Element under;
  Prover weak = regionOf(/*weak=*/true, under);
  bool chosen = Cover(tensor.parts).holds(weak, under);
  std::set<const SizeSymbol *> sizes;
  for (const Extent &dim : tensor.dims)
    mention(sizes, dim);
  for (const Statement *part : tensor.parts)
    mention(sizes, *part);
  auto values = cover.left() ? cover.left()->example() : std::nullopt;
  std::string text = fmt::format(
      "nothing proves that '{}' is defined where it is read", tensor.name.text);
  if (values) {
    Witness witness = witnessOf(scope.op, tensor, element, *values, sizes);
    text = fmt::format("element {}{} is read here, and no statement defines it",
                       witness.element, witness.sizes);
  }
  Diagnostic &d = reporter.error(codes::kNotDefined, text, seen.range);
  if (values) {
    LinearForm mentioned;
    for (const Subscript &subscript : seen.access->subscripts)
      for (auto [index, factor] : subscript.sum.terms) {
        IndexSum self;
        self.terms.push_back({index, 1});
        mentioned = plus(mentioned, solver.formOf(self));
      }
    values->resize(region.variables() - tensor.dims.size());
    if (std::string at = solver.valuesText(*values, mentioned); !at.empty())
      d.note(fmt::format("this is the read with {}", at), seen.range);
  }
  noteParts(d, tensor);
  if (chosen)
    d.help("an 'if' does not keep its other side from being read here: put the "
           "condition behind the statement, '... where ... else ...'");
  else
    d.help("restrict what reads it ('... where ...'), or define the rest");
  return false;
}

void Sema::noteParts(Diagnostic &diagnostic, const Tensor &tensor) const {
  constexpr size_t kShown = 4;
  for (size_t i = 0; i < std::min(tensor.parts.size(), kShown); ++i)
    diagnostic.note(
        tensor.parts.size() == 1
            ? fmt::format("'{}' is defined here", tensor.name.text)
            : fmt::format("this defines a part of '{}'", tensor.name.text),
        tensor.parts[i]->target.range);
}

/// No element is defined by two statements.
bool Sema::checkDisjoint(const OpScope &scope, const Statement &statement,
                         const Tensor &tensor) {
  if (tensor.parts.size() >= kMaxParts) {
    reporter.error(codes::kTooManyStatements,
                   fmt::format("more than {} statements define '{}'", kMaxParts,
                               tensor.name.text),
                   statement.target.range);
    return false;
  }
  for (const Statement *other : tensor.parts) {
    if (differClearly(*other, statement))
      continue;
    Prover region = proverOf(scope.op);
    Element element;
    for (size_t d = 0; d < tensor.dims.size(); ++d)
      element.emplace_back().add(region.addVariable(), 1);
    assumeDefined(region, element, *other);
    assumeDefined(region, element, statement);
    if (region.empty())
      continue;
    std::set<const SizeSymbol *> sizes;
    mention(sizes, *other);
    mention(sizes, statement);
    auto values = region.example();
    std::string text =
        fmt::format("nothing proves that two parts of '{}' share no element",
                    tensor.name.text);
    if (values) {
      Witness witness = witnessOf(scope.op, tensor, element, *values, sizes);
      text = fmt::format("element {}{} is written by both statements",
                         witness.element, witness.sizes);
    }
    reporter.error(codes::kPartsOverlap, text, statement.target.range)
        .note("the other one stands here", other->target.range)
        .help("restrict one of them ('... where ...'), or the sizes");
    return false;
  }
  return true;
}

/// The dimensions of a temporary reach as far as its parts do.
bool Sema::growTemporary(const OpScope &scope, const Statement &statement,
                         Tensor &tensor) {
  Prover prover = proverOf(scope.op);
  std::vector<IndexSum> sums = leftSums(statement);
  bool first = tensor.parts.empty();
  for (size_t d = 0; d < sums.size(); ++d) {
    Extent least = sums[d].offset, end = least + Extent::of(1);
    if (!sums[d].terms.empty()) {
      auto [index, factor] = sums[d].terms[0];
      Extent last = (*index->extent - Extent::of(1)) * factor;
      (factor > 0 ? end : least) = (factor > 0 ? end : least) + last;
      // Nothing is written where the index runs over nothing.
      if (factor > 0 && !prover.proves(formOf(end)))
        end = end + Extent::of(factor - 1);
    }
    SourceRange range =
        statement.at.empty() ? statement.target.range : statement.at[d].range;
    bool empty = false;
    Prover runs = prover;
    for (const auto &index : statement.indices)
      runs.assume(formOf(*index->extent - Extent::of(1)));
    empty = runs.empty();
    if (!empty && !runs.proves(formOf(least))) {
      reporter
          .error(codes::kBoundNotProved,
                 fmt::format("cannot prove that this subscript is 0 or more: "
                             "it starts at {}",
                             spelling(least)),
                 range)
          .help("add a constraint on the sizes, or shift the index");
      return false;
    }
    if (first) {
      tensor.dims.push_back(end);
      continue;
    }
    if (prover.proves(formOf(tensor.dims[d] - end)))
      continue;
    if (!prover.proves(formOf(end - tensor.dims[d]))) {
      reporter
          .error(codes::kRangesDiffer,
                 fmt::format("this part of '{}' ends at {}, those before it at "
                             "{}: neither is known to be the larger",
                             tensor.name.text, spelling(end),
                             spelling(tensor.dims[d])),
                 range)
          .note("the first part stands here", tensor.parts[0]->target.range)
          .help("let both depend on the same size, or make it an output, whose "
                "dimensions are declared");
      return false;
    }
    if (scope.readToEnd.count(&tensor)) {
      reporter
          .error(codes::kRangesDiffer,
                 fmt::format("'{}' ended at {} where a read above asks for its "
                             "end, this part makes it {}",
                             tensor.name.text, spelling(tensor.dims[d]),
                             spelling(end)),
                 range)
          .help("move the read below all parts");
      return false;
    }
    tensor.dims[d] = end;
  }
  return true;
}

bool Sema::addPart(OpScope &scope, Statement &statement, Tensor &tensor) {
  if (statement.updates)
    return true;
  bool temporary = tensor.role == Tensor::Role::Temporary;
  bool given = temporary && tensor.parts.empty() && !tensor.dims.empty();
  bool declared = given || !statement.declared.empty();
  if (temporary && !declared && !growTemporary(scope, statement, tensor))
    return false;
  if (temporary && declared && tensor.dims.empty())
    for (const auto &index : statement.indices)
      tensor.dims.push_back(*index->extent);
  if (!tensor.parts.empty() && !checkDisjoint(scope, statement, tensor))
    return false;
  bool alone =
      tensor.parts.empty() && statement.at.empty() && !isPart(scope, statement);
  tensor.parts.push_back(&statement);
  if (alone && (statement.domain.empty() || statement.otherwise)) {
    tensor.whole = true;
    return true;
  }
  Prover region = proverOf(scope.op);
  Element element = anyElement(region, tensor);
  tensor.whole = Cover(tensor.parts).holds(region, element);
  return true;
}

/// Every element of an output is defined.
void Sema::checkCovered(const OpScope &scope, const TensorDecl &decl) {
  const Tensor &tensor = *decl.tensor;
  if (tensor.whole || tensor.parts.empty())
    return;
  Prover region = proverOf(scope.op);
  Element element = anyElement(region, tensor);
  Cover cover(tensor.parts);
  if (cover.holds(region, element))
    return;
  std::set<const SizeSymbol *> sizes;
  for (const Extent &dim : tensor.dims)
    mention(sizes, dim);
  for (const Statement *part : tensor.parts)
    mention(sizes, *part);
  auto values = cover.left() ? cover.left()->example() : std::nullopt;
  std::string text = fmt::format(
      "nothing proves that every element of '{}' is defined", decl.name.text);
  if (values) {
    Witness witness = witnessOf(scope.op, tensor, element, *values, sizes);
    text = fmt::format("element {}{} of the output is never defined",
                       witness.element, witness.sizes);
  }
  const Statement &last = *tensor.parts.back();
  Diagnostic &d = reporter.error(codes::kNotCovered, text, last.target.range);
  if (tensor.parts.size() > 1)
    noteParts(d, tensor);
  d.note("it is declared here", decl.range);
  if (tensor.parts.size() == 1 && last.where)
    d.help("give the other elements a value: '... where ... else 0'");
  else
    d.help("add a statement for the rest");
}

} // namespace girih::frontend
