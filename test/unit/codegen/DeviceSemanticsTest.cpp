//===- DeviceSemanticsTest.cpp - scalar ops compute the right bits --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs each scalar op on the GPU, compiled for every target the GPU can run
// (older targets' emulations run on newer chips), and compares every bit with
// the host's arithmetic. Skipped, with a message, where there is no GPU.
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/Formats.h"
#include "compiler/target/GpuTarget.h"
#include "test/unit/codegen/DeviceKernels.h"
#include "test/unit/codegen/KernelText.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>

using namespace girih;
using namespace girih::codegen::test;

namespace {

constexpr size_t kCount = 1 << 18;

/// A float type of the language: how its bits and the host's doubles meet.
struct Format {
  std::string name;
  unsigned bytes, exponentBits, fractionBits;

  double decode(uint64_t bits) const {
    if (name == "f64")
      return arith::doubleFromBits(bits);
    if (name == "f32")
      return arith::floatFromBits(bits);
    return name == "f16" ? arith::fromF16(bits) : arith::fromBf16(bits);
  }
  /// One rounding from a double.
  uint64_t encode(double value) const {
    if (name == "f64")
      return arith::bitsOf(value);
    if (name == "f32")
      return arith::bitsOf(static_cast<float>(value));
    return name == "f16" ? arith::toF16(value) : arith::toBf16(value);
  }
  bool same(uint64_t a, uint64_t b) const {
    return a == b || (decode(a) != decode(a) && decode(b) != decode(b));
  }
};

const Format kF64{"f64", 8, 11, 52}, kF32{"f32", 4, 8, 23},
    kF16{"f16", 2, 5, 10}, kBf16{"bf16", 2, 8, 7}, kI64{"i64", 8, 0, 0},
    kI32{"i32", 4, 0, 0};

/// An op: inputs of one format, a result, and what the host says it is.
struct Op {
  std::string name;
  Format from, to;
  std::string body;
  std::function<uint64_t(uint64_t, uint64_t, uint64_t)> expected;
};

} // namespace

/// The double nearest to zero that, rounded further to a narrow format, gives
/// what rounding `value + rest` gives: rounded to odd.
static double roundToOdd(double value, double rest) {
  if (rest == 0 || !std::isfinite(value) || (arith::bitsOf(value) & 1))
    return value;
  bool away = (rest > 0) == (value > 0);
  return arith::doubleFromBits(arith::bitsOf(value) + (away ? 1 : -1));
}

/// a * b + c in a narrow format: the product is exact in a double, and the sum
/// is two doubles exactly (Knuth).
static double narrowFma(double a, double b, double c) {
  double product = a * b, sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  double big = sum - product;
  double rest = (product - (sum - big)) + (c - big);
  return roundToOdd(sum, rest);
}

static double fromInteger(int64_t value) {
  double rounded = static_cast<double>(value);
  long double rest = static_cast<long double>(value) - rounded;
  return roundToOdd(rounded, static_cast<double>(rest));
}

