//===- ScalarLoweringTest.cpp - scalar ops as PTX instructions ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which instructions each op becomes. That they compute the right bits is
// DeviceSemanticsTest's business.
//
//===----------------------------------------------------------------------===//

#include "test/unit/codegen/KernelText.h"

#include "passes/codegen/Ptxas.h"

#include <catch2/catch.hpp>

#include <regex>

using namespace girih;
using namespace girih::codegen;
using namespace girih::codegen::test;

static const std::vector<std::string> kTargets = {"sm_75", "sm_80", "sm_90a",
                                                  "sm_120a"};
static const std::vector<std::string> kFloats = {"f64", "f32", "f16", "bf16"};

/// One kernel per op and type, named OP_TYPE.
static std::string allKernels() {
  std::string text;
  for (const std::string &t : kFloats) {
    std::string two = t + " " + t, three = two + " " + t;
    for (const char *op : {"add", "sub", "mul", "div", "min", "max"})
      text += kernel(op + ("_" + t), two,
                     std::string("%r = te.binary ") + op + " %a, %b : " + t, t);
    for (const char *op :
         {"neg", "abs", "sqrt", "floor", "ceil", "round", "trunc"})
      text +=
          kernel(op + ("_" + t), t,
                 std::string("%r = te.unary ") + op + " unset %a : " + t, t);
    text += kernel("fma_" + t, three, "%r = te.fma %a, %b, %c : " + t, t);
    text += kernel("muladd_" + t, three,
                   "%m = te.binary mul %a, %b : " + t +
                       "\n%r = te.binary add %m, %c : " + t,
                   t);
    for (const char *op : {"lt", "le", "gt", "ge", "eq", "ne"})
      text += kernel(op + ("_" + t), three,
                     std::string("%x = te.compare ") + op + " %a, %b : " + t +
                         "\n%r = te.select %x, %a, %c : " + t,
                     t);
    for (const char *from : {"i32", "i64"})
      text +=
          kernel(std::string("float_") + from + "_" + t, from,
                 std::string("%r = te.to_float %a : ") + from + " to " + t, t);
    for (const std::string &to : kFloats)
      text += kernel("cast_" + t + "_" + to, t,
                     "%r = te.cast %a : " + t + " to " + to, to);
    if (t == "f64")
      continue;
    for (const char *op :
         {"exp", "exp2", "log", "log2", "tanh", "rsqrt", "rcp"})
      text += kernel(op + ("_" + t), t,
                     std::string("%r = te.unary ") + op + " fast %a : " + t, t);
  }
  return text;
}

/// All kernels' bodies for one target, made once.
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

/// How often `word` starts an instruction of `body`, predicate aside.
static int countOf(const std::string &body, const std::string &word) {
  int count = 0;
  for (size_t at = body.find(word); at != std::string::npos;
       at = body.find(word, at + 1)) {
    bool starts = at == 0 || body[at - 1] == '\n' || body[at - 1] == ' ';
    bool ends = body[at + word.size()] == ' ';
    count += starts && ends;
  }
  return count;
}

static void expect(const std::string &target, const std::string &kernelName,
                   const std::string &instruction) {
  const std::string &body = bodies(target).at(kernelName);
  INFO(target << " " << kernelName << ":\n" << body);
  CHECK(countOf(body, instruction) == 1);
}

TEST_CASE("f32 and f64 arithmetic is one rounded instruction",
          "[codegen][scalar]") {
  for (const std::string &target : kTargets)
    for (const std::string t : {"f32", "f64"}) {
      for (const char *op : {"add", "sub", "mul", "div"})
        expect(target, op + ("_" + t), std::string(op) + ".rn." + t);
      expect(target, "fma_" + t, "fma.rn." + t);
      expect(target, "sqrt_" + t, "sqrt.rn." + t);
      expect(target, "neg_" + t, "neg." + t);
      expect(target, "abs_" + t, "abs." + t);
      expect(target, "floor_" + t, "cvt.rmi." + t + "." + t);
      expect(target, "ceil_" + t, "cvt.rpi." + t + "." + t);
      expect(target, "round_" + t, "cvt.rni." + t + "." + t);
      expect(target, "trunc_" + t, "cvt.rzi." + t + "." + t);
    }
}

