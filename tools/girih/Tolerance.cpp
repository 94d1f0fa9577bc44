//===- Tolerance.cpp - near enough, as a user says it ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Tolerance.h"

#include "runtime/Tensor.h"
#include "runtime/Text.h"

#include <cmath>

using namespace girih;
using namespace girih::cli;

/// Bits of sign and magnitude as a number that grows with the value.
static int64_t ordered(uint64_t bits, unsigned width) {
  uint64_t sign = uint64_t(1) << (width - 1);
  auto magnitude = int64_t(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

/// The bits of an integer or bool as a number that grows with the value.
static uint64_t orderedInteger(artifact::ScalarType type, uint64_t bits) {
  if (type == artifact::ScalarType::Bool)
    return bits != 0;
  if (artifact::isUnsigned(type))
    return bits;
  uint64_t sign = uint64_t(1) << (8 * artifact::bytesOf(type) - 1);
  return bits ^ sign;
}

std::optional<uint64_t> cli::ulpDistance(artifact::ScalarType type, uint64_t a,
                                         uint64_t b) {
  if (!artifact::isFloat(type)) {
    uint64_t left = orderedInteger(type, a), right = orderedInteger(type, b);
    return left > right ? left - right : right - left;
  }
  if (std::isnan(rt::valueOfBits(type, a)) ||
      std::isnan(rt::valueOfBits(type, b)))
    return std::nullopt;
  unsigned width = 8 * artifact::bytesOf(type);
  int64_t left = ordered(a, width), right = ordered(b, width);
  return left > right ? uint64_t(left) - uint64_t(right)
                      : uint64_t(right) - uint64_t(left);
}

/// Integers as they are: an f64 would round those beyond 2^53.
static bool isNearInteger(const ElementFault &element,
                          const Tolerance &tolerance) {
  uint64_t steps = *element.ulp;
  auto distance = static_cast<long double>(steps);
  return steps == 0 || (tolerance.ulp && steps <= *tolerance.ulp) ||
         (tolerance.abs && distance <= *tolerance.abs) ||
         (tolerance.rel &&
          distance <= *tolerance.rel * std::fabs(element.expected));
}

static bool isNear(artifact::ScalarType type, const ElementFault &element,
                   const Tolerance &tolerance) {
  if (!artifact::isFloat(type))
    return isNearInteger(element, tolerance);
  double a = element.actual, e = element.expected;
  if (std::isnan(a) && std::isnan(e))
    return true;
  if (tolerance.exact())
    return element.actualBits == element.expectedBits;
  if (a == e)
    return true;
  if (element.ulp && tolerance.ulp && *element.ulp <= *tolerance.ulp)
    return true;
  // Of two infinities, or one, no distance can be small.
  if (!std::isfinite(a) || !std::isfinite(e))
    return false;
  double distance = std::fabs(a - e);
  return (tolerance.abs && distance <= *tolerance.abs) ||
         (tolerance.rel && distance <= *tolerance.rel * std::fabs(e));
}

ToleranceResult cli::compare(const rt::Tensor &actual,
                             const rt::Tensor &expected,
                             const Tolerance &tolerance) {
  constexpr size_t kShown = 3;
  ToleranceResult result;
  result.elements = rt::elementCount(expected.shape).value_or(0);
  for (int64_t at = 0; at < result.elements; ++at) {
    ElementFault element;
    element.actual = rt::loadElement(actual, at);
    element.expected = rt::loadElement(expected, at);
    element.actualBits = rt::loadBits(actual, at);
    element.expectedBits = rt::loadBits(expected, at);
    element.ulp =
        ulpDistance(actual.type, element.actualBits, element.expectedBits);
    if (isNear(actual.type, element, tolerance))
      continue;
    ++result.faults;
    if (result.first.size() == kShown)
      continue;
    element.index = rt::unflatten(expected.shape, at);
    result.first.push_back(std::move(element));
  }
  return result;
}

std::string cli::printFault(const std::string &name, artifact::ScalarType type,
                            const ElementFault &fault) {
  unsigned digits = 2 * artifact::bytesOf(type);
  auto value = [&](double number, uint64_t bits) {
    constexpr int kDigits = 9; // of a float; a NaN has no sign worth showing
    return (std::isnan(number) ? "nan"
                               : rt::printElement(type, bits, kDigits)) +
           " (" + rt::hex(bits, digits) + ")";
  };
  std::string text = name;
  if (!fault.index.empty())
    text += rt::printShape(fault.index);
  text += " = " + value(fault.actual, fault.actualBits) + ", expected " +
          value(fault.expected, fault.expectedBits);
  if (type == artifact::ScalarType::Bool)
    return text;
  if (fault.ulp && !artifact::isFloat(type))
    text += ", " + std::to_string(*fault.ulp) + " apart";
  else if (fault.ulp && *fault.ulp > 0)
    text += ", " + std::to_string(*fault.ulp) + " ulp apart";
  else if (fault.ulp)
    text += ", zeros of different sign";
  return text;
}
