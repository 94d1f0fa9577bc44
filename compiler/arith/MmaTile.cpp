//===- MmaTile.cpp - a whole mma.sync, fast -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A term is significand * 2^exponent with a significand of at most 24 bits in
// an f32, so that scaling it to the common unit is one exact multiplication and
// cutting it is the conversion to int32, which drops the fraction.
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/MmaTile.h"
#include "compiler/arith/Formats.h"
#include "compiler/arith/MmaParts.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace girih::arith {

static constexpr int kColumns = MmaTile::kColumns;

// One lane a column; eight columns are a pair of vectors of 32 bits.
using Shorts = int16_t __attribute__((vector_size(16)));
using Ints = int32_t __attribute__((vector_size(16)));
using Floats = float __attribute__((vector_size(16)));
static_assert(2 * sizeof(Floats) == kColumns * sizeof(float));

namespace {

/// A matrix taken apart; padded with zeros, which never are the largest term.
struct alignas(32) Parts {
  float significand[MmaTile::kMostK * MmaTile::kRows];
  int16_t exponent[MmaTile::kMostK * MmaTile::kRows];
};

/// What is the same for all chunks of an instruction.
struct Plan {
  const MmaOperation &operation;
  int rows;
  Parts a;                              // [row][k]
  Parts b;                              // [k][column]
  bool specialRow[MmaTile::kRows] = {}; // has an infinity or a NaN
  int32_t specialColumn[MmaTile::kColumns] = {};
};

} // namespace

/// Infinities and NaN count as zeros here; redoSpecial deals with them.
static inline void takeApart(float value, int smallest, float &significand,
                             int16_t &exponent) {
  constexpr uint32_t kOne = 0x3f800000;
  uint32_t bits = bitsOf(value);
  int field = int(bits >> 23 & 0xff);
  if (field - 127 >= smallest && field != 0 && field != 0xff) [[likely]] {
    significand = floatFromBits((bits & 0x807fffff) | kOne);
    exponent = int16_t(field - 127);
    return;
  }
  bool isZero = (bits & 0x7fffffff) == 0 || field == 0xff;
  significand = isZero ? 0.0f : value * std::ldexp(1.0f, -smallest);
  exponent = int16_t(isZero ? kExponentOfZero : smallest);
}

static inline bool isSpecial(float value) {
  return (bitsOf(value) & 0x7f800000) == 0x7f800000;
}

static void takeApart(Plan &plan, const MmaTile &tile) {
  bool isTf32 = plan.operation.a == MmaElement::Tf32;
  int smallestA = smallestExponent(plan.operation.a);
  int smallestB = smallestExponent(plan.operation.b);
  for (int row = 0; row < plan.rows; ++row)
    for (int k = 0; k < tile.k; ++k) {
      float value = tile.a[row][k];
      int at = row * MmaTile::kMostK + k;
      plan.specialRow[row] |= isSpecial(value);
      takeApart(isTf32 ? truncateToTf32(value) : value, smallestA,
                plan.a.significand[at], plan.a.exponent[at]);
    }
  for (int k = 0; k < tile.k; ++k)
    for (int column = 0; column < kColumns; ++column) {
      float value = tile.b[k][column];
      int at = k * kColumns + column;
      plan.specialColumn[column] |= isSpecial(value);
      takeApart(isTf32 ? truncateToTf32(value) : value, smallestB,
                plan.b.significand[at], plan.b.exponent[at]);
    }
}

static inline Shorts broadcast(int16_t value) { return value - Shorts{}; }

/// Adds significand * 2^exponent, cut toward zero. Exponents below -100 count
/// as -100, where every term is cut to zero.
static inline void addCut(Ints *sums, Floats low, Floats high,
                          Shorts exponents) {
  Shorts least = broadcast(-100);
  exponents = exponents > least ? exponents : least;
  Shorts upperHalf = (exponents + broadcast(127)) << 7; // of 2^exponent
  Shorts scaleLow =
      __builtin_shufflevector(Shorts{}, upperHalf, 0, 8, 1, 9, 2, 10, 3, 11);
  Shorts scaleHigh =
      __builtin_shufflevector(Shorts{}, upperHalf, 4, 12, 5, 13, 6, 14, 7, 15);
  sums[0] +=
      __builtin_convertvector(low * reinterpret_cast<Floats>(scaleLow), Ints);
  sums[1] +=
      __builtin_convertvector(high * reinterpret_cast<Floats>(scaleHigh), Ints);
}

static inline double powerOfTwo(int exponent) {
  return doubleFromBits(uint64_t(exponent + 1023) << 52);
}

static inline float roundedF32(int64_t sum, int unit, int fractionBits) {
  uint64_t magnitude = uint64_t(sum < 0 ? -sum : sum);
  if (magnitude == 0)
    return 0.0f;
  uint32_t sign = sum < 0 ? 0x80000000u : 0;
  int highest = 63 - std::countl_zero(magnitude);
  int exponent = highest + unit;
  if (exponent > 127)
    return floatFromBits(sign | 0x7f800000);
  int least = std::max(exponent, -126); // a denormal keeps fewer bits
  int dropped = least - fractionBits - unit;
  if (dropped > 0)
    magnitude = dropped >= 64 ? 0 : magnitude >> dropped << dropped;
  if (magnitude == 0)
    return 0.0f;
  int toFraction = least - 23 - unit;
  magnitude =
      toFraction >= 0 ? magnitude >> toFraction : magnitude << -toFraction;
  // The leading one, if there is one, raises the exponent field by one.
  uint32_t field = uint32_t(least + 126) << 23;
  return floatFromBits(sign | (field + uint32_t(magnitude)));
}

