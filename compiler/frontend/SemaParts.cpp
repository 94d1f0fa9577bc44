//===- SemaParts.cpp - statements that define parts of tensors ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Their left-hand sides and ranges; what is proved of them is PartProofs.cpp.
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

bool Sema::isPart(const OpScope &scope, const Statement &statement) const {
  auto count = scope.statementCount.find(statement.target.text);
  // Nothing but the loop says how far a ragged one reaches.
  return !statement.at.empty() || statement.ragged ||
         (count != scope.statementCount.end() && count->second > 1);
}

//===----------------------------------------------------------------------===//
// The left-hand side
//===----------------------------------------------------------------------===//

/// Names of sizes, integer constants and loops are no indices of the statement:
/// what holds one is a computed subscript.
void Sema::sortLeftNames(OpScope &scope, Statement &statement) {
  auto isValue = [&](const std::string &name) {
    if (scope.sizes.count(name))
      return true;
    for (const TimeLoop *loop = statement.loop; loop; loop = loop->parent)
      if (loop->index->name.text == name)
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
    for (const TimeLoop *loop = statement.loop; loop; loop = loop->parent)
      if (loop->index->name.text == name)
        return loop->index.get();
    return nullptr;
  };
  for (const TimeLoop *loop = statement.loop; loop; loop = loop->parent)
    names.push_back(loop->index->name.text);
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
void Sema::cutToDefined(const OpScope &scope, Statement &statement,
                        const SeenAccess &seen, const RangeSolver &solver,
                        bool declared) {
  const Tensor &tensor = *seen.access->tensor;
  if (&tensor == statement.tensor)
    return cutToInside(statement, seen, solver);
  if (tensor.whole || tensor.parts.size() != 1 || seen.access->otherwise ||
      seen.inOtherwise || isGrowing(scope, tensor))
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
bool Sema::mustSplit(const OpScope &scope, const Statement &statement,
                     const std::vector<SeenAccess> &accesses) const {
  if (!statement.otherwise || statement.domain.empty())
    return false;
  if (holdsReduction(*statement.value))
    return true;
  return std::any_of(accesses.begin(), accesses.end(), [&](const auto &seen) {
    const Tensor &tensor = *seen.access->tensor;
    return !tensor.whole || isGrowing(scope, tensor);
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
  bool known = output || given || statement.updates;
  if (part && known) {
    node.tensorName = statement.target;
    node.tensor = &tensor;
    target = {&node, statement.target.range, {}, {}, {}, false};
    target.inOtherwise = statement.otherwise != nullptr;
    for (const TimeLoop *loop = statement.loop; loop; loop = loop->parent)
      target.indices.push_back(loop->index.get());
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
  solver.declareGiven(statement);
  if (!part && !output && !given && !statement.ragged)
    solver.setReaders([&](const IndexVariable &index) {
      size_t dim = 0, number = 0;
      while (statement.indices[dim].get() != &index)
        ++dim;
      while (scope.op.statements[number].get() != &statement)
        ++number;
      return extentFromReaders(scope, tensor.name.text, dim, number);
    });
  bool fine = solver.settle();
  if (fine) {
    bool declared = !part && (output || given);
    for (const SeenAccess &seen : checker.allAccesses())
      cutToDefined(scope, statement, seen, solver, declared);
    statement.splits = mustSplit(scope, statement, checker.allAccesses());
    fine = solver.checkAccesses();
  }
  if (part && known && node.subscripts.size() != 0) {
    bool written =
        std::any_of(node.subscripts.begin(), node.subscripts.end(),
                    [](const Subscript &s) { return !s.sum.plainIndex(); });
    std::set<const IndexVariable *> distinct;
    for (const Subscript &subscript : node.subscripts)
      distinct.insert(subscript.sum.plainIndex());
    // The index of a loop is no index of the statement.
    bool own = distinct.size() == statement.indices.size();
    for (const auto &index : statement.indices)
      own &= distinct.count(index.get()) != 0;
    if (written || !own || distinct.size() != node.subscripts.size())
      statement.at = std::move(node.subscripts);
  }
  for (const SeenAccess &seen : checker.allAccesses()) {
    bool ends = seen.access->otherwise != nullptr;
    for (const Subscript &subscript : seen.access->subscripts)
      ends |= subscript.rule != AccessRule::None;
    if (ends)
      scope.readToEnd.insert(seen.access->tensor);
  }
  fine = fine && checker.checkOrders() &&
         (scope.faulty ||
          checkAliased(scope, statement, checker.allAccesses(), solver));
  if (fine && !scope.faulty)
    for (const SeenAccess &seen : checker.allAccesses())
      fine = fine && (seen.access->tensor == &tensor && !statement.updates
                          ? checkOwnRead(scope, statement, seen, solver)
                          : checkDefined(scope, seen, solver));
  return fine;
}

} // namespace girih::frontend
