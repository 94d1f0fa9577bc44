//===- StageTypes.h - stages in another type --------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `stage A in shared at L as f32` holds A in another type than the text gives
// it. Roundings are where the text has them, so that is a schedule only where
// no value changes: a type that holds every value of A, and no rounding left
// out.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_STAGETYPES_H
#define GIRIH_COMPILER_PIPELINE_STAGETYPES_H

#include "compiler/pipeline/CompileState.h"

namespace girih::pipeline {

/// Whether the types of a `stage` keep every bit; else reports a value that
/// would change (G0731), or that it is not realised (G0725).
bool checkStageType(CompileState &state, const frontend::Directive &directive);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_STAGETYPES_H
