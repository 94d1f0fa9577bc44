//===- PlanTest.cpp - binding artifacts to tensors ------------------------===//
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
using artifact::ScalarType;
using artifact::SizeExpr;

static std::string refusal(const artifact::Artifact &artifact,
                           const std::vector<Tensor> &params) {
  Result<BoundPlan> plan = bindPlan(artifact, params);
  return plan ? "accepted" : plan.message();
}

TEST_CASE("a plan holds grids, words and workspace of the first variant") {
  Result<BoundPlan> plan =
      bindPlan(matmulArtifact(), matmulTensors(300, 64, 136));
  REQUIRE(plan);
  CHECK(plan->variant == 0);
  CHECK(plan->sizes == std::vector<int64_t>{300, 64, 136});
  // flags: ceil(300 / 128) = 3 bytes; parts: 1200 bytes.
  CHECK(plan->workspaceOffsets == std::vector<uint64_t>{0, 256});
  CHECK(plan->workspaceBytes == 256 + 1280);
  REQUIRE(plan->launches.size() == 2);
  CHECK(plan->launches[0].launch == 0);
  CHECK(plan->launches[0].grid == 3 * 3);
  CHECK(plan->launches[1].grid == 3);
  plan->attachWorkspace(0x7000);
  CHECK(plan->launches[0].arguments ==
        std::vector<uint64_t>{0x100000000000, 0x200000000000, 0x7100, 64, 64});
  CHECK(plan->launches[1].arguments ==
        std::vector<uint64_t>{0x7100, 0x7000, 0x300000000000, 131});
}

TEST_CASE("a negative value is passed as a signed word") {
  Result<BoundPlan> plan = bindPlan(matmulArtifact(), matmulTensors(1, 16, 0));
  REQUIRE(plan);
  CHECK(plan->launches.size() == 1); // split has no blocks
  CHECK(plan->launches[0].launch == 1);
  CHECK(int64_t(plan->launches[0].arguments[3]) == -5);
}

TEST_CASE("launches without blocks are left out") {
  Result<BoundPlan> plan = bindPlan(matmulArtifact(), matmulTensors(0, 16, 8));
  REQUIRE(plan);
  CHECK(plan->launches.empty());
}

TEST_CASE("an empty reduction is an ordinary plan") {
  Result<BoundPlan> plan = bindPlan(matmulArtifact(), matmulTensors(4, 0, 8));
  REQUIRE(plan);
  CHECK(plan->launches.size() == 2);
}

