//===- TePortableTest.cpp - portable functions as te ops ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emitted te ops are interpreted; their bits must be those of the same
// sequence on the host (test/accuracy measures the errors exhaustively), and
// within the documented bound of libm in the next wider type.
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/TeHostOps.h"
#include "test/unit/passes/TeInterpreter.h"
#include "test/unit/passes/TeTest.h"

#include "compiler/arith/Formats.h"

#include <random>

using namespace girih::te;
using girih::te::portable::HostOps;

namespace {

struct Function {
  const char *name;
  double bound32; ///< ulp, from PortableFunctions.h
  double bound64;
  float (*single)(float);
  double (*twice)(double);
  long double (*wide)(long double);
};

#define GIRIH_FUNCTION(NAME, BOUND32, BOUND64, WIDE)                           \
  {                                                                            \
#NAME, BOUND32, BOUND64,                                                   \
        [](float x) {                                                          \
          HostOps<float> ops;                                                  \
          return portable::NAME(ops, x);                                       \
        },                                                                     \
        [](double x) {                                                         \
          HostOps<double> ops;                                                 \
          return portable::NAME(ops, x);                                       \
        },                                                                     \
        [](long double x) -> long double { return WIDE; }   \
  }

const Function kFunctions[] = {
    GIRIH_FUNCTION(exp, 0.98, 0.98, std::exp(x)),
    GIRIH_FUNCTION(exp2, 0.87, 0.86, std::exp2(x)),
    GIRIH_FUNCTION(log, 0.84, 0.84, std::log(x)),
    GIRIH_FUNCTION(log2, 0.90, 0.90, std::log2(x)),
    GIRIH_FUNCTION(tanh, 2.42, 2.60, std::tanh(x)),
    GIRIH_FUNCTION(rsqrt, 1.5, 1.5, 1 / std::sqrt(x)),
    GIRIH_FUNCTION(rcp, 0.5001, 0.5001, 1 / x),
};

/// One te.unary of `type` over N elements.
std::string textOf(const std::string &name, const std::string &type) {
  return "te.func @f sizes [\"N\"] (%X \"X\": !te.tensor<[N], " + type +
         ">) -> (\"Y\": !te.tensor<[N], " + type + R"(>) functions portable {
    %Y = te.compute "Y" ["i"] : !te.tensor<[N], )" +
         type + R"(> {
    ^bb0(%i: index):
      %0 = te.read %X[%i] : !te.tensor<[N], )" +
         type + R"(>
      %1 = te.unary )" +
         name + R"( unset %0 : )" + type + R"(
      te.yield %1 : )" +
         type + R"(
    }
    te.return %Y : !te.tensor<[N], )" +
         type + ">\n}\n";
}

/// The expanded function's values at `inputs`.
std::vector<double> expandAndRun(const std::string &name,
                                 const std::string &type,
                                 const std::vector<double> &inputs) {
  TeTest test(textOf(name, type));
  REQUIRE(test.runAll());
  REQUIRE_FALSE(test.has("te.unary " + name));
  int64_t count = inputs.size();
  return interpret(test.func(), {{"N", count}}, {{{count}, inputs}})[0].data;
}

} // namespace

TEST_CASE("portable f32 functions keep their bounds and their bits") {
  std::vector<double> inputs;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 4093)
    inputs.push_back(std::bit_cast<float>(uint32_t(bits)));
  for (float special :
       {0.0f,      -0.0f,    1.0f,           -1.0f,  0x1p-149f,   -0x1p-149f,
        0x1p-126f, INFINITY, -INFINITY,      NAN,    -103.97208f, -103.9721f,
        88.72284f, 88.7229f, 127.999f,       128.0f, -149.0f,     -149.5f,
        -150.0f,   -126.0f,  0x1.fffffep127f})
    inputs.push_back(special);
  for (const Function &function : kFunctions) {
    std::vector<double> values = expandAndRun(function.name, "f32", inputs);
    double worst = 0;
    size_t different = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      float host = function.single(float(inputs[i]));
      different += !girih::arith::sameValue(host, float(values[i]));
      double error = portable::ulpError(
          float(values[i]), double(function.wide((long double)inputs[i])));
      worst = error <= worst ? worst : error;
    }
    INFO(function.name << ": largest error " << worst << " ulp");
    CHECK(worst <= function.bound32);
    CHECK(different == 0);
  }
}

