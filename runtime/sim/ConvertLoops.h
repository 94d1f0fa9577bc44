//===- ConvertLoops.h - cvt for all lanes --------------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instruction::type is the result's, fromType the source's; variant holds a
// ConvertHow.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_CONVERTLOOPS_H
#define GIRIH_RUNTIME_SIM_CONVERTLOOPS_H

#include "runtime/sim/ConvertMath.h"
#include "runtime/sim/Machine.h"

namespace girih::sim {

/// For a scalar conversion. `to64`, `from64`: the registers have 64 bits.
Execute scalarLoop(const Instruction &instruction, bool to64, bool from64);

/// For two f32 to f16x2 or bf16x2.
Execute packedHalvesLoop(const Instruction &instruction);

Outcome toTf32(Context &context, const Instruction &instruction, uint32_t mask);
/// Two f32, or an f16x2, to two E4M3 or E5M2; and back to f16x2.
Outcome packF8(Context &context, const Instruction &instruction, uint32_t mask);
Outcome unpackF8(Context &context, const Instruction &instruction,
                 uint32_t mask);
/// cvt.pack: `elements` bits each, signed if `variant` is 1.
Outcome packIntegers(Context &context, const Instruction &instruction,
                     uint32_t mask);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_CONVERTLOOPS_H
