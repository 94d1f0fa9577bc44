//===- SemaScatter.cpp - promises of integers, scatter statements ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/Sema.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

void Sema::checkPromise(OpScope &scope, TensorDecl &decl, Tensor &tensor) {
  SourceRange range{decl.first->range.begin, decl.end->range.end};
  if (!isInteger(decl.type)) {
    reporter
        .error(codes::kWrongOperandType,
               fmt::format("'{}' holds {}: a range is promised of integers",
                           decl.name.text, spelling(decl.type)),
               range)
        .help("leave the range out");
    return;
  }
  IndexSums sums{*this, reporter, scope, "the end of a range",
                 codes::kNoPromise};
  auto first = sums.of(*decl.first), end = sums.of(*decl.end);
  if (!first || !end)
    return;
  tensor.promise = std::pair(first->offset, end->offset);
  tensor.promiseRange = range;
}

void Sema::checkOffsets(OpScope &scope, TensorDecl &decl, Tensor &tensor) {
  SourceRange range = decl.offsets->range;
  if (!isInteger(decl.type) || tensor.dims.size() != 1) {
    reporter
        .error(codes::kWrongOperandType,
               fmt::format("offsets are integers of one dimension, '{}' is {}",
                           decl.name.text, printShape(decl)),
               range)
        .help(fmt::format("declare it {}: i32[E + 1] offsets({})",
                          decl.name.text, printExpr(*decl.offsets)));
    return;
  }
  IndexSums sums{*this, reporter, scope, "the number of elements",
                 codes::kNoPromise};
  auto total = sums.of(*decl.offsets);
  if (!total)
    return;
  // The end of the last group is there even where no group is.
  const Extent &dim = tensor.dims[0];
  bool isAtLeastOne = dim.constant >= 1;
  for (auto [size, factor] : dim.terms)
    isAtLeastOne &= factor > 0;
  if (!isAtLeastOne) {
    reporter
        .error(codes::kNegativeExtent,
               fmt::format("'{}' may have no element, and offsets of E groups "
                           "are E + 1",
                           decl.name.text),
               decl.dims[0].range)
        .help(fmt::format("declare it {}: {}[E + 1] offsets({})",
                          decl.name.text, spelling(decl.type),
                          printExpr(*decl.offsets)));
    return;
  }
  tensor.promise = std::pair(Extent(), total->offset + Extent::of(1));
  tensor.promiseRange = range;
  tensor.offsets = total->offset;
}

std::vector<Name> Sema::scatterIndices(const OpDecl &op,
                                       const Statement &statement) const {
  std::vector<Name> found;
  if (!statement.scatter)
    return found;
  auto isKnown = [&](const std::string &name) {
    if (findGlobal(name))
      return true;
    for (const OpParam &param : op.params)
      if (param.name.text == name)
        return true;
    for (const auto &constant : op.constants)
      if (constant->name.text == name)
        return true;
    for (const auto &other : op.statements)
      if (other->target.text == name)
        return true;
    for (const auto *decls : {&op.inputs, &op.outputs})
      for (const TensorDecl &decl : *decls) {
        bool known = decl.name.text == name;
        for (const DimDecl &dim : decl.dims)
          forEachName(*dim.value, [&](const std::string &size, SourceRange) {
            known |= size == name;
          });
        if (known)
          return true;
      }
    return false;
  };
  forEachName(*statement.scatter->place, [&](const std::string &name,
                                             SourceRange range) {
    bool again =
        std::any_of(found.begin(), found.end(),
                    [&](const Name &other) { return other.text == name; });
    if (!again && !isKnown(name))
      found.push_back({name, range});
  });
  return found;
}

void Sema::makeScatterIndices(OpScope &scope, Statement &statement) {
  statement.indices.clear();
  for (Name &name : scatterIndices(scope.op, statement)) {
    auto index = std::make_unique<IndexVariable>();
    index->name = std::move(name);
    index->reduced = true; // it may start anywhere
    statement.indices.push_back(std::move(index));
  }
}

bool Sema::checkChecked(const Statement &statement,
                        const ExprChecker &checker) {
  // Its error word is computed behind the statement.
  bool overwrites = statement.tensor && statement.tensor->aliases;
  if (!statement.loop && !statement.readsItself && !overwrites)
    return true;
  for (const SeenAccess &seen : checker.allAccesses())
    for (const Subscript &subscript : seen.access->subscripts)
      if (subscript.rule == AccessRule::Checked) {
        reporter
            .error(codes::kNoSubscript,
                   fmt::format("the access rule 'checked' {} is not supported "
                               "yet",
                               statement.loop ? "inside a time loop"
                               : overwrites
                                   ? "in a statement that writes what aliases "
                                     "an input"
                                   : "in a statement that reads what it "
                                     "writes"),
                   subscript.range)
            .help("use clamp, or promise a range");
        return false;
      }
  return true;
}

static const Expr *findReduction(const Expr &expr) {
  if (expr.as<ReduceExpr>())
    return &expr;
  const Expr *found = nullptr;
  forEachChild(expr, [&](const Expr &child) {
    if (!found)
      found = findReduction(child);
  });
  return found;
}