TEST_CASE("portable f64 functions keep their bounds and their bits") {
  std::vector<double> inputs = {
      0.0,     -0.0,    1.0,     -1.0,    0x1p-1074, INFINITY, -INFINITY, NAN,
      709.782, 709.783, -745.13, -745.14, -1074.5,   -1075.0,  1024.0};
  std::mt19937_64 random(7);
  for (int i = 0; i < 1 << 17; ++i) {
    uint64_t bits = random();
    if (i % 4 != 0) // within [2^-10, 2^11)
      bits = (bits & 0x800fffffffffffff) | ((1013 + (bits >> 52) % 21) << 52);
    inputs.push_back(std::bit_cast<double>(bits));
  }
  for (const Function &function : kFunctions) {
    std::vector<double> values = expandAndRun(function.name, "f64", inputs);
    double worst = 0;
    size_t different = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      different +=
          !girih::arith::sameValue(function.twice(inputs[i]), values[i]);
      double error = portable::ulpError(values[i], function.wide(inputs[i]));
      worst = error <= worst ? worst : error;
    }
    INFO(function.name << ": largest error " << worst << " ulp");
    CHECK(worst <= function.bound64);
    CHECK(different == 0);
  }
}

TEST_CASE("portable f16 and bf16 functions are the f32 ones, rounded") {
  for (bool half : {true, false}) {
    auto widen = half ? girih::arith::fromF16 : girih::arith::fromBf16;
    std::vector<double> inputs;
    for (uint32_t bits = 0; bits < 0x10000; ++bits)
      inputs.push_back(widen(uint16_t(bits)));
    for (const Function &function : kFunctions) {
      std::vector<double> values =
          expandAndRun(function.name, half ? "f16" : "bf16", inputs);
      size_t different = 0;
      for (size_t i = 0; i < inputs.size(); ++i) {
        float exact = function.single(float(inputs[i]));
        float expected = widen(half ? girih::arith::toF16(exact)
                                    : girih::arith::toBf16(exact));
        different += !girih::arith::sameValue(expected, float(values[i]));
      }
      INFO(function.name << (half ? " f16" : " bf16"));
      CHECK(different == 0);
    }
  }
}

TEST_CASE("special values of portable functions") {
  HostOps<float> ops;
  CHECK(std::isnan(portable::exp(ops, NAN)));
  CHECK(portable::exp(ops, -INFINITY) == 0);
  CHECK(portable::exp(ops, INFINITY) == INFINITY);
  CHECK(portable::exp(ops, 0.0f) == 1);
  CHECK(portable::exp2(ops, -149.0f) == 0x1p-149f);
  CHECK(portable::exp2(ops, 100.0f) == 0x1p100f);
  CHECK(portable::log(ops, 0.0f) == -INFINITY);
  CHECK(portable::log(ops, -0.0f) == -INFINITY);
  CHECK(std::isnan(portable::log(ops, -1.0f)));
  CHECK(portable::log(ops, 1.0f) == 0);
  CHECK(portable::log2(ops, 0x1p-149f) == -149);
  CHECK(std::signbit(portable::tanh(ops, -0.0f)));
  CHECK(portable::tanh(ops, -INFINITY) == -1);
  CHECK(portable::rsqrt(ops, 0.0f) == INFINITY);
}

TEST_CASE("accuracies are settled by the function's default") {
  auto withDefault = [](const char *functions) {
    std::string text = textOf("exp", "f32");
    std::string from = "functions portable";
    return text.replace(text.find(from), from.size(),
                        std::string("functions ") + functions);
  };
  TeTest fast(withDefault("fast"));
  REQUIRE(fast.run(createExpandFunctions()));
  CHECK(fast.has("te.unary exp fast"));
  TeTest unset(withDefault("unset"));
  REQUIRE(unset.run(createExpandFunctions()));
  CHECK(unset.has("te.unary exp fast"));
  std::string text = textOf("exp", "f32");
  text.replace(text.find("exp unset"), 9, "exp fast");
  TeTest atUse(text);
  REQUIRE(atUse.run(createExpandFunctions()));
  CHECK(atUse.has("te.unary exp fast"));
}
