//===- MmaParts.h - what both forms of the model share ----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For MmaModel.cpp and MmaTile.cpp only.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARITH_MMAPARTS_H
#define GIRIH_COMPILER_ARITH_MMAPARTS_H

#include "compiler/arith/MmaModel.h"

namespace girih::arith {

/// A zero's exponent: below all others, even in a product.
constexpr int kExponentOfZero = -1000;
/// The exponent of a type's denormals.
constexpr int smallestExponent(MmaElement element) {
  switch (element) {
  case MmaElement::F16:
  case MmaElement::F8E5M2:
    return -14;
  case MmaElement::F8E4M3:
    return -6;
  case MmaElement::Bf16:
  case MmaElement::Tf32:
    return -126;
  }
  return -126;
}
constexpr int smallestExponent(MmaSum sum) {
  return sum == MmaSum::F16 ? -14 : -126;
}

/// Terms are aligned to this exponent if all of theirs are below it: the sum
/// keeps seven bits below the smallest normal result.
constexpr int leastAlignment(MmaSum sum) { return smallestExponent(sum) - 7; }

} // namespace girih::arith

#endif // GIRIH_COMPILER_ARITH_MMAPARTS_H