TEST_CASE("tensors that do not match are refused in words") {
  artifact::Artifact artifact = matmulArtifact();
  std::vector<Tensor> p = matmulTensors(4, 16, 8);

  SECTION("too few") {
    p.pop_back();
    CHECK(refusal(artifact, p) ==
          "2 tensors given, but 'matmul' takes 3: missing Y");
  }
  SECTION("too many") {
    p.push_back(p[0]);
    CHECK(refusal(artifact, p) ==
          "4 tensors given, but 'matmul' takes 3: A, W and Y");
  }
  SECTION("type") {
    p[1].type = ScalarType::F16;
    CHECK(refusal(artifact, p) == "W holds f16, but 'matmul' takes bf16[K, N]");
  }
  SECTION("rank") {
    p[0] = at(0x1000, ScalarType::BF16, {4, 4, 4});
    CHECK(refusal(artifact, p) == "A has rank 3, but 'matmul' takes "
                                  "bf16[M, K], which has rank 2");
  }
  SECTION("disagreeing sizes") {
    p[1] = at(0x1000, ScalarType::BF16, {32, 8});
    CHECK(refusal(artifact, p) == "size 'K' is 16 in A (dimension 1) but 32 "
                                  "in W (dimension 0)");
  }
  SECTION("disagreeing output") {
    p[2] = at(0x1000, ScalarType::F32, {4, 9});
    CHECK(refusal(artifact, p) ==
          "size 'N' is 8 in W (dimension 1) but 9 in Y (dimension 1)");
  }
  SECTION("compiled for another size") {
    artifact.signature.given[0] = 128;
    CHECK(refusal(artifact, p) == "size 'M' is 128 in the compiled program "
                                  "(-D) but 4 in A (dimension 0)");
  }
  SECTION("constraint") {
    CHECK(refusal(artifact, matmulTensors(4, 24, 8)) ==
          "size 'K' is 24, but 'matmul' requires K % 16 == 0");
    artifact.signature.constraints = {
        {0, artifact::SizeConstraint::Kind::AtMost, 3}};
    CHECK(refusal(artifact, p) ==
          "size 'M' is 4, but 'matmul' requires M <= 3");
    artifact.signature.constraints = {
        {0, artifact::SizeConstraint::Kind::AtLeast, 5}};
    CHECK(refusal(artifact, p) ==
          "size 'M' is 4, but 'matmul' requires M >= 5");
    artifact.signature.constraints = {
        {0, artifact::SizeConstraint::Kind::Equal, 7}};
    CHECK(refusal(artifact, p) ==
          "size 'M' is 4, but 'matmul' requires M == 7");
  }
  SECTION("constant extent") {
    artifact.signature.params[0].shape[0] = SizeExpr::constant(5);
    CHECK(refusal(artifact, p) == "dimension 0 of A has extent 4, but "
                                  "'matmul' takes bf16[5, K]");
  }
  SECTION("unknown size") {
    artifact.signature.sizes.push_back("P");
    artifact.signature.given.push_back(-1);
    CHECK(refusal(artifact, p) ==
          "size 'P' is in no tensor's shape: give a value with -D");
  }
  SECTION("negative extent") {
    p[0].shape[1] = -16;
    CHECK(refusal(artifact, p) ==
          "A cannot be used: the extent of dimension 1 is negative (-16)");
  }
  SECTION("overflowing extents") {
    p[0].shape = {INT64_MAX, 16};
    CHECK(refusal(artifact, p) ==
          "A cannot be used: the shape [9223372036854775807, 16] has more "
          "bytes than 64 bits can count");
  }
  SECTION("overflowing strides") {
    p[0].strides[0] = INT64_MAX / 2;
    CHECK(refusal(artifact, p) ==
          "A cannot be used: the strides of dimension 0 reach further than "
          "64 bits can count");
    p[0].strides[0] = -int64_t(0x200000000000);
    CHECK(refusal(artifact, p) ==
          "A cannot be used: its elements lie outside the 64-bit address "
          "space");
  }
  SECTION("strides of another rank") {
    p[0].strides.pop_back();
    CHECK(refusal(artifact, p) ==
          "A cannot be used: it has 2 extents but 1 strides");
  }
  SECTION("no memory") {
    p[1].data = nullptr;
    CHECK(refusal(artifact, p) == "W has 128 elements but no memory");
  }
  SECTION("address") {
    p[2] = at(0x1002, ScalarType::F32, {4, 8});
    CHECK(refusal(artifact, p) == "Y starts at address 0x1002, which is not a "
                                  "multiple of its element's 4 bytes");
  }
  SECTION("overlap") {
    p[2].data = static_cast<char *>(p[1].data) + 16 * 8 * 2 - 4;
    CHECK(refusal(artifact, p) == "output Y overlaps the memory of W: an "
                                  "output must have memory of its own");
    p[2].data = static_cast<char *>(p[1].data) + 16 * 8 * 2;
    CHECK(refusal(artifact, p) == "accepted");
  }
  SECTION("output on itself") {
    p[2].strides = {0, 1};
    CHECK(refusal(artifact, p) ==
          "output Y (shape [4, 8], strides [0, 1]) has elements that share "
          "memory");
  }
  SECTION("inputs may share memory") {
    p[1].data = p[0].data;
    CHECK(refusal(artifact, p) == "accepted");
  }
}

TEST_CASE("two outputs that overlap are named once, in order") {
  artifact::Artifact artifact = matmulArtifact();
  artifact.signature.params.push_back(
      {"Z", ScalarType::F32, {SizeExpr::sizeRef(0)}, true});
  std::vector<Tensor> p = matmulTensors(4, 16, 8);
  p.push_back(at(0x300000000000, ScalarType::F32, {4}));
  CHECK(refusal(artifact, p) == "output Y overlaps the memory of Z: an output "
                                "must have memory of its own");
}

