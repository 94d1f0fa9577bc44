//===- KnownTargets.h - the table of GPUs -----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this room: callers use GpuTarget.h.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_TARGET_KNOWNTARGETS_H
#define GIRIH_COMPILER_TARGET_KNOWNTARGETS_H

#include "compiler/target/GpuTarget.h"

namespace girih::target {

/// The rows of names, by rising capability; the "a" form follows its base.
const std::vector<GpuTarget> &allTargets();
/// The rows of cards, each with the name that has all of the chip's features.
const std::vector<GpuTarget> &allCards();

} // namespace girih::target

#endif // GIRIH_COMPILER_TARGET_KNOWNTARGETS_H
