//===- TileMerge.h - how threads exchange values ----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of compiler/layout/Exchange.h, which the cost model knows too.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_CODEGEN_TILEMERGE_H
#define GIRIH_PASSES_CODEGEN_TILEMERGE_H

#include "compiler/layout/Exchange.h"

namespace girih::codegen {

using layout::BitOrder;
using layout::ConvertPlan;
using layout::MergedRegister;
using layout::mergedRegisters;
using layout::mergeScratchElements;
using layout::MergeStep;
using layout::mergeSteps;
using layout::planConvert;
using layout::readStrides;

} // namespace girih::codegen

#endif // GIRIH_PASSES_CODEGEN_TILEMERGE_H
