//===- Moves.h - ldmatrix, stmatrix, movmatrix ---------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_GPU_MMA_SILICON_MOVES_H
#define GIRIH_TEST_GPU_MMA_SILICON_MOVES_H

#include "test/gpu/mma_silicon/Device.h"

namespace girih::silicon {

/// Runs every form of the three on the GPU and by the simulator, with random
/// contents and rows in random order. The number of forms that differ.
size_t checkMoves(const rt::cuda::Context &context);

} // namespace girih::silicon

#endif // GIRIH_TEST_GPU_MMA_SILICON_MOVES_H
