//===- ValidateTest.cpp - artifacts that contradict themselves ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleArtifact.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::artifact;

/// The message for the sample after `change`, as loading gives it.
template <typename Change> static std::string refusal(Change change) {
  Artifact artifact = sampleArtifact();
  change(artifact);
  Result<Artifact> loaded = deserialize(serialize(artifact));
  REQUIRE_FALSE(loaded);
  return loaded.message();
}

TEST_CASE("a signature must be consistent") {
  CHECK(refusal([](Artifact &a) { a.signature.given.pop_back(); }) ==
        "the signature has 3 sizes and 2 given values");
  CHECK(refusal([](Artifact &a) { a.signature.given[1] = -2; }) ==
        "the size 'N' is given as -2");
  CHECK(refusal([](Artifact &a) {
          a.signature.params[0].shape[1] = SizeExpr::sizeRef(3);
        }) == "the shape of 'A' names size 3 of 3");
  CHECK(refusal([](Artifact &a) {
          a.signature.params[2].shape[0] = SizeExpr::constant(-1);
        }) == "the shape of 'bias' has the negative extent -1");
  CHECK(refusal([](Artifact &a) {
          a.signature.params[2].shape[0] = SizeExpr::binary(
              SizeExpr::Kind::Mul, SizeExpr::sizeRef(0), SizeExpr::sizeRef(1));
        }) == "the shape of 'bias' is neither constants nor sums over sizes");
  CHECK(refusal([](Artifact &a) { a.signature.constraints[0].size = 7; }) ==
        "a constraint names size 7 of 3");
  CHECK(refusal([](Artifact &a) { a.signature.constraints[0].value = 0; }) ==
        "a divisibility constraint has the value 0, which must be positive");
}

TEST_CASE("derived sizes follow from those before them") {
  auto derived = [](auto change) {
    return refusal([&](Artifact &a) { change(a.signature.derived); });
  };
  using List = std::vector<DerivedSize>;
  CHECK(derived([](List &list) { list[0].size = 3; }) ==
        "derived size 0 names size 3 of 3");
  CHECK(derived([](List &list) { list[0].divisor = 0; }) ==
        "derived size 0 has the value 0, which must be positive");
  CHECK(derived([](List &list) { list[0].sum = SizeExpr::sizeRef(2); }) ==
        "derived size 0 uses one that is not known before it");
  CHECK(derived([](List &list) {
          list[0].sum = SizeExpr::binary(
              SizeExpr::Kind::Mul, SizeExpr::sizeRef(0), SizeExpr::sizeRef(1));
        }) == "derived size 0 divides what is no sum of sizes");
}

TEST_CASE("what is said of parameters must fit their shapes") {
  auto param = [](unsigned index, auto change) {
    return refusal([&](Artifact &a) { change(a.signature.params[index]); });
  };
  CHECK(param(1, [](TensorParam &p) {
          p.groups = {1, 0, 1};
        }) == "a group of 'W' has 0 members");
  CHECK(param(1, [](TensorParam &p) { p.groups = {1}; }) ==
        "the groups of 'W' do not cover its dimensions");
  CHECK(param(2, [](TensorParam &p) { p.leading = true; }) ==
        "the leading dimensions of 'bias' are not one size");
  CHECK(param(1, [](TensorParam &p) { p.leading = true; }) ==
        "the leading dimensions of 'W' are not one size");
  CHECK(param(1, [](TensorParam &p) {
          p.layout = {1, 1};
        }) == "the layout of 'W' names dimension 1 twice or in vain");
  CHECK(param(1, [](TensorParam &p) {
          p.layout = {2, 0};
        }) == "the layout of 'W' names dimension 2 twice or in vain");
  CHECK(param(1, [](TensorParam &p) { p.layout = {0}; }) ==
        "the layout of 'W' leaves dimensions out");
  CHECK(param(1, [](TensorParam &p) { p.align = 24; }) ==
        "the alignment of 'W' is 24, which is no power of two up to 4096");
  CHECK(param(1, [](TensorParam &p) { p.align = 8192; }) ==
        "the alignment of 'W' is 8192, which is no power of two up to 4096");
  CHECK(param(3, [](TensorParam &p) { p.finite = true; }) ==
        "'C' is assumed finite and is no input of floats");
}