/// Every bit pattern class in turn, and random bits: special values, random
/// values, and values close to one another in size.
static std::vector<uint64_t> inputsOf(const Format &format, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> values(kCount);
  unsigned width = format.bytes * 8;
  uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
  if (format.exponentBits == 0) {
    for (size_t i = 0; i < kCount; ++i) {
      // Integers of every length, a few bits around powers of two.
      uint64_t bits = random() >> (random() % 64);
      if (i % 4 == 0)
        bits = (1ull << (random() % 63)) + (random() % 5) - 2;
      if (i % 4 == 1)
        bits = (bits >> 40 << 40) | (random() % 3);
      values[i] = (i % 2 ? bits : 0 - bits) & mask;
    }
    return values;
  }
  uint64_t one = ((1ull << (format.exponentBits - 1)) - 1)
                 << format.fractionBits;
  uint64_t infinity = ((1ull << format.exponentBits) - 1)
                      << format.fractionBits;
  uint64_t unit = 1ull << format.fractionBits;
  std::vector<uint64_t> special = {0,
                                   1,
                                   2,
                                   unit - 1,
                                   unit,
                                   unit + 1,
                                   one - 1,
                                   one,
                                   one + 1,
                                   one + unit / 2,
                                   one + unit,
                                   one - unit,
                                   infinity,
                                   infinity - 1,
                                   infinity - 2,
                                   infinity + 1,
                                   infinity + unit / 2};
  size_t plain = special.size();
  for (size_t i = 0; i < plain; ++i)
    special.push_back(special[i] | (1ull << (width - 1)));
  for (size_t i = 0; i < kCount; ++i) {
    switch (i % 4) {
    case 0:
      values[i] = special[random() % special.size()];
      break;
    case 1: // on a midpoint of a narrower format, or next to one
      if (format.fractionBits > 10) {
        unsigned kept = std::array{7, 10, 23}[random() % 3];
        if (kept < format.fractionBits) {
          uint64_t half = 1ull << (format.fractionBits - kept - 1);
          uint64_t near = one + (random() % (24 * unit)) - 12 * unit;
          values[i] = ((near & ~(2 * half - 1)) | half) + random() % 3 - 1;
          break;
        }
      }
      [[fallthrough]];
    case 2: // within 2^12 of one, either sign
      values[i] = (one + (random() % (24 * unit)) - 12 * unit) |
                  (random() & 1) << (width - 1);
      break;
    default:
      values[i] = random() & mask;
    }
  }
  // All pairs of special values, in the first places.
  size_t i = 0;
  for (uint64_t a : special)
    for (uint64_t b : special)
      values[i++] = seed % 2 ? a : b;
  return values;
}

static void addArithmetic(std::vector<Op> &ops, const Format &f) {
  std::string type = f.name;
  auto binary = [&](const std::string &op, auto function) {
    ops.push_back({op + "_" + type, f, f,
                   "  %r = te.binary " + op + " %a, %b : " + type,
                   [=](uint64_t a, uint64_t b, uint64_t) {
                     return f.encode(function(f.decode(a), f.decode(b)));
                   }});
  };
  // For f32 and narrower, doubles give the sum, product, quotient and root with
  // at least 2p + 2 bits, after which a second rounding is innocuous.
  binary("add", [](double a, double b) { return a + b; });
  binary("sub", [](double a, double b) { return a - b; });
  binary("mul", [](double a, double b) { return a * b; });
  binary("div", [](double a, double b) { return a / b; });
  binary("max", [](double a, double b) { return arith::maximum(a, b); });
  binary("min", [](double a, double b) { return arith::minimum(a, b); });
  auto unary = [&](const std::string &op, double (*function)(double)) {
    ops.push_back({op + "_" + type, f, f,
                   "  %r = te.unary " + op + " unset %a : " + type,
                   [=](uint64_t a, uint64_t, uint64_t) {
                     return f.encode(function(f.decode(a)));
                   }});
  };
  unary("neg", [](double a) { return -a; });
  unary("abs", [](double a) { return std::fabs(a); });
  unary("sqrt", [](double a) { return std::sqrt(a); });
  unary("floor", [](double a) { return std::floor(a); });
  unary("ceil", [](double a) { return std::ceil(a); });
  unary("round", [](double a) { return std::nearbyint(a); });
  unary("trunc", [](double a) { return std::trunc(a); });
  ops.push_back({"fma_" + type, f, f, "  %r = te.fma %a, %b, %c : " + type,
                 [=](uint64_t a, uint64_t b, uint64_t c) -> uint64_t {
                   double x = f.decode(a), y = f.decode(b), z = f.decode(c);
                   if (f.bytes == 8)
                     return f.encode(std::fma(x, y, z));
                   if (f.bytes == 4)
                     return arith::bitsOf(
                         std::fma(float(x), float(y), float(z)));
                   return f.encode(narrowFma(x, y, z));
                 }});
  ops.push_back({"muladd_" + type, f, f,
                 "  %m = te.binary mul %a, %b : " + type +
                     "\n  %r = te.binary add %m, %c : " + type,
                 [=](uint64_t a, uint64_t b, uint64_t c) {
                   uint64_t m = f.encode(f.decode(a) * f.decode(b));
                   return f.encode(f.decode(m) + f.decode(c));
                 }});
  auto compare = [&](const std::string &op, auto function) {
    ops.push_back({op + "_" + type, f, f,
                   "  %x = te.compare " + op + " %a, %b : " + type +
                       "\n  %r = te.select %x, %a, %c : " + type,
                   [=](uint64_t a, uint64_t b, uint64_t c) {
                     return function(f.decode(a), f.decode(b)) ? a : c;
                   }});
  };
  compare("lt", std::less<>());
  compare("le", std::less_equal<>());
  compare("gt", std::greater<>());
  compare("ge", std::greater_equal<>());
  compare("eq", std::equal_to<>());
  compare("ne", std::not_equal_to<>());
}

