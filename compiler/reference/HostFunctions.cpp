//===- HostFunctions.cpp - library code that generated code calls ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running errors: with v the replay's value and e its bound, a device's value
// v' satisfies |v' - v| <= e. For an operation f that rounds once,
//
//   |fl(f(v')) - fl(f(v))| <= |f(v') - f(v)| + ulp,
//
// half an ulp for either rounding, taken at the largest magnitude that either
// may have. The f64 arithmetic of a bound is itself off by a few 2^-53,
// relative to terms that are all >= 0: kSlack covers that.
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/HostFunctions.h"

#include "compiler/arith/Formats.h"
#include "compiler/reference/FunctionBounds.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

using namespace girih;
using namespace girih::reference;
using artifact::ScalarType;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSlack = 1 + 0x1p-40;

struct FormatFacts {
  int fractionBits;
  double smallest; ///< the spacing of denormals
  double largest;  ///< finite
};

FormatFacts factsOf(ScalarType type) {
  switch (type) {
  case ScalarType::F64:
    return {52, 0x1p-1074, DBL_MAX};
  case ScalarType::F32:
    return {23, 0x1p-149, FLT_MAX};
  case ScalarType::F16:
    return {10, 0x1p-24, 65504};
  case ScalarType::BF16:
    return {7, 0x1p-133, 0x1.FEp127};
  case ScalarType::F8E4M3FN:
    return {3, 0x1p-9, 448};
  case ScalarType::F8E5M2:
    return {2, 0x1p-16, 57344};
  default:
    break; // integers carry flags, no errors
  }
  return {};
}

double castTo(ScalarType type, double value) {
  switch (type) {
  case ScalarType::F64:
    return value;
  case ScalarType::F32:
    return static_cast<float>(value);
  case ScalarType::F16:
    return arith::fromF16(arith::toF16(value));
  case ScalarType::BF16:
    return arith::fromBf16(arith::toBf16(value));
  case ScalarType::F8E4M3FN:
    return arith::fromF8E4M3(arith::toF8E4M3(value));
  case ScalarType::F8E5M2:
    return arith::fromF8E5M2(arith::toF8E5M2(value));
  default:
    break;
  }
  return value;
}

/// |a - b|, 0 for equal infinities; infinite when it cannot be told.
double distance(double a, double b) {
  if (a == b)
    return 0;
  double d = std::fabs(a - b);
  return std::isnan(d) ? kInfinity : d;
}

/// `change` plus one rounding of `type` near `result`.
double rounded(ScalarType type, double result, double change) {
  double magnitude = std::fabs(result) + change;
  double error = (change + ulpAt(type, magnitude)) * kSlack;
  return std::isnan(error) ? kInfinity : error;
}

/// The least magnitude that rounds to infinity: half an ulp above the largest.
double overflowAt(ScalarType type) {
  switch (type) {
  case ScalarType::F64:
    return kInfinity;
  case ScalarType::F32:
    return 0x1.ffffffp127;
  case ScalarType::F16:
    return 65520;
  case ScalarType::BF16:
    return 0x1.ffp127;
  default:
    break; // f8 saturates
  }
  return kInfinity;
}

double evaluate(Function function, double x) {
  switch (function) {
  case Function::Exp:
    return std::exp(x);
  case Function::Exp2:
    return std::exp2(x);
  case Function::Log:
    return std::log(x);
  case Function::Log2:
    return std::log2(x);
  case Function::Tanh:
    return std::tanh(x);
  case Function::Rsqrt:
    return 1 / std::sqrt(x);
  case Function::Rcp:
    return 1 / x;
  }
  return x;
}

/// No continuous stretch of the function covers [low, high].
bool leavesDomain(Function function, double low, double high) {
  switch (function) {
  case Function::Log:
  case Function::Log2:
  case Function::Rsqrt:
    return !(low > 0);
  case Function::Rcp:
    return !(low > 0 || high < 0);
  default:
    return false;
  }
}

/// x - e and x + e, moved outwards past the rounding of the sum.
std::pair<double, double> intervalOf(double x, double e) {
  return {std::nextafter(x - e, -kInfinity), std::nextafter(x + e, kInfinity)};
}

double functionError(Function function, ScalarType type, double x, double e) {
  double y = evaluate(function, x);
  // Poles, infinite arguments, NaN and what overflows even f64 have results
  // that every device gives exactly.
  if (e == 0 && (!std::isfinite(x) || std::isnan(y) || std::isinf(y)))
    return 0;
  double change = 0;
  if (e != 0) {
    auto [low, high] = intervalOf(x, e);
    if (std::isnan(low) || std::isnan(high) ||
        leavesDomain(function, low, high))
      return kInfinity;
    // All seven are monotone where they are continuous, so the ends bound the
    // change. libm is within 2^-51 of each value.
    double atLow = evaluate(function, low), atHigh = evaluate(function, high);
    double largest =
        std::max({std::fabs(atLow), std::fabs(atHigh), std::fabs(y)});
    change =
        std::max(distance(atLow, y), distance(atHigh, y)) + largest * 0x1p-50;
  }
  double magnitude = std::fabs(y) + change;
  // Far enough beyond the largest value both sides are the same infinity: the
  // functions that overflow (exp, exp2, rcp) are within 2^-20, relative.
  if ((std::fabs(y) - change) * (1 - 0x1p-20) >= overflowAt(type))
    return 0;
  double deviation = fastDeviation(function, type, magnitude);
  // The table's error belongs to the device, the rounding to both sides.
  return rounded(type, y, change + deviation);
}

