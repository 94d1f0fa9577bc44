//===- CallLeading.cpp - leading dimensions of a called operator ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/CallLeading.h"

#include "compiler/frontend/Conditions.h"
#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/Instance.h"

#include <fmt/format.h>

namespace girih::frontend {

void LeadingIndices::refuse(std::string message, SourceRange range) {
  if (!problem)
    problem = Problem{std::move(message), range};
}

const std::string *LeadingIndices::leadingAt(std::string_view tensor,
                                             size_t dim) const {
  auto entry = places.find(tensor);
  if (entry == places.end())
    return nullptr;
  auto place = entry->second.find(unsigned(dim));
  return place == entry->second.end() ? nullptr : &place->second;
}

void LeadingIndices::declare(const TensorDecl &decl) {
  const std::string *name = leadingName(decl);
  if (name && spread.count(*name))
    places[decl.name.text][0] = *name;
}

/// The tensors that a call inside gives have the leading dimensions of its
/// arguments.
void LeadingIndices::declareResults(const Statement &statement) {
  const CallExpr *call = callOf(statement);
  const OpDecl *callee = call ? findOp(call->callee.text) : nullptr;
  if (!callee)
    return;
  auto argumentOf = [&](const TensorDecl &input, size_t at) -> const Expr * {
    if (at < call->arguments.size())
      return call->arguments[at].get();
    for (const NamedArgument &named : call->named)
      if (named.name.text == input.name.text)
        return named.value.get();
    return nullptr;
  };
  std::map<std::string, std::string> given;
  for (size_t i = 0; i < callee->inputs.size(); ++i) {
    const std::string *name = leadingName(callee->inputs[i]);
    const Expr *argument = name ? argumentOf(callee->inputs[i], i) : nullptr;
    auto *tensor = argument ? argument->as<NameExpr>() : nullptr;
    if (tensor)
      if (const std::string *leading = leadingAt(tensor->name, 0))
        given.emplace(*name, *leading);
  }
  for (size_t i = 0; i < callee->outputs.size(); ++i) {
    const std::string *name = leadingName(callee->outputs[i]);
    auto leading = name ? given.find(*name) : given.end();
    if (leading == given.end() || i > statement.moreTargets.size())
      continue;
    const Name &target = i ? statement.moreTargets[i - 1] : statement.target;
    places[target.text][0] = leading->second;
  }
}

static const std::string *plainName(const Subscript &subscript) {
  auto *name = subscript.value->as<NameExpr>();
  return name && subscript.rule == AccessRule::None ? &name->name : nullptr;
}

void LeadingIndices::collect(const Expr &expr, Indices &indices) {
  if (auto *access = expr.as<AccessExpr>())
    for (size_t dim = 0; dim < access->subscripts.size(); ++dim) {
      const std::string *leading = leadingAt(access->tensorName.text, dim);
      if (!leading)
        continue;
      const Subscript &subscript = access->subscripts[dim];
      const std::string *index = plainName(subscript);
      if (!index)
        return refuse(fmt::format("'..{}' is indexed by more than an index "
                                  "here",
                                  *leading),
                      subscript.range);
      auto [place, fresh] = indices.try_emplace(*index, *leading);
      if (!fresh && place->second != *leading)
        refuse(fmt::format("'{}' runs over '..{}' and '..{}'", *index, *leading,
                           place->second),
               subscript.range);
    }
  forEachChild(expr, [&](const Expr &child) { collect(child, indices); });
}

void LeadingIndices::verifySum(const Expr &expr, const Indices &indices) {
  forEachName(expr, [&](const std::string &name, SourceRange range) {
    if (auto index = indices.find(name); index != indices.end())
      refuse(fmt::format("'{}' runs over '..{}' and stands in another place "
                         "here",
                         name, index->second),
             range);
  });
}

/// Every use of the indices is one that may become several.
void LeadingIndices::verify(const Expr &expr, const Indices &indices) {
  if (auto *name = expr.as<NameExpr>()) {
    if (indices.count(name->name))
      refuse(fmt::format("the number of '{}', which runs over '..{}', is used "
                         "here",
                         name->name, indices.at(name->name)),
             expr.range);
    return;
  }
  if (auto *access = expr.as<AccessExpr>()) {
    for (size_t dim = 0; dim < access->subscripts.size(); ++dim) {
      const Expr &subscript = *access->subscripts[dim].value;
      if (leadingAt(access->tensorName.text, dim))
        continue;
      if (holdsAccess(subscript))
        verify(subscript, indices);
      else
        verifySum(subscript, indices);
    }
    if (access->otherwise)
      verify(*access->otherwise, indices);
    return;
  }
  if (auto *reduce = expr.as<ReduceExpr>())
    for (const auto &index : reduce->indices)
      if (indices.count(index->name.text))
        refuse(fmt::format("'{}' reduces over '..{}' here", index->name.text,
                           indices.at(index->name.text)),
               index->name.range);
  forEachChild(expr, [&](const Expr &child) { verify(child, indices); });
}

void LeadingIndices::visit(const Statement &statement) {
  Indices &indices = found[&statement];
  if (callOf(statement) && findOp(callOf(statement)->callee.text))
    return declareResults(statement);
  collect(*statement.value, indices);
  if (statement.scatter)
    collect(*statement.scatter->place, indices);
  for (size_t dim = 0; dim < statement.indices.size(); ++dim)
    if (auto *leading = leadingAt(statement.target.text, dim))
      indices.try_emplace(statement.indices[dim]->name.text, *leading);
  verify(*statement.value, indices);
  if (statement.scatter)
    verify(*statement.scatter->place, indices);
  for (const Expr *part : {statement.where.get(), statement.otherwise.get()})
    if (part)
      verify(*part, indices);
  for (const Subscript &subscript : statement.at)
    verifySum(*subscript.value, indices);
  for (size_t dim = 0; dim < statement.indices.size(); ++dim) {
    auto index = indices.find(statement.indices[dim]->name.text);
    if (index != indices.end())
      places[statement.target.text][unsigned(dim)] = index->second;
  }
}

std::optional<LeadingIndices::Problem> LeadingIndices::run() {
  for (const TensorDecl &input : op.inputs)
    declare(input);
  for (const TensorDecl &output : op.outputs)
    declare(output);
  for (const auto &statement : op.statements)
    visit(*statement);
  return std::move(problem);
}

} // namespace girih::frontend
