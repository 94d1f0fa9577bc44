//===- FloatDecode.h - what floating-point families share ----- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modifiers of floating-point instructions, and lane loops for a host's vector
// units. ptxas takes modifiers in any order, so they are read as a set.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_FLOATDECODE_H
#define GIRIH_RUNTIME_SIM_FLOATDECODE_H

#include "runtime/sim/LaneOps.h"
#include "runtime/sim/Rounding.h"

namespace girih::sim {

/// Bits of FloatModifiers::flags.
enum FloatFlag : uint32_t {
  kFtz = 1 << 0,
  kSat = 1 << 1,
  kRelu = 1 << 2,
  kSatFinite = 1 << 3,
  kNan = 1 << 4,
  kXorsign = 1 << 5,
  kAbs = 1 << 6,
  kApprox = 1 << 7,
  kFull = 1 << 8,
  kRound = 1 << 9,        ///< .rn .rz .rm .rp
  kRoundAway = 1 << 10,   ///< .rna
  kRoundInteger = 1 << 11 ///< .rni .rzi .rmi .rpi
};

struct FloatModifiers {
  uint32_t flags = 0;
  Rounding rounding = Rounding::Nearest;
  bool has(uint32_t flag) const { return flags & flag; }
};

/// Takes the modifiers that come next, in any order, into `modifiers`. Those
/// that are not among `allowed` are left for others to complain about; one that
/// is there twice too.
void takeModifiers(Decoder &decoder, uint32_t allowed,
                   FloatModifiers &modifiers);

/// The type, which must come now: what else stands there is not supported.
Status takeType(Decoder &decoder, Type type);

/// The number in `.target sm_90a`.
unsigned capabilityOf(Decoder &decoder);
/// Fails with `WHAT needs sm_90 or newer; the module's target is sm_80`.
Status needCapability(Decoder &decoder, unsigned capability,
                      const std::string &what);

/// Lane loops compiled for AVX2 and FMA, where the host has them. They compute
/// the same bits: no instruction is contracted or reordered.
#if defined(__x86_64__)
#define GIRIH_SIM_WIDE __attribute__((target("avx2,fma"), flatten))
bool hostIsWide();
/// For tests: false takes the portable loops from now on.
void allowWide(bool allowed);
#else
#define GIRIH_SIM_WIDE
inline bool hostIsWide() { return false; }
inline void allowWide(bool) {}
#endif

template <typename Op, typename D, typename... S>
GIRIH_SIM_WIDE Outcome lanewiseWide(Context &context,
                                    const Instruction &instruction,
                                    uint32_t mask) {
  lanewiseAt<Op, D, S...>(context, instruction, mask,
                          std::index_sequence_for<S...>());
  return Outcome::Next;
}

template <typename Op, typename D, typename... S> Execute fastest() {
  return hostIsWide() ? lanewiseWide<Op, D, S...> : lanewise<Op, D, S...>;
}

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_FLOATDECODE_H
