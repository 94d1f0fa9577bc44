//===- CallShapes.cpp - sizes of an operator in those of its caller -------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/CallExpander.h"

#include "compiler/frontend/Constraints.h"
#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/Ranges.h"

#include <cstdlib>
#include <fmt/format.h>

namespace girih::frontend {

long CallExpander::shiftOf(const TensorDecl &input, const Tensor &tensor) {
  return long(tensor.dims.size()) - long(input.dims.size());
}

bool CallExpander::bindShapes() {
  for (const TensorDecl &input : instance->inputs) {
    const Argument &argument = tensors.at(input.name.text);
    const Tensor &tensor = *argument.tensor;
    auto what = [&] {
      return fmt::format("'{}' takes {} for '{}'", callee.name.text,
                         printShape(input), input.name.text);
    };
    if (tensor.type != input.type)
      return fail(codes::kOperandTypesDiffer,
                  fmt::format("{}, '{}' is {}", what(), tensor.name.text,
                              spelling(tensor.type)),
                  argument.range, "cast it in a statement of its own");
    long shift = shiftOf(input, tensor);
    size_t own = leadingName(input) ? 1 : 0;
    if (shift != 0 && own == 0)
      return fail(codes::kShapesDiffer,
                  fmt::format("{}, '{}' has {} dimension{}", what(),
                              tensor.name.text, tensor.dims.size(),
                              tensor.dims.size() == 1 ? "" : "s"),
                  argument.range,
                  isPlain(input) ? ""
                                 : "a group takes a tensor that is indexed "
                                   "by all its members: declare it with the "
                                   "same group");
    for (size_t i = own; i < input.dims.size(); ++i)
      if (!bindDim(input.dims[i], tensor, tensor.dims[i + size_t(shift)],
                   argument.range))
        return false;
    cloner.tensors[input.name.text] = tensor.name.text;
  }
  return solveSums();
}

bool CallExpander::bindDim(const DimDecl &dim, const Tensor &tensor,
                           const Extent &extent, SourceRange range) {
  NamedSum sum = namedSum(*dim.value).value_or(NamedSum());
  const std::string *name = sum.plainName();
  // Sums of products with an extent of the caller must stay exact.
  constexpr int64_t kMostFactor = int64_t(1) << 20;
  for (const auto &[size, factor] : sum.factors)
    if (std::abs(factor) > kMostFactor)
      return fail(codes::kIntegerOutOfRange,
                  fmt::format("'{}' cannot be called: the factor of '{}' is "
                              "more than 2^20",
                              callee.name.text, size),
                  call.callee.range);
  if (!name && !sum.factors.empty()) {
    sums.push_back({&dim, std::move(sum), &tensor, extent, range});
    return true;
  }
  if (!name) {
    if (extent == Extent::of(sum.constant))
      return true;
    return fail(codes::kShapesDiffer,
                fmt::format("'{}' needs {} here, the dimension of '{}' is {}",
                            callee.name.text, sum.constant, tensor.name.text,
                            spelling(extent)),
                range);
  }
  auto [place, fresh] = cloner.sizes.try_emplace(*name, extent);
  if (fresh || place->second == extent)
    return true;
  return fail(codes::kShapesDiffer,
              fmt::format("'{}' of '{}' is {} by '{}' and {} by what stands "
                          "before it",
                          *name, callee.name.text, spelling(extent),
                          tensor.name.text, spelling(place->second)),
              range);
}

Extent CallExpander::takeKnown(NamedSum &sum) const {
  Extent value = Extent::of(sum.constant);
  for (const auto &[name, extent] : cloner.sizes)
    if (auto found = sum.factors.find(name); found != sum.factors.end()) {
      value = value + extent * found->second;
      sum.factors.erase(found);
    }
  return value;
}

bool CallExpander::checkNumbers(const Extent &extent, SourceRange range) {
  constexpr int64_t kMost = int64_t(1) << 40;
  bool fits = std::abs(extent.constant) < kMost;
  for (const auto &term : extent.terms)
    fits &= std::abs(term.second) < kMost;
  return fits || fail(codes::kIntegerOutOfRange,
                      fmt::format("the call of '{}' makes the size {}, with "
                                  "a number of 2^40 or more",
                                  callee.name.text, spelling(extent)),
                      range);
}

bool CallExpander::solveSums() {
  for (bool progress = true; progress;) {
    progress = false;
    for (auto it = sums.begin(); it != sums.end();) {
      NamedSum rest = it->sum;
      Extent left = it->extent - takeKnown(rest);
      if (rest.factors.size() > 1) {
        ++it;
        continue;
      }
      if (rest.factors.empty()) {
        if (!(left == Extent()))
          return fail(codes::kShapesDiffer,
                      fmt::format("'{}' needs {} here ({}), the dimension of "
                                  "'{}' is {}",
                                  callee.name.text, spelling(it->extent - left),
                                  printExpr(*it->dim->value),
                                  it->tensor->name.text, spelling(it->extent)),
                      it->range);
      } else {
        auto [name, factor] = *rest.factors.begin();
        auto size = divided(left, factor);
        if (!size)
          return fail(codes::kShapesDiffer,
                      fmt::format("'{}' of '{}' is no sum of sizes: {} is {} "
                                  "by '{}'",
                                  name, callee.name.text,
                                  printExpr(*it->dim->value),
                                  spelling(it->extent), it->tensor->name.text),
                      it->range);
        if (!checkNumbers(*size, it->range))
          return false;
        cloner.sizes[name] = *size;
      }
      it = sums.erase(it);
      progress = true;
    }
    for (const auto &derived : instance->derived)
      if (!cloner.sizes.count(derived->name.text))
        if (auto extent = derivedHere(*derived)) {
          cloner.sizes[derived->name.text] = *extent;
          progress = true;
        }
  }
  return checkDerived();
}

std::optional<Extent> CallExpander::derivedHere(const DerivedSize &derived) {
  NamedSum rest = derived.sum;
  Extent sum = takeKnown(rest);
  return rest.factors.empty()
             ? std::optional(sema.quotientIn(scope, sum, derived.divisor,
                                             call.callee.range))
             : std::nullopt;
}

bool CallExpander::isSame(const Extent &a, const Extent &b) const {
  Prover prover = proverOf(scope.op);
  return a == b ||
         (prover.proves(formOf(a - b)) && prover.proves(formOf(b - a)));
}

bool CallExpander::checkDerived() {
  for (const auto &derived : instance->derived) {
    auto known = cloner.sizes.find(derived->name.text);
    auto extent = derivedHere(*derived);
    if (known == cloner.sizes.end() || !extent)
      continue; // of an optional tensor that is not there
    if (!checkNumbers(*extent, call.callee.range))
      return false;
    if (!isSame(*extent, known->second))
      return fail(codes::kShapesDiffer,
                  fmt::format("'{}' of '{}' is {} by its definition and {} "
                              "by an argument",
                              derived->name.text, callee.name.text,
                              spelling(*extent), spelling(known->second)),
                  call.callee.range);
    if (!proverOf(scope.op).proves(formOf(*extent)))
      return fail(codes::kShapesDiffer,
                  fmt::format("nothing proves that '{}' of '{}', which is {} "
                              "here, is not negative",
                              derived->name.text, callee.name.text,
                              spelling(*extent)),
                  call.callee.range,
                  fmt::format("add a 'where' to '{}' from which it follows",
                              scope.op.name.text));
  }
  return true;
}

bool CallExpander::bindConstraints() {
  for (const SizeConstraint &constraint : callee.constraints) {
    auto found = cloner.sizes.find(constraint.name.text);
    if (found == cloner.sizes.end())
      continue; // of an optional tensor that is not there
    if (const SizeSymbol *size = found->second.plainSize()) {
      SizeConstraint copy = constraint;
      copy.name.text = size->name.text;
      copy.size = size;
      scope.op.constraints.push_back(std::move(copy));
      continue;
    }
    if (!found->second.isConstant()) {
      if (!isProved(constraint, found->second, proverOf(scope.op)))
        return fail(
            codes::kShapesDiffer,
            fmt::format("nothing proves what '{}' wants of '{}', which is {} "
                        "here",
                        callee.name.text, constraint.name.text,
                        spelling(found->second)),
            call.callee.range,
            fmt::format("add a 'where' to '{}' from which it follows",
                        scope.op.name.text));
      continue;
    }
    if (!holds(constraint, found->second.constant))
      return fail(codes::kShapesDiffer,
                  fmt::format("'{}' does not take {} for '{}'",
                              callee.name.text, found->second.constant,
                              constraint.name.text),
                  call.callee.range);
  }
  return true;
}

} // namespace girih::frontend
