//===- ExactNumber.cpp - literals and constants, rounded once -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/support/ExactNumber.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <string>

namespace girih {

using llvm::APFloat;
using llvm::APInt;

namespace {

constexpr unsigned kMaxBits = 20000;
constexpr long kMaxDecimalExponent = 1000;
constexpr long kMaxBinaryExponent = 4000;

const llvm::fltSemantics &semanticsOf(FloatFormat format) {
  switch (format) {
  case FloatFormat::F64:
    return APFloat::IEEEdouble();
  case FloatFormat::F32:
    return APFloat::IEEEsingle();
  case FloatFormat::F16:
    return APFloat::IEEEhalf();
  case FloatFormat::BF16:
    return APFloat::BFloat();
  case FloatFormat::F8E4M3FN:
    return APFloat::Float8E4M3FN();
  case FloatFormat::F8E5M2:
    return APFloat::Float8E5M2();
  }
  return APFloat::IEEEdouble();
}

unsigned bits(const APInt &x) { return std::max(1u, x.getActiveBits()); }

APInt product(const APInt &a, const APInt &b) {
  unsigned width = bits(a) + bits(b);
  return a.zextOrTrunc(width) * b.zextOrTrunc(width);
}

APInt shifted(const APInt &a, unsigned by) {
  return a.zextOrTrunc(bits(a) + by).shl(by);
}

APInt power10(unsigned exponent) {
  APInt result(4, 1), ten(4, 10);
  for (unsigned i = 0; i < exponent; ++i)
    result = product(result, ten);
  return result;
}

/// The digits of [text) without its point, and how many stood behind it.
std::string digitsOf(llvm::StringRef text, long &behindPoint) {
  auto [whole, fraction] = text.split('.');
  behindPoint = static_cast<long>(fraction.size());
  std::string digits = (whole + fraction).str();
  return digits.empty() ? "0" : digits;
}

/// A written exponent, clamped well outside the accepted range.
long exponentOf(llvm::StringRef text) {
  long value = 0;
  bool negative = text.consume_front("-");
  text.consume_front("+");
  for (char c : text)
    value = std::min(value * 10 + (c - '0'), 1000000L);
  return negative ? -value : value;
}

} // namespace

RoundedNumber roundLiteral(std::string_view text, FloatFormat format) {
  APFloat number(semanticsOf(format));
  std::string digits(text);
  if (digits.starts_with("0x") || digits.starts_with("0X"))
    if (digits.find_first_of("pP") == digits.npos)
      digits += "p0";
  auto status = number.convertFromString(digits, APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    assert(false && "malformed literal");
    return {};
  }
  RoundedNumber result;
  result.overflow = (*status & APFloat::opOverflow) != 0;
  result.roundedToZero = number.isZero() && *status != APFloat::opOK;
  bool losesInfo = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  result.value = number.convertToDouble();
  return result;
}

struct ExactNumber::Rational {
  bool negative = false;
  APInt numerator = APInt(1, 0);
  APInt denominator = APInt(1, 1);
};

std::optional<ExactNumber> ExactNumber::reduced(Rational value) {
  if (bits(value.numerator) > kMaxBits || bits(value.denominator) > kMaxBits)
    return std::nullopt;
  if (value.numerator.isZero()) {
    value.denominator = APInt(1, 1);
  } else {
    unsigned width = std::max(bits(value.numerator), bits(value.denominator));
    APInt n = value.numerator.zextOrTrunc(width);
    APInt d = value.denominator.zextOrTrunc(width);
    APInt divisor = llvm::APIntOps::GreatestCommonDivisor(n, d);
    value.numerator = n.udiv(divisor);
    value.denominator = d.udiv(divisor);
  }
  return ExactNumber(std::make_shared<const Rational>(std::move(value)));
}

std::optional<ExactNumber> ExactNumber::fromLiteral(std::string_view literal) {
  llvm::StringRef text(literal.data(), literal.size());
  bool hex = text.consume_front("0x") || text.consume_front("0X");
  auto [mantissa, exponentText] =
      text.split(hex ? (text.contains('p') ? 'p' : 'P')
                     : (text.contains('e') ? 'e' : 'E'));
  long behindPoint = 0;
  std::string digits = digitsOf(mantissa, behindPoint);
  long exponent = exponentOf(exponentText) - behindPoint * (hex ? 4 : 1);
  if (std::labs(exponent) > (hex ? kMaxBinaryExponent : kMaxDecimalExponent))
    return std::nullopt;
  Rational value;
  value.numerator = APInt(static_cast<unsigned>(digits.size()) * 4 + 4, digits,
                          hex ? 16 : 10);
  auto magnitude = static_cast<unsigned>(std::labs(exponent));
  APInt scale = hex ? shifted(APInt(1, 1), magnitude) : power10(magnitude);
  if (exponent >= 0)
    value.numerator = product(value.numerator, scale);
  else
    value.denominator = scale;
  return reduced(std::move(value));
}

ExactNumber ExactNumber::fromDouble(double number) {
  assert(std::isfinite(number));
  int exponent = 0;
  double mantissa = std::frexp(std::fabs(number), &exponent);
  Rational value;
  value.negative = std::signbit(number);
  value.numerator = APInt(64, static_cast<uint64_t>(std::ldexp(mantissa, 53)));
  exponent -= 53;
  if (exponent >= 0)
    value.numerator = shifted(value.numerator, exponent);
  else
    value.denominator = shifted(APInt(1, 1), -exponent);
  return *reduced(std::move(value));
}

ExactNumber ExactNumber::fromInteger(bool negative, uint64_t magnitude) {
  Rational value;
  value.negative = negative;
  value.numerator = APInt(64, magnitude);
  return *reduced(std::move(value));
}

IntegerPart ExactNumber::integerPart() const {
  unsigned width = std::max(bits(value->numerator), bits(value->denominator));
  APInt n = value->numerator.zextOrTrunc(width);
  APInt d = value->denominator.zextOrTrunc(width);
  APInt whole = n.udiv(d);
  IntegerPart part;
  part.negative = value->negative;
  part.isWhole = n.urem(d).isZero();
  part.tooLarge = whole.getActiveBits() > 64;
  part.magnitude = whole.zextOrTrunc(64).getZExtValue();
  return part;
}

bool ExactNumber::isZero() const { return value->numerator.isZero(); }

ExactNumber ExactNumber::negated() const {
  Rational result = *value;
  result.negative = !result.negative;
  return ExactNumber(std::make_shared<const Rational>(std::move(result)));
}

std::optional<ExactNumber> ExactNumber::plus(const ExactNumber &other) const {
  APInt a = product(value->numerator, other.value->denominator);
  APInt b = product(other.value->numerator, value->denominator);
  unsigned width = std::max(bits(a), bits(b)) + 1;
  a = a.zextOrTrunc(width);
  b = b.zextOrTrunc(width);
  Rational result;
  result.denominator = product(value->denominator, other.value->denominator);
  if (value->negative == other.value->negative) {
    result.negative = value->negative;
    result.numerator = a + b;
  } else {
    result.negative =
        a == b ? false : (a.ugt(b) ? value->negative : other.value->negative);
    result.numerator = a.ugt(b) ? a - b : b - a;
  }
  return reduced(std::move(result));
}

std::optional<ExactNumber> ExactNumber::times(const ExactNumber &other) const {
  Rational result;
  result.negative = value->negative != other.value->negative;
  result.numerator = product(value->numerator, other.value->numerator);
  result.denominator = product(value->denominator, other.value->denominator);
  return reduced(std::move(result));
}

std::optional<ExactNumber> ExactNumber::over(const ExactNumber &other) const {
  assert(!other.isZero());
  Rational result;
  result.negative = value->negative != other.value->negative;
  result.numerator = product(value->numerator, other.value->denominator);
  result.denominator = product(value->denominator, other.value->numerator);
  return reduced(std::move(result));
}

RoundedNumber ExactNumber::round(FloatFormat format) const {
  RoundedNumber result;
  if (!isZero()) {
    // More quotient bits than any format holds, then one digit that only says
    // whether anything was left: enough for a correct rounding from the text.
    long up = 70 - (static_cast<long>(bits(value->numerator)) -
                    static_cast<long>(bits(value->denominator)));
    APInt n =
        shifted(value->numerator, static_cast<unsigned>(std::max(up, 0L)));
    APInt d =
        shifted(value->denominator, static_cast<unsigned>(std::max(-up, 0L)));
    unsigned width = std::max(bits(n), bits(d));
    n = n.zextOrTrunc(width);
    d = d.zextOrTrunc(width);
    llvm::SmallString<64> hex;
    n.udiv(d).toString(hex, 16, /*Signed=*/false);
    std::string text = "0x" + hex.str().str();
    text += n.urem(d).isZero() ? "0" : "8";
    text += "p" + std::to_string(-up - 4);
    result = roundLiteral(text, format);
  }
  if (value->negative)
    result.value = -result.value;
  return result;
}

} // namespace girih
