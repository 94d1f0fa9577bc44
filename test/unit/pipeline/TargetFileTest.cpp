//===- TargetFileTest.cpp - a GPU described in a file ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/TargetFile.h"

#include <catch2/catch.hpp>

using namespace girih;
using target::findTarget;
using target::GpuTarget;

namespace {

struct Read {
  std::optional<GpuTarget> target;
  std::vector<std::string> messages;
  std::string text;
};

Read read(const std::string &text) {
  auto file = std::make_shared<SourceFile>("card.json", text);
  Diagnostics diags(file);
  Read result;
  result.target = pipeline::readTarget(*file, diags);
  for (const Diagnostic &diagnostic : diags.all())
    result.messages.push_back(diagnostic.code + ": " + diagnostic.message);
  result.text = diags.renderText(false);
  return result;
}

/// The text of a card with one part replaced.
std::string changed(const std::string &from, const std::string &to,
                    const char *card = "h100") {
  std::string text = pipeline::printTarget(*findTarget(card));
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("every target survives its text", "[target-file]") {
  std::vector<std::string> names = target::knownTargets();
  for (const std::string &card : target::knownCards())
    names.push_back(card);
  for (const std::string &name : names) {
    INFO(name);
    Read result = read(pipeline::printTarget(*findTarget(name)));
    INFO(result.text);
    REQUIRE(result.target);
    CHECK(*result.target == *findTarget(name));
  }
}

TEST_CASE("a card of one's own", "[target-file]") {
  Read result = read(
      changed("\"multiprocessors\": 108", "\"multiprocessors\": 98", "a100"));
  INFO(result.text);
  REQUIRE(result.target);
  CHECK(result.target->multiprocessors == 98);
  CHECK(result.target->name == "sm_80");
}

TEST_CASE("targets that are refused", "[target-file]") {
  struct Case {
    const char *from, *to;
    std::pair<const char *, const char *> says;
  };
  const Case cases[] = {
      {"\"warpSize\"",
       "\"warpsize\"",
       {"G0823", "unknown key 'warpsize'; did you mean 'warpSize'?"}},
      {"\"l2Bytes\"", "\"levels\"", {"G0823", "the target lacks 'l2Bytes'"}},
      {"\"multiprocessors\": 132",
       "\"multiprocessors\": 1.5",
       {"G0823", "'multiprocessors' is an integer: a count"}},
      {"\"multiprocessors\": 132",
       "\"multiprocessors\": \"132\"",
       {"G0823", "'multiprocessors' is an integer: a count"}},
      {"\"multiprocessors\": 132",
       "\"multiprocessors\": -132",
       {"G0823", "'multiprocessors' is a count: -132 does not lie "
                 "between 1 and 4096"}},
      {"\"dramBandwidth\": 3350000000000",
       "\"dramBandwidth\": 3.35",
       {"G0823", "'dramBandwidth' is bytes a second: 3.35 does not lie between "
                 "1000000000 and 1e+15"}},
      {"\"dramBandwidth\": 3350000000000",
       "\"dramBandwidth\": null",
       {"G0823", "'dramBandwidth' is a number: bytes a second"}},
      {"\"sm_90a\"",
       "\"sm_91\"",
       {"G0823", "the name is what is compiled for, such as sm_90a; 'sm_91' is "
                 "none; did you mean 'sm_90'?"}},
      {"\"sm_90a\"", "90", {"G0823", "'name' is a string"}},
      {"\"sm_90a\"",
       "\"h100\"",
       {"G0823", "the name is what is compiled for, such as sm_90a; 'h100' is "
                 "none; did you mean 'sm_90a'?"}},
      {"\"maxThreadsPerMultiprocessor\": 2048",
       "\"maxThreadsPerMultiprocessor\": 512",
       {"G0823", "maxThreadsPerBlock (1024) is more than "
                 "maxThreadsPerMultiprocessor (512)"}},
      {"\"maxSharedBytesPerBlock\": 232448",
       "\"maxSharedBytesPerBlock\": 233472",
       {"G0823", "maxSharedBytesPerBlock with reservedSharedBytesPerBlock "
                 "(234496) is more than sharedBytesPerMultiprocessor "
                 "(233472)"}},
      {"\"readBandwidth\": 0",
       "\"readBandwidth\": 4e12",
       {"G0823", "readBandwidth (4000000000000) is more than dramBandwidth "
                 "(3350000000000)"}},
      {"\"resident\": 30",
       "\"resident\": 34",
       {"G0823", "blocks of resident clusters (136) is more than "
                 "multiprocessors (132)"}},
      {"\"size\": 4",
       "\"size\": 9",
       {"G0823", "a cluster's size (9) is more than maxClusterBlocks (8)"}},
      {"\"type\": \"bf16\"",
       "\"type\": \"bfloat\"",
       {"G0823", "a matrix instruction's 'type' is f16, bf16, tf32, f8, int8 "
                 "or f64"}},
      {"\"instruction\": \"wgmma\"",
       "\"instruction\": 1",
       {"G0823", "a matrix instruction's 'instruction' is its name"}},
      {"\"m\": 64",
       "\"m\": 0",
       {"G0823",
        "'m' of a matrix instruction is an extent of its shape: 0 does "
        "not lie between 1 and 4096"}},
      {"\"m\": 64",
       "\"q\": 64",
       {"G0823", "unknown key 'q' of a matrix instruction"}},
      {"\"clusters\": [",
       "\"clusters\": [3,",
       {"G0823", "'clusters' is a list of objects"}},
  };
  for (const Case &one : cases) {
    INFO(one.from << " -> " << one.to);
    Read result = read(changed(one.from, one.to));
    CHECK_FALSE(result.target);
    REQUIRE_FALSE(result.messages.empty());
    std::string expected = std::string(one.says.first) + ": " + one.says.second;
    bool found = false;
    for (const std::string &message : result.messages)
      found |= message == expected;
    INFO(result.text);
    CHECK(found);
  }
}

TEST_CASE("texts that are no target", "[target-file]") {
  CHECK(read("[]").messages ==
        std::vector<std::string>{"G0823: a target is a JSON object"});
  Read broken = read("{\"name\": ");
  CHECK_FALSE(broken.target);
  REQUIRE(broken.messages.size() == 1);
  CHECK(broken.messages[0].rfind("G0823: the target is no JSON: ", 0) == 0);
  CHECK(broken.text.find("help: girih doctor --target-json h100 prints a whole "
                         "one to start from") != std::string::npos);
  Read empty = read("{}");
  CHECK(empty.messages.size() > 20);
  // The caret stands under the key.
  Read wrong =
      read(changed("\"multiprocessors\": 132", "\"multiprocessors\": 0"));
  CHECK(wrong.text.find("^^^^^^^^^^^^^^^^^") != std::string::npos);
}
