//===- MmaModel.h - how tensor cores add up a chunk -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor core adds a chunk of kc products to its accumulator in one step:
//   1. each product is exact; the accumulator joins as one more term;
//   2. every term is aligned to the largest exponent among them and cut there,
//      toward zero, to `fractionBits` bits after the binary point;
//   3. the cut terms are added exactly;
//   4. the sum is rounded toward zero to `resultFractionBits` fraction bits.
// A product's exponent is the sum of its operands' exponents (its significand
// lies in [0, 4)); denormals keep the smallest exponent of their type, and a
// zero counts as exponent -126. A NaN operand, inf times 0 and inf minus inf
// give NaN; a sum beyond f32 gives infinity. An exact zero is +0.
//
// The order inside a chunk does not matter, so the term mma(model, kc) fixes
// all bits. NVIDIA does not specify any of this: see `proved`.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARITH_MMAMODEL_H
#define GIRIH_COMPILER_ARITH_MMAMODEL_H

#include <cstdint>
#include <span>
#include <string_view>

namespace girih::arith {

/// The type of both operands.
enum class MmaElement : uint8_t { F16, Bf16, Tf32, F8E4M3, F8E5M2 };

/// One row of the table in MmaModel.cpp; results are f32.
struct MmaModel {
  std::string_view name; ///< as in the term: mma(name, kc)
  MmaElement element;
  std::string_view instruction; ///< what the row describes
  int kc;                       ///< products in one step
  int fractionBits;
  int resultFractionBits;
  bool proved; ///< compared with silicon bit for bit; only then called exact
};

std::span<const MmaModel> mmaModels();

/// The row for a term's model and an operand type; null if there is none.
const MmaModel *findMmaModel(std::string_view name, MmaElement element);

/// One step: a[0..kc) times b[0..kc) plus c. kc may be below the model's (the
/// missing products are zeros), never above (asserted). Operands must be values
/// of the model's type; tf32 operands may be any f32 and are cut first.
float mmaChunk(const MmaModel &model, const float *a, const float *b, int kc,
               float c);

/// The chain mma(model, model.kc): chunks in order, the last one padded with
/// zeros. The accumulator starts at `c`.
float mmaChain(const MmaModel &model, const float *a, const float *b, int64_t n,
               float c);

} // namespace girih::arith

#endif // GIRIH_COMPILER_ARITH_MMAMODEL_H
