//===- Table.cpp - what a comparison found, printed -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Table.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

using namespace girih::silicon;

static unsigned long long wide(uint64_t value) { return value; }

void girih::silicon::printTable(const std::vector<FamilyResult> &results) {
  std::printf("%-10s %8s %12s %12s %10s %8s %8s %8s %9s %7s\n", "family",
              "programs", "instructions", "values", "mismatches", "skipped",
              "payloads", "troubles", "distance", "s");
  for (const FamilyResult &result : results) {
    const FamilyStatistics &s = result.statistics;
    uint64_t distance = 0;
    for (const auto &[label, statistics] : s.labels)
      distance = std::max(distance, statistics.distance);
    std::printf(
        "%-10s %8llu %12llu %12llu %10llu %8llu %8llu %8zu %9llu %7.2f\n",
        result.name.c_str(), wide(s.programs), wide(s.instructions),
        wide(s.compared), wide(s.mismatches), wide(s.skipped), wide(s.payloads),
        result.troubles.size(), wide(distance), result.seconds);
  }
}

static void printNans(const std::string &label, const NanStatistics &nans) {
  auto [first, second, third] = nans.ofOperand;
  std::printf("  NAN PAYLOADS %s: %llu of %llu differ; silicon has operand 1's "
              "in %llu, 2's in %llu, 3's in %llu\n",
              label.c_str(), wide(nans.different), wide(nans.compared),
              wide(first), wide(second), wide(third));
  for (const std::string &example : nans.examples)
    std::printf("    %s\n", example.c_str());
}

void girih::silicon::printDetails(const FamilyResult &result) {
  for (const auto &[label, s] : result.statistics.labels)
    if (s.mismatches)
      std::printf("  MISMATCH %s: %llu of %llu values\n    %s\n", label.c_str(),
                  wide(s.mismatches), wide(s.compared), s.example.c_str());
  for (const auto &[label, s] : result.statistics.labels)
    if (s.nans.different)
      printNans(label, s.nans);
  for (const auto &[label, s] : result.statistics.labels) {
    if (!s.isApproximate)
      continue;
    std::printf("  %s: %llu equal, %llu one ulp apart, %llu further, at most "
                "%llu ulp and %.3g\n",
                label.c_str(), wide(s.equal), wide(s.oneApart),
                wide(s.furtherApart), wide(s.distance), s.absolute);
    if (s.distance > 1)
      std::printf("    farthest: %s\n", s.farthest.c_str());
  }
}

void girih::silicon::printTroubles(const FamilyResult &result) {
  std::map<std::string, std::pair<unsigned, std::string>> sorts;
  for (const Trouble &trouble : result.troubles) {
    auto &[count, program] = sorts[trouble.what];
    if (count++ == 0)
      program = trouble.program;
  }
  for (const auto &[what, found] : sorts)
    std::printf("  TROUBLE %s (%u like it): %s\n", found.second.c_str(),
                found.first, what.c_str());
}

static std::string quoted(const std::string &text) {
  std::string made = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      made += '\\';
    if (c == '\n')
      made += "\\n";
    else if (uint8_t(c) >= 0x20)
      made += c;
  }
  return made + "\"";
}

static void writeLabel(std::ofstream &out, const std::string &label,
                       const LabelStatistics &s) {
  out << "{\"opcode\": " << quoted(label) << ", \"values\": " << s.compared
      << ", \"mismatches\": " << s.mismatches;
  if (s.mismatches)
    out << ", \"example\": " << quoted(s.example);
  if (s.nans.compared) {
    out << ", \"nans\": " << s.nans.compared
        << ", \"nan_payloads\": " << s.nans.different
        << ", \"nans_of_operands\": [" << s.nans.ofOperand[0] << ", "
        << s.nans.ofOperand[1] << ", " << s.nans.ofOperand[2]
        << "], \"nan_examples\": [";
    for (size_t i = 0; i < s.nans.examples.size(); ++i)
      out << (i ? ", " : "") << quoted(s.nans.examples[i]);
    out << "]";
  }
  if (s.isApproximate)
    out << ", \"equal\": " << s.equal << ", \"one_ulp\": " << s.oneApart
        << ", \"further\": " << s.furtherApart
        << ", \"max_ulp\": " << s.distance
        << ", \"max_absolute\": " << s.absolute
        << ", \"farthest\": " << quoted(s.farthest);
  out << "}";
}

bool girih::silicon::writeJson(const std::string &path,
                               const std::string &device,
                               const std::vector<FamilyResult> &results) {
  std::ofstream out(path);
  out << "{\"device\": " << quoted(device) << ",\n \"families\": [";
  for (size_t i = 0; i < results.size(); ++i) {
    const FamilyStatistics &s = results[i].statistics;
    out << (i ? ",\n" : "\n") << "  {\"family\": " << quoted(results[i].name)
        << ", \"programs\": " << s.programs
        << ", \"instructions\": " << s.instructions
        << ", \"values\": " << s.compared
        << ", \"mismatches\": " << s.mismatches
        << ", \"skipped\": " << s.skipped
        << ", \"nan_payloads\": " << s.payloads
        << ", \"seconds\": " << results[i].seconds << ",\n   \"troubles\": [";
    for (size_t j = 0; j < results[i].troubles.size(); ++j)
      out << (j ? ", " : "")
          << "{\"program\": " << quoted(results[i].troubles[j].program)
          << ", \"what\": " << quoted(results[i].troubles[j].what) << "}";
    out << "],\n   \"opcodes\": [";
    bool first = true;
    for (const auto &[label, statistics] : s.labels) {
      out << (first ? "\n    " : ",\n    ");
      writeLabel(out, label, statistics);
      first = false;
    }
    out << "]}";
  }
  out << "]}\n";
  return bool(out);
}