TEST_CASE("too many blocks are refused with the number") {
  artifact::Artifact artifact = matmulArtifact();
  std::vector<Tensor> p = matmulTensors(65536, 0, 65537);
  CHECK(refusal(artifact, p) ==
        "kernel 'plain' would need 4295032832 blocks for M = 65536, K = 0, N "
        "= 65537, but a launch has at most 2147483647");
}

TEST_CASE("exactly the largest grid is accepted") {
  artifact::Artifact artifact = matmulArtifact();
  artifact.variants.erase(artifact.variants.begin());
  Result<BoundPlan> plan = bindPlan(artifact, matmulTensors(2147483647, 0, 1));
  REQUIRE(plan);
  CHECK(plan->launches[0].grid == 2147483647u);
}

TEST_CASE("workspaces that cannot be sized are refused") {
  artifact::Artifact artifact = matmulArtifact();
  artifact.variants[0].workspace[0].bytes = SizeExpr::binary(
      SizeExpr::Kind::Add, SizeExpr::sizeRef(0), SizeExpr::constant(-10));
  CHECK(refusal(artifact, matmulTensors(4, 16, 8)) ==
        "the workspace 'flags' cannot be sized for M = 4, K = 16, N = 8: -6 "
        "bytes");
}

TEST_CASE("guards choose the variant and say why") {
  artifact::Artifact artifact = matmulArtifact();
  auto firstReason = [&](const std::vector<Tensor> &params) {
    Result<std::vector<VariantExplanation>> why =
        explainVariants(artifact, params);
    REQUIRE(why);
    REQUIRE(why->size() == 2);
    Result<BoundPlan> plan = bindPlan(artifact, params);
    REQUIRE(plan);
    CHECK((*why)[plan->variant].chosen);
    CHECK_FALSE((*why)[1 - plan->variant].chosen);
    return (*why)[0].reason + "; " + (*why)[1].reason;
  };
  std::vector<Tensor> p = matmulTensors(4, 16, 8);
  CHECK(firstReason(p) ==
        "all its guards hold; not reached: 'vector' comes first");
  p[0].strides = {32, 2};
  CHECK(firstReason(p) ==
        "A's stride of dimension 1 is 2, not 1; all its guards hold");
  p = matmulTensors(4, 16, 8);
  p[1].data = static_cast<char *>(p[1].data) + 2;
  CHECK(firstReason(p) == "W's address 0x200000000002 is not a multiple of 16 "
                          "bytes; all its guards hold");
  CHECK(firstReason(matmulTensors(4, 16, 9)) ==
        "size 'N' is 9, not a multiple of 8; all its guards hold");

  artifact::Guard stride;
  stride.kind = artifact::Guard::Kind::StrideDivisible;
  stride.param = 0;
  stride.dim = 0;
  stride.value = 8;
  artifact::Guard atMost;
  atMost.kind = artifact::Guard::Kind::SizeAtMost;
  atMost.size = 0;
  atMost.value = 4;
  artifact.variants[0].guards = {stride, atMost};
  p = matmulTensors(4, 16, 8);
  p[0].strides[0] = 20;
  CHECK(firstReason(p) ==
        "A's stride of dimension 0 is 20, not a multiple of 8; all its "
        "guards hold");
  CHECK(firstReason(matmulTensors(5, 16, 8)) ==
        "size 'M' is 5, more than 4; all its guards hold");
}

TEST_CASE("strides of single extents never fail a guard") {
  artifact::Artifact artifact = matmulArtifact();
  artifact.signature.constraints.clear();
  std::vector<Tensor> p = matmulTensors(4, 1, 8);
  p[0].strides = {3, 77};
  Result<BoundPlan> plan = bindPlan(artifact, p);
  REQUIRE(plan);
  CHECK(plan->variant == 0);
}

TEST_CASE("without a fitting variant every reason is listed") {
  artifact::Artifact artifact = matmulArtifact();
  artifact.variants.pop_back();
  CHECK(refusal(artifact, matmulTensors(4, 16, 9)) ==
        "no variant of 'matmul' fits these tensors:\n"
        "  vector: size 'N' is 9, not a multiple of 8");
  artifact.variants.clear();
  CHECK(refusal(artifact, matmulTensors(4, 16, 8)) ==
        "no variant of 'matmul' fits these tensors: there is none");
}

