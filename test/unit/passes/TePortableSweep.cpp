//===- TePortableSweep.cpp - errors of portable functions, exhaustively ---===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not a ctest (some minutes a function): runs the portable sequences over
// every f32, and over random f64, and prints the largest error in ulp, with its
// argument, against libm in f64 (long double for f64).
//
//   te_portable_sweep [FUNCTION] [STEP]     STEP 1 visits all 2^32 inputs
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/TeHostOps.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace girih::te;
using portable::HostOps;

namespace {

struct Worst {
  double error = 0;
  double argument = 0;

  void add(double candidate, double at) {
    // Written so that a NaN error is kept too.
    if (!(candidate <= error)) {
      error = candidate;
      argument = at;
    }
  }
};

template <typename Narrow, typename Wide>
Worst sweepF32(uint64_t step, Narrow narrow, Wide wide) {
  Worst worst;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += step) {
    float x = std::bit_cast<float>(uint32_t(bits));
    worst.add(portable::ulpError(narrow(x), wide(double(x))), x);
  }
  return worst;
}

template <typename Narrow, typename Wide>
Worst sweepF64(uint64_t count, Narrow narrow, Wide wide) {
  Worst worst;
  std::mt19937_64 random(1);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t bits = random();
    // Three of four within [2^-10, 2^11), where the functions do their work.
    if (i % 4 != 0)
      bits = (bits & 0x800fffffffffffff) | ((1013 + (bits >> 52) % 21) << 52);
    double x = std::bit_cast<double>(bits);
    worst.add(portable::ulpError(narrow(x), wide((long double)x)), x);
  }
  return worst;
}

} // namespace

int main(int argc, char **argv) {
  const char *only = argc > 1 ? argv[1] : "";
  uint64_t step = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  if (step == 0)
    return 2;
  HostOps<float> f32;
  HostOps<double> f64;
  auto report = [&](const char *name, auto narrow32, auto narrow64, auto wide) {
    if (*only && std::strcmp(only, name) != 0)
      return;
    Worst single = sweepF32(step, narrow32, wide);
    Worst twice = sweepF64(100000000 / step, narrow64, wide);
    std::printf("%-6s f32 %.4f ulp at %a   f64 %.4f ulp at %a\n", name,
                single.error, single.argument, twice.error, twice.argument);
    std::fflush(stdout);
  };
  report(
      "exp", [&](float x) { return portable::exp(f32, x); },
      [&](double x) { return portable::exp(f64, x); },
      [](auto x) { return std::exp(x); });
  report(
      "exp2", [&](float x) { return portable::exp2(f32, x); },
      [&](double x) { return portable::exp2(f64, x); },
      [](auto x) { return std::exp2(x); });
  report(
      "log", [&](float x) { return portable::log(f32, x); },
      [&](double x) { return portable::log(f64, x); },
      [](auto x) { return std::log(x); });
  report(
      "log2", [&](float x) { return portable::log2(f32, x); },
      [&](double x) { return portable::log2(f64, x); },
      [](auto x) { return std::log2(x); });
  report(
      "tanh", [&](float x) { return portable::tanh(f32, x); },
      [&](double x) { return portable::tanh(f64, x); },
      [](auto x) { return std::tanh(x); });
  report(
      "rsqrt", [&](float x) { return portable::rsqrt(f32, x); },
      [&](double x) { return portable::rsqrt(f64, x); },
      [](auto x) { return 1 / std::sqrt(x); });
  report(
      "rcp", [&](float x) { return portable::rcp(f32, x); },
      [&](double x) { return portable::rcp(f64, x); },
      [](auto x) { return 1 / x; });
  return 0;
}
