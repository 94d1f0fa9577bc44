//===- MmaLanes.cpp - mma.sync on registers -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/Formats.h"
#include "compiler/arith/MmaTile.h"
#include "runtime/sim/Mma.h"

#include <algorithm>
#include <bit>

using namespace girih;
using namespace girih::sim;

using arith::MmaElement;
using arith::MmaOperation;
using arith::MmaSum;
using arith::MmaTile;

// PTX ISA 9.0, 9.7.14.5.14 (target notes), as ptxas 13.0 has it.
static constexpr MmaShape kShapes[] = {
    {Type::F16, 16, 8, 75},   {Type::F16, 16, 16, 80},
    {Type::BF16, 16, 8, 80},  {Type::BF16, 16, 16, 80},
    {Type::TF32, 16, 4, 80},  {Type::TF32, 16, 8, 80},
    {Type::E4M3, 16, 16, 89}, {Type::E4M3, 16, 32, 89},
    {Type::E5M2, 16, 16, 89}, {Type::E5M2, 16, 32, 89},
    {Type::S8, 8, 16, 75},    {Type::S8, 16, 16, 80},
    {Type::S8, 16, 32, 80},   {Type::U8, 8, 16, 75},
    {Type::U8, 16, 16, 80},   {Type::U8, 16, 32, 80},
    {Type::S4, 8, 32, 75},    {Type::S4, 16, 32, 80},
    {Type::S4, 16, 64, 80},   {Type::U4, 8, 32, 75},
    {Type::U4, 16, 32, 80},   {Type::U4, 16, 64, 80},
    {Type::B1, 8, 128, 75},   {Type::B1, 16, 128, 80},
    {Type::B1, 16, 256, 80},  {Type::F64, 8, 4, 80},
    {Type::F64, 16, 4, 90},   {Type::F64, 16, 8, 90},
    {Type::F64, 16, 16, 90},
};

std::span<const MmaShape> sim::mmaShapes() { return kShapes; }

const MmaShape *sim::findMmaShape(Type a, unsigned m, unsigned k) {
  for (const MmaShape &shape : kShapes)
    if (shape.a == a && shape.m == m && shape.k == k)
      return &shape;
  return nullptr;
}

static unsigned elementsOf(Type type) {
  return type == Type::F64 ? 1 : 32 / bitsOf(type);
}

unsigned MmaKind::registersA() const {
  return unsigned(m) * k / (kLanes * elementsOf(a));
}
unsigned MmaKind::registersB() const {
  return 8u * k / (kLanes * elementsOf(b));
}
unsigned MmaKind::registersC() const {
  return sum == Type::F16 ? m / 8 : m / 4;
}

// Fragments ------------------------------------------------------------------

/// put(row, k, word) for every register of A; `k` is the first element's.
template <typename Word, typename Put>
static void eachOfA(const MmaKind &kind, const MmaRegisters &registers,
                    Put &&put) {
  unsigned e = elementsOf(kind.a), count = kind.registersA();
  for (unsigned r = 0; r < count; ++r) {
    auto *words = static_cast<const Word *>(registers.a[r]);
    unsigned row = kind.m == 16 ? 8 * (r % 2) : 0;
    unsigned first = 4 * e * (kind.m == 16 ? r / 2 : r);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      put(row + lane / 4, first + e * (lane % 4), words[lane]);
  }
}

template <typename Word, typename Put>
static void eachOfB(const MmaKind &kind, const MmaRegisters &registers,
                    Put &&put) {
  unsigned e = elementsOf(kind.b), count = kind.registersB();
  for (unsigned r = 0; r < count; ++r) {
    auto *words = static_cast<const Word *>(registers.b[r]);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      put(lane / 4, 4 * e * r + e * (lane % 4), words[lane]);
  }
}

/// f(j, row, column, lane) for the elements of C and D, j as in Mma.h.
template <typename F> static void eachOfC(const MmaKind &kind, F &&f) {
  for (unsigned j = 0; j < kind.m / 4u; ++j)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      f(j, lane / 4 + 8 * (j / 2), 2 * (lane % 4) + j % 2, lane);
}

