//===- FaultyKernelsTest.cpp - faults found, twins silent -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test/kernels holds PTX modules of two entries: `faulty` does something wrong
// in a way that a GPU hides, `correct` is its twin. Each file says how it is
// launched, on what, and which words its report has to contain ('|' separates
// alternatives).
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Simulator.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace girih;
using namespace girih::sim;
namespace fs = std::filesystem;

namespace {

struct Argument {
  std::string name, kind, type; ///< kind: in, out, value
  uint64_t count = 0;
};

struct Case {
  std::string text;
  LaunchShape shape;
  std::vector<Argument> arguments;
  std::vector<std::string> says;
};

Case readCase(const fs::path &path) {
  Case result;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    result.text += line + "\n";
    std::istringstream words(line);
    std::string slashes, key, word;
    words >> slashes >> key;
    if (slashes != "//")
      continue;
    if (key == "launch:")
      while (words >> word) {
        auto &extent = word == "grid"    ? result.shape.grid
                       : word == "block" ? result.shape.block
                                         : result.shape.cluster;
        REQUIRE(bool(words >> extent[0]));
        extent[1] = extent[2] = 1;
      }
    if (key == "argument:") {
      Argument argument;
      words >> argument.name;
      if (argument.name == "value") {
        argument.kind = "value";
        REQUIRE(bool(words >> argument.count));
      } else {
        REQUIRE(
            bool(words >> argument.kind >> argument.type >> argument.count));
      }
      result.arguments.push_back(argument);
    }
    if (key == "says:")
      result.says.push_back(line.substr(line.find("says: ") + 6));
  }
  REQUIRE(result.says.size() >= 1);
  REQUIRE(result.arguments.size() >= 1);
  return result;
}

Report runEntry(const Case &test, const std::string &entry, unsigned threads) {
  SimulatorOptions options;
  options.threads = threads;
  Simulator card(options);
  std::vector<uint64_t> words;
  for (const Argument &argument : test.arguments) {
    if (argument.kind == "value") {
      words.push_back(argument.count);
      continue;
    }
    // Every type of the files has four bytes.
    Result<uint64_t> address =
        argument.kind == "in"
            ? card.upload(std::vector<uint32_t>(argument.count, 0))
            : card.memory().allocate(argument.count * 4);
    REQUIRE(address.ok());
    card.memory().find(*address)->view = {
        argument.name, argument.type, 4, {int64_t(argument.count)}, {1}, 0};
    words.push_back(*address);
  }
  Result<Kernel> kernel = card.load(test.text, entry);
  INFO((kernel ? "" : kernel.message()));
  REQUIRE(kernel.ok());
  return card.run(*kernel, test.shape, words);
}

bool saysAny(const std::string &report, const std::string &alternatives) {
  std::istringstream parts(alternatives);
  for (std::string part; std::getline(parts, part, '|');)
    if (report.find(part) != std::string::npos)
      return true;
  return false;
}

std::vector<fs::path> allCases() {
  std::vector<fs::path> paths;
  for (const auto &entry : fs::directory_iterator(GIRIH_TEST_KERNELS))
    if (entry.path().extension() == ".ptx")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

} // namespace

TEST_CASE("faulty kernels are caught by their words", "[sim]") {
  std::vector<fs::path> paths = allCases();
  CHECK(paths.size() >= 20);
  for (const fs::path &path : paths) {
    Case test = readCase(path);
    Report report = runEntry(test, "faulty", 1);
    INFO(path.filename().string() << ":\n" << report.refusal << report.text());
    CHECK_FALSE(report.ok());
    CHECK_FALSE(report.faults.empty());
    for (const std::string &words : test.says) {
      INFO("says: " << words);
      CHECK(saysAny(report.text(), words));
    }
    CHECK(report.text().find("PTX line") != std::string::npos);
  }
}

TEST_CASE("their correct twins are silent", "[sim]") {
  for (const fs::path &path : allCases())
    for (unsigned threads : {1, 2}) {
      Report report = runEntry(readCase(path), "correct", threads);
      INFO(path.filename().string() << ":\n"
                                    << report.refusal << report.text());
      CHECK(report.ok());
    }
}
