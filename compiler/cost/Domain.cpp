//===- Domain.cpp - how many instances and elements there are -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/Domain.h"

#include <algorithm>
#include <numeric>
#include <optional>

using namespace girih;
using namespace girih::cost;

Linear girih::cost::linearOf(const poly::Affine &affine, size_t dims,
                             const std::vector<int64_t> &sizes) {
  Linear result;
  result.constant = affine.constant;
  for (size_t p = 0; p < sizes.size(); ++p)
    result.constant += affine.paramCoefficient(p) * sizes[p];
  for (size_t d = 0; d < dims; ++d)
    result.factors.push_back(affine.dimCoefficient(d));
  return result;
}

int64_t girih::cost::leastOf(const Linear &value,
                             const std::vector<Range> &box) {
  int64_t least = value.constant;
  for (size_t d = 0; d < box.size(); ++d)
    if (int64_t factor = value.factor(d))
      least += factor * (factor > 0 ? box[d].begin : box[d].end - 1);
  return least;
}

int64_t girih::cost::mostOf(const Linear &value,
                            const std::vector<Range> &box) {
  Linear negative = value;
  negative.constant = -value.constant;
  for (int64_t &factor : negative.factors)
    factor = -factor;
  return -leastOf(negative, box);
}

bool Domain::isEmpty() const {
  for (const Range &range : ranges)
    if (range.count() == 0)
      return true;
  for (const Linear &constraint : coupled)
    if (mostOf(constraint, ranges) < 0)
      return true;
  return false;
}

void girih::cost::require(Domain &domain, const Linear &value) {
  int own = -1;
  unsigned dims = 0;
  for (size_t d = 0; d < domain.ranges.size(); ++d)
    if (value.factor(d) != 0) {
      own = int(d);
      ++dims;
    }
  if (dims == 0) {
    if (value.constant < 0)
      for (Range &range : domain.ranges)
        range = {0, 0};
    return;
  }
  if (dims == 1) {
    Range &range = domain.ranges[own];
    int64_t factor = value.factor(own);
    if (factor > 0)
      range.begin = std::max(range.begin, ceilDiv(-value.constant, factor));
    else
      range.end = std::min(range.end, floorDiv(value.constant, -factor) + 1);
    return;
  }
  if (leastOf(value, domain.ranges) < 0 &&
      std::find(domain.coupled.begin(), domain.coupled.end(), value) ==
          domain.coupled.end())
    domain.coupled.push_back(value);
}

Domain girih::cost::domainOf(const poly::Statement &statement,
                             const std::vector<int64_t> &sizes) {
  constexpr int64_t kFar = int64_t(1) << 40;
  const size_t dims = statement.dims.size();
  Domain domain;
  // Dims are never negative.
  domain.ranges.assign(dims, {0, kFar});
  std::vector<Linear> several;
  for (const poly::Affine &constraint : statement.constraints) {
    Linear value = linearOf(constraint, dims, sizes);
    unsigned used = 0;
    for (int64_t factor : value.factors)
      used += factor != 0;
    if (used > 1)
      several.push_back(std::move(value));
    else
      require(domain, value);
  }
  // A dim may be bounded by others alone: q with 8q + l <= 100.
  for (size_t round = 0; round < dims; ++round)
    for (const Linear &value : several)
      for (size_t d = 0; d < dims; ++d) {
        int64_t factor = value.factor(d);
        if (factor == 0)
          continue;
        Linear rest = value;
        rest.factors[d] = 0;
        bool isBounded = true;
        for (size_t other = 0; other < dims; ++other)
          isBounded &=
              rest.factor(other) <= 0 || domain.ranges[other].end < kFar;
        if (!isBounded)
          continue;
        int64_t most = mostOf(rest, domain.ranges);
        Range &range = domain.ranges[d];
        if (factor < 0)
          range.end = std::min(range.end, floorDiv(most, -factor) + 1);
        else
          range.begin = std::max(range.begin, ceilDiv(-most, factor));
      }
  for (const Linear &value : several)
    require(domain, value);
  return domain;
}

