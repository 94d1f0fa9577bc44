//===- Domain.h - how many instances and elements there are -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counting, with sizes known. A set is a box cut by constraints over several
// dims. Dims that no constraint and no subscript joins count by themselves, and
// the counts multiply; those that are joined are walked tile by tile, where a
// tile that lies inside as a whole is counted once for all of its kind.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_COST_DOMAIN_H
#define GIRIH_COMPILER_COST_DOMAIN_H

#include "compiler/layout/Layout.h"
#include "compiler/poly/Scop.h"

#include <cstdint>
#include <vector>

namespace girih::cost {

constexpr int64_t ceilDiv(int64_t a, int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}
constexpr int64_t floorDiv(int64_t a, int64_t b) { return -ceilDiv(-a, b); }

/// Values of a dim.
struct Range {
  int64_t begin = 0, end = 0; ///< half open
  int64_t count() const { return end > begin ? end - begin : 0; }
  /// How many of the tiles [k * tile, (k + 1) * tile) it meets.
  int64_t tiles(int64_t tile) const {
    return count() ? ceilDiv(end, tile) - floorDiv(begin, tile) : 0;
  }
};

/// sum(factors[d] * dim d) + constant, sizes filled in.
struct Linear {
  std::vector<int64_t> factors;
  int64_t constant = 0;
  int64_t factor(size_t d) const { return d < factors.size() ? factors[d] : 0; }
  bool operator==(const Linear &) const = default;
};
Linear linearOf(const poly::Affine &affine, size_t dims,
                const std::vector<int64_t> &sizes);
/// The least and the largest value over a box.
int64_t leastOf(const Linear &value, const std::vector<Range> &box);
int64_t mostOf(const Linear &value, const std::vector<Range> &box);

struct Domain {
  std::vector<Range> ranges;
  std::vector<Linear> coupled; ///< each >= 0, over two dims or more
  bool isEmpty() const;
};
/// Instances of a statement; `sizes` are the values of the Scop's parameters.
Domain domainOf(const poly::Statement &statement,
                const std::vector<int64_t> &sizes);
/// Adds value >= 0, unless it holds all over the box.
void require(Domain &domain, const Linear &value);

/// A number, and whether it is one: counts that would take too long are bounds
/// from above.
struct Count {
  double value = 0;
  bool isExact = true;
};

/// What is counted of every tile.
enum class Counted {
  Instances, ///< elements of the box that are in the domain
  Elements,  ///< of those, different places
  Touches    ///< accesses that threads make, each for one element
};

/// A tile of a statement and an access of it.
struct TileAccess {
  Domain domain;
  std::vector<int64_t> box; ///< extents; 1 where empty
  std::vector<Linear> subscripts;
  /// Digits over the box; dims without a digit are not walked by threads.
  layout::Layout layout;
  /// Registers of a thread that hold the same place fetch it once, if all of
  /// the thread's registers are in the domain; otherwise each has a condition
  /// of its own, and fetches it itself.
  bool sharesRegisters = true;
};
Count count(const TileAccess &access, Counted what);
Count countInstances(const Domain &domain);

} // namespace girih::cost

#endif // GIRIH_COMPILER_COST_DOMAIN_H
