//===- Layout.cpp - how a tile lies over registers and threads ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/layout/Layout.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace girih::layout {

static int64_t product(const std::vector<Digit> &digits) {
  int64_t result = 1;
  for (const Digit &digit : digits)
    result *= digit.count;
  return result;
}

/// Adds the coordinates that `number`, written in `digits`, stands for.
static void addPart(const std::vector<Digit> &digits, int64_t number,
                    std::vector<int64_t> &coordinates) {
  for (const Digit &digit : digits) {
    if (digit.dim >= 0)
      coordinates[digit.dim] += number % digit.count * digit.stride;
    number /= digit.count;
  }
}

int64_t Layout::registerCount() const { return product(registers); }

int64_t Layout::threadCount() const { return product(threads); }

std::vector<int64_t> Layout::at(int64_t reg, int64_t thread) const {
  std::vector<int64_t> coordinates(rank(), 0);
  addPart(registers, reg, coordinates);
  addPart(threads, thread, coordinates);
  return coordinates;
}

std::vector<int64_t> Layout::registerPart(int64_t reg) const {
  std::vector<int64_t> coordinates(rank(), 0);
  addPart(registers, reg, coordinates);
  return coordinates;
}

std::vector<Layout::ThreadTerm> Layout::threadTerms(unsigned dim) const {
  std::vector<ThreadTerm> terms;
  int64_t divisor = 1;
  for (const Digit &digit : threads) {
    if (digit.dim == static_cast<int>(dim) && digit.count > 1)
      terms.push_back({divisor, digit.count, digit.stride});
    divisor *= digit.count;
  }
  return terms;
}

std::vector<Layout::ThreadTerm> Layout::copyTerms() const {
  std::vector<ThreadTerm> terms;
  int64_t divisor = 1;
  for (const Digit &digit : threads) {
    if (digit.dim < 0 && digit.count > 1)
      terms.push_back({divisor, digit.count, 0});
    divisor *= digit.count;
  }
  return terms;
}

int64_t Layout::vectorWidth(unsigned dim) const {
  int64_t width = 1;
  for (const Digit &digit : registers) {
    if (digit.count == 1)
      continue;
    if (digit.dim != static_cast<int>(dim) || digit.stride != width)
      break;
    width *= digit.count;
  }
  return width;
}

Layout Layout::slice(unsigned dim) const {
  Layout result;
  const int sliced = static_cast<int>(dim);
  for (unsigned d = 0; d < rank(); ++d)
    if (d != dim)
      result.shape.push_back(shape[d]);
  auto renumber = [&](Digit digit) {
    if (digit.dim > sliced)
      --digit.dim;
    return digit;
  };
  for (const Digit &digit : registers)
    if (digit.dim != sliced)
      result.registers.push_back(renumber(digit));
  for (const Digit &digit : threads)
    result.threads.push_back(digit.dim == sliced ? Digit{digit.count, -1, 0}
                                                 : renumber(digit));
  return result;
}

Layout Layout::permute(const std::vector<unsigned> &to) const {
  Layout result = *this;
  for (unsigned d = 0; d < rank(); ++d)
    result.shape[to[d]] = shape[d];
  for (std::vector<Digit> *digits : {&result.registers, &result.threads})
    for (Digit &digit : *digits)
      if (digit.dim >= 0)
        digit.dim = static_cast<int>(to[digit.dim]);
  return result;
}

