//===- TeScalars.h - te's scalar operations on the host ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One operation of a te region at a time, for the interpreters in these tests.
// Values are held as doubles, rounded to their type by every operation.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PASSES_TESCALARS_H
#define GIRIH_TEST_UNIT_PASSES_TESCALARS_H

#include "compiler/arith/Formats.h"
#include "dialects/te/Te.h"

#include <cassert>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace girih::te::scalar {

inline double roundTo(mlir::Type type, double value) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return float(value);
  if (type.isF16())
    return girih::arith::fromF16(girih::arith::toF16(value));
  return girih::arith::fromBf16(girih::arith::toBf16(value));
}

/// In f32 the host's operation; in narrower types the double result rounded,
/// which equals one rounding for these operations.
template <typename F>
double inType(mlir::Type type, F operation, double a, double b) {
  if (type.isF32())
    return operation(float(a), float(b));
  return roundTo(type, operation(a, b));
}

inline double binary(BinaryKind kind, mlir::Type type, double a, double b) {
  switch (kind) {
  case BinaryKind::Add:
    return inType(
        type, [](auto x, auto y) { return x + y; }, a, b);
  case BinaryKind::Sub:
    return inType(
        type, [](auto x, auto y) { return x - y; }, a, b);
  case BinaryKind::Mul:
    return inType(
        type, [](auto x, auto y) { return x * y; }, a, b);
  case BinaryKind::Div:
    return inType(
        type, [](auto x, auto y) { return x / y; }, a, b);
  case BinaryKind::Min:
    return girih::arith::minimum(a, b);
  case BinaryKind::Max:
    return girih::arith::maximum(a, b);
  default:
    break; // of integers
  }
  std::abort();
}

inline double fusedMultiplyAdd(mlir::Type type, double a, double b, double c) {
  if (type.isF32())
    return std::fma(float(a), float(b), float(c));
  assert(type.isF64() && "narrower fma would round twice here");
  return std::fma(a, b, c);
}

inline double unary(UnaryKind kind, mlir::Type type, double a) {
  switch (kind) {
  case UnaryKind::Tf32:
    return girih::arith::roundToTf32(float(a));
  case UnaryKind::Neg:
    return -a;
  case UnaryKind::Abs:
    return std::fabs(a);
  case UnaryKind::Sqrt:
    return type.isF32() ? std::sqrt(float(a)) : roundTo(type, std::sqrt(a));
  case UnaryKind::Floor:
    return std::floor(a);
  case UnaryKind::Ceil:
    return std::ceil(a);
  case UnaryKind::Round:
    return std::nearbyint(a);
  case UnaryKind::Trunc:
    return std::trunc(a);
  case UnaryKind::Exp:
    return roundTo(type, std::exp(a));
  case UnaryKind::Exp2:
    return roundTo(type, std::exp2(a));
  case UnaryKind::Log:
    return roundTo(type, std::log(a));
  case UnaryKind::Log2:
    return roundTo(type, std::log2(a));
  case UnaryKind::Tanh:
    return roundTo(type, std::tanh(a));
  case UnaryKind::Rsqrt:
    return roundTo(type, 1 / std::sqrt(a));
  case UnaryKind::Rcp:
    return roundTo(type, 1 / a);
  case UnaryKind::Sin:
  case UnaryKind::Cos:
  case UnaryKind::Erf:
    break; // never left by the passes
  }
  std::abort();
}

template <typename T> bool compare(CompareKind kind, T a, T b) {
  switch (kind) {
  case CompareKind::Lt:
    return a < b;
  case CompareKind::Le:
    return a <= b;
  case CompareKind::Gt:
    return a > b;
  case CompareKind::Ge:
    return a >= b;
  case CompareKind::Eq:
    return a == b;
  case CompareKind::Ne:
    return a != b;
  }
  std::abort();
}

/// The operation that a reduction combines values with, and where it starts.
inline BinaryKind combineOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return BinaryKind::Add;
  case ReduceKind::Prod:
    return BinaryKind::Mul;
  case ReduceKind::Max:
    return BinaryKind::Max;
  case ReduceKind::Min:
    return BinaryKind::Min;
  }
  std::abort();
}

inline double identityOf(ReduceKind kind) {
  const double kInfinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case ReduceKind::Sum:
    return 0;
  case ReduceKind::Prod:
    return 1;
  case ReduceKind::Max:
    return -kInfinity;
  case ReduceKind::Min:
    return kInfinity;
  }
  std::abort();
}

} // namespace girih::te::scalar

#endif // GIRIH_TEST_UNIT_PASSES_TESCALARS_H