template <typename Word>
static Word wordOfC(const MmaRegisters &registers, unsigned j, unsigned lane) {
  return static_cast<const Word *>(registers.c[j])[lane];
}

template <typename Word>
static void setD(const MmaRegisters &registers, unsigned j, unsigned lane,
                 Word word) {
  if (registers.d[j])
    static_cast<Word *>(registers.d[j])[lane] = word;
}

// Floating-point operands ----------------------------------------------------

static std::optional<MmaElement> elementOf(Type type) {
  switch (type) {
  case Type::F16:
    return MmaElement::F16;
  case Type::BF16:
    return MmaElement::Bf16;
  case Type::TF32:
    return MmaElement::Tf32;
  case Type::E4M3:
    return MmaElement::F8E4M3;
  case Type::E5M2:
    return MmaElement::F8E5M2;
  default:
    return std::nullopt;
  }
}

/// arith::fromF16, inline.
static inline float widenF16(uint32_t bits) {
  uint32_t magnitude = bits & 0x7fff;
  if (magnitude - 0x400u >= 0x7800u) [[unlikely]] // a denormal, zero, special
    return arith::fromF16(uint16_t(bits));
  return arith::floatFromBits((bits & 0x8000) << 16 |
                              ((magnitude << 13) + (112u << 23)));
}

/// All values of an f8 type.
template <MmaElement element> static const float *tableOfF8() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> values;
    for (unsigned i = 0; i < 256; ++i)
      values[i] = element == MmaElement::F8E4M3 ? arith::fromF8E4M3(uint8_t(i))
                                                : arith::fromF8E5M2(uint8_t(i));
    return values;
  }();
  return table.data();
}

/// The elements of a register: values[i * stride].
static inline void widenWord(MmaElement element, uint32_t word, float *values,
                             unsigned stride) {
  switch (element) {
  case MmaElement::F16:
    values[0] = widenF16(word & 0xffff);
    values[stride] = widenF16(word >> 16);
    return;
  case MmaElement::Bf16:
    values[0] = arith::floatFromBits(word << 16);
    values[stride] = arith::floatFromBits(word & 0xffff0000);
    return;
  case MmaElement::Tf32:
    values[0] = arith::floatFromBits(word);
    return;
  case MmaElement::F8E4M3:
  case MmaElement::F8E5M2: {
    const float *table = element == MmaElement::F8E4M3
                             ? tableOfF8<MmaElement::F8E4M3>()
                             : tableOfF8<MmaElement::F8E5M2>();
    for (unsigned i = 0; i < 4; ++i)
      values[i * stride] = table[word >> 8 * i & 0xff];
    return;
  }
  }
}

void sim::runMmaFloats(const MmaKind &kind, const MmaOperation &operation,
                       const MmaRegisters &registers) {
  MmaTile tile;
  tile.rows = kind.m;
  tile.k = kind.k;
  eachOfA<uint32_t>(kind, registers,
                    [&](unsigned row, unsigned k, uint32_t word) {
                      widenWord(operation.a, word, &tile.a[row][k], 1);
                    });
  eachOfB<uint32_t>(
      kind, registers, [&](unsigned column, unsigned k, uint32_t word) {
        widenWord(operation.b, word, &tile.b[k][column], MmaTile::kColumns);
      });
  bool isF16 = kind.sum == Type::F16;
  eachOfC(kind, [&](unsigned j, unsigned row, unsigned column, unsigned lane) {
    if (isF16)
      tile.c[row][column] = widenF16(
          wordOfC<uint32_t>(registers, j / 2, lane) >> 16 * (j % 2) & 0xffff);
    else
      tile.c[row][column] =
          arith::floatFromBits(wordOfC<uint32_t>(registers, j, lane));
  });
  arith::mmaSyncTile(operation, tile);
  eachOfC(kind, [&](unsigned j, unsigned row, unsigned column, unsigned lane) {
    float value = tile.c[row][column];
    if (!isF16)
      setD(registers, j, lane, arith::bitsOf(value));
    else if (j % 2)
      setD(registers, j / 2, lane,
           uint32_t(arith::toF16(tile.c[row][column - 1])) |
               uint32_t(arith::toF16(value)) << 16);
  });
}

