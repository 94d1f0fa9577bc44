//===- Mma.h - mma.sync on registers -------------------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D[m x 8] = A[m x k] B[k x 8] + C. The matrices are spread over the lanes'
// registers in one way for all shapes and types. With g = lane / 4, t = lane %
// 4 and e elements in a register (32 bits by the element's, f64 and tf32: 1):
//   A  register r holds row g + 8 * (r % 2), columns 4e * (r / 2) + e * t ..,
//      where m = 16; where m = 8 row g, columns 4e * r + e * t ..
//   B  register r holds column g, rows 4e * r + e * t ..
//   C, D  element j is row g + 8 * (j / 2), column 2t + j % 2; two f16 elements
//      share a register.
// (PTX ISA 9.0, 9.7.14.5; the figures there are cases of this.)
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_MMA_H
#define GIRIH_RUNTIME_SIM_MMA_H

#include "compiler/arith/MmaModel.h"
#include "runtime/sim/Decode.h"

namespace girih::sim {

/// One form of mma.sync; n is 8.
struct MmaKind {
  enum class Bits : uint8_t { None, And, Xor }; ///< of b1: before counting
  uint8_t m = 16;
  uint16_t k = 0;
  Type a = Type::None, b = Type::None;
  Type sum = Type::None; ///< of C and D: F32, F16, S32, F64
  bool saturates = false;
  Bits bits = Bits::None;

  unsigned registersA() const;
  unsigned registersB() const;
  unsigned registersC() const;
};

/// A shape that PTX has for a type of A.
struct MmaShape {
  Type a;
  uint8_t m;
  uint16_t k;
  uint8_t capability; ///< of the oldest card that has it
};
std::span<const MmaShape> mmaShapes();
const MmaShape *findMmaShape(Type a, unsigned m, unsigned k);

/// Registers of a warp, as slots hold them: 32 words of 32 bits each, of 64
/// bits for f64. An entry of `d` may be null (a sink).
struct MmaRegisters {
  std::array<const void *, 8> a{};
  std::array<const void *, 4> b{};
  std::array<const void *, 4> c{};
  std::array<void *, 4> d{};
};

/// What a card of that capability computes; `d` may be `c`. False, and nothing
/// done, where there is no model of such a card's arithmetic.
bool runMma(const MmaKind &kind, unsigned capability,
            const MmaRegisters &registers);

/// Any sum of floats that arith::MmaOperation describes, such as wgmma's.
void runMmaFloats(const MmaKind &kind, const arith::MmaOperation &operation,
                  const MmaRegisters &registers);

Status decodeMma(Decoder &d);
Status decodeUnsupportedMma(Decoder &d); ///< wmma, wgmma, tcgen05

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_MMA_H
