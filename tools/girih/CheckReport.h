//===- CheckReport.h - what girih check found -------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_CHECKREPORT_H
#define GIRIH_TOOLS_GIRIH_CHECKREPORT_H

#include "tools/girih/Job.h"
#include "tools/girih/Verdict.h"

namespace girih::cli {

struct CheckedOutput {
  std::string name;
  artifact::ScalarType type = artifact::ScalarType::F32;
  std::vector<int64_t> shape;
  /// A later run against an earlier one, bit for bit.
  rt::CompareResult runs;
  bool isAliased = false; ///< runs of both ways to place it were compared
  /// The device against the reference; none on the host.
  std::optional<Verdict> verdict;

  bool passed() const {
    return runs.equal() && (!verdict || verdict->compared.equal());
  }
};

struct CheckedSet {
  std::vector<int64_t> sizes;
  std::string variant; ///< that ran; empty on the host
  std::vector<CheckedOutput> outputs;
  std::string counters; ///< JSON under --json, else text; empty: not asked for

  bool passed() const;
};

struct CheckReport {
  artifact::Signature signature;
  std::string device, description, target, functions;
  bool onHost = false;
  std::vector<CheckedSet> sets;

  /// Takes over what stays the same for all sets.
  void begin(const Job &job);
  int64_t failedSets() const;
  /// Lines for people.
  std::string text() const;
  /// One object: op, device, description, target, functions, compared (false on
  /// the host, where only the reference's own runs are compared), passed, and
  /// sets: sizes, variant, passed and outputs: name, type, shape, elements,
  /// exact, bounded, unbounded, mismatches, max_error, max_error_over_bound,
  /// first (index, actual, actual_bits, expected, expected_bits, bound),
  /// runs_equal, first_run_difference (like first). With --counters a set has
  /// counters, one object a kernel. Numbers that JSON lacks are
  /// the strings "inf", "-inf" and "nan".
  std::string json() const;
};

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_CHECKREPORT_H
