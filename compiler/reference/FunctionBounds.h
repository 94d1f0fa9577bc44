//===- FunctionBounds.h - how far fast functions may be off -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table row of each function under `functions = fast`: an upper bound of
// |device - exact| for every argument, as
//
//   relative * |y| + ulps * ulp(y) + absolute
//
// at the exact result y, with the ulp of the type the device computes in: f32
// for f32, f16 and bf16 operands (a 16-bit operand is widened, and the result
// rounded once more), f64 for f64. Bounds of single instructions are those that
// the PTX ISA documents for the `.approx.f32` forms on every target, not what
// one piece of silicon was measured to do.
//
//   ex2    relative 2^-22
//   lg2    absolute 2^-22 on (0.5, 2), relative 2^-22 outside
//   rcp    relative 2^-23
//   rsqrt  relative 2^-22.4
//   tanh   relative 2^-11
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_FUNCTIONBOUNDS_H
#define GIRIH_COMPILER_REFERENCE_FUNCTIONBOUNDS_H

#include "compiler/artifact/Artifact.h"

namespace girih::reference {

enum class Function { Exp, Exp2, Log, Log2, Tanh, Rsqrt, Rcp };

struct FunctionBound {
  double relative = 0;
  double ulps = 0;
  double absolute = 0;
};

/// f32 arithmetic on the device.
constexpr FunctionBound fastBoundF32(Function function) {
  switch (function) {
  case Function::Exp2:
    // ex2 alone. The `.ftz` form turns a denormal result into 0, which is off
    // by less than the smallest normal number.
    return {0x1p-22, 0, 0x1p-126};
  case Function::Exp:
    // ex2(hi) * (1 + lo * ln 2) with hi + lo = x * log2(e) kept to about 48
    // bits: ex2's own error; one rounding each for 1 + lo ln 2 and for the
    // product (half an ulp each), and less than half an ulp for what hi + lo
    // and the linear term leave out.
    return {0x1p-22, 1.5, 0x1p-126};
  case Function::Log2:
    // Both forms of lg2's bound added up hold on either side of the edges.
    return {0x1p-22, 0, 0x1p-22};
  case Function::Log:
    // lg2 times ln 2, so ln 2 < 0.6932 scales the absolute part; the constant
    // and the product round once each (half an ulp, at most doubled by the
    // binade of the factor).
    return {0x1p-22, 1.5, 0.6932 * 0x1p-22};
  case Function::Tanh:
    return {0x1p-11, 0, 0x1p-126};
  case Function::Rsqrt:
    // 2^-22.4 = 1.5157...p-23.
    return {1.516 * 0x1p-23, 0, 0};
  case Function::Rcp:
    // As for ex2, a flushed result is off by less than 2^-126.
    return {0x1p-23, 0, 0x1p-126};
  }
  return {};
}

/// f64 on the device is software on exactly rounded operations; 4 ulp covers
/// every usual implementation (at most 2 ulp are documented for CUDA's).
constexpr FunctionBound fastBoundF64(Function) { return {0, 4, 0}; }

/// Spacing of `type` at magnitude `magnitude` >= 0: the gap above it. Infinite
/// beyond the type's largest finite value and for NaN.
double ulpAt(artifact::ScalarType type, double magnitude);

/// The table's bound at a result of magnitude up to `magnitude`, for operands
/// of `type`; without the final rounding to a 16-bit type.
double fastDeviation(Function function, artifact::ScalarType type,
                     double magnitude);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_FUNCTIONBOUNDS_H
