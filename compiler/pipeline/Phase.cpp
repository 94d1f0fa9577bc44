//===- Phase.cpp - names of phases ----------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Phase.h"

using namespace girih::pipeline;

std::optional<Phase> girih::pipeline::findPhase(std::string_view name) {
  for (const PhaseInfo &info : kPhases)
    if (info.name == name)
      return info.phase;
  return std::nullopt;
}

const PhaseInfo &girih::pipeline::infoOf(Phase phase) {
  return kPhases[static_cast<size_t>(phase)];
}
