//===- Compare.cpp - are two tensors equal, or near enough? ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Compare.h"

#include "runtime/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

static Status checkComparable(const Tensor &actual, const Tensor &expected) {
  if (actual.type != expected.type)
    return Failure{"cannot compare " +
                   std::string(artifact::nameOf(actual.type)) + " with " +
                   std::string(artifact::nameOf(expected.type))};
  if (actual.shape != expected.shape)
    return Failure{"cannot compare shape " + printShape(actual.shape) +
                   " with shape " + printShape(expected.shape)};
  for (const Tensor *tensor : {&actual, &expected})
    if (Result<ByteRange> range = byteRange(*tensor); !range)
      return Failure{"cannot compare: " + range.message()};
  return {};
}

/// The distance of two values that are not equal; infinite where one is a NaN
/// or an infinity.
static double distance(double actual, double expected) {
  if (!std::isfinite(actual) || !std::isfinite(expected))
    return std::numeric_limits<double>::infinity();
  // Where long double is wider, the difference of two f64 hardly rounds.
  return double(std::fabs((long double)actual - (long double)expected));
}

static Result<CompareResult> compare(const Tensor &actual,
                                     const Tensor &expected,
                                     const std::vector<double> *bounds) {
  if (Status status = checkComparable(actual, expected); !status)
    return Failure{status.message()};
  CompareResult result;
  result.elements = *elementCount(actual.shape);
  if (bounds && bounds->size() != size_t(result.elements))
    return Failure{"cannot compare: " + std::to_string(bounds->size()) +
                   " bounds for " + plural(result.elements, "element")};
  for (int64_t index = 0; index < result.elements; ++index) {
    double bound = bounds ? (*bounds)[size_t(index)] : 0;
    if (!(bound >= 0))
      return Failure{"cannot compare: the bound of element " +
                     printShape(unflatten(actual.shape, index)) +
                     " is negative or NaN"};
    uint64_t actualBits = loadBits(actual, index);
    uint64_t expectedBits = loadBits(expected, index);
    if (actualBits == expectedBits)
      continue;
    double a = loadElement(actual, index), e = loadElement(expected, index);
    bool isFloat = artifact::isFloat(actual.type);
    if (std::isnan(a) && std::isnan(e))
      continue;
    // Zeros of different sign. Integers that differ may be one f64.
    bool same = isFloat && a == e;
    if (bounds && same)
      continue;
    double error = same ? 0 : distance(a, e);
    if (!isFloat)
      error = std::max(error, 1.0);
    double quotient = bound == 0 ? std::numeric_limits<double>::infinity()
                      : std::isinf(bound) ? 0
                                          : error / bound;
    result.maxError = std::max(result.maxError, error);
    result.maxErrorOverBound = std::max(result.maxErrorOverBound, quotient);
    if (error <= bound && bounds)
      continue;
    if (result.mismatches++ > 0)
      continue;
    result.firstIndex = unflatten(actual.shape, index);
    result.firstActual = a;
    result.firstExpected = e;
    result.firstActualBits = actualBits;
    result.firstExpectedBits = expectedBits;
    result.firstBound = bound;
  }
  return result;
}

Result<CompareResult> rt::compareBits(const Tensor &actual,
                                      const Tensor &expected) {
  return compare(actual, expected, nullptr);
}

Result<CompareResult> rt::compareWithin(const Tensor &actual,
                                        const Tensor &expected,
                                        const std::vector<double> &bounds) {
  return compare(actual, expected, &bounds);
}

/// Enough digits to tell any two values of the type apart.
static std::string printValue(ScalarType type, uint64_t bits) {
  int digits = 17;
  if (type == ScalarType::F32)
    digits = 9;
  else if (type == ScalarType::F16)
    digits = 5;
  else if (type == ScalarType::BF16)
    digits = 4;
  else if (artifact::bytesOf(type) == 1)
    digits = 3;
  return printElement(type, bits, digits) + " (" +
         hex(bits, 2 * artifact::bytesOf(type)) + ")";
}

std::string rt::printComparison(const std::string &name, ScalarType type,
                                const CompareResult &result) {
  char text[160];
  if (result.equal()) {
    std::string line =
        name + ": all " + plural(result.elements, "element") + " agree";
    if (result.maxError > 0) {
      // Two maxima: they may belong to different elements.
      std::snprintf(text, sizeof(text),
                    ", largest error %.3g, largest error / bound %.3g",
                    result.maxError, result.maxErrorOverBound);
      line += text;
    }
    return line;
  }
  std::string line =
      name + ": " + std::to_string(result.mismatches) + " of " +
      plural(result.elements, "element") +
      (result.mismatches == 1 ? " differs" : " differ") + ", first " + name +
      (result.firstIndex.empty() ? "" : printShape(result.firstIndex)) + " = " +
      printValue(type, result.firstActualBits) + ", expected " +
      printValue(type, result.firstExpectedBits);
  if (result.firstBound > 0) {
    std::snprintf(text, sizeof(text), " within %.3g", result.firstBound);
    line += text;
  }
  return line;
}
