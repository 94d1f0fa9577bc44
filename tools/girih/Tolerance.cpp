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
#include <cstdio>

using namespace girih;
using namespace girih::cli;

/// Bits of sign and magnitude as a number that grows with the value.
static int64_t ordered(uint64_t bits, unsigned width) {
  uint64_t sign = uint64_t(1) << (width - 1);
  auto magnitude = int64_t(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

static bool isNan(artifact::ScalarType type, uint64_t bits) {
  rt::Tensor tensor;
  tensor.type = type;
  tensor.data = &bits;
  return std::isnan(rt::loadElement(tensor, 0));
}

std::optional<uint64_t> cli::ulpDistance(artifact::ScalarType type, uint64_t a,
                                         uint64_t b) {
  if (isNan(type, a) || isNan(type, b))
    return std::nullopt;
  unsigned width = 8 * artifact::bytesOf(type);
  int64_t left = ordered(a, width), right = ordered(b, width);
  return left > right ? uint64_t(left) - uint64_t(right)
                      : uint64_t(right) - uint64_t(left);
}

static bool isNear(const ElementFault &element, const Tolerance &tolerance) {
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
    if (isNear(element, tolerance))
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
    char text[64]; // a NaN has no sign worth showing
    std::snprintf(text, sizeof(text), "%.9g",
                  std::isnan(number) ? std::fabs(number) : number);
    return std::string(text) + " (" + rt::hex(bits, digits) + ")";
  };
  std::string text = name;
  if (!fault.index.empty())
    text += rt::printShape(fault.index);
  text += " = " + value(fault.actual, fault.actualBits) + ", expected " +
          value(fault.expected, fault.expectedBits);
  if (fault.ulp && *fault.ulp > 0)
    text += ", " + std::to_string(*fault.ulp) + " ulp apart";
  else if (fault.ulp)
    text += ", zeros of different sign";
  return text;
}
