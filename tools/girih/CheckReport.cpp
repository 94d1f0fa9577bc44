//===- CheckReport.cpp - what girih check found ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/CheckReport.h"

#include "runtime/Text.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>

using namespace girih;
using namespace girih::cli;
namespace js = llvm::json;

bool CheckedSet::passed() const {
  return std::all_of(
      outputs.begin(), outputs.end(),
      [](const CheckedOutput &output) { return output.passed(); });
}

void CheckReport::begin(const Job &job) {
  signature = job.artifact().signature;
  device = job.device().name();
  description = job.device().description();
  target = job.artifact().target;
  functions = job.artifact().contract.functions;
  onHost = job.onHost();
}

int64_t CheckReport::failedSets() const {
  return std::count_if(sets.begin(), sets.end(),
                       [](const CheckedSet &set) { return !set.passed(); });
}

std::string CheckReport::text() const {
  std::string text = signature.op + " on " + device + " (" + description +
                     "), functions " + functions + "\n";
  if (onHost)
    text += "no device was compared: these are runs of the reference alone\n";
  for (const CheckedSet &set : sets) {
    text += printSizes(signature, set.sizes);
    if (!set.variant.empty())
      text += ", variant " + set.variant;
    text += set.passed() ? "\n" : ": FAILED\n";
    for (const CheckedOutput &output : set.outputs) {
      if (output.verdict)
        text += "  " + printVerdict(output.name, output.type, *output.verdict) +
                "\n";
      std::string runs =
          onHost ? "runs with one and with several threads" : "two runs";
      if (output.isAliased)
        runs += ", and one in the memory of what it aliases,";
      if (output.runs.equal())
        text += "  " + output.name + ": " + runs + " agree in all " +
                rt::plural(output.runs.elements, "element") + "\n";
      else
        text += "  " + output.name + ": " + runs + " differ; " +
                rt::printComparison(output.name, output.type, output.runs) +
                "\n";
    }
    text += set.counters;
  }
  int64_t failed = failedSets();
  return text + (failed ? std::to_string(failed) + " of " : "") +
         rt::plural(int64_t(sets.size()), "set") + " of sizes " +
         (failed ? "failed" : "passed") + "\n";
}

static js::Value textOf(const std::string &text) {
  return js::Value(js::fixUTF8(text));
}

static js::Value number(double value) {
  if (std::isfinite(value))
    return js::Value(value);
  return js::Value(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

static js::Value firstOf(const rt::CompareResult &compared,
                         artifact::ScalarType type) {
  if (compared.equal())
    return js::Value(nullptr);
  unsigned digits = 2 * artifact::bytesOf(type);
  return js::Object{
      {"index", js::Array(compared.firstIndex)},
      {"actual", number(compared.firstActual)},
      {"actual_bits", rt::hex(compared.firstActualBits, digits)},
      {"expected", number(compared.firstExpected)},
      {"expected_bits", rt::hex(compared.firstExpectedBits, digits)},
      {"bound", number(compared.firstBound)}};
}

static js::Object objectOf(const CheckedOutput &output) {
  js::Object object{
      {"name", textOf(output.name)},
      {"type", std::string(artifact::nameOf(output.type))},
      {"shape", js::Array(output.shape)},
      {"elements", output.runs.elements},
      {"runs_equal", output.runs.equal()},
      {"first_run_difference", firstOf(output.runs, output.type)}};
  if (!output.verdict)
    return object;
  const rt::CompareResult &compared = output.verdict->compared;
  object["exact"] = output.verdict->exact;
  object["bounded"] = output.verdict->bounded;
  object["unbounded"] = output.verdict->unbounded;
  object["mismatches"] = compared.mismatches;
  object["max_error"] = number(compared.maxError);
  object["max_error_over_bound"] = number(compared.maxErrorOverBound);
  object["first"] = firstOf(compared, output.type);
  return object;
}

std::string CheckReport::json() const {
  js::Array entries;
  for (const CheckedSet &set : sets) {
    js::Object sizes;
    for (size_t size = 0; size < set.sizes.size(); ++size)
      sizes[signature.sizes[size]] = set.sizes[size];
    js::Array outputs;
    for (const CheckedOutput &output : set.outputs)
      outputs.push_back(objectOf(output));
    js::Object entry{{"sizes", std::move(sizes)},
                     {"variant", set.variant.empty() ? js::Value(nullptr)
                                                     : textOf(set.variant)},
                     {"passed", set.passed()},
                     {"outputs", std::move(outputs)}};
    if (!set.counters.empty())
      entry["counters"] = llvm::cantFail(js::parse(set.counters));
    entries.push_back(std::move(entry));
  }
  js::Object object{
      {"op", textOf(signature.op)},         {"device", textOf(device)},
      {"description", textOf(description)}, {"target", textOf(target)},
      {"functions", textOf(functions)},     {"compared", !onHost},
      {"passed", failedSets() == 0},        {"sets", std::move(entries)}};
  return llvm::formatv("{0:2}\n", js::Value(std::move(object)));
}