double divError(ScalarType type, double r, double a, double ea, double b,
                double eb) {
  if (ea == 0 && eb == 0)
    return 0;
  double gap = std::fabs(b) - eb;
  if (!(gap > 0))
    return kInfinity; // the divisor may be zero
  // a'/b' - a/b = ((a' - a) - (a/b)(b' - b)) / b', and the exact quotient is
  // within an ulp of r.
  double quotient = std::fabs(r) + ulpAt(type, std::fabs(r));
  return rounded(type, r, (ea + quotient * eb) / (gap * (1 - 0x1p-50)));
}

double sqrtError(ScalarType type, double r, double a, double ea) {
  if (ea == 0)
    return 0;
  if (!(a - ea >= 0))
    return kInfinity; // the argument may be negative
  // sqrt(a) - sqrt(a - ea) is the larger side; r may lie half an ulp high.
  double below = std::sqrt(std::max(a - ea, 0.0));
  return rounded(type, r, ea / (std::sqrt(a) + below));
}

template <Function function>
void valueOf(double *out, const double *in, int64_t, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = evaluate(function, in[i]);
}

template <Function function>
void errorOf(double *out, const double *in, int64_t type, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = functionError(function, static_cast<ScalarType>(type), in[i],
                           in[n + i]);
}

void divErrors(double *out, const double *in, int64_t type, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = divError(static_cast<ScalarType>(type), in[i], in[n + i],
                      in[2 * n + i], in[3 * n + i], in[4 * n + i]);
}

void sqrtErrors(double *out, const double *in, int64_t type, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = sqrtError(static_cast<ScalarType>(type), in[i], in[n + i],
                       in[2 * n + i]);
}

/// Exact or rounding monotone functions without an error of their own: the
/// farthest end of the interval bounds the change.
template <typename Step>
void monotoneErrors(double *out, const double *in, int64_t n, Step step) {
  for (int64_t i = 0; i < n; ++i) {
    double x = in[i], e = in[n + i];
    if (e == 0) {
      out[i] = 0;
      continue;
    }
    auto [low, high] = intervalOf(x, e);
    out[i] =
        std::max(distance(step(low), step(x)), distance(step(high), step(x))) *
        kSlack;
  }
}

template <double (*step)(double)>
void stepErrors(double *out, const double *in, int64_t, int64_t n) {
  monotoneErrors(out, in, n, step);
}

double floorOf(double x) { return std::floor(x); }
double ceilOf(double x) { return std::ceil(x); }
double truncOf(double x) { return std::trunc(x); }
double tf32Of(double x) { return arith::roundToTf32(static_cast<float>(x)); }
/// To nearest, ties to even: the host's rounding mode is the default one.
double roundOf(double x) { return std::nearbyint(x); }

void tf32Values(double *out, const double *in, int64_t, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = tf32Of(in[i]);
}

void castErrors(double *out, const double *in, int64_t type, int64_t n) {
  monotoneErrors(out, in, n, [type](double x) {
    return castTo(static_cast<ScalarType>(type), x);
  });
}

} // namespace

double reference::ulpAt(ScalarType type, double magnitude) {
  FormatFacts facts = factsOf(type);
  if (!(magnitude <= facts.largest))
    return kInfinity;
  if (magnitude < 0x1p-1022)
    return facts.smallest;
  return std::max(std::ldexp(1.0, std::ilogb(magnitude) - facts.fractionBits),
                  facts.smallest);
}

double reference::fastDeviation(Function function, ScalarType type,
                                double magnitude) {
  ScalarType computed =
      type == ScalarType::F64 ? ScalarType::F64 : ScalarType::F32;
  FunctionBound bound =
      type == ScalarType::F64 ? fastBoundF64(function) : fastBoundF32(function);
  double deviation = bound.relative * magnitude + bound.absolute;
  if (bound.ulps != 0)
    deviation += bound.ulps * ulpAt(computed, magnitude);
  return deviation;
}

std::span<const NamedHostFunction> reference::hostFunctions() {
  static constexpr NamedHostFunction kFunctions[] = {
      {"value_exp", valueOf<Function::Exp>},
      {"value_exp2", valueOf<Function::Exp2>},
      {"value_log", valueOf<Function::Log>},
      {"value_log2", valueOf<Function::Log2>},
      {"value_tanh", valueOf<Function::Tanh>},
      {"value_rsqrt", valueOf<Function::Rsqrt>},
      {"value_rcp", valueOf<Function::Rcp>},
      {"error_exp", errorOf<Function::Exp>},
      {"error_exp2", errorOf<Function::Exp2>},
      {"error_log", errorOf<Function::Log>},
      {"error_log2", errorOf<Function::Log2>},
      {"error_tanh", errorOf<Function::Tanh>},
      {"error_rsqrt", errorOf<Function::Rsqrt>},
      {"error_rcp", errorOf<Function::Rcp>},
      {"error_div", divErrors},
      {"error_sqrt", sqrtErrors},
      {"error_floor", stepErrors<floorOf>},
      {"error_ceil", stepErrors<ceilOf>},
      {"error_round", stepErrors<roundOf>},
      {"error_trunc", stepErrors<truncOf>},
      {"error_cast", castErrors},
      {"value_tf32", tf32Values},
      {"error_tf32", stepErrors<tf32Of>},
  };
  return kFunctions;
}
