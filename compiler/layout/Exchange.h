//===- Exchange.h - how threads exchange values -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A merge of n = 2^m cells combines each cell with the one whose number differs
// in one bit, bit by bit: halving takes the highest bit first, pairing the
// lowest. Where a bit of the cell's number is a bit of the register or thread
// number, a step needs no search: registers of one thread, lanes of one warp (a
// shuffle), or threads of several warps (an exchange through shared memory, all
// such bits that follow each other at once).
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_LAYOUT_EXCHANGE_H
#define GIRIH_COMPILER_LAYOUT_EXCHANGE_H

#include "compiler/layout/Layout.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace girih::layout {

enum class BitOrder { HighestFirst, LowestFirst };

struct MergeStep {
  enum class Kind { Register, Shuffle, Exchange };
  Kind kind = Kind::Register;
  int64_t cellStride = 0; ///< Register: what the bit adds to the cell's number
  unsigned laneMask = 0;  ///< Shuffle
  /// Exchange: bits of the thread number, in the order of combining.
  std::vector<unsigned> threadBits;
  bool operator==(const MergeStep &) const = default;
};

/// The steps of a merge along the last axis of `cells`, or nothing if their
/// count is no power of two or some bit of the cell's number is no bit of the
/// register's or thread's.
std::optional<std::vector<MergeStep>> mergeSteps(const Layout &cells,
                                                 BitOrder order);

/// Where each register of a merge's operand goes.
struct MergedRegister {
  int64_t result = 0; ///< register of the result (the last axis sliced away)
  int64_t cell = 0;   ///< what the register adds to the cell's number
};
std::vector<MergedRegister> mergedRegisters(const Layout &cells);

/// Elements of shared scratch that merging `cells` needs.
int64_t mergeScratchElements(const Layout &cells, BitOrder order);

/// How a value changes its layout.
struct ConvertPlan {
  bool inRegisters = false; ///< every thread already holds what it wants
  /// Otherwise it lies in scratch at these strides (elements, one for each
  /// dimension of the source) in between.
  std::vector<int64_t> strides;
  int64_t scratchElements = 0;
};

/// Rows of the scratch area are padded where that saves bank conflicts.
ConvertPlan planConvert(const Layout &from, const Layout &to,
                        const std::vector<unsigned> &dims,
                        unsigned elementBytes);

/// The strides of the source's scratch area along the result's dimensions.
std::vector<int64_t> readStrides(const std::vector<int64_t> &strides,
                                 unsigned resultRank,
                                 const std::vector<unsigned> &dims);

} // namespace girih::layout

#endif // GIRIH_COMPILER_LAYOUT_EXCHANGE_H
