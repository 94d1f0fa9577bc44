//===- SemaVersions.cpp - tensors that are written again ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inout tensors, time loops, recurrences. Statements run in the order of the
// text, and the instances of one statement in the lexicographic order of its
// indices; what a read sees is what was written last. So a tensor that is
// defined everywhere may be overwritten freely, and a statement that reads what
// it defines itself has to read what earlier instances wrote.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/PartImage.h"
#include "compiler/frontend/Sema.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

bool isAround(const TimeLoop *outer, const TimeLoop *inner) {
  for (; inner; inner = inner->parent)
    if (inner == outer)
      return true;
  return outer == nullptr;
}

//===----------------------------------------------------------------------===//
// Time loops
//===----------------------------------------------------------------------===//

/// Sets the range of the loop's index. Once a loop.
bool Sema::checkLoop(OpScope &scope, const TimeLoop &loop) {
  auto [place, fresh] = scope.loops.try_emplace(&loop, false);
  if (!fresh)
    return place->second;
  if (loop.parent && !checkLoop(scope, *loop.parent))
    return false;
  IndexVariable &index = *loop.index;
  checkIndexName(scope, index);
  IndexSums sums{*this, reporter, scope, "the range of a loop",
                 codes::kNoSubscript};
  auto first = sums.of(*index.first), end = sums.of(*index.end);
  if (!first || !end)
    return false;
  index.start = first->offset;
  index.extent = end->offset - first->offset;
  index.fixedBy = loop.range;
  Prover prover = proverOf(scope.op);
  if (!prover.proves(formOf(*index.extent))) {
    reporter
        .error(codes::kNegativeExtent,
               fmt::format("the range {}..{} may end before it starts",
                           printExpr(*index.first), printExpr(*index.end)),
               loop.range)
        .help("add a constraint on the sizes ('where ...')");
    return false;
  }
  return scope.loops[&loop] = true;
}

//===----------------------------------------------------------------------===//
// Overwriting
//===----------------------------------------------------------------------===//

const TensorDecl *Sema::declOf(const OpScope &scope,
                               const Tensor &tensor) const {
  for (const auto *decls : {&scope.op.outputs, &scope.op.inputs})
    for (const TensorDecl &decl : *decls)
      if (decl.tensor == &tensor)
        return &decl;
  return nullptr;
}

/// Whether a subscript on the left holds the index of `loop`.
static bool writesTurn(const Statement &statement, const TimeLoop &loop) {
  bool found = false;
  for (const Subscript &subscript : statement.at)
    forEachName(*subscript.value, [&](const std::string &name, SourceRange) {
      found |= name == loop.index->name.text;
    });
  return found;
}

/// Where a tensor that `statement` defines first lives: for one turn of the
/// loop around it, unless its left side says which turn defines what.
const TimeLoop *Sema::homeOf(const Statement &statement) {
  const TimeLoop *home = statement.loop;
  for (const TimeLoop *loop = statement.loop; loop; loop = loop->parent)
    if (writesTurn(statement, *loop))
      home = loop->parent;
  return home;
}

/// Whether the tensor gets elements in turns of a loop around what is checked:
/// those of later turns are not there yet.
bool Sema::isGrowing(const OpScope &scope, const Tensor &tensor) const {
  for (const Statement *part : tensor.parts)
    for (const TimeLoop *loop : turnsOf(*part))
      if (isAround(loop, scope.loop))
        return true;
  return false;
}

/// The turns around what is checked, over the variables of a read's region.
IndexForms Sema::turnAt(const OpScope &scope, const RangeSolver &solver) const {
  IndexForms turn;
  for (const TimeLoop *loop = scope.loop; loop; loop = loop->parent) {
    IndexSum self;
    self.terms.push_back({loop->index.get(), 1});
    turn[loop->index.get()] = solver.formOf(self);
  }
  return turn;
}

/// Whether `statement` may write `tensor`, which is defined already, and then
/// whether it overwrites. False, reported, where it may not.
bool Sema::checkUpdate(Statement &statement, const Tensor &tensor) {
  const Statement *first = tensor.definition;
  if (tensor.inOut) {
    statement.updates = true;
    return true;
  }
  if (!first)
    return true;
  bool same = !statement.inPlace && homeOf(statement) == tensor.home;
  if (same && (first->loop == statement.loop || !tensor.whole))
    return true;
  if (!isAround(tensor.home, statement.loop)) {
    reporter
        .error(codes::kTensorRedefined,
               fmt::format("'{}' is defined in a loop and lives for one turn "
                           "of it",
                           tensor.name.text),
               statement.target.range)
        .note("it is defined here", first->target.range)
        .help("define it before the loop, then it keeps its values");
    return false;
  }
  if (!tensor.whole) {
    Diagnostic &d = reporter.error(
        codes::kNotCovered,
        fmt::format("'{}' is overwritten here, but not all of it is defined "
                    "before",
                    tensor.name.text),
        statement.target.range);
    noteParts(d, tensor);
    d.help(statement.inPlace ? "define the rest of it before the call"
                             : "define the rest of it before the loop");
    return false;
  }
  statement.updates = true;
  return true;
}

/// A tensor of one turn is gone behind its loop.
bool Sema::checkAlive(const OpScope &scope, const Tensor &tensor,
                      SourceRange range) {
  const Statement *first = tensor.definition;
  if (!first || tensor.inOut || isAround(tensor.home, scope.loop))
    return true;
  reporter
      .error(codes::kReadBeforeDefined,
             fmt::format("'{}' is defined in a loop and lives for one turn of "
                         "it",
                         tensor.name.text),
             range)
      .note("it is defined here", first->target.range)
      .help("define it before the loop, then it keeps its values");
  return false;
}

