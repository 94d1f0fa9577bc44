//===- Families.cpp - sorts of random kernels -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

using namespace girih;
using namespace girih::silicon;

const std::vector<Family> &girih::silicon::families() {
  static const std::vector<Family> all = {
      {"integer", 8, 128, makeInteger},   {"move", 8, 128, makeMove},
      {"f32", 8, 128, makeFloat32},       {"f64", 8, 128, makeFloat64},
      {"half", 8, 128, makeHalf},         {"cvt", 8, 128, makeConvert},
      {"special", 8, 128, makeSpecial},   {"warp", 4, 128, makeWarp},
      {"memory", 2, 128, makeMemory},     {"atomic", 4, 128, makeAtomic},
      {"barrier", 4, 128, makeBarrier},   {"cluster", 8, 128, makeCluster},
      {"pipeline", 2, 128, makePipeline}, {"matrix", 2, 128, makeMatrix},
      {"control", 4, 128, makeControl},
  };
  return all;
}

Program girih::silicon::makeProgram(const Family &family, uint64_t seed,
                                    unsigned index) {
  uint64_t mixed = seed;
  for (const char *c = family.name; *c; ++c)
    mixed = mixed * 1099511628211ull + uint8_t(*c);
  Rng rng(mixed * 1099511628211ull + index);
  Program program;
  program.family = family.name;
  program.name = std::string(family.name) + "_" + std::to_string(index);
  program.grid = family.grid;
  program.block = family.block;
  Builder builder(program, rng);
  family.make(builder);
  builder.finish();
  return program;
}
