//===- MiscOps.cpp - what is left -----------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0: nanosleep (9.7.19), griddepcontrol (9.7.13), pmevent and
// setmaxnreg (9.7.19). Except for nanosleep, which gives other warps a turn,
// they change nothing here: kernels run one after another, and registers are
// never short.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneOps.h"

using namespace girih;
using namespace girih::sim;

namespace {

Outcome nothing(Context &, const Instruction &, uint32_t) {
  return Outcome::Next;
}

/// Over at the next turn, however long it was to be.
bool isAwake(Context &, const Instruction &, Wait &) { return true; }

Outcome sleep(Context &context, const Instruction &, uint32_t) {
  context.fragment.wait.kind = Wait::Kind::Sleep;
  context.fragment.wait.ready = isAwake;
  return Outcome::Waits;
}

Status decodeNanosleep(Decoder &d) {
  if (d.takeType() != Type::U32)
    return needsType(d, ".u32");
  d.instruction().category = Category::Control;
  d.instruction().execute = sleep;
  if (Status status = d.expectOperands(1); !status)
    return status;
  Result<unsigned> time = d.source(0, Type::U32);
  return time ? Status() : Failure{time.message()};
}

Status decodeGridDependency(Decoder &d) {
  if (!d.takeOneOf({"launch_dependents", "wait"}))
    return d.fail("needs .launch_dependents or .wait");
  d.instruction().category = Category::Control;
  d.instruction().execute = nothing;
  return d.expectOperands(0);
}

Status decodePmevent(Decoder &d) {
  int64_t most = d.take("mask") ? 0xffff : 15;
  if (Status status = d.expectOperands(1); !status)
    return status;
  Result<int64_t> event = d.immediate(0);
  if (!event)
    return Failure{event.message()};
  if (*event < 0 || *event > most)
    return d.fail("the event must be 0 to " + std::to_string(most) + ", not " +
                  std::to_string(*event));
  d.instruction().execute = nothing;
  return {};
}

Status decodeSetmaxnreg(Decoder &d) {
  bool isComplete = d.takeOneOf({"inc", "dec"}).has_value();
  isComplete = isComplete && d.take("sync") && d.take("aligned") &&
               d.takeType() == Type::U32;
  if (!isComplete)
    return d.fail("needs .inc or .dec, then .sync.aligned.u32");
  if (Status status = d.expectOperands(1); !status)
    return status;
  Result<int64_t> count = d.immediate(0);
  if (!count)
    return Failure{count.message()};
  if (*count < 24 || *count > 256 || *count % 8 != 0)
    return d.fail("the count of registers must be a multiple of 8 from 24 to "
                  "256, not " +
                  std::to_string(*count));
  d.instruction().convergence = Convergence::Warp;
  d.instruction().execute = nothing;
  return {};
}

const OpcodeRow kRows[] = {
    {"nanosleep", decodeNanosleep},
    {"griddepcontrol", decodeGridDependency},
    {"pmevent", decodePmevent},
    {"setmaxnreg", decodeSetmaxnreg},
};

} // namespace

const std::span<const OpcodeRow> sim::kMiscRows = kRows;
