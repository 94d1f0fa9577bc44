//===- LoopsTest.cpp - loops of launches, outputs in place ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/artifact/SampleArtifact.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::artifact;

/// Launch 1 in two loops, launch 0 in the outer; A is an output, too.
static Artifact looped() {
  Artifact artifact = sampleArtifact();
  TensorParam again = artifact.signature.params[0];
  again.isOutput = true;
  again.inPlace = 0;
  again.apart = true;
  again.finite = false;
  artifact.signature.params.push_back(again);
  Variant &variant = artifact.variants[0];
  variant.loops = {{0, 2, SizeExpr::sizeRef(2)},
                   {1, 2,
                    SizeExpr::binary(SizeExpr::Kind::Add, SizeExpr::sizeRef(0),
                                     SizeExpr::constant(-1))}};
  Argument turn;
  turn.kind = Argument::Kind::Turn;
  turn.index = 1;
  variant.launches[1].arguments.push_back(turn);
  return artifact;
}

template <typename Change> static std::string refusal(Change change) {
  Artifact artifact = looped();
  change(artifact);
  Result<Artifact> loaded = deserialize(serialize(artifact));
  REQUIRE_FALSE(loaded);
  return loaded.message();
}

TEST_CASE("loops of launches come back") {
  Artifact before = looped();
  Result<Artifact> after = deserialize(serialize(before));
  INFO((after ? "" : after.message()));
  REQUIRE(after);
  CHECK(printJson(*after) == printJson(before));
  const Variant &variant = after->variants[0];
  REQUIRE(variant.loops.size() == 2);
  CHECK(variant.loops[0].begin == 0);
  CHECK(variant.loops[1].begin == 1);
  CHECK(variant.loops[1].end == 2);
  CHECK(*evaluate(variant.loops[1].count, {5, 4096, 7}) == 4);
  const Argument &turn = variant.launches[1].arguments.back();
  CHECK(turn.kind == Argument::Kind::Turn);
  CHECK(turn.index == 1);
  CHECK(after->signature.params.back().inPlace == 0);
  CHECK(after->signature.params[0].inPlace == -1);
  std::string json = printJson(*after);
  CHECK(json.find("\"turn#1\"") != std::string::npos);
  CHECK(json.find("\"inPlace\": \"A\"") != std::string::npos);
  CHECK(after->signature.params.back().apart);
  CHECK(!after->signature.params[0].apart);
  CHECK(json.find("\"apart\": true") != std::string::npos);
}

TEST_CASE("a loop repeats launches that exist, inside or behind another") {
  auto loop = [](unsigned number, auto change) {
    return refusal([&](Artifact &a) { change(a.variants[0].loops[number]); });
  };
  CHECK(loop(0, [](LaunchLoop &l) { l.end = 3; }) ==
        "loop 0 of variant 'vector' repeats launches 0 to 3 of 2");
  CHECK(loop(0, [](LaunchLoop &l) { l.end = 0; }) ==
        "loop 0 of variant 'vector' repeats launches 0 to 0 of 2");
  CHECK(loop(1, [](LaunchLoop &l) { l.count = SizeExpr::sizeRef(3); }) ==
        "the count of loop 1 of variant 'vector' names size 3 of 3");
  CHECK(refusal([](Artifact &a) {
          std::swap(a.variants[0].loops[0], a.variants[0].loops[1]);
        }) == "loop 1 of variant 'vector' is neither inside loop 0 nor behind "
              "it");
  CHECK(refusal([](Artifact &a) {
          a.variants[0].launches[1].arguments.back().index = 2;
        }) == "an argument of kernel 'matmul__1_C' of variant 'vector' names "
              "loop 2 of 2");
  CHECK(refusal([](Artifact &a) {
          Argument turn = a.variants[0].launches[1].arguments.back();
          a.variants[0].launches[0].arguments.push_back(turn);
        }) == "an argument of kernel 'matmul__0_C' of variant 'vector' counts "
              "the turns of loop 1, which the launch is not in");
}

TEST_CASE("an output is in the place of one input of its type and shape") {
  auto last = [](auto change) {
    return refusal([&](Artifact &a) { change(a.signature.params.back(), a); });
  };
  CHECK(last([](TensorParam &p, Artifact &) { p.inPlace = 1; }) ==
        "the output 'A' is in the place of 'W', which is no input of its type "
        "and shape");
  CHECK(last([](TensorParam &p, Artifact &) { p.inPlace = 9; }) ==
        "the output 'A' names parameter 9 of 5");
  CHECK(last([](TensorParam &p, Artifact &) { p.inPlace = -2; }) ==
        "'A' is in the place of parameter -2");
  CHECK(last([](TensorParam &p, Artifact &) { p.isOutput = false; }) ==
        "'A' is in the place of parameter 0");
  CHECK(last([](TensorParam &p, Artifact &) { p.inPlace = -1; }) ==
        "'A' may be apart from an input, and is in the place of none");
  CHECK(last([](TensorParam &p, Artifact &a) {
          TensorParam twice = p;
          a.signature.params.push_back(twice);
        }) == "two outputs are in the place of 'A'");
}

TEST_CASE("every truncation and every changed byte is noticed, with loops") {
  std::string bytes = serialize(looped());
  for (size_t length = 0; length < bytes.size(); ++length)
    if (deserialize(bytes.substr(0, length)))
      FAIL("accepted " << length << " of " << bytes.size() << " bytes");
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = char(changed[at] ^ 0x41);
    if (deserialize(changed))
      FAIL("accepted a change of byte " << at);
  }
}