TEST_CASE("narrow arithmetic is native or f32 with one rounding",
          "[codegen][scalar]") {
  for (const std::string &target : kTargets) {
    for (const char *op : {"add", "sub", "mul"})
      expect(target, std::string(op) + "_f16", std::string(op) + ".rn.f16");
    expect(target, "fma_f16", "fma.rn.f16");
    for (const char *op : {"div", "sqrt"})
      for (const char *t : {"_f16", "_bf16"})
        expect(target, std::string(op) + t, std::string(op) + ".rn.f32");
  }
  for (const char *op : {"add", "sub", "mul"}) {
    std::string name = std::string(op) + "_bf16";
    expect("sm_75", name, std::string(op) + ".rn.f32");
    expect("sm_80", name, "fma.rn.bf16");
    expect("sm_90a", name, std::string(op) + ".rn.bf16");
    expect("sm_120a", name, std::string(op) + ".rn.bf16");
  }
  for (const char *mode : {"rm", "rp", "rz"})
    expect("sm_75", "fma_bf16", std::string("fma.") + mode + ".f64");
  for (const char *target : {"sm_80", "sm_90a", "sm_120a"})
    expect(target, "fma_bf16", "fma.rn.bf16");
}

TEST_CASE("nothing is fused, flushed or left to the assembler",
          "[codegen][scalar]") {
  // An f32, f64 or narrow add, sub, mul or fma without a rounding mode is one
  // that ptxas may contract.
  std::regex unrounded(R"((add|sub|mul|fma|div|sqrt)\.(f16|bf16|f32|f64)\b)");
  for (const std::string &target : kTargets) {
    auto ptx = ptxOf(allKernels(), target);
    REQUIRE(ptx.ok());
    // exp's bound allows results below 2^-126 to be 0; nothing else flushes.
    std::regex exp(R"(ex2\.approx\.ftz\.f32)");
    CHECK(std::regex_replace(*ptx, exp, "").find(".ftz") == std::string::npos);
    CHECK(ptx->find("call") == std::string::npos);
    CHECK_FALSE(std::regex_search(*ptx, unrounded));
    for (const char *t : {"f64", "f32", "f16"}) {
      expect(target, std::string("muladd_") + t, std::string("mul.rn.") + t);
      expect(target, std::string("muladd_") + t, std::string("add.rn.") + t);
      CHECK(bodies(target).at(std::string("muladd_") + t).find("fma") ==
            std::string::npos);
    }
  }
  // Two roundings by two fma.rn.bf16 on sm_80: a * b + -0, then x * 1 + c.
  CHECK(countOf(bodies("sm_80").at("muladd_bf16"), "fma.rn.bf16") == 2);
  CHECK(bodies("sm_80").at("muladd_bf16").find("0x8000") != std::string::npos);
  expect("sm_90a", "muladd_bf16", "mul.rn.bf16");
  expect("sm_90a", "muladd_bf16", "add.rn.bf16");
}

TEST_CASE("a constant operand does not change the roundings",
          "[codegen][scalar]") {
  // x + 0 is not x (it loses -0), x / 3 is not x * (1 / 3), x * 2 + y keeps
  // its two instructions although the product is exact.
  std::string text =
      kernel("addzero", "f32",
             "%z = te.constant 0.0 : f32\n%r = te.binary add %a, %z : f32",
             "f32") +
      kernel("third", "f32",
             "%z = te.constant 3.0 : f32\n%r = te.binary div %a, %z : f32",
             "f32") +
      kernel("rsqrt", "f32",
             "%o = te.constant 1.0 : f32\n%s = te.unary sqrt unset %a : f32\n"
             "%r = te.binary div %o, %s : f32",
             "f32") +
      kernel("fastrcp", "f32",
             "%s = te.unary sqrt unset %a : f32\n%r = te.unary rcp fast %s : "
             "f32",
             "f32") +
      kernel("roundtrip", "f32",
             "%h = te.cast %a : f32 to bf16\n%r = te.cast %h : bf16 to f32",
             "f32");
  for (const std::string &target : kTargets) {
    auto ptx = ptxOf(text, target);
    REQUIRE(ptx.ok());
    auto made = bodiesOf(*ptx);
    CHECK(countOf(made["addzero"], "add.rn.f32") == 1);
    CHECK(countOf(made["third"], "div.rn.f32") == 1);
    CHECK(countOf(made["rsqrt"], "sqrt.rn.f32") == 1);
    CHECK(made["rsqrt"].find("approx") == std::string::npos);
    CHECK(countOf(made["fastrcp"], "sqrt.rn.f32") == 1);
    CHECK(countOf(made["fastrcp"], "rcp.approx.f32") == 1);
    if (target == "sm_75")
      CHECK(countOf(made["roundtrip"], "and.b32") == 1);
    else
      CHECK(countOf(made["roundtrip"], "cvt.rn.bf16.f32") == 1);
  }
}

