//===- Codes.h - error codes from tree to te --------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// G06xx. A code keeps its meaning for ever; a retired one is not used again.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_MLIRGEN_CODES_H
#define GIRIH_COMPILER_MLIRGEN_CODES_H

#include <string_view>

// clang-format off
#define GIRIH_MLIRGEN_CODES(X)                                                 \
  X(UnknownOp,        "G0601", "no such operator in the file")                 \
  X(ManyOps,          "G0602", "several operators, and none was chosen")       \
  X(UnknownSize,      "G0603", "a given size that the operator does not have") \
  X(BadGivenSize,     "G0604", "a given size out of range, or given twice")    \
  X(ConstraintBroken, "G0605", "a given size that a constraint forbids")       \
  X(BadOrder,         "G0606", "an order whose text is no association term")   \
  X(NotVerified,      "G0607", "a fault of the compiler: malformed te")        \
  X(UnboundParameter, "G0620", "a parameter of the operator has no value")     \
  X(UnknownParameter, "G0621", "a given value that belongs to no parameter")
// clang-format on

namespace girih::mlirgen::codes {

#define GIRIH_CODE(name, code, meaning) inline constexpr char k##name[] = code;
GIRIH_MLIRGEN_CODES(GIRIH_CODE)
#undef GIRIH_CODE

/// One row of the table above, for `girih error`.
struct Row {
  std::string_view code;
  std::string_view meaning;
};

#define GIRIH_CODE(name, code, meaning) {code, meaning},
inline constexpr Row kRows[] = {GIRIH_MLIRGEN_CODES(GIRIH_CODE)};
#undef GIRIH_CODE

} // namespace girih::mlirgen::codes

#endif // GIRIH_COMPILER_MLIRGEN_CODES_H