namespace {

/// Dims that are counted together.
using Group = std::vector<unsigned>;

/// Whether what a thread fetches once depends on all of its registers: some of
/// them hold the same place, and some tile is cut off.
bool dependsOnAllRegisters(const TileAccess &access) {
  bool isShared = false, isCut = !access.domain.coupled.empty();
  for (const layout::Digit &digit : access.layout.registers) {
    if (digit.dim < 0 || digit.count == 1)
      continue;
    bool selects = false;
    for (const Linear &subscript : access.subscripts)
      selects |= subscript.factor(digit.dim) != 0;
    const Range &range = access.domain.ranges[digit.dim];
    int64_t box = access.box[digit.dim];
    isShared |= !selects;
    isCut |= range.begin % box != 0 || range.end % box != 0;
  }
  return isShared && isCut && access.sharesRegisters;
}

std::vector<Group> groupsOf(const TileAccess &access,
                            const std::vector<Linear> &subscripts,
                            bool joinsRegisters) {
  const Domain &domain = access.domain;
  const size_t dims = domain.ranges.size();
  std::vector<unsigned> leader(dims);
  std::iota(leader.begin(), leader.end(), 0);
  auto find = [&](unsigned d) {
    while (leader[d] != d)
      d = leader[d];
    return d;
  };
  auto join = [&](const Linear &value) {
    int first = -1;
    for (size_t d = 0; d < dims; ++d)
      if (value.factor(d) != 0) {
        if (first >= 0)
          leader[find(d)] = find(first);
        first = int(d);
      }
  };
  for (const Linear &constraint : domain.coupled)
    join(constraint);
  for (const Linear &subscript : subscripts)
    join(subscript);
  if (joinsRegisters) {
    Linear all;
    all.factors.assign(dims, 0);
    for (const layout::Digit &digit : access.layout.registers)
      if (digit.dim >= 0)
        all.factors[digit.dim] = 1;
    join(all);
  }
  std::vector<Group> groups(dims);
  for (unsigned d = 0; d < dims; ++d)
    groups[find(d)].push_back(d);
  groups.erase(std::remove_if(groups.begin(), groups.end(),
                              [](const Group &g) { return g.empty(); }),
               groups.end());
  return groups;
}

/// Counts one group of dims.
class GroupCounter {
public:
  GroupCounter(const TileAccess &access, Counted what, const Group &group,
               int64_t &left)
      : access(access), what(what), group(group), left(left) {
    for (const Linear &constraint : access.domain.coupled)
      for (unsigned d : group)
        if (constraint.factor(d) != 0) {
          constraints.push_back(&constraint);
          break;
        }
    for (const Linear &subscript : access.subscripts)
      for (unsigned d : group)
        if (subscript.factor(d) != 0) {
          subscripts.push_back(&subscript);
          rooms.push_back(mostOf(subscript, access.domain.ranges) -
                          leastOf(subscript, access.domain.ranges) + 1);
          break;
        }
    placePositions();
  }