TEST_CASE("ranges are promised of integer inputs, offsets of one dimension") {
  auto param = [](unsigned index, auto change) {
    return refusal([&](Artifact &a) { change(a.signature.params[index]); });
  };
  SizeExpr zero = SizeExpr::constant(0), size = SizeExpr::sizeRef(0);
  CHECK(param(1, [&](TensorParam &p) {
          p.range = {zero, size};
        }) == "the range of 'W' is none that an integer input may promise");
  CHECK(param(1, [&](TensorParam &p) {
          p.type = ScalarType::I32;
          p.range = {zero, size, size, size};
        }) == "the range of 'W' is none that an integer input may promise");
  CHECK(param(1, [&](TensorParam &p) {
          p.type = ScalarType::I32;
          p.range = {zero, size, size};
        }) == "'W' holds offsets, and has 2 dimensions");
  CHECK(param(2, [&](TensorParam &p) {
          p.type = ScalarType::I32;
          p.range = {zero, size, SizeExpr::sizeRef(3)};
        }) == "the range of 'bias' names size 3 of 3");
  Artifact artifact = sampleArtifact();
  artifact.signature.params[2].type = ScalarType::I32;
  artifact.signature.params[2].range = {zero, size, size};
  Result<Artifact> loaded = deserialize(serialize(artifact));
  REQUIRE(loaded);
  CHECK(loaded->signature.params[2].hasOffsets());
  CHECK(printJson(*loaded).find("\"offsets\": ") != std::string::npos);
}

TEST_CASE("guards must name what exists") {
  auto guard = [](unsigned index, auto change) {
    return refusal([&](Artifact &a) { change(a.variants[0].guards[index]); });
  };
  CHECK(guard(0, [](Guard &g) { g.param = 4; }) ==
        "a guard of variant 'vector' names parameter 4 of 4");
  CHECK(guard(0, [](Guard &g) { g.dim = 2; }) ==
        "a guard of variant 'vector' names dimension 2 of 2");
  CHECK(guard(1, [](Guard &g) { g.value = 0; }) ==
        "a guard of variant 'vector' has the value 0, which must be positive");
  CHECK(guard(2, [](Guard &g) { g.value = -16; }) ==
        "a guard of variant 'vector' has the value -16, which must be "
        "positive");
  CHECK(guard(3, [](Guard &g) { g.size = 3; }) ==
        "a guard of variant 'vector' names size 3 of 3");
  CHECK(guard(4, [](Guard &g) { g.size = 9; }) ==
        "a guard of variant 'vector' names size 9 of 3");
}

TEST_CASE("launches and workspace must name what exists") {
  auto launch = [](auto change) {
    return refusal([&](Artifact &a) { change(a.variants[0].launches[0]); });
  };
  const std::string kernel = "kernel 'matmul__0_C' of variant 'vector'";
  CHECK(launch([](Launch &l) { l.threads = 0; }) ==
        kernel + " is launched with no threads");
  CHECK(launch([](Launch &l) { l.grid = SizeExpr::sizeRef(5); }) ==
        "the grid of " + kernel + " names size 5 of 3");
  CHECK(launch([](Launch &l) { l.grid.operands.pop_back(); }) ==
        "the grid of " + kernel + ": a product cannot have 1 operands");
  CHECK(launch([](Launch &l) { l.arguments[0].index = 4; }) ==
        "an argument of " + kernel + " names parameter 4 of 4");
  CHECK(launch([](Launch &l) { l.arguments[1].dim = 2; }) ==
        "an argument of " + kernel + " names dimension 2 of 2");
  CHECK(launch([](Launch &l) { l.arguments[2].index = 3; }) ==
        "an argument of " + kernel + " names size 3 of 3");
  CHECK(launch([](Launch &l) { l.arguments[3].index = 2; }) ==
        "an argument of " + kernel + " names workspace buffer 2 of 2");
  CHECK(launch([](Launch &l) {
          l.arguments[4].value = SizeExpr::sizeRef(3);
        }) == "an argument of " + kernel + " names size 3 of 3");
  CHECK(refusal([](Artifact &a) {
          a.variants[0].workspace[0].bytes = SizeExpr::sizeRef(3);
        }) == "the workspace buffer 'partials' of variant 'vector' names size "
              "3 of 3");
}

TEST_CASE("saving refuses what loading would refuse") {
  Artifact artifact = sampleArtifact();
  artifact.variants[0].launches[0].threads = 0;
  Status saved = saveFile(artifact, "/tmp/never-written.girih");
  REQUIRE_FALSE(saved);
  CHECK(saved.message() ==
        "cannot write '/tmp/never-written.girih': kernel 'matmul__0_C' of "
        "variant 'vector' is launched with no threads");
}
