//===- Promises.cpp - what is known of a parameter's memory ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/Promises.h"

#include <numeric>

using namespace girih;
using namespace girih::tilegen;
using artifact::Guard;

/// Name and type of a parameter of the signature: inputs, then outputs.
static std::pair<llvm::StringRef, te::TeTensorType> paramOf(te::FuncOp func,
                                                            unsigned param) {
  unsigned inputs = func.getBlock().getNumArguments();
  bool isInput = param < inputs;
  mlir::Attribute name = isInput ? func.getArgNames()[param]
                                 : func.getResultNames()[param - inputs];
  mlir::Type type =
      isInput
          ? func.getBlock().getArgument(param).getType()
          : mlir::cast<mlir::TypeAttr>(func.getResultTypes()[param - inputs])
                .getValue();
  return {mlir::cast<mlir::StringAttr>(name).getValue(),
          mlir::cast<te::TeTensorType>(type)};
}

std::vector<unsigned> tilegen::memoryOrder(te::FuncOp func,
                                           const poly::Scop &scop,
                                           const scop::StatementMap &map,
                                           unsigned array) {
  std::vector<unsigned> order(scop.arrays[array].extents.size());
  std::iota(order.begin(), order.end(), 0);
  int param = map.argument[array];
  if (param < 0 && map.result[array] >= 0)
    param = func.getBlock().getNumArguments() + map.result[array];
  if (param < 0)
    return order;
  te::FactsAttr facts = func.factsOf(paramOf(func, param).first);
  if (facts && !facts.getLayout().empty())
    order.assign(facts.getLayout().begin(), facts.getLayout().end());
  return order;
}

/// Without entries that a later one for the same key implies: values are powers
/// of two.
static std::vector<std::pair<unsigned, int64_t>>
strongest(const std::set<std::pair<unsigned, int64_t>> &entries) {
  std::vector<std::pair<unsigned, int64_t>> result;
  for (auto entry : entries) {
    if (!result.empty() && result.back().first == entry.first)
      result.pop_back();
    result.push_back(entry);
  }
  return result;
}

namespace {

/// A number that divides a size, by its value and its constraints, and by the
/// guards of this variant where they count.
class Divisors {
public:
  Divisors(const VariantContext &context, bool withGuards)
      : func(context.func) {
    known.assign(func.getSizes().size(), 1);
    for (auto [size, given] : llvm::enumerate(func.getGiven()))
      if (given >= 0)
        known[size] = given;
    for (mlir::Attribute attribute : func.getConstraints()) {
      auto constraint = mlir::cast<te::SizeConstraintAttr>(attribute);
      bool divides = constraint.getKind() == te::ConstraintKind::Divisible ||
                     constraint.getKind() == te::ConstraintKind::Equal;
      if (divides)
        add(func.findSize(constraint.getSize().getValue()),
            constraint.getValue());
    }
    if (withGuards)
      for (auto [param, divisor] : context.divisible)
        add(context.sizeOf[param], divisor);
    if (func.getDerived())
      for (mlir::Attribute attribute : func.getDerivedAttr()) {
        auto derived = mlir::cast<te::DerivedSizeAttr>(attribute);
        int64_t sum = of(derived.getNumerator());
        if (sum % derived.getDivisor() == 0)
          add(func.findSize(derived.getSize().getValue()),
              sum / derived.getDivisor());
      }
  }

  int64_t ofSize(unsigned size) const { return known[size]; }

  /// 0 for an extent that is 0.
  int64_t of(mlir::Attribute extent) const {
    te::LinearExtent sum = te::linearOf(extent);
    int64_t divisor = sum.constant;
    for (auto [size, factor] : sum.terms) {
      int64_t term = 0;
      int index = func.findSize(size.getValue());
      if (index < 0 || __builtin_mul_overflow(factor, known[index], &term))
        return 1;
      divisor = std::gcd(divisor, term);
    }
    return std::abs(divisor);
  }

private:
  void add(int size, int64_t divisor) {
    // Larger numbers say no more about vectors, and stay exact.
    constexpr int64_t kMost = int64_t(1) << 20;
    if (size < 0 || divisor <= 0 || divisor > kMost || known[size] > kMost)
      return;
    known[size] = std::lcm(known[size], divisor);
  }

  mutable te::FuncOp func;
  std::vector<int64_t> known;
};

} // namespace

/// Whether the stride of order[at] is a multiple of `vector`: the product of
/// the extents behind it.
static bool isDivisible(const Divisors &divisors, te::TeTensorType type,
                        llvm::ArrayRef<int64_t> order, size_t at,
                        int64_t vector) {
  int64_t left = vector;
  for (size_t behind = at + 1; behind < order.size(); ++behind)
    left /= std::gcd(left, divisors.of(type.getShape()[order[behind]]));
  return left == 1;
}

void tilegen::addGuards(VariantContext &context) {
  auto &guards = context.plan.guards;
  Divisors divisors(context, /*withGuards=*/true);
  Divisors promised(context, /*withGuards=*/false);
  for (auto [param, vector] : strongest(context.vectorParams)) {
    auto [name, type] = paramOf(context.func, param);
    te::FactsAttr facts = context.func.factsOf(name);
    int64_t bytes = vector * te::bytesOf(type.getElementType());
    Guard guard;
    guard.param = param;
    if (!facts || facts.getAlign() % bytes != 0 || facts.getAlign() == 0) {
      guard.kind = Guard::Kind::AlignedPointer;
      guard.value = bytes;
      guards.push_back(guard);
    }
    bool isPromised = facts && !facts.getLayout().empty();
    for (unsigned d = 0; d < type.getRank(); ++d) {
      bool isFast = d + 1 == type.getRank();
      if (isPromised) {
        llvm::ArrayRef<int64_t> order = facts.getLayout();
        size_t at = llvm::find(order, int64_t(d)) - order.begin();
        isFast = at + 1 == order.size();
        if (isFast || isDivisible(divisors, type, order, at, vector))
          continue;
      }
      guard.kind =
          isFast ? Guard::Kind::UnitStride : Guard::Kind::StrideDivisible;
      guard.dim = d;
      guard.value = isFast ? 1 : vector;
      guards.push_back(guard);
    }
  }
  for (auto [param, divisor] : strongest(context.divisible)) {
    if (promised.ofSize(context.sizeOf[param]) % divisor == 0)
      continue;
    Guard guard;
    guard.kind = Guard::Kind::SizeDivisible;
    guard.size = context.sizeOf[param];
    guard.value = divisor;
    guards.push_back(guard);
  }
}