  Count run() {
    constexpr double kMostTiles = 4e6;
    double tiles = 1;
    for (unsigned d : group)
      tiles *= double(access.domain.ranges[d].tiles(access.box[d]));
    if (tiles > kMostTiles)
      return {tiles * double(positions), false};
    corner.assign(access.box.size(), 0);
    walk(0);
    return total;
  }

private:
  /// All (register, thread) pairs of the group's digits, or the box's elements:
  /// coordinates by dim of the group, and a number that tells threads apart.
  void placePositions() {
    const size_t size = group.size();
    coordinates.assign(size, 0);
    threads.assign(1, 0);
    auto indexOf = [&](int dim) {
      for (size_t i = 0; i < size; ++i)
        if (int(group[i]) == dim)
          return int(i);
      return -1;
    };
    auto spread = [&](int at, int64_t steps, int64_t stride, bool isThread) {
      std::vector<int64_t> more, moreThreads;
      more.reserve(coordinates.size() * steps);
      moreThreads.reserve(threads.size() * steps);
      for (size_t n = 0; n < threads.size(); ++n)
        for (int64_t step = 0; step < steps; ++step) {
          for (size_t i = 0; i < size; ++i)
            more.push_back(coordinates[n * size + i] +
                           (int(i) == at ? step * stride : 0));
          moreThreads.push_back(isThread ? threads[n] * steps + step
                                         : threads[n]);
        }
      coordinates = std::move(more);
      threads = std::move(moreThreads);
    };
    isSilent.assign(size, what == Counted::Touches);
    if (what == Counted::Touches) {
      auto place = [&](const layout::Digit &digit, bool isThread) {
        if (int at = indexOf(digit.dim); at >= 0) {
          isSilent[at] = false;
          spread(at, digit.count, digit.stride, isThread);
        }
      };
      for (const layout::Digit &digit : access.layout.threads)
        place(digit, true);
      for (const layout::Digit &digit : access.layout.registers)
        place(digit, false);
    } else {
      for (size_t i = 0; i < size; ++i)
        spread(int(i), access.box[group[i]], 1, false);
    }
    positions = int64_t(threads.size());
  }

  void walk(size_t at) {
    if (at == group.size()) {
      tile();
      return;
    }
    unsigned d = group[at];
    const Range &range = access.domain.ranges[d];
    int64_t extent = access.box[d];
    for (int64_t k = floorDiv(range.begin, extent);
         k < ceilDiv(range.end, extent); ++k) {
      corner[d] = k * extent;
      walk(at + 1);
    }
  }

  void tile() {
    // The part of the tile within the ranges decides what it is.
    std::vector<Range> part(access.box.size());
    bool isWhole = true;
    for (unsigned d : group) {
      part[d].begin = std::max(corner[d], access.domain.ranges[d].begin);
      part[d].end =
          std::min(corner[d] + access.box[d], access.domain.ranges[d].end);
      isWhole &= part[d].count() == access.box[d];
    }
    for (const Linear *constraint : constraints) {
      if (mostOf(*constraint, part) < 0)
        return;
      isWhole &= leastOf(*constraint, part) >= 0;
    }
    if (isWhole) {
      if (whole < 0)
        whole = countTile();
      total.value += double(whole);
      return;
    }
    left -= positions;
    if (left < 0) {
      // Too many: as if it were whole.
      total.isExact = false;
      if (whole < 0)
        whole = positions;
      total.value += double(whole);
      return;
    }
    total.value += double(countTile());
  }

  bool isValid(const int64_t *at) const {
    for (size_t i = 0; i < group.size(); ++i) {
      const Range &range = access.domain.ranges[group[i]];
      if (!isSilent[i] && (at[i] < range.begin || at[i] >= range.end))
        return false;
    }
    for (const Linear *constraint : constraints)
      if (valueAt(*constraint, at) < 0)
        return false;
    return true;
  }

  int64_t valueAt(const Linear &value, const int64_t *at) const {
    int64_t result = value.constant;
    for (size_t i = 0; i < group.size(); ++i)
      result += value.factor(group[i]) * at[i];
    return result;
  }

