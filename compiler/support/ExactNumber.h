//===- ExactNumber.h - literals and constants, rounded once -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_SUPPORT_EXACTNUMBER_H
#define GIRIH_COMPILER_SUPPORT_EXACTNUMBER_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace girih {

/// The formats a source literal can be rounded to.
enum class FloatFormat { F64, F32, F16, BF16, F8E4M3FN, F8E5M2 };

/// A number after its one rounding (nearest, ties to even). Every value of
/// every FloatFormat is a double, so `value` is exact.
struct RoundedNumber {
  double value = 0;
  bool overflow = false;      ///< a finite number became an infinity
  bool roundedToZero = false; ///< a number other than zero became zero
};

/// Rounds the unsigned literal `text` (`12`, `1.5e-3`, `0x1.8p3`, `0x1F`,
/// `inf`, `nan`) straight from its digits. `text` must be well-formed.
RoundedNumber roundLiteral(std::string_view text, FloatFormat format);

/// A number without its fraction.
struct IntegerPart {
  bool negative = false;
  uint64_t magnitude = 0;
  bool tooLarge = false; ///< beyond 64 bits
  bool isWhole = false;  ///< there was no fraction
};

/// A rational number with a signed zero: what a constant's expression is
/// computed in before it is rounded, once, to the constant's type.
class ExactNumber {
public:
  /// The value of a finite literal; nothing where its exponent is beyond what
  /// is worth computing exactly (10^1000, 2^4000).
  static std::optional<ExactNumber> fromLiteral(std::string_view text);
  /// `value` must be finite.
  static ExactNumber fromDouble(double value);
  static ExactNumber fromInteger(bool negative, uint64_t magnitude);

  bool isZero() const;
  ExactNumber negated() const;
  /// Nothing where the result needs more than 20,000 bits. The sign of a zero
  /// sum is that of IEEE 754: negative only if both operands are.
  std::optional<ExactNumber> plus(const ExactNumber &other) const;
  std::optional<ExactNumber> times(const ExactNumber &other) const;
  /// `other` must not be zero.
  std::optional<ExactNumber> over(const ExactNumber &other) const;
  IntegerPart integerPart() const;
  RoundedNumber round(FloatFormat format) const;

private:
  struct Rational;
  explicit ExactNumber(std::shared_ptr<const Rational> value)
      : value(std::move(value)) {}
  static std::optional<ExactNumber> reduced(Rational value);
  std::shared_ptr<const Rational> value;
};

} // namespace girih

#endif // GIRIH_COMPILER_SUPPORT_EXACTNUMBER_H
