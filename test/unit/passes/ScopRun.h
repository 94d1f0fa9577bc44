//===- ScopRun.h - runs a Scop instance by instance in tests ----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of statements as passes/scop/StatementMap.h gives it, on arrays
// of doubles rounded to their types. Every access is checked: inside its
// array's extents, and nothing is read that was not written before.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PASSES_SCOPRUN_H
#define GIRIH_TEST_UNIT_PASSES_SCOPRUN_H

#include "compiler/poly/LoopAst.h"
#include "passes/scop/BuildScop.h"
#include "test/unit/passes/TeInterpreter.h"

#include <functional>
#include <memory>

namespace girih::test {

using Point = std::vector<int64_t>;

/// Calls `visit` for each instance, in lexicographic order.
void forEachInstance(const poly::Statement &statement, const Point &params,
                     const std::function<void(const Point &)> &visit);

/// Value of an affine expression.
int64_t valueOf(const poly::Affine &affine, const Point &dims,
                const Point &params);

/// The state of one run. Problems throw std::runtime_error with the instance.
class ScopRun {
public:
  ScopRun(te::FuncOp func, const scop::ScopWithMap &scop, const Point &params,
          const std::vector<te::TestTensor> &arguments);
  ~ScopRun();

  /// All instances of statement 0, then of statement 1, ...
  void runTextually();
  /// Kernels in order; blocks of a kernel in an order drawn from `seed`; loops
  /// as generated; instances of one tile in lexicographic order of its point
  /// members, the coincident ones in an order drawn from `seed`. What a kernel
  /// keeps in registers or shared memory is forgotten between blocks.
  void runScheduled(const poly::ScheduleTree &tree,
                    const std::vector<poly::KernelLoops> &kernels,
                    unsigned seed);

  std::vector<te::TestTensor> results() const;
  int64_t instancesRun() const { return executed; }

private:
  class Body;
  int64_t sizeOf(llvm::StringRef name);
  /// The same, over the parameters.
  poly::Affine affineOf(llvm::StringRef name);
  void run(unsigned statement, const Point &dims);
  double load(const poly::Access &access, const Point &dims) const;
  bool isInside(const poly::Access &access, const Point &dims) const;
  void store(const poly::Access &access, const Point &dims, double value);
  size_t place(const poly::Access &access, const Point &dims) const;
  double merge(unsigned statement, const Point &dims) const;
  [[noreturn]] void fail(const std::string &what) const;

  struct Storage {
    std::vector<int64_t> shape;
    std::vector<double> values;
    std::vector<bool> isDefined;
  };

  te::FuncOp func;
  const poly::Scop &scop;
  const scop::StatementMap &map;
  const Point params;
  std::vector<Storage> arrays;
  std::vector<std::unique_ptr<Body>> bodies;
  int64_t executed = 0;
  unsigned current = 0; ///< statement, for messages
  Point at;
};

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_PASSES_SCOPRUN_H