TEST_CASE("sizes and output shapes come from the inputs alone") {
  artifact::Signature signature = matmulArtifact().signature;
  std::vector<Tensor> inputs = matmulTensors(4, 16, 8);
  inputs.pop_back();
  REQUIRE(checkTensors(signature, inputs));
  Result<std::vector<int64_t>> sizes = solveSizes(signature, inputs);
  REQUIRE(sizes);
  Result<std::vector<std::vector<int64_t>>> shapes =
      parameterShapes(signature, *sizes);
  REQUIRE(shapes);
  CHECK((*shapes)[2] == std::vector<int64_t>{4, 8});

  inputs.pop_back();
  Result<std::vector<int64_t>> missing = solveSizes(signature, inputs);
  REQUIRE_FALSE(missing);
  CHECK(missing.message() ==
        "size 'N' is in no tensor's shape: give a value with -D");
  Result<std::vector<int64_t>> known =
      solveSizes(signature, inputs, {-1, -1, 40});
  REQUIRE(known);
  CHECK(*known == std::vector<int64_t>{4, 16, 40});
  Result<std::vector<int64_t>> clash =
      solveSizes(signature, inputs, {5, -1, 40});
  REQUIRE_FALSE(clash);
  CHECK(clash.message() == "size 'M' is 5 as given but 4 in A (dimension 0)");
}

TEST_CASE("derived sizes are computed and agree with what tensors show") {
  using artifact::ScalarType;
  using artifact::SizeExpr;
  using Kind = SizeExpr::Kind;
  artifact::Signature signature;
  signature.op = "pool";
  signature.sizes = {"OH", "H", "H / 2"};
  signature.given = {-1, -1, -1};
  signature.params = {{"X", ScalarType::F32, {SizeExpr::sizeRef(1)}, false},
                      {"Y", ScalarType::F32, {SizeExpr::sizeRef(0)}, true}};
  // OH = (H - 3) / 2, and then H / 2.
  signature.derived = {{0,
                        SizeExpr::binary(Kind::Add, SizeExpr::sizeRef(1),
                                         SizeExpr::constant(-3)),
                        2},
                       {2, SizeExpr::sizeRef(1), 2}};
  float memory[16];
  auto tensor = [&](int64_t extent) {
    return Tensor{memory, ScalarType::F32, {extent}, {1}};
  };
  auto solve = [&](std::vector<int64_t> extents,
                   const std::vector<int64_t> &known = {}) {
    std::vector<Tensor> tensors;
    for (int64_t extent : extents)
      tensors.push_back(tensor(extent));
    return solveSizes(signature, tensors, known);
  };
  auto sizes = solve({8});
  REQUIRE(sizes);
  CHECK(*sizes == std::vector<int64_t>{2, 8, 4});
  CHECK(solve({8, 2}));
  CHECK(solve({8, 3}).message() ==
        "size 'OH' is 3 in Y (dimension 0) but 2 as (H - 3) / 2");
  CHECK(solve({8}, {3, -1, -1}).message() ==
        "size 'OH' is 3 as given but 2 as (H - 3) / 2");
  CHECK(solve({2}).message() == "size 'OH' would be -1 as (H - 3) / 2, and a "
                                "size is not negative");
  signature.given = {-1, -1, 5};
  CHECK(solve({8}).message() ==
        "size 'H / 2' is 5 in the compiled program (-D) "
        "but 4 by the other sizes");
}

TEST_CASE("tensors given by name are put in order") {
  artifact::Signature signature = matmulArtifact().signature;
  std::vector<Tensor> p = matmulTensors(4, 16, 8);
  Result<std::vector<Tensor>> ordered =
      orderByName(signature, {{"Y", p[2]}, {"A", p[0]}, {"W", p[1]}});
  REQUIRE(ordered);
  CHECK((*ordered)[1].data == p[1].data);
  CHECK(orderByName(signature, {{"B", p[0]}}).message() ==
        "'matmul' has no tensor 'B'; it takes A, W and Y");
  CHECK(orderByName(signature, {{"A", p[0]}, {"A", p[0]}}).message() ==
        "tensor 'A' is given twice");
  CHECK(orderByName(signature, {{"W", p[1]}}).message() ==
        "'matmul' also needs A and Y");
}
