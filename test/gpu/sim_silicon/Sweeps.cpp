//===- Sweeps.cpp - approximations over many inputs -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace girih::silicon;

namespace {
/// An operation and where its values are looked at closely: [low, high), in
/// equal steps of the bits of the format. Besides, all bit patterns are
/// sampled.
struct Sweep {
  const char *opcode, *type;
  uint64_t low, high;
};
} // namespace

static const Sweep kSweeps[] = {
    {"rcp.approx.f32", "f32", 0x3f800000, 0x40000000},
    {"rcp.approx.ftz.f32", "f32", 0x3f800000, 0x40000000},
    {"rsqrt.approx.f32", "f32", 0x3f800000, 0x40800000},
    {"rsqrt.approx.ftz.f32", "f32", 0x3f800000, 0x40800000},
    {"sqrt.approx.f32", "f32", 0x3f800000, 0x40800000},
    {"sqrt.approx.ftz.f32", "f32", 0x3f800000, 0x40800000},
    {"sin.approx.f32", "f32", 0x3a800000, 0x40490fdb},
    {"cos.approx.f32", "f32", 0x3a800000, 0x40490fdb},
    {"sin.approx.ftz.f32", "f32", 0x40490fdb, 0x42480000},
    {"cos.approx.ftz.f32", "f32", 0x40490fdb, 0x42480000},
    {"lg2.approx.f32", "f32", 0x3f000000, 0x40000000},
    {"lg2.approx.ftz.f32", "f32", 0x3f000000, 0x40000000},
    {"ex2.approx.f32", "f32", 0x3a800000, 0x40000000},
    {"ex2.approx.ftz.f32", "f32", 0xba800000, 0xc3000000},
    {"tanh.approx.f32", "f32", 0x38000000, 0x41200000},
    {"div.approx.f32", "f32", 0, 0},
    {"div.full.f32", "f32", 0, 0},
    {"ex2.approx.f16", "f16", 0, 0},
    {"ex2.approx.ftz.bf16", "bf16", 0, 0},
    {"tanh.approx.f16", "f16", 0, 0},
    {"tanh.approx.bf16", "bf16", 0, 0},
    {"rcp.approx.ftz.f64", "f64", 0x3ff0000000000000, 0x4000000000000000},
    {"rsqrt.approx.ftz.f64", "f64", 0x3ff0000000000000, 0x4010000000000000},
};

/// One from each of `count` equal parts of [low, high).
static std::vector<uint64_t> stratified(Rng &rng, size_t count, uint64_t low,
                                        uint64_t high) {
  std::vector<uint64_t> values(count);
  uint64_t step = std::max<uint64_t>((high - low) / count, 1);
  for (size_t i = 0; i < count; ++i)
    values[i] = low + std::min(high - low - 1, i * step + rng.below(step));
  return values;
}

static Program startSweep(const std::string &name, size_t count) {
  Program program;
  program.family = "special";
  program.name = name;
  program.block = 256;
  program.grid = uint32_t(std::max<size_t>(count / 256, 1));
  return program;
}

static Program makeSweep(const Sweep &sweep, const std::string &name,
                         size_t count, bool close, uint64_t seed) {
  Rng rng(seed);
  unsigned bits = typeInfo(sweep.type).bits;
  uint64_t limit = bits == 64 ? 0xffffffffffffffff : uint64_t(1) << bits;
  Program program = startSweep(name, bits == 16 ? 65536 : count);
  Builder b(program, rng);
  std::vector<Operand> operands = {b.inputOf(
      sweep.type,
      close ? stratified(rng, program.threads(), sweep.low, sweep.high)
            : stratified(rng, program.threads(), 0, limit))};
  std::string made = b.reg(sweep.type), opcode = sweep.opcode;
  std::string text = opcode + " " + made + ", " + operands[0].text;
  if (opcode.rfind("div", 0) == 0) {
    operands.push_back(b.input(sweep.type));
    text += ", " + operands[1].text;
  }
  b.instruction(opcode + (close ? " (close)" : " (all)"), text + ";", operands);
  b.result(made, sweep.type, Agreement::Approximate, false);
  b.finish();
  return program;
}

/// ex2 of x and of x + 1, where that is exact.
static Program makeScaleSweep(const std::string &opcode,
                              const std::string &name, size_t count,
                              uint64_t seed) {
  Rng rng(seed);
  Program program = startSweep(name, count);
  Builder b(program, rng);
  std::vector<uint64_t> values(program.threads()), shifted(program.threads());
  for (size_t i = 0; i < values.size(); ++i) {
    // Multiples of 2^-16 in [-64, 63), so that the sum has no rounding.
    float x = float(std::ldexp(double(rng.below(127u << 16)), -16)) - 64.0f;
    float y = x + 1.0f;
    uint32_t bits;
    std::memcpy(&bits, &x, 4);
    values[i] = bits;
    std::memcpy(&bits, &y, 4);
    shifted[i] = bits;
  }
  for (const auto &inputs : {values, shifted}) {
    Operand x = b.inputOf("f32", inputs);
    std::string made = b.reg(32u);
    b.instruction(opcode + " (scale)",
                  opcode + " " + made + ", " + x.text + ";", {x});
    b.result(made, "f32", Agreement::Approximate, false);
  }
  b.finish();
  return program;
}

static const char *const kScaled[] = {"ex2.approx.f32", "ex2.approx.ftz.f32"};

size_t girih::silicon::sweepCount() {
  return 2 * std::size(kSweeps) + std::size(kScaled);
}

Program girih::silicon::makeSweepProgram(size_t index, unsigned logInputs,
                                         uint64_t seed) {
  size_t count = size_t(1) << logInputs;
  std::string number = std::to_string(index);
  if (index >= 2 * std::size(kSweeps))
    return makeScaleSweep(kScaled[index - 2 * std::size(kSweeps)],
                          "scale_" + number, count, seed + index);
  const Sweep &sweep = kSweeps[index / 2];
  return makeSweep(sweep, "sweep_" + number, count,
                   index % 2 == 1 && sweep.high, seed + index);
}

size_t girih::silicon::checkSweep(const Program &program,
                                  const std::vector<uint8_t> &out,
                                  std::string &first) {
  if (program.name.rfind("scale_", 0) != 0)
    return 0;
  size_t wrong = 0;
  for (size_t i = 0; i < program.threads(); ++i) {
    float x, once, twice;
    std::memcpy(&x, &program.in[program.inputs[0].offset + i * 4], 4);
    std::memcpy(&once, &out[program.results[0].offset + i * 4], 4);
    std::memcpy(&twice, &out[program.results[1].offset + i * 4], 4);
    if (twice == 2 * once || wrong++)
      continue;
    char text[160];
    std::snprintf(text, sizeof text, "x = %a: ex2(x + 1) = %a, 2 ex2(x) = %a",
                  x, twice, 2 * once);
    first = text;
  }
  return wrong;
}
