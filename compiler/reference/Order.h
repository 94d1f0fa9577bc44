//===- Order.h - which indices must be run through in order -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_ORDER_H
#define GIRIH_COMPILER_REFERENCE_ORDER_H

#include "dialects/te/Te.h"

namespace girih::reference {

/// Whether `read`, in the region of `op`, reads the memory that `op` writes.
bool isSelfRead(te::ComputeOp op, te::ReadOp read);

/// For each index of `op`: whether its instances must be run in the order of
/// it. All the other indices may have any order, and several values at once,
/// as long as each goes through the ordered ones lexicographically.
llvm::SmallVector<bool> orderedIndices(te::ComputeOp op);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_ORDER_H