TEST_CASE("max and min let a NaN win", "[codegen][scalar]") {
  for (const char *op : {"max", "min"}) {
    std::string name(op);
    for (const char *target : {"sm_80", "sm_90a", "sm_120a"})
      for (const char *t : {"f32", "f16", "bf16"})
        expect(target, name + "_" + t, name + ".NaN." + t);
    for (const std::string &target : kTargets) {
      expect(target, name + "_f64", name + ".f64");
      expect(target, name + "_f64", "setp.nan.f64");
    }
    expect("sm_75", name + "_f32", name + ".f32");
    expect("sm_75", name + "_f32", "setp.nan.f32");
  }
}

TEST_CASE("casts round once", "[codegen][scalar]") {
  for (const std::string &target : kTargets) {
    expect(target, "cast_f64_f32", "cvt.rn.f32.f64");
    expect(target, "cast_f64_f16", "cvt.rn.f16.f64");
    expect(target, "cast_f32_f16", "cvt.rn.f16.f32");
    expect(target, "cast_f32_f64", "cvt.f64.f32");
    expect(target, "cast_f16_f32", "cvt.f32.f16");
    for (const std::string &t : kFloats)
      CHECK(bodies(target).at("cast_" + t + "_" + t).find("cvt") ==
            std::string::npos);
  }
  for (const char *target : {"sm_80", "sm_90a", "sm_120a"}) {
    expect(target, "cast_f32_bf16", "cvt.rn.bf16.f32");
    expect(target, "cast_f16_bf16", "cvt.f32.f16");
    expect(target, "cast_f16_bf16", "cvt.rn.bf16.f32");
    expect(target, "cast_bf16_f16", "cvt.rn.f16.f32");
  }
  expect("sm_90a", "cast_f64_bf16", "cvt.rn.bf16.f64");
  // Through f32, but rounded to odd there.
  expect("sm_80", "cast_f64_bf16", "cvt.rn.bf16.f32");
  expect("sm_80", "cast_f64_bf16", "setp.equ.f64");
  expect("sm_75", "cast_bf16_f32", "shl.b32");
}

TEST_CASE("integers become floats with one rounding", "[codegen][scalar]") {
  for (const std::string &target : kTargets) {
    expect(target, "float_i64_f32", "cvt.rn.f32.s64");
    expect(target, "float_i64_f64", "cvt.rn.f64.s64");
    expect(target, "float_i32_f32", "cvt.rn.f32.s32");
    for (const char *t : {"f16", "bf16"}) {
      expect(target, std::string("float_i64_") + t, "cvt.rz.f32.s64");
      expect(target, std::string("float_i32_") + t, "cvt.rz.f32.s32");
    }
  }
}

TEST_CASE("comparisons are ordered, ne is not", "[codegen][scalar]") {
  for (const std::string &target : kTargets)
    for (const char *t : {"f64", "f32", "f16"}) {
      for (const char *op : {"lt", "le", "gt", "ge", "eq"})
        expect(target, std::string(op) + "_" + t,
               std::string("setp.") + op + "." + t);
      expect(target, std::string("ne_") + t, std::string("setp.neu.") + t);
    }
}

