//===- FloatSoft.h - instructions by arithmetic in integers --- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For what is rare: f64 in directed roundings, pairs of f32, and f32 in
// directed roundings where the host has no vector unit that helps.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_FLOATSOFT_H
#define GIRIH_RUNTIME_SIM_FLOATSOFT_H

#include "runtime/sim/FloatDecode.h"

namespace girih::sim {

enum class Operation : uint8_t { Add, Sub, Mul, Fma, Div, Rcp, Sqrt };

/// Any operation of f32, f64 or f32x2, set up by setSoft().
Outcome soft(Context &context, const Instruction &instruction, uint32_t mask);
/// Sets type, variant and execute.
void setSoft(Instruction &made, Operation operation, Type type,
             const FloatModifiers &modifiers);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_FLOATSOFT_H