static std::vector<Op> exactOps() {
  std::vector<Op> ops;
  for (const Format &f : {kF64, kF32, kF16, kBf16}) {
    addArithmetic(ops, f);
    for (const Format &to : {kF64, kF32, kF16, kBf16})
      ops.push_back({"cast_" + f.name + "_" + to.name, f, to,
                     "  %r = te.cast %a : " + f.name + " to " + to.name,
                     [=](uint64_t a, uint64_t, uint64_t) {
                       return to.encode(f.decode(a));
                     }});
    ops.push_back({"float_i64_" + f.name, kI64, f,
                   "  %r = te.to_float %a : i64 to " + f.name,
                   [=](uint64_t a, uint64_t, uint64_t) -> uint64_t {
                     int64_t value = a;
                     if (f.bytes == 8)
                       return arith::bitsOf(static_cast<double>(value));
                     return f.encode(fromInteger(value));
                   }});
    ops.push_back({"float_i32_" + f.name, kI32, f,
                   "  %r = te.to_float %a : i32 to " + f.name,
                   [=](uint64_t a, uint64_t, uint64_t) {
                     return f.encode(static_cast<int32_t>(a));
                   }});
  }
  return ops;
}

/// The targets whose PTX a GPU of this capability runs.
static std::vector<std::string> runnable(int capability) {
  std::vector<std::string> names;
  for (const std::string &name : target::knownTargets()) {
    auto target = target::findTarget(name);
    int wanted = target->capability;
    if (target->archSpecific ? wanted == capability : wanted <= capability)
      names.push_back(name);
  }
  return names;
}

