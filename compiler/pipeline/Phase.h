//===- Phase.h - the phases of a compile, in order --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_PHASE_H
#define GIRIH_COMPILER_PIPELINE_PHASE_H

#include <array>
#include <optional>
#include <string_view>

namespace girih::pipeline {

/// Each names the form its step produces.
enum class Phase { Ast, Te, Assoc, Scop, Schedule, Tile, Llvm, Ptx };

struct PhaseInfo {
  Phase phase;
  std::string_view name;        ///< as in --emit and --from
  std::string_view description; ///< of the form
};

inline constexpr std::array<PhaseInfo, 8> kPhases = {{
    {Phase::Ast, "ast", "the program with names, types and ranges resolved"},
    {Phase::Te, "te", "tensor expressions in MLIR"},
    {Phase::Assoc, "assoc", "te with an association term per reduction"},
    {Phase::Scop, "scop", "statements, domains and accesses"},
    {Phase::Schedule, "schedule", "the schedule tree, proved legal"},
    {Phase::Tile, "tile", "what one block of each kernel does"},
    {Phase::Llvm, "llvm", "MLIR's llvm and nvvm dialects"},
    {Phase::Ptx, "ptx", "PTX with its launch plan"},
}};

std::optional<Phase> findPhase(std::string_view name);
const PhaseInfo &infoOf(Phase phase);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_PHASE_H
