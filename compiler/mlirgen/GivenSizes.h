//===- GivenSizes.h - sizes fixed at compile time ---------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_MLIRGEN_GIVENSIZES_H
#define GIRIH_COMPILER_MLIRGEN_GIVENSIZES_H

#include "compiler/frontend/Ast.h"
#include "compiler/support/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace girih::mlirgen {

/// The largest size that can be given: that of a constant dimension.
inline constexpr int64_t kMaxGivenSize = (int64_t(1) << 40) - 1;

/// The value of each of the operator's sizes, in their order; -1 where `given`
/// leaves one dynamic, derived ones computed where all that they need is given.
/// Nothing after errors: an unknown name, one given twice, a value out of
/// range, against a constraint of the operator or against a definition.
std::optional<std::vector<int64_t>>
resolveGivenSizes(const frontend::OpDecl &op,
                  const std::vector<std::pair<std::string, int64_t>> &given,
                  Diagnostics &diags);

} // namespace girih::mlirgen

#endif // GIRIH_COMPILER_MLIRGEN_GIVENSIZES_H
