//===- PlanLoopsTest.cpp - loops of launches, tensors in place ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Plan.h"
#include "test/unit/runtime/TestArtifact.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::rt;
using namespace girih::rt::test;
using artifact::Argument;
using artifact::SizeExpr;

namespace {

/// The general variant with launches a, b, c: the kernel of each is told by its
/// first argument, a number; then come the turns that it asks for.
artifact::Artifact threeLaunches(std::vector<artifact::LaunchLoop> loops,
                                 std::vector<std::vector<unsigned>> turns,
                                 std::vector<SizeExpr> grids = {}) {
  artifact::Artifact artifact = matmulArtifact();
  artifact.variants.erase(artifact.variants.begin());
  artifact::Variant &variant = artifact.variants[0];
  artifact::Launch plain = variant.launches[0];
  variant.launches.clear();
  for (unsigned l = 0; l < 3; ++l) {
    plain.grid = l < grids.size() ? grids[l] : SizeExpr::constant(1);
    plain.arguments.clear();
    Argument number;
    number.kind = Argument::Kind::Value;
    number.value = SizeExpr::constant(l);
    plain.arguments.push_back(number);
    for (unsigned loop : turns[l]) {
      Argument turn;
      turn.kind = Argument::Kind::Turn;
      turn.index = loop;
      plain.arguments.push_back(turn);
    }
    variant.launches.push_back(plain);
  }
  variant.loops = std::move(loops);
  return artifact;
}

std::string trace(const artifact::Artifact &artifact, int64_t m) {
  Result<BoundPlan> plan = bindPlan(artifact, matmulTensors(m, 16, 8));
  INFO((plan ? "" : plan.message()));
  REQUIRE(plan.ok());
  std::string text;
  double count = 0;
  Status status = plan->forEachLaunch([&](BoundLaunch &launch) -> Status {
    text += text.empty() ? "" : " ";
    text += char('a' + launch.arguments[0]);
    for (size_t a = 1; a < launch.arguments.size(); ++a)
      text += std::to_string(launch.arguments[a]);
    ++count;
    return {};
  });
  CHECK(status.ok());
  CHECK(count == plan->launchCount());
  return text;
}

} // namespace

TEST_CASE("loops of launches run one inside the other") {
  SizeExpr m = SizeExpr::sizeRef(0), two = SizeExpr::constant(2);
  CHECK(trace(threeLaunches({}, {{}, {}, {}}), 1) == "a b c");
  CHECK(trace(threeLaunches({{1, 2, m}}, {{}, {0}, {}}), 3) == "a b0 b1 b2 c");
  CHECK(trace(threeLaunches({{1, 2, m}}, {{}, {0}, {}}), 0) == "a c");
  CHECK(trace(threeLaunches({{0, 3, two}, {1, 2, m}}, {{0}, {0, 1}, {0}}), 2) ==
        "a0 b00 b01 c0 a1 b10 b11 c1");
  CHECK(trace(threeLaunches({{0, 2, two}, {0, 2, m}, {2, 3, m}},
                            {{0, 1}, {1}, {2}}),
              2) == "a00 b0 a01 b1 a10 b0 a11 b1 c0 c1");
  // A negative count is none.
  SizeExpr less =
      SizeExpr::binary(SizeExpr::Kind::Add, m, SizeExpr::constant(-5));
  CHECK(trace(threeLaunches({{0, 2, less}}, {{}, {}, {}}), 2) == "c");
}

TEST_CASE("launches without blocks leave loops as they are") {
  SizeExpr m = SizeExpr::sizeRef(0), two = SizeExpr::constant(2);
  SizeExpr none = SizeExpr::constant(0), one = SizeExpr::constant(1);
  CHECK(trace(threeLaunches({{0, 2, m}, {1, 2, two}}, {{0}, {}, {}},
                            {one, none, one}),
              2) == "a0 a1 c");
  CHECK(trace(threeLaunches({{0, 2, m}, {2, 3, two}}, {{}, {}, {1}},
                            {none, none, one}),
              2) == "c0 c1");
  CHECK(trace(threeLaunches({{0, 3, m}}, {{}, {}, {}}, {none, none, none}),
              1000000000) == "");
}

TEST_CASE("a failing launch ends the loops") {
  artifact::Artifact artifact =
      threeLaunches({{0, 2, SizeExpr::constant(5)}}, {{0}, {}, {}});
  Result<BoundPlan> plan = bindPlan(artifact, matmulTensors(1, 16, 8));
  REQUIRE(plan.ok());
  unsigned calls = 0;
  Status status = plan->forEachLaunch([&](BoundLaunch &launch) -> Status {
    ++calls;
    if (launch.arguments.size() == 2 && launch.arguments[1] == 1)
      return Failure{"enough"};
    return {};
  });
  CHECK(status.message() == "enough");
  CHECK(calls == 3);
}

