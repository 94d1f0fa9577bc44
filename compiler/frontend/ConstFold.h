//===- ConstFold.h - the value of a const -----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_CONSTFOLD_H
#define GIRIH_COMPILER_FRONTEND_CONSTFOLD_H

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Reporter.h"
#include "compiler/support/ExactNumber.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace girih::frontend {

FloatFormat formatOf(ScalarType type); ///< of a float type

/// The literal's value in `type`; overflow is reported (nothing is returned),
/// a value that rounds to zero draws a warning.
std::optional<double> roundedLiteral(const LiteralExpr &literal,
                                     SourceRange range, ScalarType type,
                                     Reporter &reporter);

/// The value of digits without point and exponent (`12`, `0x1F`); nothing for
/// other digits.
struct IntegerLiteral {
  uint64_t value = 0;
  bool tooLarge = false; ///< beyond 64 bits
};
std::optional<IntegerLiteral> integerLiteral(std::string_view digits);

/// Whether an integer type or bool holds a number.
bool isInRange(ScalarType type, bool negative, uint64_t magnitude);
std::string rangeText(ScalarType type); ///< `-128 .. 127`

/// The bits of an integer literal in `type`: its magnitude where it is
/// `negated`. What does not fit, or is no integer, is reported.
std::optional<uint64_t> integerBits(const LiteralExpr &literal,
                                    SourceRange range, ScalarType type,
                                    bool negated, Reporter &reporter);

/// A constant by its name; null where it does not exist. Reports by itself why
/// it may not be used.
using ConstLookup =
    std::function<const ConstDecl *(const NameExpr &, SourceRange)>;

/// Computes `decl.folded` (or `foldedBits`): literals, constants, casts,
/// + - * / and unary minus, exactly over the rationals, rounded once to the
/// constant's type (a cast inside rounds where it stands); a value outside an
/// integer type is an error. Sets the types of the expression too. False after
/// an error.
bool foldConst(ConstDecl &decl, const ConstLookup &lookup, Reporter &reporter);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_CONSTFOLD_H