// Others ---------------------------------------------------------------------

static void runDoubles(const MmaKind &kind, const MmaRegisters &registers) {
  double a[16][16], b[8][16], c[16][8];
  eachOfA<double>(kind, registers, [&](unsigned row, unsigned k, double value) {
    a[row][k] = value;
  });
  eachOfB<double>(
      kind, registers,
      [&](unsigned column, unsigned k, double value) { b[column][k] = value; });
  eachOfC(kind, [&](unsigned j, unsigned row, unsigned column, unsigned lane) {
    c[row][column] = arith::mmaSyncElementF64(
        a[row], b[column], kind.k, wordOfC<double>(registers, j, lane));
  });
  eachOfC(kind, [&](unsigned j, unsigned row, unsigned column, unsigned lane) {
    setD(registers, j, lane, c[row][column]);
  });
}

/// Elements of `bits` bits each, extended by their sign or by zeros.
static inline void unpackIntegers(Type type, uint32_t word, int16_t *values) {
  unsigned bits = bitsOf(type), count = 32 / bits;
  bool extends = isSigned(type);
  for (unsigned i = 0; i < count; ++i) {
    uint32_t atTop = word << (32 - bits * (i + 1));
    values[i] = int16_t(extends ? int32_t(atTop) >> (32 - bits)
                                : int32_t(atTop >> (32 - bits)));
  }
}

static void runIntegers(const MmaKind &kind, const MmaRegisters &registers) {
  int16_t a[16][64], b[8][64];
  int32_t c[16][8];
  eachOfA<uint32_t>(kind, registers,
                    [&](unsigned row, unsigned k, uint32_t word) {
                      unpackIntegers(kind.a, word, &a[row][k]);
                    });
  eachOfB<uint32_t>(kind, registers,
                    [&](unsigned column, unsigned k, uint32_t word) {
                      unpackIntegers(kind.b, word, &b[column][k]);
                    });
  eachOfC(kind, [&](unsigned j, unsigned row, unsigned column, unsigned lane) {
    c[row][column] = arith::mmaSyncElementInteger(
        a[row], b[column], kind.k,
        int32_t(wordOfC<uint32_t>(registers, j, lane)), kind.saturates);
  });
  eachOfC(kind, [&](unsigned j, unsigned row, unsigned column, unsigned lane) {
    setD(registers, j, lane, uint32_t(c[row][column]));
  });
}

static void runBits(const MmaKind &kind, const MmaRegisters &registers) {
  uint32_t a[16][8], b[8][8], c[16][8];
  eachOfA<uint32_t>(
      kind, registers,
      [&](unsigned row, unsigned k, uint32_t word) { a[row][k / 32] = word; });
  eachOfB<uint32_t>(kind, registers,
                    [&](unsigned column, unsigned k, uint32_t word) {
                      b[column][k / 32] = word;
                    });
  eachOfC(kind, [&](unsigned j, unsigned row, unsigned column, unsigned lane) {
    uint32_t sum = wordOfC<uint32_t>(registers, j, lane);
    for (unsigned i = 0; i < kind.k / 32u; ++i)
      sum += unsigned(std::popcount(kind.bits == MmaKind::Bits::Xor
                                        ? a[row][i] ^ b[column][i]
                                        : a[row][i] & b[column][i]));
    c[row][column] = sum;
  });
  eachOfC(kind, [&](unsigned j, unsigned row, unsigned column, unsigned lane) {
    setD(registers, j, lane, c[row][column]);
  });
}

bool sim::runMma(const MmaKind &kind, unsigned capability,
                 const MmaRegisters &registers) {
  if (std::optional<MmaElement> a = elementOf(kind.a)) {
    std::optional<MmaOperation> operation =
        arith::mmaSync(capability, *a, *elementOf(kind.b),
                       kind.sum == Type::F16 ? MmaSum::F16 : MmaSum::F32);
    if (!operation)
      return false;
    runMmaFloats(kind, *operation, registers);
  } else if (kind.a == Type::F64) {
    runDoubles(kind, registers);
  } else if (kind.a == Type::B1) {
    runBits(kind, registers);
  } else {
    runIntegers(kind, registers);
  }
  return true;
}
