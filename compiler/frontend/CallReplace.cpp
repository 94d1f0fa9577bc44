//===- CallReplace.cpp - statements in the place of a call ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/CallExpander.h"

#include "compiler/frontend/Builtins.h"

#include <fmt/format.h>
#include <iterator>

namespace girih::frontend {

bool CallExpander::taken(const std::string &name) const {
  if (scope.tensors.count(name) || scope.firstStatement.count(name) ||
      scope.sizes.count(name) || sema.findGlobal(name) || isReservedName(name))
    return true;
  for (const auto &constant : scope.op.constants)
    if (constant->name.text == name)
      return true;
  for (auto &[from, to] : cloner.tensors)
    if (to == name)
      return true;
  return false;
}

std::string CallExpander::fresh(const std::string &wanted) const {
  std::string name = wanted;
  for (unsigned number = 2; taken(name); ++number)
    name = fmt::format("{}_{}", wanted, number);
  return name;
}

void CallExpander::renameIndices(const Expr &expr) {
  if (auto *reduce = expr.as<ReduceExpr>())
    for (const auto &index : reduce->indices)
      renameIndex(index->name.text);
  forEachChild(expr, [&](const Expr &child) { renameIndices(child); });
}

bool CallExpander::isLeftValue(const std::string &name) const {
  const Global *global = sema.findGlobal(name);
  return cloner.sizes.count(name) || (global && global->constant);
}

void CallExpander::renameIndex(const std::string &name) {
  if (!cloner.indices.count(name) && taken(name))
    cloner.indices[name] = fresh(name + "_");
}

bool CallExpander::replace() {
  cloner.functions = instance->functions ? instance->functions : call.inherited;
  cloner.contract =
      instance->contract ? instance->contract : call.inheritedContract;
  for (const auto &inner : instance->statements)
    for (size_t i = 0; i <= inner->moreTargets.size(); ++i) {
      const Name &target = i ? inner->moreTargets[i - 1] : inner->target;
      if (!cloner.tensors.count(target.text))
        cloner.tensors[target.text] =
            fresh(fmt::format("{}_{}", callee.name.text, target.text));
    }
  // The indices of scatters, while the instance still has its constants.
  std::map<const Statement *, std::vector<Name>> scattered;
  for (const auto &inner : instance->statements)
    scattered[inner.get()] = sema.scatterIndices(*instance, *inner);
  for (auto &constant : instance->constants) {
    cloner.constants[constant->name.text] = constant.get();
    constant->name.text =
        fresh(fmt::format("{}_{}", callee.name.text, constant->name.text));
    scope.op.constants.push_back(std::move(constant));
  }
  std::vector<std::unique_ptr<Statement>> copies;
  for (const auto &inner : instance->statements) {
    for (const auto &index : inner->indices)
      if (!isLeftValue(index->name.text))
        renameIndex(index->name.text);
    for (const Name &index : scattered[inner.get()])
      renameIndex(index.text);
    for (const TimeLoop *loop = inner->loop; loop; loop = loop->parent)
      renameIndex(loop->index->name.text);
    if (inner->ragged)
      for (const auto *index : {&inner->ragged->group, &inner->ragged->element})
        renameIndex((*index)->name.text);
    for (const ExprPtr *expr :
         {&inner->value, &inner->where, &inner->otherwise})
      if (*expr)
        renameIndices(**expr);
  }
  cloner.around = statement.loop;
  cloner.cloneLoops(*instance, scope.op);
  for (const auto &inner : instance->statements) {
    spreadIndices(*inner);
    copies.push_back(cloner.clone(*inner));
    copies.back()->inlinedFrom = {callee.name.text, call.callee.range};
    copies.back()->inPlace |= updated.count(inner->target.text) != 0;
    if (auto place = places.find(inner->target.text); place != places.end())
      copies.back()->target.range = place->second;
    if (auto dims = declared.find(inner->target.text); dims != declared.end())
      copies.back()->declared = dims->second;
  }
  adoptAssumptions();
  auto &statements = scope.op.statements;
  if (statements.size() + copies.size() > kMaxStatements)
    return fail(codes::kTooLargeInlined,
                fmt::format("'{}' has more than {} statements once its calls "
                            "are inlined",
                            scope.op.name.text, kMaxStatements),
                call.callee.range);
  --scope.statementCount[statement.target.text];
  for (const auto &copy : copies) {
    scope.firstStatement.try_emplace(copy->target.text, copy.get());
    ++scope.statementCount[copy->target.text];
  }
  scope.replaced.push_back(std::move(statements[at]));
  statements.erase(statements.begin() + long(at));
  statements.insert(statements.begin() + long(at),
                    std::make_move_iterator(copies.begin()),
                    std::make_move_iterator(copies.end()));
  return true;
}

void CallExpander::adoptAssumptions() {
  for (const Assumption &inner : instance->assumptions) {
    auto argument = tensors.find(inner.tensor.text);
    if (argument == tensors.end() ||
        argument->second.tensor->role != Tensor::Role::Input)
      continue;
    Assumption copy = inner;
    copy.tensor.text = argument->second.tensor->name.text;
    scope.op.assumptions.push_back(std::move(copy));
  }
}

} // namespace girih::frontend
