//===- LowerTileAffine.cpp - affine expressions of a thread ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerTileImpl.h"

#include "passes/codegen/TileAccess.h"

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
    auto row = coefficients.begin() + e * rank;
    Value part = threadPart(layout, {row, row + rank}, emit.i64());
    values.push_back(part ? emit.add(scalar(base), part) : scalar(base));
  }
  return values;
}

KernelLowering::Validity
KernelLowering::validity(const Layout &layout, ValueRange bases,
                         ArrayRef<int64_t> coefficients) {
  Validity result;
  result.thread = threadValues(layout, bases, toVector(coefficients));
  result.parts = registerParts(layout, toVector(coefficients), bases.size());
  return result;
}

Value KernelLowering::holds(const Validity &validity,
                            const std::vector<int64_t> &parts) {
  Value condition;
  for (auto [value, part] : llvm::zip(validity.thread, parts))
    condition = both(condition, emit.compare(Compare::SignedGe, value, -part));
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
