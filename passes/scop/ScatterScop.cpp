//===- ScatterScop.cpp - places that data decide --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/scop/ScatterScop.h"

using namespace girih;
using poly::Access;
using poly::Affine;

Access
girih::scop::accessAt(unsigned array, mlir::ValueRange indices,
                      const std::function<Affine(mlir::Value)> &subscript) {
  Access access;
  access.array = array;
  for (mlir::Value index : indices) {
    bool isAny = te::isComputed(index);
    if (isAny)
      access.anyAt.push_back(access.subscripts.size());
    access.subscripts.push_back(isAny ? Affine() : subscript(index));
  }
  // Those at the end are a whole from there on.
  while (!access.anyAt.empty() &&
         access.anyAt.back() + 1 == access.subscripts.size()) {
    access.wholeFrom = int(access.anyAt.back());
    access.anyAt.pop_back();
    access.subscripts.pop_back();
  }
  return access;
}

bool girih::scop::isUnordered(te::ScatterOp scatter) {
  if (scatter.getKind() == te::ScatterKind::Set)
    return scatter.getDistinct();
  // Integers combine to the same bits in any order; the hardware does so
  // safely in words.
  mlir::Type type = scatter.getType().getElementType();
  return te::isIntegerType(type) && type.getIntOrFloatBitWidth() >= 32;
}
