//===- Types.h - PTX's scalar types and spaces ---------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_TYPES_H
#define GIRIH_RUNTIME_SIM_TYPES_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace girih::sim {

/// A type as PTX writes it behind a dot. `None` stands for no type.
enum class Type : uint8_t {
  None,
  Pred,
  B1, // only of mma
  B8,
  B16,
  B32,
  B64,
  B128,
  U4, // only of mma
  U8,
  U16,
  U32,
  U64,
  S4, // only of mma
  S8,
  S16,
  S32,
  S64,
  U16x2,
  S16x2,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F32x2,
  F64,
  E4M3,
  E4M3x2,
  E5M2,
  E5M2x2
};

/// In bits; 1 for Pred, 0 for None. tf32 lives in 32.
unsigned bitsOf(Type type);
bool isSigned(Type type); ///< S4 .. S64, S16x2
bool isFloat(Type type);  ///< floating point, packed ones too
/// `u32`, without the dot.
std::string_view nameOf(Type type);
std::optional<Type> parseType(std::string_view name);

/// Where an address points. Shared is the thread's own block's memory;
/// SharedCluster takes addresses of any block in the cluster, as mapa makes
/// them.
enum class Space : uint8_t {
  Generic,
  Global,
  Shared,
  SharedCluster,
  Local,
  Param,
  Const
};
std::string_view nameOf(Space space);

/// How far an ordering reaches.
enum class Scope : uint8_t { Cta, Cluster, Gpu, System };

/// What an access or a fence orders. Weak accesses race; the others do not
/// among themselves. Volatile counts as Relaxed at system scope.
enum class Order : uint8_t {
  Weak,
  Relaxed,
  Acquire,
  Release,
  AcquireRelease,
  SequentiallyConsistent
};

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_TYPES_H
