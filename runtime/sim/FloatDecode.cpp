//===- FloatDecode.cpp - what floating-point families share ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/FloatDecode.h"

#include <atomic>

using namespace girih;
using namespace girih::sim;

namespace {

struct ModifierRow {
  const char *name;
  uint32_t flag;
  Rounding rounding = Rounding::Nearest;
};

constexpr ModifierRow kModifiers[] = {
    {"ftz", kFtz},
    {"sat", kSat},
    {"relu", kRelu},
    {"satfinite", kSatFinite},
    {"NaN", kNan},
    {"xorsign", kXorsign},
    {"abs", kAbs},
    {"approx", kApprox},
    {"full", kFull},
    {"rn", kRound, Rounding::Nearest},
    {"rz", kRound, Rounding::Zero},
    {"rm", kRound, Rounding::Down},
    {"rp", kRound, Rounding::Up},
    {"rna", kRoundAway, Rounding::Away},
    {"rni", kRoundInteger, Rounding::Nearest},
    {"rzi", kRoundInteger, Rounding::Zero},
    {"rmi", kRoundInteger, Rounding::Down},
    {"rpi", kRoundInteger, Rounding::Up},
};

} // namespace

static bool takeOne(Decoder &d, uint32_t allowed, FloatModifiers &modifiers) {
  constexpr uint32_t kAnyRound = kRound | kRoundAway | kRoundInteger;
  for (const ModifierRow &row : kModifiers) {
    if (d.peek() != row.name)
      continue;
    uint32_t clash = row.flag & kAnyRound ? kAnyRound : row.flag;
    if (!(row.flag & allowed) || (modifiers.flags & clash))
      return false;
    modifiers.flags |= row.flag;
    if (row.flag & kAnyRound)
      modifiers.rounding = row.rounding;
    return d.take(row.name);
  }
  return false;
}

void sim::takeModifiers(Decoder &d, uint32_t allowed,
                        FloatModifiers &modifiers) {
  while (takeOne(d, allowed, modifiers))
    ;
}

Status sim::takeType(Decoder &d, Type type) {
  if (parseType(d.peek()) == type) {
    d.takeType();
    return {};
  }
  return d.fail("modifier '." + std::string(d.peek()) +
                "' is not supported here");
}

unsigned sim::capabilityOf(Decoder &d) {
  const std::string &target = d.kernel().module->target;
  unsigned number = 0;
  for (char c : target)
    if (c >= '0' && c <= '9')
      number = number * 10 + unsigned(c - '0');
  return number;
}

Status sim::needCapability(Decoder &d, unsigned capability,
                           const std::string &what) {
  if (capabilityOf(d) >= capability)
    return {};
  return d.fail(what + " needs sm_" + std::to_string(capability) +
                " or newer; the module's target is " +
                d.kernel().module->target);
}

#if defined(__x86_64__)
static std::atomic<bool> wideAllowed = true;

bool sim::hostIsWide() {
  static const bool has =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has && wideAllowed;
}

void sim::allowWide(bool allowed) { wideAllowed = allowed; }
#endif
