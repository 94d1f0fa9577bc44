//===- Programs.h - programs that tests of the middle use -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PASSES_PROGRAMS_H
#define GIRIH_TEST_UNIT_PASSES_PROGRAMS_H

#include "test/unit/passes/Middle.h"

namespace girih::test {

struct Program {
  const char *name;
  std::string text;
  unsigned kernels;         ///< of the default schedule
  std::vector<Sizes> sizes; ///< to run it at
};

/// The examples and a dozen more, small enough to run instance by instance.
const std::vector<Program> &programs();

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_PASSES_PROGRAMS_H
