//===- CallSpread.cpp - leading dimensions of a call's arguments ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/CallExpander.h"

#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/IndexSums.h"

#include <fmt/format.h>

namespace girih::frontend {

/// The names in an expression, in its subscripts and in its ranges.
template <typename Look> static void lookInside(const Expr &expr, Look look) {
  if (auto *name = expr.as<NameExpr>())
    look(name->name, expr.range);
  if (auto *access = expr.as<AccessExpr>())
    for (const Subscript &subscript : access->subscripts)
      forEachName(*subscript.value, look);
  if (auto *reduce = expr.as<ReduceExpr>())
    for (const auto &index : reduce->indices)
      for (const Expr *end : {index->first.get(), index->end.get()})
        if (end)
          forEachName(*end, look);
  forEachChild(expr, [&](const Expr &child) { lookInside(child, look); });
}

static bool usesIndex(const Statement &inner, const std::string &name) {
  bool uses = false;
  lookInside(*inner.value, [&](const std::string &other, SourceRange) {
    uses |= other == name;
  });
  for (const auto &index : inner.indices)
    uses |= index->name.text == name;
  return uses;
}

static std::string printed(const std::vector<Extent> &dims) {
  std::string text;
  for (const Extent &dim : dims)
    text += (text.empty() ? "[" : ", ") + spelling(dim);
  return text.empty() ? "[]" : text + "]";
}

bool CallExpander::bindLeading() {
  for (const TensorDecl &input : instance->inputs) {
    const std::string *name = leadingName(input);
    if (!name)
      continue;
    const Argument &argument = tensors.at(input.name.text);
    const std::vector<Extent> &dims = argument.tensor->dims;
    long count = shiftOf(input, *argument.tensor) + 1;
    if (count < 0)
      return fail(codes::kShapesDiffer,
                  fmt::format("'{}' takes {} for '{}', '{}' has {} "
                              "dimension{}",
                              callee.name.text, printShape(input),
                              input.name.text, argument.tensor->name.text,
                              dims.size(), dims.size() == 1 ? "" : "s"),
                  argument.range);
    std::vector<Extent> own(dims.begin(), dims.begin() + count);
    auto [place, fresh] = leading.try_emplace(*name, own);
    if (!fresh && place->second != own)
      return fail(
          codes::kShapesDiffer,
          fmt::format("the leading dimensions '..{}' of '{}' are {} by '{}' "
                      "and {} by what stands before it",
                      *name, callee.name.text, printed(own),
                      argument.tensor->name.text, printed(place->second)),
          argument.range);
    if (fresh && !bindProduct(*name, own))
      return false;
  }
  return true;
}

bool CallExpander::bindProduct(const std::string &name,
                               const std::vector<Extent> &dims) {
  Extent product = Extent::of(1);
  bool isSum = true;
  for (const Extent &dim : dims) {
    isSum &= product.isConstant() || dim.isConstant();
    product =
        product.isConstant() ? dim * product.constant : product * dim.constant;
  }
  if (isSum) {
    cloner.sizes[name] = product;
    return checkNumbers(product, call.callee.range);
  }
  std::optional<SourceRange> used;
  auto look = [&](const std::string &other, SourceRange range) {
    if (other == name && !used)
      used = range;
  };
  for (const auto *decls : {&instance->inputs, &instance->outputs})
    for (const TensorDecl &decl : *decls)
      for (const DimDecl &dim : decl.dims)
        if (dim.place != DimDecl::Place::Leading)
          forEachName(*dim.value, look);
  for (const SizeConstraint &constraint : instance->constraints)
    look(constraint.name.text, constraint.range);
  for (const auto &inner : instance->statements)
    lookInside(*inner->value, look);
  if (!used)
    return true;
  sema.report()
      .error(codes::kLeadingDims,
             fmt::format("'{}' uses the size '{}', which is the product of "
                         "{} here",
                         callee.name.text, name, printed(dims)),
             call.callee.range)
      .note("it is used here", *used)
      .help("a call needs one leading dimension there");
  return false;
}

bool CallExpander::spreadLeading() {
  std::set<std::string, std::less<>> several;
  for (const auto &[name, dims] : leading)
    if (dims.size() != 1)
      several.insert(name);
  if (several.empty())
    return true;
  if (!instance->raggedLoops.empty()) {
    sema.report()
        .error(codes::kLeadingDims,
               fmt::format("'{}' loops over groups of elements and cannot be "
                           "called with leading dimensions that are not one",
                           callee.name.text),
               call.callee.range)
        .note("here", instance->raggedLoops[0]->range)
        .help("give it tensors with one leading dimension");
    return false;
  }
  indices.emplace(*instance, several, [this](std::string_view name) {
    const Global *global = sema.findGlobal(name);
    return global ? global->op : nullptr;
  });
  auto problem = indices->run();
  if (!problem)
    return true;
  sema.report()
      .error(codes::kLeadingDims,
             fmt::format("'{}' cannot be called with leading dimensions that "
                         "are not one: {}",
                         callee.name.text, problem->message),
             call.callee.range)
      .note("here", problem->range)
      .help("give it tensors with one leading dimension");
  return false;
}

void CallExpander::spreadIndices(const Statement &inner) {
  cloner.spread.clear();
  if (!indices)
    return;
  for (const auto &[index, name] : indices->of(inner)) {
    std::vector<std::string> &names = cloner.spread[index];
    for (size_t dim = 0; dim < leading.at(name).size(); ++dim) {
      std::string wanted = fmt::format("{}_{}", index, dim + 1);
      while (taken(wanted) || usesIndex(inner, wanted))
        wanted += "_";
      names.push_back(wanted);
    }
  }
}

} // namespace girih::frontend
