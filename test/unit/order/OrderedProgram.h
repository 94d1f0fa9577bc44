//===- OrderedProgram.h - a program that runs in any order ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_ORDER_ORDEREDPROGRAM_H
#define GIRIH_TEST_UNIT_ORDER_ORDEREDPROGRAM_H

#include "compiler/poly/Dependence.h"
#include "passes/order/InOrder.h"
#include "runtime/HostArray.h"
#include "test/unit/passes/Middle.h"

namespace girih::test {

/// Fails the test where a phase refuses `text`.
class OrderedProgram {
public:
  explicit OrderedProgram(
      const std::string &text,
      std::vector<std::pair<std::string, int64_t>> given = {});

  const poly::Scop &scop() { return middle.scop().scop; }
  const poly::Dependences &dependences() const { return found; }
  /// Statement maps may be changed to plant a fault in what is run.
  scop::StatementMap &map() { return planted.map; }

  /// What the reference computes from inputs drawn with `seed`; made once for
  /// sizes and seed.
  const std::vector<rt::HostArray> &expected(const std::vector<int64_t> &params,
                                             uint64_t seed);
  /// The first difference from expected() of a run in `order`, in words; empty
  /// where every bit agrees.
  std::string difference(const poly::InstanceOrder &order,
                         const std::vector<int64_t> &params, uint64_t seed);

  /// All sizes `value`, but for those that others say.
  std::vector<int64_t> paramsOf(int64_t value);

private:
  using Arrays = std::vector<rt::HostArray>;
  Arrays tensors(const std::vector<int64_t> &params, uint64_t seed,
                 bool outputs) const;

  Middle middle;
  poly::Dependences found;
  scop::ScopWithMap planted; ///< a copy of the middle's
  std::optional<reference::ReferenceProgram> reference;
  std::optional<order::InOrder> program;
  std::map<std::pair<std::vector<int64_t>, uint64_t>, Arrays> known;
};

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_ORDER_ORDEREDPROGRAM_H
