//===- Overlap.h - do strided views share memory? ---------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_OVERLAP_H
#define GIRIH_RUNTIME_OVERLAP_H

#include "runtime/Tensor.h"

namespace girih::rt {

/// False only where it is proved that no byte belongs to elements of both:
/// disjoint address ranges, or interleaved views such as two column halves of
/// one packed buffer. Both tensors must have a byteRange.
bool mayOverlap(const Tensor &a, const Tensor &b);

/// True only where it is proved that different indices name different memory:
/// each stride reaches past everything the smaller strides can reach.
bool hasDistinctElements(const Tensor &tensor);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_OVERLAP_H
