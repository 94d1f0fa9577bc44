//===- IntegerLoweringTest.cpp - integers and f8 as PTX -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which instructions integer operations, casts and f8 become, and that they
// assemble for every target. That they compute the right bits is what the
// programs of test/programs show on the simulator and on a GPU.
//
//===----------------------------------------------------------------------===//

#include "test/unit/codegen/KernelText.h"

#include "passes/codegen/Ptxas.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::codegen;
using namespace girih::codegen::test;

static const std::vector<std::string> kTargets = {"sm_75", "sm_80", "sm_89",
                                                  "sm_90a", "sm_120a"};
static const std::vector<std::string> kIntegers = {
    "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"};

/// The type of the same width that a kernel's arguments have.
static std::string held(const std::string &type) {
  if (type[0] == 'u')
    return type.substr(1);
  return type[0] == 'f' && type[1] == '8' ? "i8" : type;
}

/// `%NAME = ` the argument `%from` as `type`, which only casts can name.
static std::string as(const std::string &name, const std::string &from,
                      const std::string &type) {
  return "%" + name + " = te.cast %" + from + " : " + held(type) + " to " +
         type + "\n";
}

/// One kernel: %x and %y of `type`, a body that gives %z of `result`.
static std::string inType(const std::string &name, const std::string &type,
                          const std::string &body, const std::string &result) {
  std::string text = held(type) == type
                         ? "%zero = te.constant 0 : " + type +
                               "\n%x = te.binary or %a, %zero : " + type +
                               "\n%y = te.binary or %b, %zero : " + type + "\n"
                         : as("x", "a", type) + as("y", "b", type);
  text += body + "\n";
  std::string stored = held(result);
  text += stored == result
              ? "%one = te.constant true\n%r = te.select %one, "
                "%z, %z : " +
                    result + "\n"
              : "%r = te.cast %z : " + result + " to " + stored + "\n";
  return kernel(name, held(type) + " " + held(type), text, stored);
}

static std::string allKernels() {
  std::string text;
  for (const std::string &t : kIntegers) {
    for (const char *op : {"add", "sub", "mul", "min", "max", "floordiv", "mod",
                           "tdiv", "tmod", "and", "or", "xor", "shl", "shr"})
      text += inType(op + ("_" + t), t,
                     std::string("%z = te.binary ") + op + " %x, %y : " + t, t);
    for (const char *op : {"neg", "abs"})
      text +=
          inType(op + ("_" + t), t,
                 std::string("%z = te.unary ") + op + " unset %x : " + t, t);
    text += inType("lt_" + t, t,
                   "%c = te.compare lt %x, %y : " + t +
                       "\n%z = te.select %c, %x, %y : " + t,
                   t);
    for (const std::string to : {"f64", "f32", "f16", "bf16", "i8", "i16",
                                 "i32", "i64", "ui8", "ui16", "ui32", "ui64"})
      if (to != t)
        text += inType("cast_" + t + "_" + to, t,
                       "%z = te.cast %x : " + t + " to " + to, to);
    for (const std::string from : {"f64", "f32", "f16", "bf16"})
      text += kernel("cast_" + from + "_" + t, from,
                     "%z = te.cast %a : " + from + " to " + t + "\n" +
                         (held(t) == t
                              ? "%one = te.constant true\n%r = "
                                "te.select %one, %z, %z : " +
                                    t
                              : "%r = te.cast %z : " + t + " to " + held(t)),
                     held(t));
  }
  for (const std::string f8 : {"f8E4M3FN", "f8E5M2"})
    for (const std::string t : {"f64", "f32", "f16", "bf16", "i32"}) {
      text += kernel("round_" + t + "_" + f8, t,
                     "%z = te.cast %a : " + t + " to " + f8 +
                         "\n%r = te.cast %z : " + f8 + " to f32",
                     "f32");
    }
  text += kernel("tf32", "f32", "%r = te.unary tf32 unset %a : f32", "f32");
  text += kernel("bool", "f32 i32",
                 "%x = te.cast %a : f32 to i1\n%q = te.cast %b : i32 to i1\n"
                 "%e = te.compare ne %x, %q : i1\n%r = te.cast %e : i1 to i32",
                 "i32");
  return text;
}

static const std::map<std::string, std::string> &
bodies(const std::string &target) {
  static std::map<std::string, std::map<std::string, std::string>> made;
  auto &found = made[target];
  if (found.empty()) {
    auto ptx = ptxOf(allKernels(), target);
    INFO((ptx.ok() ? "" : ptx.message()));
    REQUIRE(ptx.ok());
    found = bodiesOf(*ptx);
  }
  return found;
}

static bool has(const std::string &target, const std::string &name,
                const std::string &word) {
  const std::string &body = bodies(target).at(name);
  UNSCOPED_INFO(target << " " << name << ":\n" << body);
  return body.find(word) != std::string::npos;
}

TEST_CASE("signs of integers choose the instruction", "[codegen][integer]") {
  for (const std::string &target : kTargets) {
    CHECK(has(target, "min_i32", "min.s32"));
    CHECK(has(target, "min_ui32", "min.u32"));
    CHECK(has(target, "max_i64", "max.s64"));
    CHECK(has(target, "max_ui64", "max.u64"));
    CHECK(has(target, "tdiv_i32", "div.s32"));
    CHECK(has(target, "tdiv_ui32", "div.u32"));
    CHECK(has(target, "shr_i32", "shr.s32"));
    CHECK(has(target, "shr_ui32", "shr.u32"));
    CHECK(has(target, "lt_i64", ".s64"));
    CHECK(has(target, "lt_ui64", ".u64"));
    CHECK(has(target, "cast_i32_f32", "cvt.rn.f32.s32"));
    CHECK(has(target, "cast_ui64_f32", "cvt.rn.f32.u64"));
    // One rounding to the narrow types: towards zero with a sticky bit first.
    CHECK(has(target, "cast_ui64_bf16", "cvt.rz.f32.u64"));
    CHECK(has(target, "cast_i64_f16", "cvt.rz.f32.s64"));
  }
}

TEST_CASE("every integer op, cast and f8 assembles for every target",
          "[codegen][ptxas]") {
  if (!findPtxas()) {
    WARN("no ptxas here: assembling is not tested");
    return;
  }
  for (const std::string &target : kTargets) {
    auto ptx = ptxOf(allKernels(), target);
    REQUIRE(ptx.ok());
    CHECK(ptx->find(".ftz") == std::string::npos);
    std::string error;
    PtxasOptions quick;
    quick.optimization = 1;
    auto report = assemble(*ptx, target, error, quick);
    INFO(target << ": " << error);
    REQUIRE(report);
    CHECK(report->kernels.size() == bodies(target).size());
    CHECK_FALSE(report->spills());
  }
}