bool Sema::checkScatterParts(const Statement &statement) {
  const char *what = "a reduction in the place of a scatter is not supported";
  const Expr *inner = findReduction(*statement.scatter->place);
  if (!inner && findScan(*statement.value)) {
    what = "a scan in a scattered value is not supported";
    inner = statement.value.get();
  }
  if (!inner)
    return true;
  reporter.error(codes::kNoSubscript, what, inner->range)
      .help("name it in a statement of its own");
  return false;
}

bool Sema::checkScatter(OpScope &scope, Statement &statement,
                        const Tensor &tensor, ExprChecker &checker) {
  Scatter &scatter = *statement.scatter;
  SourceRange declared = declarationOf(scope, tensor);
  if (tensor.role != Tensor::Role::Output && !tensor.inOut) {
    reporter
        .error(codes::kNoStatement,
               fmt::format("'{}' is no output: only outputs are scattered into",
                           tensor.name.text),
               statement.target.range)
        .help(fmt::format("declare it behind '->', with its shape: -> {}: "
                          "{}[...]",
                          tensor.name.text, spelling(statement.value->type)));
    return false;
  }
  if (statement.loop) {
    reporter.error(codes::kNoStatement,
                   "a scatter inside a time loop is not supported yet",
                   statement.target.range);
    return false;
  }
  bool combines = scatter.kind != Scatter::Kind::Set;
  if (combines && (isStorageOnly(tensor.type) ||
                   !(isFloat(tensor.type) || isInteger(tensor.type)))) {
    reporter
        .error(codes::kWrongOperandType,
               fmt::format("'{}' needs numbers, '{}' holds {}",
                           spelling(scatter.kind), tensor.name.text,
                           spelling(tensor.type)),
               scatter.opRange)
        .note("it is declared here", declared);
    return false;
  }
  if (statement.value->type != tensor.type) {
    reporter
        .error(codes::kResultTypeDiffers,
               fmt::format("'{}' is declared {}, this value is {}",
                           tensor.name.text, spelling(tensor.type),
                           spelling(statement.value->type)),
               statement.value->range)
        .note("it is declared here", declared)
        .help(fmt::format("cast it: {}({})", spelling(tensor.type),
                          shortened(*statement.value)));
    return false;
  }
  bool isOrdered = scatter.kind == Scatter::Kind::Add && isFloat(tensor.type);
  const ReduceOrder &order = scatter.order;
  bool isWritten = order.range.end > order.range.begin;
  // Whoever leaves the order free gets the one that there is.
  if (isOrdered && order.kind != ReduceOrder::Kind::Sequential &&
      order.kind != ReduceOrder::Kind::Free) {
    reporter
        .error(codes::kNoScatterOrder,
               isWritten ? fmt::format("a scattered sum of {} has the order "
                                       "'sequential' or 'free', no other",
                                       spelling(tensor.type))
                         : fmt::format("a scattered sum of {} says its order",
                                       spelling(tensor.type)),
               isWritten ? order.range : scatter.opRange)
        .note("roundings depend on which value comes first, and there is no "
              "silent default",
              scatter.opRange)
        .help(fmt::format("write {} +=[order=sequential] ..., or [order=free] "
                          "where any order will do",
                          printExpr(*scatter.place)));
    return false;
  }
  if (!isOrdered && isWritten)
    reporter.warning(
        codes::kOrderWithoutEffect,
        fmt::format("'{}' of {} gives the same bits in any order: the clause "
                    "has no effect",
                    spelling(scatter.kind), spelling(tensor.type)),
        order.range);
  if (scatter.unique && combines) {
    reporter
        .error(codes::kMisplaced,
               fmt::format("'unique' belongs to '=': '{}' combines what meets "
                           "in one place",
                           spelling(scatter.kind)),
               scatter.uniqueRange)
        .help("leave it out");
    return false;
  }
  if (statement.readsItself) {
    reporter
        .error(
            codes::kRecurrence,
            fmt::format("a scatter into '{}' cannot read it", tensor.name.text),
            statement.value->range)
        .help("scatter into a tensor of its own");
    return false;
  }
  RangeSolver solver(reporter, scope.op, checker.allIndices(),
                     checker.allAccesses());
  solver.setStatement(statement, checker.ranges());
  solver.declareGiven(statement);
  if (!solver.settle() || !solver.checkAccesses() || !checker.checkOrders() ||
      (!scope.faulty &&
       !checkAliased(scope, statement, checker.allAccesses(), solver)))
    return false;
  for (const SeenAccess &seen : checker.allAccesses()) {
    if (seen.access->isPlace)
      continue;
    for (const Subscript &subscript : seen.access->subscripts)
      if (seen.access->otherwise || subscript.rule != AccessRule::None)
        scope.readToEnd.insert(seen.access->tensor);
    if (!scope.faulty && !checkDefined(scope, seen, solver))
      return false;
  }
  uint64_t size = 0;
  unsigned depth = 0;
  countInlined(*scatter.place, size, depth);
  return countInlined(*statement.value, size, depth);
}

} // namespace girih::frontend
