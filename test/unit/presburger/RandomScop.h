//===- RandomScop.h - Scops drawn at random ---------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PRESBURGER_RANDOMSCOP_H
#define GIRIH_TEST_UNIT_PRESBURGER_RANDOMSCOP_H

#include "compiler/poly/Scop.h"

namespace girih::test {

/// One to three statements that no program need have: domains that are no
/// boxes, strides, sums of dims in subscripts, several writers of one array,
/// now and then a time loop.
poly::Scop randomScop(unsigned seed);

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_PRESBURGER_RANDOMSCOP_H
