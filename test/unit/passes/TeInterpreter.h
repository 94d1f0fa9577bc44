//===- TeInterpreter.h - runs te functions, slowly --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of te ops, spelled out for tests of te passes: each operation is
// evaluated for all points of a region at once. Values are held as doubles,
// rounded to their type by every operation. A reduction without a term runs in
// ascending order, its body plainly added.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PASSES_TEINTERPRETER_H
#define GIRIH_TEST_UNIT_PASSES_TEINTERPRETER_H

#include "dialects/te/Te.h"

#include <map>
#include <string>
#include <vector>

namespace girih::te {

struct TestTensor {
  std::vector<int64_t> shape;
  std::vector<double> data; ///< row-major
};

/// Runs `func` on its arguments and returns its results.
std::vector<TestTensor> interpret(FuncOp func,
                                  const std::map<std::string, int64_t> &sizes,
                                  const std::vector<TestTensor> &arguments);

} // namespace girih::te

#endif // GIRIH_TEST_UNIT_PASSES_TEINTERPRETER_H
