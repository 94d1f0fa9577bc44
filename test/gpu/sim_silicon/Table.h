//===- Table.h - what a comparison found, printed -------------- -*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_GPU_SIM_SILICON_TABLE_H
#define GIRIH_TEST_GPU_SIM_SILICON_TABLE_H

#include "test/gpu/sim_silicon/Compare.h"

namespace girih::silicon {

/// A program that did not come through: refused, faulted, not deterministic.
struct Trouble {
  std::string program, what;
};

struct FamilyResult {
  std::string name;
  FamilyStatistics statistics;
  std::vector<Trouble> troubles;
  double seconds = 0;
};

/// Programs, values, mismatches and distances of each family.
void printTable(const std::vector<FamilyResult> &results);
/// The first example of every sort of mismatch, NaNs of f64 that differ, and
/// the approximations.
void printDetails(const FamilyResult &result);
/// Troubles that say the same are printed once.
void printTroubles(const FamilyResult &result);
bool writeJson(const std::string &path, const std::string &device,
               const std::vector<FamilyResult> &results);

} // namespace girih::silicon

#endif // GIRIH_TEST_GPU_SIM_SILICON_TABLE_H