TEST_CASE("fast functions use the special function units",
          "[codegen][scalar]") {
  for (const std::string &target : kTargets)
    for (const std::string t : {"f32", "f16", "bf16"}) {
      expect(target, "exp2_" + t, "ex2.approx.f32");
      expect(target, "exp_" + t, "ex2.approx.ftz.f32");
      CHECK(countOf(bodies(target).at("exp_" + t), "fma.rn.f32") == 3);
      expect(target, "log2_" + t, "lg2.approx.f32");
      expect(target, "log_" + t, "lg2.approx.f32");
      expect(target, "log_" + t, "mul.rn.f32");
      expect(target, "tanh_" + t, "tanh.approx.f32");
      expect(target, "rsqrt_" + t, "rsqrt.approx.f32");
      expect(target, "rcp_" + t, "rcp.approx.f32");
    }
}

TEST_CASE("functions without a lowering are refused", "[codegen][scalar]") {
  auto message = [](const std::string &line, const std::string &type) {
    auto ptx = ptxOf(kernel("k", type, line, type), "sm_90a");
    REQUIRE_FALSE(ptx.ok());
    return ptx.message();
  };
  CHECK(message("%r = te.unary exp fast %a : f64", "f64") ==
        "fast exp in f64 is not supported; use .portable\n");
  CHECK(message("%r = te.unary tanh portable %a : f32", "f32") ==
        "portable tanh was not expanded before code generation\n");
  CHECK(message("%r = te.unary log unset %a : f16", "f16") ==
        "log reached code generation without an accuracy\n");
  CHECK(message("%r = arith.muli %a, %a : i32", "i32") ==
        "'arith.muli' is not a scalar operation of a kernel\n");
}

TEST_CASE("integer helpers and booleans", "[codegen][scalar]") {
  std::string text =
      kernel("bits", "f32 i32",
             "%i = te.bits %a : f32 to i32\n"
             "%c = arith.constant 23 : i32\n%d = arith.constant 255 : i32\n"
             "%s = arith.shrsi %i, %c : i32\n%m = arith.andi %s, %d : i32\n"
             "%n = arith.subi %m, %b : i32\n%o = arith.shli %n, %c : i32\n"
             "%q = arith.ori %o, %b : i32\n%t = arith.addi %q, %m : i32\n"
             "%u = arith.cmpi sge, %t, %b : i32\n"
             "%v = arith.select %u, %t, %i : i32\n"
             "%r = te.bits %v : i32 to f32",
             "f32") +
      kernel(
          "logic", "f32 f32",
          "%x = te.compare lt %a, %b : f32\n%y = te.compare ne %a, %a : f32\n"
          "%n = te.not %y\n%z = te.logic and %x, %n\n%w = te.logic or %z, %y\n"
          "%r = te.select %w, %a, %b : f32",
          "f32") +
      kernel("ints", "i64 i64",
             "%x = te.compare lt %a, %b : i64\n"
             "%k = te.constant 7 : i64\n"
             "%r = te.select %x, %a, %k : i64",
             "i64");
  for (const std::string &target : kTargets) {
    auto ptx = ptxOf(text, target);
    INFO((ptx.ok() ? "" : ptx.message()));
    REQUIRE(ptx.ok());
    auto made = bodiesOf(*ptx);
    CHECK(countOf(made["bits"], "setp.ge.s32") +
              countOf(made["bits"], "setp.lt.s32") ==
          1);
    CHECK(countOf(made["logic"], "setp.lt.f32") == 1);
    CHECK(countOf(made["ints"], "setp.lt.s64") +
              countOf(made["ints"], "setp.gt.s64") ==
          1);
  }
}

TEST_CASE("every op assembles for every target", "[codegen][ptxas]") {
  if (!findPtxas()) {
    WARN("no ptxas here: assembling is not tested");
    return;
  }
  for (const std::string &target : kTargets) {
    auto ptx = ptxOf(allKernels(), target);
    REQUIRE(ptx.ok());
    std::string error;
    PtxasOptions quick;
    quick.optimization = 1;
    auto report = assemble(*ptx, target, error, quick);
    INFO(target << ": " << error);
    REQUIRE(report);
    CHECK(report->kernels.size() == bodies(target).size());
    CHECK(report->notes.empty());
    CHECK_FALSE(report->spills());
  }
}
