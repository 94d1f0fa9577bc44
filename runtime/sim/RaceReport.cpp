//===- RaceReport.cpp - the words for races -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/CheckerState.h"
#include "runtime/sim/Naming.h"

namespace girih::sim {

bool isNewConflict(CheckerCore &core, FaultKind kind, uint32_t one,
                   uint32_t two) {
  std::lock_guard<std::mutex> lock(core.reportMutex);
  return core.reported.emplace(kind, std::min(one, two), std::max(one, two))
      .second;
}

namespace {

std::string placeOf(const Launch &launch, uint32_t statement) {
  const SyntaxKernel *syntax = launch.code->syntax;
  if (!syntax || statement >= syntax->statements.size())
    return "instruction " + std::to_string(statement);
  return "line " + std::to_string(syntax->statements[statement].location.line);
}

/// `cp.async`, `cp.async.bulk`
std::string copyOf(const Launch &launch, uint32_t statement) {
  const SyntaxKernel *syntax = launch.code->syntax;
  std::string name = "cp.async";
  if (syntax && statement < syntax->statements.size())
    for (const std::string &modifier : syntax->statements[statement].modifiers)
      if (modifier == "bulk")
        name += ".bulk";
  return name;
}

std::string detailOf(const Launch &launch, const RaceSide &first,
                     const RaceSide &second, Conflict conflict) {
  std::string copy = copyOf(launch, first.statement);
  std::string end = copy == "cp.async" ? "; wait for its group first"
                                       : "; wait for its mbarrier first";
  std::string issued =
      "the " + copy + " issued at " + placeOf(launch, first.statement) + end;
  switch (conflict) {
  case Conflict::CopyWrites:
    return "it is being written by " + issued;
  case Conflict::CopyReads:
    return "it is being read by " + issued;
  case Conflict::SameInstruction:
    return "two lanes of one instruction write the same element, either may "
           "win";
  case Conflict::OtherCluster:
    if (first.strong && second.strong)
      return "both are atomic only within a block or cluster, and these are "
             "two; use .gpu scope";
    return "blocks run in any order, and no release and acquire between them "
           "orders these two accesses";
  case Conflict::Unordered:
    break;
  }
  if (first.strong != second.strong)
    return "only one of them is atomic, and no barrier between them orders "
           "these two accesses";
  if (first.strong)
    return "both are atomic only within a narrower scope than the two threads "
           "share";
  return "no barrier between them orders these two accesses";
}

} // namespace

Fault makeConflict(const Launch &launch, const RaceSide &first,
                   const RaceSide &second, Conflict conflict) {
  Fault fault;
  for (const RaceSide *side : {&first, &second})
    fault.sites.push_back(
        {side->who, side->statement, describeAction(side->kind, side->bytes)});
  fault.detail = detailOf(launch, first, second, conflict);
  return fault;
}

} // namespace girih::sim
