//===- MmaModel.h - how tensor cores add up a chunk -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor core adds a chunk of kc products to its accumulator in one step:
//   1. each product is exact; the accumulator joins as one more term;
//   2. every term is aligned to the largest exponent among them, but at least
//      to 2^-133 (accumulators of f16: 2^-21), and cut there, toward zero, to
//      `fractionBits` bits after the binary point;
//   3. the cut terms are added exactly;
//   4. the sum is rounded toward zero to `resultFractionBits` fraction bits,
//      or, where the accumulators are f16, to the nearest f16, ties to even.
// A product's exponent is the sum of its operands' exponents (its significand
// lies in [0, 4)); denormals keep the smallest exponent of their type; a term
// that is zero has no exponent. A NaN operand, inf times 0 and inf minus inf
// give the NaN 0x7fffffff (f16: 0x7fff); a sum beyond the result's type gives
// infinity. A result of zero is +0.
//
// The order inside a chunk does not matter, so the term mma(model, kc) fixes
// all bits. NVIDIA does not specify any of this: see `proved`.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARITH_MMAMODEL_H
#define GIRIH_COMPILER_ARITH_MMAMODEL_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace girih::arith {

/// The type of an operand.
enum class MmaElement : uint8_t { F16, Bf16, Tf32, F8E4M3, F8E5M2 };

/// The type of accumulators and results.
enum class MmaSum : uint8_t { F32, F16 };

/// One row of the table in MmaModel.cpp.
struct MmaModel {
  std::string_view name; ///< as in the term: mma(name, kc)
  MmaElement element;
  std::string_view instruction; ///< what the row describes
  int kc;                       ///< products in one step
  int fractionBits;
  int resultFractionBits; ///< of f32 results
  bool proved; ///< compared with silicon bit for bit; only then called exact
};

std::span<const MmaModel> mmaModels();

/// The row for a term's model and an operand type; null if there is none.
const MmaModel *findMmaModel(std::string_view name, MmaElement element);

/// One step: a[0..kc) times b[0..kc) plus c. kc may be below the model's (the
/// missing products are zeros), never above (asserted). Operands must be values
/// of the model's type; tf32 operands may be any f32 and are cut first, which
/// makes an infinity of a NaN whose payload is in the low 13 bits alone.
float mmaChunk(const MmaModel &model, const float *a, const float *b, int kc,
               float c);

/// The chain mma(model, model.kc): chunks in order, the last one padded with
/// zeros. The accumulator starts at `c`.
float mmaChain(const MmaModel &model, const float *a, const float *b, int64_t n,
               float c);

// The instruction mma.sync ---------------------------------------------------

/// How a card carries out mma.sync for given types.
struct MmaOperation {
  const MmaModel *model;
  MmaElement a, b; ///< the f8 types may be mixed
  MmaSum sum = MmaSum::F32;
  /// sm_90 has no f8 mma.sync of its own. ptxas widens the operands to f16,
  /// chains first all k with k % 4 < 2 and then the others, from zero, and adds
  /// the accumulator last, rounded to nearest.
  bool widens = false;
};

/// The operation on a card of compute capability 8.0 (80) and up; none if that
/// card has no such instruction. A card without rows of its own is played by
/// the next older one: 8.6 by sm_80, 10.3 and 12.0 by sm_100.
std::optional<MmaOperation> mmaSync(unsigned capability, MmaElement a,
                                    MmaElement b, MmaSum sum);

/// mmaChunk for any operation (which does not widen). With f16 sums, c and the
/// result are f16 values.
float mmaStep(const MmaOperation &operation, const float *a, const float *b,
              int kc, float c);

/// One element of an mma.sync whose k is given.
float mmaSyncElement(const MmaOperation &operation, const float *a,
                     const float *b, int k, float c);

/// f64: a chain of fused multiply-adds in the order of k, rounded to nearest. A
/// NaN among a step's operands comes out quiet, b's before the sum's before
/// a's; a NaN that arises is 0xfff8000000000000.
double mmaSyncElementF64(const double *a, const double *b, int k, double c);

/// s8, u8, s4, u4; a and b differ freely: the exact sum, which wraps around or,
/// with `saturates`, is clamped once, at the end.
int32_t mmaSyncElementInteger(const int16_t *a, const int16_t *b, int k,
                              int32_t c, bool saturates);

} // namespace girih::arith

#endif // GIRIH_COMPILER_ARITH_MMAMODEL_H
