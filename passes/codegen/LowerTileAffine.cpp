//===- LowerTileAffine.cpp - affine expressions of a thread ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerTileImpl.h"

#include "passes/codegen/TileAccess.h"

#include "mlir/IR/Matchers.h"

#include <cstdint>
#include <cstdlib>

using namespace mlir;
using girih::layout::Layout;

namespace girih::codegen {

Value KernelLowering::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return emit.integer(Int::And, a, b);
}

KernelLowering::Values KernelLowering::scalars(ValueRange values) {
  Values result;
  for (Value value : values)
    result.push_back(scalar(value));
  return result;
}

Value KernelLowering::threadPart(const Layout &layout,
                                 const std::vector<int64_t> &row, Type type) {
  // One key for all layouts whose threads add the same.
  std::string key = type == emit.i64() ? "wide" : "narrow";
  bool isZero = true;
  for (unsigned d = 0; d < layout.rank(); ++d)
    if (row[d])
      for (const Layout::ThreadTerm &term : layout.threadTerms(d)) {
        isZero = false;
        key += ' ' + std::to_string(term.divisor) + '/' +
               std::to_string(term.count) + '*' +
               std::to_string(term.stride * row[d]);
      }
  if (isZero)
    return {};
  Value &cached = threadCache[key];
  if (cached)
    return cached;

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(prologueEnd);
  Value sum;
  for (unsigned d = 0; d < layout.rank(); ++d) {
    if (!row[d])
      continue;
    for (const Layout::ThreadTerm &term : layout.threadTerms(d)) {
      Value digit = emit.integer(Int::DivUnsigned, thread, term.divisor);
      if (term.divisor * term.count < layout.threadCount())
        digit = emit.integer(Int::RemUnsigned, digit, term.count);
      digit = emit.integer(Int::Mul, emit.extendUnsigned(digit, type),
                           term.stride * row[d]);
      sum = sum ? emit.add(sum, digit) : digit;
    }
  }
  return cached = sum;
}

Value KernelLowering::ownerCondition(const Layout &layout) {
  const std::vector<Layout::ThreadTerm> copies = layout.copyTerms();
  if (copies.empty())
    return {};
  std::string key = "owner";
  for (const Layout::ThreadTerm &term : copies)
    key +=
        ' ' + std::to_string(term.divisor) + '/' + std::to_string(term.count);
  Value &cached = threadCache[key];
  if (cached)
    return cached;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(prologueEnd);
  Value owner;
  for (const Layout::ThreadTerm &term : copies) {
    Value digit = emit.integer(Int::DivUnsigned, thread, term.divisor);
    if (term.divisor * term.count < layout.threadCount())
      digit = emit.integer(Int::RemUnsigned, digit, term.count);
    owner = both(owner, emit.compare(Compare::Eq, digit, 0));
  }
  return cached = owner;
}

KernelLowering::Values
KernelLowering::threadValues(const Layout &layout, ValueRange bases,
                             const std::vector<int64_t> &coefficients) {
  Values values;
  const unsigned rank = layout.rank();
  for (auto [e, base] : llvm::enumerate(bases)) {
    // What is added and what is subtracted, each a value of 32 bits that is
    // widened where it is used: thread parts live through the whole kernel.
    std::vector<int64_t> up(rank, 0), down(rank, 0);
    int64_t most = 0;
    for (unsigned d = 0; d < rank; ++d) {
      const int64_t coefficient = coefficients[e * rank + d];
      (coefficient > 0 ? up : down)[d] = std::abs(coefficient);
      for (const Layout::ThreadTerm &term : layout.threadTerms(d))
        most += (term.count - 1) * term.stride * std::abs(coefficient);
    }
    Type type = most <= INT32_MAX ? emit.i32() : emit.i64();
    Value value = scalar(base);
    if (Value part = threadPart(layout, up, type))
      value = emit.add(value, emit.extendUnsigned(part, emit.i64()));
    if (Value part = threadPart(layout, down, type))
      value =
          emit.integer(Int::Sub, value, emit.extendUnsigned(part, emit.i64()));
    values.push_back(value);
  }
  return values;
}

KernelLowering::Validity
KernelLowering::validity(const Layout &layout, ValueRange bases,
                         ArrayRef<int64_t> coefficients) {
  Validity result;
  result.thread = threadValues(layout, bases, toVector(coefficients));
  result.parts = registerParts(layout, toVector(coefficients), bases.size());
  const unsigned rank = layout.rank();
  for (auto [c, base] : llvm::enumerate(bases)) {
    APInt known;
    std::optional<Validity::Range> range;
    if (matchPattern(base, m_ConstantInt(&known))) {
      range = {known.getSExtValue(), known.getSExtValue()};
      for (unsigned d = 0; d < rank; ++d)
        for (const Layout::ThreadTerm &term : layout.threadTerms(d)) {
          const int64_t most =
              (term.count - 1) * term.stride * coefficients[c * rank + d];
          (most > 0 ? range->most : range->least) += most;
        }
    }
    result.ranges.push_back(range);
  }
  return result;
}

Value KernelLowering::holds(const Validity &validity,
                            const std::vector<int64_t> &parts) {
  Value condition;
  for (auto [value, part, range] :
       llvm::zip(validity.thread, parts, validity.ranges)) {
    if (range && range->least + part >= 0)
      continue; // in every thread
    if (range && range->most + part < 0)
      return emit.constant(emit.i1(), 0); // in none
    condition = both(condition, emit.compare(Compare::SignedGe, value, -part));
  }
  return condition;
}

Value KernelLowering::allHold(const Validity &validity,
                              const std::vector<std::vector<int64_t>> &parts) {
  std::vector<int64_t> least = parts.front();
  for (const std::vector<int64_t> &other : parts)
    for (size_t c = 0; c < least.size(); ++c)
      least[c] = std::min(least[c], other[c]);
  return holds(validity, least);
}

} // namespace girih::codegen