TEST_CASE("an output in place is its input's tensor, and alone") {
  artifact::Artifact artifact = matmulArtifact();
  artifact.signature.params.push_back(artifact.signature.params[0]);
  artifact.signature.params[3].isOutput = true;
  artifact.signature.params[3].inPlace = 0;
  std::vector<Tensor> tensors = matmulTensors(4, 16, 8);
  tensors.push_back(tensors[0]);
  auto message = [&] {
    Result<BoundPlan> plan = bindPlan(artifact, tensors);
    return plan ? std::string("accepted") : plan.message();
  };
  CHECK(message() == "accepted");

  tensors[3].data = static_cast<char *>(tensors[0].data) + 4096;
  CHECK(message() == "output A is input A in place: both must be one tensor, "
                     "with the same address and strides");
  tensors[3] = tensors[0];
  tensors[1].data = static_cast<char *>(tensors[0].data) + 16;
  CHECK(message() == "A, which is written in place, overlaps the memory of W: "
                     "it must have memory of its own");
  tensors[1] = matmulTensors(4, 16, 8)[1];
  // Elements that share memory cannot be written.
  tensors[0].strides = tensors[3].strides = {0, 1};
  CHECK(message() == "output A (shape [4, 16], strides [0, 1]) has elements "
                     "that share memory");
}

TEST_CASE("an output that aliases its input is that tensor or apart from it") {
  artifact::Artifact artifact = matmulArtifact();
  artifact.signature.params.push_back(artifact.signature.params[0]);
  artifact::TensorParam &param = artifact.signature.params[3];
  param.name = "B";
  param.isOutput = true;
  param.inPlace = 0;
  param.apart = true;
  std::vector<Tensor> tensors = matmulTensors(4, 16, 8);
  tensors.push_back(tensors[0]);
  auto bound = [&] { return bindPlan(artifact, tensors); };
  auto message = [&] {
    Result<BoundPlan> plan = bound();
    return plan ? std::string("accepted") : plan.message();
  };
  Result<BoundPlan> plan = bound();
  REQUIRE(plan.ok());
  CHECK(plan->copies.empty());
  CHECK(plan->launches[0].arguments[0] ==
        reinterpret_cast<uintptr_t>(tensors[0].data));

  // Two tensors: the input is copied, and kernels get the output.
  char *far = static_cast<char *>(tensors[0].data) + (1 << 24);
  tensors[3].data = far;
  plan = bound();
  INFO((plan ? "" : plan.message()));
  REQUIRE(plan.ok());
  REQUIRE(plan->copies.size() == 1);
  CHECK(plan->copies[0].from == tensors[0].data);
  CHECK(plan->copies[0].to == far);
  CHECK(plan->copies[0].bytes == 4 * 16 * 2);
  CHECK(plan->launches[0].arguments[0] == reinterpret_cast<uintptr_t>(far));

  // In between.
  tensors[3].data = static_cast<char *>(tensors[0].data) + 32;
  CHECK(message() == "output B overlaps the memory of input A, which it "
                     "aliases: both must be one tensor, with the same address "
                     "and strides, or share no memory");
  tensors[3] = tensors[0];
  tensors[3].strides = {1, 4};
  CHECK(message() == "output B overlaps the memory of input A, which it "
                     "aliases: both must be one tensor, with the same address "
                     "and strides, or share no memory");
  tensors[3].data = far;
  CHECK(message() == "output B (strides [1, 4]) and input A (strides [16, 1]), "
                     "which it aliases, are two tensors: both must then lie in "
                     "memory alike, without gaps");
  tensors[0].strides = tensors[3].strides = {32, 1};
  CHECK(message() == "output B (strides [32, 1]) and input A (strides [32, "
                     "1]), which it aliases, are two tensors: both must then "
                     "lie in memory alike, without gaps");
  tensors = matmulTensors(4, 16, 8);
  tensors.push_back(tensors[0]);
  tensors[3].data = tensors[1].data;
  CHECK(message() ==
        "output B overlaps the memory of W: an output must have memory of its "
        "own");
  artifact.signature.params[0].align = 64;
  tensors[0].data = tensors[3].data = far;
  CHECK(message() == "accepted");
  tensors[3].data = far + 4096 + 32;
  CHECK(message().find("output B takes the part of input A, which promises "
                       "'align 64': its address ") == 0);
}
