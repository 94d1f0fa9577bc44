//===- Tiles.h - operands that tell models apart -------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_GPU_MMA_SILICON_TILES_H
#define GIRIH_TEST_GPU_MMA_SILICON_TILES_H

#include "test/gpu/mma_silicon/Forms.h"

#include <functional>

namespace girih::silicon {

/// Registers of many tiles, one tile behind the other, as ptxOf loads them.
struct Tiles {
  size_t count = 0;
  std::vector<uint8_t> a, b, c;
};

/// What tile i is made of: one of kRecipes names, by turns.
size_t recipeCount(const Form &form);
std::string recipeName(const Form &form, size_t tile);

/// The same for the same form, count and seed, wherever it runs; tile i does
/// not depend on `count`.
Tiles makeTiles(const Form &form, size_t count, uint64_t seed);

/// The registers of tile `i`; `d` receives the results.
sim::MmaRegisters registersOf(const Form &form, const Tiles &tiles, size_t i,
                              uint8_t *d);

/// body(0) .. body(count - 1), on all of the host's processors.
void inParallel(size_t count, const std::function<void(size_t)> &body);

} // namespace girih::silicon

#endif // GIRIH_TEST_GPU_MMA_SILICON_TILES_H