//===----------------------------------------------------------------------===//
// Recurrences
//===----------------------------------------------------------------------===//

/// The reads of what the statement defines restrict its indices to where they
/// lie inside, unless they carry a rule.
void Sema::cutToInside(Statement &statement, const SeenAccess &seen,
                       const RangeSolver &solver) {
  const Tensor &tensor = *seen.access->tensor;
  if (seen.access->otherwise || !seen.facts.empty())
    return;
  auto own = [&](const IndexSum &sum) {
    return std::all_of(sum.terms.begin(), sum.terms.end(), [&](auto term) {
      return std::any_of(
          statement.indices.begin(), statement.indices.end(),
          [&](const auto &index) { return index.get() == term.first; });
    });
  };
  for (size_t d = 0; d < tensor.dims.size(); ++d) {
    const Subscript &subscript = seen.access->subscripts[d];
    if (!subscript.isAffine() || !own(subscript.sum))
      continue;
    Condition below{subscript.sum, subscript.range};
    IndexSum rest = scaled(subscript.sum, -1);
    rest.offset = rest.offset + tensor.dims[d] - Extent::of(1);
    for (Condition condition : {below, Condition{rest, subscript.range}})
      if (!solver.proverAt(seen, false).proves(solver.formOf(condition.sum)) &&
          !condition.sum.terms.empty())
        statement.domain.push_back(std::move(condition));
  }
}

/// What a statement reads of its own tensor is defined before: by another
/// statement or by an earlier instance.
bool Sema::checkOwnRead(OpScope &scope, const Statement &statement,
                        const SeenAccess &seen, const RangeSolver &solver) {
  const Tensor &tensor = *seen.access->tensor;
  std::vector<IndexSum> left = leftSums(statement);
  Prover region = solver.proverAt(seen, false);
  Element element;
  for (size_t d = 0; d < tensor.dims.size(); ++d) {
    LinearForm form;
    form.add(region.addVariable(), 1);
    region.assume(form);
    LinearForm below = plus(formOf(tensor.dims[d]), form, -1);
    below.constant -= 1;
    region.assume(below);
    const Subscript &subscript = seen.access->subscripts[d];
    if (subscript.isAffine()) {
      LinearForm read = solver.formOf(subscript.sum);
      region.assume(plus(form, read, -1));
      region.assume(plus(read, form, -1));
    }
    element.push_back(std::move(form));
  }
  // The instance that writes the element, compared with the one that reads it:
  // for each index, factor * (writer - reader).
  IndexForms turn = turnAt(scope, solver);
  Prover own = region;
  assumeDefined(own, element, statement, turn);
  auto equal = [](Prover &prover, const LinearForm &form) {
    prover.assume(form);
    prover.assume(plus(LinearForm(), form, -1));
  };
  std::optional<Prover> wrong;
  std::vector<const IndexVariable *> order;
  for (const TimeLoop *loop : turnsOf(statement))
    order.push_back(loop->index.get());
  for (const auto &index : statement.indices)
    order.push_back(index.get());
  for (const IndexVariable *index : order) {
    for (size_t d = 0; d < left.size(); ++d) {
      if (left[d].terms.empty() || left[d].terms[0].first != index)
        continue;
      LinearForm here = solver.formOf(left[d]);
      LinearForm distance = plus(element[d], here, -1);
      Prover later = own;
      LinearForm ahead = left[d].terms[0].second > 0
                             ? distance
                             : plus(LinearForm(), distance, -1);
      ahead.constant -= 1;
      later.assume(ahead);
      if (!later.empty() && !wrong)
        wrong = later;
      equal(own, distance);
      break;
    }
  }
  if (!own.empty() && !wrong)
    wrong = own; // its own element
  std::string values;
  if (wrong) {
    if (auto example = wrong->example()) {
      LinearForm mentioned;
      for (const IndexVariable *index : order) {
        IndexSum self;
        self.terms.push_back({index, 1});
        mentioned = plus(mentioned, solver.formOf(self));
      }
      example->resize(region.variables() - tensor.dims.size());
      values = solver.valuesText(*example, mentioned);
    }
    Diagnostic &d = reporter.error(
        codes::kRecurrence,
        fmt::format("this reads an element of '{}' before this statement "
                    "defines it{}",
                    tensor.name.text,
                    values.empty() ? "" : fmt::format(": with {}", values)),
        seen.range);
    d.note("instances run in the order of the left side's indices, the last "
           "one fastest",
           statement.target.range);
    d.help("read earlier elements only, or use a tensor of its own for the "
           "result");
    return false;
  }
  std::vector<const Statement *> parts = tensor.parts;
  parts.push_back(&statement);
  Cover cover(parts, std::move(turn));
  cover.trust(statement);
  if (cover.holds(region, element))
    return true;
  Diagnostic &d = reporter.error(
      codes::kNotDefined,
      fmt::format("nothing proves that '{}' is defined where it is read",
                  tensor.name.text),
      seen.range);
  noteParts(d, tensor);
  if (auto example = cover.left() ? cover.left()->example() : std::nullopt) {
    std::string text;
    for (size_t dim = 0; dim < element.size(); ++dim) {
      int64_t value = element[dim].constant;
      for (size_t v = 0; v < example->size(); ++v)
        value += element[dim].factor(v) * (*example)[v];
      text += fmt::format("{}{}", dim ? ", " : "[", value);
    }
    d.note(fmt::format("for example element {}{}", tensor.name.text,
                       text.empty() ? "" : text + "]"),
           seen.range);
  }
  d.help(fmt::format("define the first elements in a statement of their own, "
                     "or give the read a value there: ({}[...] else 0)",
                     tensor.name.text));
  return false;
}

} // namespace girih::frontend