TEST_CASE("scalar ops give the host's bits on the GPU", "[codegen][gpu]") {
  auto device = DeviceKernels::open();
  if (!device) {
    WARN("no GPU: " << device.message());
    return;
  }
  std::vector<Op> ops = exactOps();
  std::map<std::string, std::array<std::vector<uint64_t>, 3>> values;
  std::string text;
  for (const Op &op : ops)
    text += elementwiseKernel(op.name, op.from.name, op.body, op.to.name);
  for (const std::string &target : runnable((*device)->capability())) {
    auto ptx = ptxOf(text, target);
    INFO(target << " " << (ptx.ok() ? "" : ptx.message()));
    REQUIRE(ptx.ok());
    Status loaded = (*device)->load(*ptx);
    INFO((loaded.ok() ? "" : loaded.message()));
    REQUIRE(loaded.ok());
    for (const Op &op : ops) {
      std::array<std::vector<uint64_t>, 3> &abc = values[op.from.name];
      for (unsigned i = 0; i < 3; ++i)
        if (abc[i].empty())
          abc[i] = inputsOf(op.from, i + 1);
      const auto &[a, b, c] = abc;
      const std::vector<uint64_t> *inputs[] = {&a, &b, &c};
      auto results =
          (*device)->run(op.name, inputs, op.from.bytes, op.to.bytes);
      INFO(op.name);
      REQUIRE(results.ok());
      size_t wrong = 0, first = 0;
      for (size_t i = 0; i < kCount; ++i)
        if (!op.to.same((*results)[i], op.expected(a[i], b[i], c[i])) &&
            wrong++ == 0)
          first = i;
      INFO(wrong << " differ, first at a = " << std::hex << a[first]
                 << ", b = " << b[first] << ", c = " << c[first] << ": got "
                 << (*results)[first] << ", expected "
                 << op.expected(a[first], b[first], c[first]));
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("fast functions keep their bounds on the GPU", "[codegen][gpu]") {
  auto device = DeviceKernels::open();
  if (!device) {
    WARN("no GPU: " << device.message());
    return;
  }
  struct Fast {
    const char *name;
    double (*exact)(double);
    double ulp;      // allowed, of the f32 result
    double absolute; // allowed besides
  };
  const Fast functions[] = {
      {"exp", [](double x) { return std::exp(x); }, 3, 0},
      {"exp2", [](double x) { return std::exp2(x); }, 2.5, 0},
      {"log", [](double x) { return std::log(x); }, 3, 0x1p-22},
      {"log2", [](double x) { return std::log2(x); }, 3, 0x1p-22},
      {"tanh", [](double x) { return std::tanh(x); }, 0x1p13, 0},
      {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 2, 0},
      {"rcp", [](double x) { return 1 / x; }, 1, 0}};
  std::string text;
  for (const Fast &fast : functions)
    text += elementwiseKernel(
        fast.name, "f32",
        std::string("  %r = te.unary ") + fast.name + " fast %a : f32", "f32");
  std::vector<uint64_t> a = inputsOf(kF32, 1);
  // The arguments whose results are neither 0 nor inf, and the edges.
  std::mt19937_64 random(7);
  for (size_t i = 4096; i < kCount; i += 2)
    a[i] = arith::bitsOf(
        float(std::uniform_real_distribution<>(-155, 135)(random)));
  for (int i = 0; i < 1024; ++i)
    a[2048 + i] = arith::bitsOf(88.722839f) - 512 + i;
  for (int i = 0; i < 512; ++i)
    a[3072 + i] = arith::bitsOf(-103.97f) - 256 + i;
  const std::vector<uint64_t> *inputs[] = {&a, &a, &a};
  for (const std::string &target : runnable((*device)->capability())) {
    auto ptx = ptxOf(text, target);
    REQUIRE(ptx.ok());
    REQUIRE((*device)->load(*ptx).ok());
    for (const Fast &fast : functions) {
      auto results = (*device)->run(fast.name, inputs, 4, 4);
      REQUIRE(results.ok());
      double worst = 0;
      uint64_t worstAt = 0, worstGot = 0;
      for (size_t i = 0; i < kCount; ++i) {
        float x = arith::floatFromBits(a[i]);
        float got = arith::floatFromBits((*results)[i]);
        double exact = fast.exact(x);
        float rounded = static_cast<float>(exact);
        double error;
        if (std::isnan(exact) || std::isnan(got) || std::isinf(got) ||
            std::isinf(rounded)) {
          error = arith::sameValue(got, rounded) ? 0 : 1e9;
        } else {
          double distance = std::fabs(double(got) - exact) - fast.absolute;
          error = std::max(distance, 0.0) / arith::ulpOf(rounded);
        }
        if (error > worst) {
          worst = error;
          worstAt = a[i];
          worstGot = (*results)[i];
        }
      }
      INFO(target << " " << fast.name << ": " << worst << " ulp at " << std::hex
                  << worstAt << ", got " << worstGot);
      CHECK(worst <= fast.ulp);
      if (target == "sm_75")
        WARN(fast.name << ": worst " << worst << " ulp (allowed " << fast.ulp
                       << ") at " << arith::floatFromBits(worstAt));
    }
  }
}