bool Layout::isValid(std::string &why) const {
  constexpr int64_t kMostElements = int64_t(1) << 40;
  std::vector<std::vector<Digit>> along(rank());
  for (unsigned d = 0; d < rank(); ++d)
    if (shape[d] < 1) {
      why = "dimension " + std::to_string(d) + " has extent " +
            std::to_string(shape[d]);
      return false;
    }
  for (const std::vector<Digit> *digits : {&registers, &threads}) {
    int64_t total = 1;
    for (const Digit &digit : *digits) {
      if (digit.count < 1) {
        why = "a digit has count " + std::to_string(digit.count);
        return false;
      }
      if (digit.count > kMostElements / total) {
        why = "too many registers or threads";
        return false;
      }
      total *= digit.count;
      if (digit.dim < -1 || digit.dim >= static_cast<int>(rank())) {
        why = "a digit moves along dimension " + std::to_string(digit.dim) +
              " of a box of rank " + std::to_string(rank());
        return false;
      }
      if (digit.dim < 0 && digit.stride != 0) {
        why = "a copy digit has a stride";
        return false;
      }
      if (digit.dim >= 0 && digit.count > 1)
        along[digit.dim].push_back(digit);
    }
  }
  // Digits of positive stride reach every element of [0, n) exactly once iff,
  // sorted by stride, each stride is the product of the counts before it.
  for (unsigned d = 0; d < rank(); ++d) {
    std::vector<Digit> &digits = along[d];
    std::sort(digits.begin(), digits.end(), [](const Digit &a, const Digit &b) {
      return a.stride < b.stride;
    });
    int64_t reached = 1;
    for (const Digit &digit : digits) {
      if (digit.stride != reached) {
        why = "along dimension " + std::to_string(d) + ", stride " +
              std::to_string(digit.stride) + " follows " +
              std::to_string(reached) + " elements: " +
              (digit.stride < reached ? "an element is held twice"
                                      : "an element is held nowhere");
        return false;
      }
      if (digit.count > shape[d] / reached) {
        why = "the digits along dimension " + std::to_string(d) +
              " leave its extent of " + std::to_string(shape[d]);
        return false;
      }
      reached *= digit.count;
    }
    if (reached != shape[d]) {
      why = "the digits along dimension " + std::to_string(d) + " hold " +
            std::to_string(reached) + " of its " + std::to_string(shape[d]) +
            " elements";
      return false;
    }
  }
  return true;
}

std::optional<std::vector<int64_t>>
Layout::registerMapFrom(const Layout &source,
                        const std::vector<unsigned> &dims) const {
  // Both sides are register part + thread part, and both thread parts are zero
  // on thread 0: one register serves all threads iff the thread parts agree.
  const int64_t threadTotal = threadCount();
  if (threadTotal != source.threadCount() || dims.size() != source.rank())
    return std::nullopt;
  std::vector<int64_t> ours(rank()), theirs(source.rank());
  auto pick = [&](const std::vector<int64_t> &coordinates) {
    std::vector<int64_t> picked;
    for (unsigned dim : dims)
      picked.push_back(coordinates[dim]);
    return picked;
  };
  for (int64_t thread = 1; thread < threadTotal; ++thread) {
    std::fill(ours.begin(), ours.end(), 0);
    std::fill(theirs.begin(), theirs.end(), 0);
    addPart(threads, thread, ours);
    addPart(source.threads, thread, theirs);
    for (unsigned i = 0; i < dims.size(); ++i)
      if (ours[dims[i]] != theirs[i])
        return std::nullopt;
  }
  std::map<std::vector<int64_t>, int64_t> holders;
  for (int64_t reg = source.registerCount() - 1; reg >= 0; --reg)
    holders[source.registerPart(reg)] = reg;
  std::vector<int64_t> map;
  for (int64_t reg = 0, count = registerCount(); reg < count; ++reg) {
    auto found = holders.find(pick(registerPart(reg)));
    if (found == holders.end())
      return std::nullopt;
    map.push_back(found->second);
  }
  return map;
}

std::optional<Layout> streamingLayout(const std::vector<int64_t> &shape,
                                      int64_t threads, int64_t vector) {
  if (shape.empty() || threads < 1 || vector < 1 || shape.back() < 1 ||
      shape.back() % vector)
    return std::nullopt;
  Layout result;
  result.shape = shape;
  if (vector > 1)
    result.registers.push_back({vector, static_cast<int>(shape.size()) - 1, 1});
  for (int dim = static_cast<int>(shape.size()) - 1; dim >= 0; --dim) {
    if (shape[dim] < 1)
      return std::nullopt;
    const bool last = dim == static_cast<int>(shape.size()) - 1;
    int64_t stride = last ? vector : 1;
    const int64_t groups = shape[dim] / stride;
    const int64_t across = std::gcd(groups, threads);
    if (across > 1)
      result.threads.push_back({across, dim, stride});
    threads /= across;
    stride *= across;
    if (groups > across)
      result.registers.push_back({groups / across, dim, stride});
  }
  if (threads > 1)
    return std::nullopt;
  return result;
}

} // namespace girih::layout
