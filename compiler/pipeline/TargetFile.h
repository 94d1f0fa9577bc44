//===- TargetFile.h - a GPU described in a file -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_TARGETFILE_H
#define GIRIH_COMPILER_PIPELINE_TARGETFILE_H

#include "compiler/support/Diagnostics.h"
#include "compiler/target/GpuTarget.h"

#include <optional>
#include <string>

namespace girih::pipeline {

/// A target as JSON: every key of target::targetFields(), with `name` (what is
/// compiled for), `product`, `card`, `arithmeticModel`, `matrix` and
/// `clusters`.
std::string printTarget(const target::GpuTarget &target);

/// Reads printTarget's text, or another one of these keys. Every key must be
/// there, known, of its type and within its bounds, and the name one of
/// target::knownTargets(): reports (G0823) each that is not.
std::optional<target::GpuTarget> readTarget(const SourceFile &file,
                                            Diagnostics &diags);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_TARGETFILE_H
