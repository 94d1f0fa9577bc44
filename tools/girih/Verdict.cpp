//===- Verdict.cpp - does a device agree with the reference? --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Verdict.h"

#include "runtime/HostArray.h"
#include "runtime/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace girih;
using namespace girih::cli;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The distance of two values that are not equal; infinite where one is a NaN
/// or an infinity.
static double distance(double actual, double expected) {
  if (!std::isfinite(actual) || !std::isfinite(expected))
    return kInfinity;
  return double(std::fabs((long double)actual - (long double)expected));
}

Result<Verdict> cli::judge(const rt::Tensor &actual, const rt::Tensor &expected,
                           const std::vector<double> &bounds) {
  std::optional<int64_t> count = rt::elementCount(expected.shape);
  if (actual.type != expected.type || actual.shape != expected.shape ||
      !count || bounds.size() != size_t(*count))
    return Failure{"results of shape " + rt::printShape(actual.shape) +
                   " and " + rt::printShape(expected.shape) + " with " +
                   std::to_string(bounds.size()) +
                   " bounds do not belong together"};
  Verdict verdict;
  rt::CompareResult &compared = verdict.compared;
  compared.elements = *count;
  for (int64_t index = 0; index < *count; ++index) {
    double bound = bounds[size_t(index)];
    if (!(bound >= 0))
      return Failure{"the bound of element " +
                     rt::printShape(rt::unflatten(expected.shape, index)) +
                     " is negative or NaN"};
    ++(bound == 0          ? verdict.exact
       : std::isinf(bound) ? verdict.unbounded
                           : verdict.bounded);
    uint64_t actualBits = rt::loadBits(actual, index);
    uint64_t expectedBits = rt::loadBits(expected, index);
    if (actualBits == expectedBits || std::isinf(bound))
      continue;
    double a = rt::loadElement(actual, index);
    double e = rt::loadElement(expected, index);
    if ((std::isnan(a) && std::isnan(e)) || (bound > 0 && a == e))
      continue;
    // Zeros of different sign are not apart, and yet differ.
    double error = a == e ? 0 : distance(a, e);
    double quotient = bound > 0 ? error / bound : kInfinity;
    compared.maxError = std::max(compared.maxError, error);
    compared.maxErrorOverBound = std::max(compared.maxErrorOverBound, quotient);
    if (bound > 0 && error <= bound)
      continue;
    if (compared.mismatches++ > 0)
      continue;
    compared.firstIndex = rt::unflatten(expected.shape, index);
    compared.firstActual = a;
    compared.firstExpected = e;
    compared.firstActualBits = actualBits;
    compared.firstExpectedBits = expectedBits;
    compared.firstBound = bound;
  }
  return verdict;
}

std::string cli::printVerdict(const std::string &name,
                              artifact::ScalarType type,
                              const Verdict &verdict) {
  const rt::CompareResult &compared = verdict.compared;
  std::string text;
  if (compared.equal())
    text =
        name + ": all " + rt::plural(compared.elements, "element") + " agree";
  else
    text = rt::printComparison(name, type, compared);
  text += "; " + std::to_string(verdict.exact) + " exact, " +
          std::to_string(verdict.bounded) + " within a bound";
  if (verdict.unbounded)
    text += ", " + std::to_string(verdict.unbounded) +
            " not compared (no finite bound)";
  if (verdict.bounded) {
    char quotient[64];
    std::snprintf(quotient, sizeof(quotient), ", largest error / bound %.3g",
                  compared.maxErrorOverBound);
    text += quotient;
  }
  return text;
}
