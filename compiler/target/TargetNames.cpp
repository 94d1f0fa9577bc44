//===- TargetNames.cpp - finding a target by its name ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/target/KnownTargets.h"

#include <algorithm>
#include <iterator>

namespace girih::target {

std::optional<GpuTarget> findTarget(std::string_view name) {
  for (const GpuTarget &target : allTargets())
    if (target.name == name)
      return target;
  for (const GpuTarget &target : allCards())
    if (target.card == name)
      return target;
  return std::nullopt;
}

std::vector<std::string> knownCards() {
  std::vector<std::string> names;
  for (const GpuTarget &target : allCards())
    names.push_back(target.card);
  return names;
}

static constexpr std::string_view kMatrixTypes[] = {"f16", "bf16", "tf32",
                                                    "f8",  "int8", "f64"};

std::string_view nameOf(MatrixType type) { return kMatrixTypes[size_t(type)]; }

std::optional<MatrixType> findMatrixType(std::string_view name) {
  for (size_t i = 0; i < std::size(kMatrixTypes); ++i)
    if (kMatrixTypes[i] == name)
      return MatrixType(i);
  return std::nullopt;
}

const MatrixRate *GpuTarget::matrixOf(MatrixType type) const {
  for (const MatrixRate &rate : matrix)
    if (rate.type == type)
      return &rate;
  return nullptr;
}

unsigned GpuTarget::residentClusters(unsigned size) const {
  if (size == 0 || (size > 1 && size > maxClusterBlocks))
    return 0;
  for (const ClusterCount &count : clusters)
    if (count.size == size)
      return count.resident;
  return multiprocessors / size;
}

std::vector<std::string> knownTargets() {
  std::vector<std::string> names;
  for (const GpuTarget &target : allTargets())
    names.push_back(target.name);
  return names;
}

static char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

/// Insertions, deletions and substitutions from `a` to `b`, ignoring case.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      bool same = lowered(a[i - 1]) == lowered(b[j - 1]);
      size_t best = std::min({row[j] + 1, row[j - 1] + 1, diagonal + !same});
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[b.size()];
}

static size_t commonPrefix(std::string_view a, std::string_view b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && lowered(a[n]) == lowered(b[n]))
    ++n;
  return n;
}

std::string nearestTarget(std::string_view name) {
  constexpr size_t kFarthest = 2;
  // Longer than any name by more than that: no need to measure.
  if (name.empty() || name.size() > 16)
    return "";
  std::string nearest;
  size_t nearestDistance = kFarthest + 1, nearestPrefix = 0;
  std::vector<std::string> names = knownTargets();
  for (const std::string &card : knownCards())
    names.push_back(card);
  for (const std::string &known : names) {
    size_t distance = editDistance(name, known);
    size_t prefix = commonPrefix(name, known);
    // Of equally near names, the one that starts alike: sm_99 is sm_90.
    if (distance < nearestDistance ||
        (distance == nearestDistance && distance <= kFarthest &&
         prefix > nearestPrefix)) {
      nearest = known;
      nearestDistance = distance;
      nearestPrefix = prefix;
    }
  }
  return nearest;
}

} // namespace girih::target
