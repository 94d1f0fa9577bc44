//===- Names.h - names, and conditions on sizes -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_NAMES_H
#define GIRIH_COMPILER_FRONTEND_NAMES_H

#include "compiler/support/Diagnostics.h"

#include <cstdint>
#include <string>

namespace girih::frontend {

struct SizeSymbol;

struct Name {
  std::string text;
  SourceRange range;
};

/// `M % 8 == 0`, `N <= 65536`: a condition on one size, checked at launch.
struct SizeConstraint {
  enum class Kind : uint8_t {
    Multiple,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal
  };
  Name name;
  Kind kind = Kind::Multiple;
  int64_t value = 0;
  SourceRange range;
  // Sema:
  const SizeSymbol *size = nullptr;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_NAMES_H
