//===- CostSvg.h - pictures of the cost model's figures ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_COSTSVG_H
#define GIRIH_COMPILER_PIPELINE_COSTSVG_H

#include "compiler/pipeline/Search.h"

namespace girih::pipeline {

/// The plan's kernels below the roofs of the target: FLOP a byte against
/// FLOP/s, both in powers of ten.
std::string rooflineSvg(const cost::Plan &plan,
                        const target::GpuTarget &target);

/// The candidates of each kernel of the best plan: bytes that a block keeps in
/// registers and shared memory against bytes moved, the limit of shared memory,
/// and the one that is chosen.
std::string tilesSvg(const Found &found, const target::GpuTarget &target);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_COSTSVG_H
