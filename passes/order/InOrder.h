//===- InOrder.h - runs a program in any order ------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statement instance by statement instance on the host, with the reference's
// own scalar code. A legal order gives the reference's bits; what another one
// gives shows what the legality check is for. Nothing here asks whether an
// order is legal, and none can do harm: memory starts as poison, and every
// access stays inside its array.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_ORDER_INORDER_H
#define GIRIH_PASSES_ORDER_INORDER_H

#include "compiler/poly/InstanceOrder.h"
#include "compiler/reference/InstanceCode.h"
#include "compiler/reference/Reference.h"
#include "passes/scop/BuildScop.h"

namespace girih::order {

/// A program's statements as host code. Refers to the ScopWithMap that it was
/// made from. May run in several threads at once.
class InOrder {
public:
  /// `scop` is what buildScop made of `func`.
  static Result<InOrder> compile(te::FuncOp func,
                                 const scop::ScopWithMap &scop);

  /// Every size of the function, in its order, from the values of the Scop's
  /// parameters.
  std::vector<int64_t> sizesOf(const std::vector<int64_t> &params) const;

  /// Runs the steps of `order`, which is one at `params`, on `tensors`: inputs,
  /// then outputs, of the shapes that the signature has at these sizes, with
  /// any strides. An input that is written keeps its values.
  Status run(const poly::InstanceOrder &order,
             const std::vector<int64_t> &params,
             const std::vector<reference::HostTensor> &tensors) const;

private:
  InOrder(te::FuncOp func, const scop::ScopWithMap &scop,
          reference::InstanceProgram code)
      : func(func), scop(&scop), code(std::move(code)) {}

  te::FuncOp func;
  const scop::ScopWithMap *scop;
  reference::InstanceProgram code;
};

/// Compiles and runs once in the order of `tree`, which verifyScheduleTree
/// accepts. Throws std::domain_error where there are too many instances.
Status runInOrder(te::FuncOp func, const scop::ScopWithMap &scop,
                  const poly::ScheduleTree &tree,
                  const std::vector<int64_t> &params,
                  const std::vector<reference::HostTensor> &tensors,
                  poly::AtOnce atOnce = poly::AtOnce::Ascending,
                  uint64_t seed = 0);

} // namespace girih::order

#endif // GIRIH_PASSES_ORDER_INORDER_H