  int64_t countTile() const {
    bool isDistinct = what == Counted::Elements ||
                      (what == Counted::Touches && access.sharesRegisters);
    int64_t counted = 0;
    std::vector<std::pair<int64_t, int64_t>> seen; // thread, place
    std::vector<int64_t> missing;                  // threads with one outside
    std::vector<int64_t> at(group.size());
    for (int64_t n = 0; n < positions; ++n) {
      for (size_t i = 0; i < group.size(); ++i)
        at[i] = corner[group[i]] + coordinates[n * group.size() + i];
      if (!isValid(at.data())) {
        if (missing.empty() || missing.back() != threads[n])
          missing.push_back(threads[n]);
        continue;
      }
      ++counted;
      if (!isDistinct)
        continue;
      // Subscripts as digits of one number: each has room for its values.
      int64_t place = 0;
      for (size_t s = 0; s < subscripts.size(); ++s)
        place = place * rooms[s] + valueAt(*subscripts[s], at.data()) -
                leastOf(*subscripts[s], access.domain.ranges);
      seen.emplace_back(what == Counted::Touches ? threads[n] : 0, place);
    }
    if (!isDistinct)
      return counted;
    std::sort(seen.begin(), seen.end());
    if (what == Counted::Elements)
      return std::unique(seen.begin(), seen.end()) - seen.begin();
    std::sort(missing.begin(), missing.end());
    int64_t touches = 0;
    for (size_t n = 0; n < seen.size(); ++n)
      touches +=
          n == 0 || seen[n] != seen[n - 1] ||
          std::binary_search(missing.begin(), missing.end(), seen[n].first);
    return touches;
  }

  const TileAccess &access;
  Counted what;
  const Group &group;
  int64_t &left; ///< positions that may still be looked at
  std::vector<const Linear *> constraints, subscripts;
  std::vector<int64_t> rooms; ///< values that each subscript has
  std::vector<int64_t> coordinates, threads;
  int64_t positions = 0;
  std::vector<bool> isSilent;
  std::vector<int64_t> corner;
  int64_t whole = -1; ///< of a tile that lies inside
  Count total;
};

/// A dim by itself, where the answer is a formula; nothing otherwise.
std::optional<double> byFormula(const TileAccess &access, Counted what,
                                unsigned d) {
  const Range &range = access.domain.ranges[d];
  bool selects = false;
  for (const Linear &subscript : access.subscripts)
    selects |= subscript.factor(d) != 0;
  if (what == Counted::Instances)
    return double(range.count());
  if (what == Counted::Elements)
    return double(selects ? range.count() : range.tiles(access.box[d]));
  bool hasThreads = false, hasRegisters = false;
  for (const layout::Digit &digit : access.layout.threads)
    hasThreads |= digit.dim == int(d) && digit.count > 1;
  for (const layout::Digit &digit : access.layout.registers)
    hasRegisters |= digit.dim == int(d) && digit.count > 1;
  if (!hasThreads && !hasRegisters)
    return double(range.tiles(access.box[d]));
  if (selects || !hasRegisters || !access.sharesRegisters)
    return double(range.count());
  return std::nullopt;
}

} // namespace

Count girih::cost::count(const TileAccess &access, Counted what) {
  constexpr int64_t kMostPositions = 20'000'000;
  if (access.domain.isEmpty())
    return {};
  int64_t left = kMostPositions;
  Count result{1, true};
  if (what == Counted::Touches)
    for (const layout::Digit &digit : access.layout.threads)
      if (digit.dim < 0)
        result.value *= double(digit.count);
  const std::vector<Linear> none;
  bool joins = what == Counted::Touches && dependsOnAllRegisters(access);
  for (const Group &group :
       groupsOf(access, what == Counted::Instances ? none : access.subscripts,
                joins)) {
    if (group.size() == 1)
      if (std::optional<double> value = byFormula(access, what, group[0])) {
        result.value *= *value;
        continue;
      }
    Count part = GroupCounter(access, what, group, left).run();
    result.value *= part.value;
    result.isExact &= part.isExact;
  }
  return result;
}

Count girih::cost::countInstances(const Domain &domain) {
  TileAccess access;
  access.domain = domain;
  // Tiles of many: whole ones are counted at once.
  for (const Range &range : domain.ranges)
    access.box.push_back(
        domain.coupled.empty() ? 1 : std::clamp<int64_t>(range.end / 8, 1, 16));
  return count(access, Counted::Instances);
}
