//===- ScatterScop.h - places that data decide ------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCOP_SCATTERSCOP_H
#define GIRIH_PASSES_SCOP_SCATTERSCOP_H

#include "compiler/poly/Scop.h"
#include "dialects/te/Te.h"

#include <functional>

namespace girih::scop {

/// An access at te subscripts: any element along the dimensions whose place
/// data or a rule decide. `subscript` gives the others over the statement's
/// dims.
poly::Access
accessAt(unsigned array, mlir::ValueRange indices,
         const std::function<poly::Affine(mlir::Value)> &subscript);

/// Whether the instances of a scatter may run in any order.
bool isUnordered(te::ScatterOp scatter);

} // namespace girih::scop

#endif // GIRIH_PASSES_SCOP_SCATTERSCOP_H
