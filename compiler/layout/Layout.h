//===- Layout.h - how a tile lies over registers and threads ----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Layout says which element of a tile's box each (register, thread) holds. It
// is a mixed-radix map: the register number and the thread number are written
// in digits (fastest first) and each digit moves along one dimension of the box
// by a stride, or along none (a copy). Bits of a power-of-two atom are digits
// of count 2^n; repetitions are digits of any count, so extents need not be
// powers of two.
//
// Text: `[128, 64] r(4@1:1, 8@0:1) t(16@1:4, 16@0:8)`: box 128 x 64; register
// digit 0 has 4 values, stride 1 along dimension 1; ... `2@-` is a copy digit.
//
// Example. A row of 4096 elements, 256 threads, vectors of 4:
//   [4096] r(4@0:1, 4@0:1024) t(256@0:4)
// thread t, register r holds element (r % 4) + 1024 * (r / 4) + 4 * t.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_LAYOUT_LAYOUT_H
#define GIRIH_COMPILER_LAYOUT_LAYOUT_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace girih::layout {

struct Digit {
  int64_t count = 1;
  int dim = -1; ///< -1: a copy
  int64_t stride = 0;
  bool operator==(const Digit &) const = default;
};

class Layout {
public:
  std::vector<int64_t> shape;
  std::vector<Digit> registers; ///< fastest first
  std::vector<Digit> threads;   ///< fastest first

  bool operator==(const Layout &) const = default;

  unsigned rank() const { return shape.size(); }
  int64_t registerCount() const; ///< registers per thread
  int64_t threadCount() const;
  /// Coordinates of the element in (reg, thread).
  std::vector<int64_t> at(int64_t reg, int64_t thread) const;
  /// The register's part of the coordinates: at(reg, t) = registerPart(reg) +
  /// at(0, t).
  std::vector<int64_t> registerPart(int64_t reg) const;
  /// The digits of the thread that move along `dim`, as (divisor, count,
  /// stride): coordinate = sum of ((thread / divisor) % count) * stride.
  struct ThreadTerm {
    int64_t divisor, count, stride;
  };
  std::vector<ThreadTerm> threadTerms(unsigned dim) const;
  /// Copy digits of the thread, as (divisor, count): all zero on the owner.
  std::vector<ThreadTerm> copyTerms() const;
  /// Number of consecutive registers (from register 0, aligned) that hold
  /// consecutive elements along `dim`.
  int64_t vectorWidth(unsigned dim) const;

  /// Without dimension `dim`: register digits along it vanish, thread digits
  /// along it become copies.
  Layout slice(unsigned dim) const;
  /// Same distribution with dimensions renumbered: result dim `to[d]` = dim d.
  Layout permute(const std::vector<unsigned> &to) const;

  /// Every element of the box is held exactly once per copy, none outside.
  bool isValid(std::string &why) const;

  /// For every (reg, thread) of `this`, a register of the same thread of
  /// `source` that holds the element with coordinates dims[i] of ours (source
  /// dimension i = our dimension dims[i]); nothing if some element is on
  /// another thread.
  std::optional<std::vector<int64_t>>
  registerMapFrom(const Layout &source,
                  const std::vector<unsigned> &dims) const;
};

std::string print(const Layout &layout);
std::optional<Layout> parseLayout(std::string_view text, std::string &error);

/// How registers and threads walk over places: `count` steps of `step` each,
/// one entry a digit, fastest first. Digits that go on with the one before them
/// are one entry, so two layouts with the same moves hold the same elements in
/// the same registers of the same threads.
struct Moves {
  struct Move {
    int64_t count;
    std::vector<int64_t> step;
    bool operator==(const Move &) const = default;
  };
  std::vector<Move> registers, threads;
  bool operator==(const Moves &) const = default;
};

/// Moves over places that are linear in the coordinates: coefficient (p, d) of
/// place p stands at p * rank + d.
Moves movesOf(const Layout &layout, std::span<const int64_t> coefficients);

/// Row-major distribution for streaming: vectors of `vector` along the last
/// dimension, then threads along the last dimension, then threads along the
/// outer ones, then registers; shape entries need not divide (then nullopt).
std::optional<Layout> streamingLayout(const std::vector<int64_t> &shape,
                                      int64_t threads, int64_t vector);

/// Bank wavefronts of one warp-wide shared access: `addresses` are byte offsets
/// of the 32 lanes, `bytes` the width per lane (4, 8 or 16). 32 banks of 4
/// bytes.
unsigned sharedWavefronts(const std::vector<int64_t> &addresses,
                          unsigned bytes);

} // namespace girih::layout

#endif // GIRIH_COMPILER_LAYOUT_LAYOUT_H
