//===- Types.cpp - PTX's scalar types and spaces --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Types.h"

namespace girih::sim {

namespace {

enum class Sort : uint8_t { Bits, Unsigned, Signed, Float };

struct TypeRow {
  Type type;
  std::string_view name;
  uint8_t bits;
  Sort sort;
};

// In the order of the enumeration, so that a type indexes its row.
constexpr TypeRow kTypes[] = {
    {Type::None, "", 0, Sort::Bits},
    {Type::Pred, "pred", 1, Sort::Bits},
    {Type::B1, "b1", 1, Sort::Bits},
    {Type::B8, "b8", 8, Sort::Bits},
    {Type::B16, "b16", 16, Sort::Bits},
    {Type::B32, "b32", 32, Sort::Bits},
    {Type::B64, "b64", 64, Sort::Bits},
    {Type::B128, "b128", 128, Sort::Bits},
    {Type::U4, "u4", 4, Sort::Unsigned},
    {Type::U8, "u8", 8, Sort::Unsigned},
    {Type::U16, "u16", 16, Sort::Unsigned},
    {Type::U32, "u32", 32, Sort::Unsigned},
    {Type::U64, "u64", 64, Sort::Unsigned},
    {Type::S4, "s4", 4, Sort::Signed},
    {Type::S8, "s8", 8, Sort::Signed},
    {Type::S16, "s16", 16, Sort::Signed},
    {Type::S32, "s32", 32, Sort::Signed},
    {Type::S64, "s64", 64, Sort::Signed},
    {Type::U16x2, "u16x2", 32, Sort::Unsigned},
    {Type::S16x2, "s16x2", 32, Sort::Signed},
    {Type::F16, "f16", 16, Sort::Float},
    {Type::F16x2, "f16x2", 32, Sort::Float},
    {Type::BF16, "bf16", 16, Sort::Float},
    {Type::BF16x2, "bf16x2", 32, Sort::Float},
    {Type::TF32, "tf32", 32, Sort::Float},
    {Type::F32, "f32", 32, Sort::Float},
    {Type::F32x2, "f32x2", 64, Sort::Float},
    {Type::F64, "f64", 64, Sort::Float},
    {Type::E4M3, "e4m3", 8, Sort::Float},
    {Type::E4M3x2, "e4m3x2", 16, Sort::Float},
    {Type::E5M2, "e5m2", 8, Sort::Float},
    {Type::E5M2x2, "e5m2x2", 16, Sort::Float},
};

constexpr bool rowsAreInOrder() {
  unsigned expected = 0;
  for (const TypeRow &row : kTypes)
    if (unsigned(row.type) != expected++)
      return false;
  return expected == unsigned(Type::E5M2x2) + 1;
}
static_assert(rowsAreInOrder());

const TypeRow &rowOf(Type type) { return kTypes[unsigned(type)]; }

} // namespace

unsigned bitsOf(Type type) { return rowOf(type).bits; }

bool isSigned(Type type) { return rowOf(type).sort == Sort::Signed; }

bool isFloat(Type type) { return rowOf(type).sort == Sort::Float; }

std::string_view nameOf(Type type) { return rowOf(type).name; }

std::optional<Type> parseType(std::string_view name) {
  if (name.empty())
    return std::nullopt;
  for (const TypeRow &row : kTypes)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

std::string_view nameOf(Space space) {
  switch (space) {
  case Space::Generic:
    return "generic";
  case Space::Global:
    return "global";
  case Space::Shared:
    return "shared";
  case Space::SharedCluster:
    return "shared::cluster";
  case Space::Local:
    return "local";
  case Space::Param:
    return "param";
  case Space::Const:
    return "const";
  }
  return "";
}

} // namespace girih::sim
