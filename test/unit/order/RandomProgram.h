//===- RandomProgram.h - .te programs drawn at random -----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_ORDER_RANDOMPROGRAM_H
#define GIRIH_TEST_UNIT_ORDER_RANDOMPROGRAM_H

#include <string>

namespace girih::test {

/// One operator of one to four statements over planes f32[M, N] and their rows
/// and columns: maps with shifted reads, sums in every kind of order, maxima,
/// recurrences, tensors in place, parts, time loops, scatters. Right by
/// construction, for all sizes from 1 on.
std::string randomProgram(unsigned seed);

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_ORDER_RANDOMPROGRAM_H