/// One step for the eight columns of a row: products [first, first + kc).
static void stepOfRow(const Plan &plan, int row, int first, int kc,
                      float *sums) {
  const MmaModel &model = *plan.operation.model;
  bool isF16Sum = plan.operation.sum == MmaSum::F16;
  int smallestC = smallestExponent(plan.operation.sum);
  alignas(32) float significandC[kColumns];
  alignas(16) int16_t exponentC[kColumns];
  for (int column = 0; column < kColumns; ++column)
    takeApart(sums[column], smallestC, significandC[column], exponentC[column]);

  const float *significandA =
      &plan.a.significand[row * MmaTile::kMostK + first];
  const int16_t *exponentA = &plan.a.exponent[row * MmaTile::kMostK + first];
  auto *significandB =
      reinterpret_cast<const Floats *>(&plan.b.significand[first * kColumns]);
  auto *exponentB =
      reinterpret_cast<const Shorts *>(&plan.b.exponent[first * kColumns]);

  Shorts accumulator = *reinterpret_cast<const Shorts *>(exponentC);
  Shorts least = broadcast(leastAlignment(plan.operation.sum));
  Shorts largest = accumulator > least ? accumulator : least;
  for (int k = 0; k < kc; ++k) {
    Shorts exponents = broadcast(exponentA[k]) + exponentB[k];
    largest = exponents > largest ? exponents : largest;
  }
  Shorts toUnit = broadcast(int16_t(model.fractionBits)) - largest;
  // Sixteen terms below 2^27 stay below 2^31; the others go elsewhere.
  Ints total[2][2] = {};
  for (int k = 0; k < kc; ++k)
    addCut(total[k / 16], significandA[k] * significandB[2 * k],
           significandA[k] * significandB[2 * k + 1],
           broadcast(exponentA[k]) + exponentB[k] + toUnit);
  Ints cutC[2] = {};
  auto *partsC = reinterpret_cast<const Floats *>(significandC);
  addCut(cutC, partsC[0], partsC[1], accumulator + toUnit);
  for (int column = 0; column < kColumns; ++column) {
    int half = column / 4, lane = column % 4;
    int64_t sum =
        int64_t(total[0][half][lane]) + total[1][half][lane] + cutC[half][lane];
    int unit = -toUnit[column];
    if (isF16Sum)
      sums[column] = fromF16(toF16(double(sum) * powerOfTwo(unit))) + 0.0f;
    else
      sums[column] = roundedF32(sum, unit, model.resultFractionBits);
  }
}

/// The columns in which something is not finite, by the long way.
static void redoSpecial(const Plan &plan, const MmaTile &tile, int row,
                        int first, int kc, const float *before, float *sums) {
  for (int column = 0; column < kColumns; ++column) {
    if (!plan.specialRow[row] && !plan.specialColumn[column] &&
        !isSpecial(before[column]))
      continue;
    float b[MmaTile::kMostK];
    for (int k = 0; k < kc; ++k)
      b[k] = tile.b[first + k][column];
    sums[column] =
        mmaStep(plan.operation, &tile.a[row][first], b, kc, before[column]);
  }
}

/// The whole k in chunks of `kc`.
static void chainTile(const MmaOperation &operation, MmaTile &tile, int kc) {
  assert(operation.model->fractionBits <= 25 && "int32 sums would overflow");
  Plan plan{operation, tile.rows, {}, {}};
  takeApart(plan, tile);
  bool anyColumn =
      std::any_of(std::begin(plan.specialColumn), std::end(plan.specialColumn),
                  [](int32_t special) { return special; });
  for (int row = 0; row < tile.rows; ++row)
    for (int first = 0; first < tile.k; first += kc) {
      int length = std::min(kc, tile.k - first);
      float before[kColumns];
      std::copy_n(tile.c[row], kColumns, before);
      bool special = anyColumn || plan.specialRow[row] ||
                     std::any_of(before, before + kColumns, isSpecial);
      stepOfRow(plan, row, first, length, tile.c[row]);
      if (special)
        redoSpecial(plan, tile, row, first, length, before, tile.c[row]);
    }
}

/// See MmaOperation::widens.
static void widenedTile(const MmaOperation &operation, MmaTile &tile) {
  MmaTile sorted;
  sorted.rows = tile.rows;
  sorted.k = tile.k;
  int at = 0;
  for (int part = 0; part < 2; ++part)
    for (int k = 0; k < tile.k; ++k) {
      if ((k % 4 < 2) != (part == 0))
        continue;
      for (int row = 0; row < tile.rows; ++row)
        sorted.a[row][at] = tile.a[row][k];
      std::copy_n(tile.b[k], kColumns, sorted.b[at]);
      ++at;
    }
  std::fill_n(&sorted.c[0][0], MmaTile::kRows * kColumns, 0.0f);
  MmaOperation half = {operation.model, MmaElement::F16, MmaElement::F16,
                       operation.sum};
  chainTile(half, sorted, tile.k / 2);
  for (int row = 0; row < tile.rows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      float sum = sorted.c[row][column], c = tile.c[row][column];
      float total = operation.sum == MmaSum::F16
                        ? fromF16(toF16(double(sum) + double(c)))
                        : sum + c;
      tile.c[row][column] =
          std::isnan(total) ? floatFromBits(kCanonicalNanF32) : total;
    }
}

void mmaSyncTile(const MmaOperation &operation, MmaTile &tile) {
  assert(tile.rows <= MmaTile::kRows && tile.k <= MmaTile::kMostK);
  if (operation.widens)
    widenedTile(operation, tile);
  else
    chainTile(operation, tile, operation.model->kc);
}

} // namespace girih::arith
