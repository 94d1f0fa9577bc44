//===- Promises.h - what is known of a parameter's memory -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel sees the dimensions of a tensor in the order in which they lie in
// memory, so that its vectors run along the last one. Without a promise that is
// the order of the text, and the vector variant's guards ask for it.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TILE_PROMISES_H
#define GIRIH_PASSES_TILE_PROMISES_H

#include "passes/tile/KernelEmitter.h"

namespace girih::tilegen {

/// The dimensions of an array of the Scop, the slowest first.
std::vector<unsigned> memoryOrder(te::FuncOp func, const poly::Scop &scop,
                                  const scop::StatementMap &map,
                                  unsigned array);
inline std::vector<unsigned> memoryOrder(const VariantContext &context,
                                         unsigned array) {
  return memoryOrder(context.func, context.scop, context.map, array);
}

/// What the vectors that were chosen need and no promise gives.
void addGuards(VariantContext &context);

} // namespace girih::tilegen

#endif // GIRIH_PASSES_TILE_PROMISES_H
