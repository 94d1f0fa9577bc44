//===- MmaTile.h - a whole mma.sync, fast -----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same results as mmaSyncElement (MmaModel.h), for the 16 x 8 elements of
// one instruction at a time: operands are taken apart once, and eight columns
// are summed side by side.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARITH_MMATILE_H
#define GIRIH_COMPILER_ARITH_MMATILE_H

#include "compiler/arith/MmaModel.h"

namespace girih::arith {

struct alignas(32) MmaTile {
  static constexpr int kRows = 16, kColumns = 8, kMostK = 32;
  int rows = kRows; ///< at most kRows
  int k = 16;       ///< at most kMostK
  float a[kRows][kMostK];
  float b[kMostK][kColumns];
  float c[kRows][kColumns]; ///< the accumulator, and then the result
};

void mmaSyncTile(const MmaOperation &operation, MmaTile &tile);

} // namespace girih::arith

#endif // GIRIH_COMPILER_ARITH_MMATILE_H
