//===- ViewTest.cpp - groups, leading dimensions and promises at run time -===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/View.h"
#include "TestArtifact.h"
#include "runtime/Plan.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::rt;
using namespace girih::rt::test;
using artifact::ScalarType;
using artifact::Signature;
using artifact::SizeExpr;
using artifact::TensorParam;
using Shape = std::vector<int64_t>;

/// `f(Q: f32[..R, (HK, G), D], K: f32[HK, D] layout(D, HK) align 16)
///    -> Y: f32[..R, (HK, G)]`
static Signature signature() {
  Signature s;
  s.op = "f";
  s.sizes = {"R", "HK", "G", "D"};
  s.given = {-1, -1, -1, -1};
  auto size = [](unsigned index) { return SizeExpr::sizeRef(index); };
  TensorParam q{"Q", ScalarType::F32, {size(0), size(1), size(2), size(3)}};
  q.groups = {1, 2, 1};
  q.leading = true;
  TensorParam k{"K", ScalarType::F32, {size(1), size(3)}};
  k.layout = {1, 0};
  k.align = 16;
  TensorParam y{"Y", ScalarType::F32, {size(0), size(1), size(2)}, true};
  y.groups = {1, 2};
  y.leading = true;
  s.params = {q, k, y};
  return s;
}

static std::vector<Tensor> tensors(const Shape &leading, int64_t heads,
                                   int64_t keys, int64_t depth) {
  Shape q = leading, y = leading;
  q.insert(q.end(), {heads, depth});
  y.push_back(heads);
  std::vector<Tensor> all = {at(0x10000, ScalarType::F32, q),
                             at(0x20000, ScalarType::F32, {keys, depth}),
                             at(0x30000, ScalarType::F32, y)};
  all[1].strides = {1, keys};
  return all;
}

static std::string refusal(const std::vector<Tensor> &params) {
  Result<BoundTensors> bound = bindTensors(signature(), params);
  return bound ? "" : bound.message();
}

TEST_CASE("groups are split and leading dimensions merged over strides") {
  // Every second row of a larger array, walked from its end.
  std::vector<Tensor> p = tensors({2, 3}, 6, 2, 5);
  p[0].strides = {3 * 100, 100, -10, 2};
  Result<BoundTensors> bound = bindTensors(signature(), p);
  REQUIRE(bound);
  CHECK(bound->sizes == Shape{6, 2, 3, 5});
  CHECK(bound->views[0].shape == Shape{6, 2, 3, 5});
  CHECK(bound->views[0].strides == Shape{100, -30, -10, 2});
  CHECK(bound->views[0].data == p[0].data);
  CHECK(bound->views[1].strides == Shape{1, 2});
  CHECK(bound->views[2].shape == Shape{6, 2, 3});
  CHECK(bound->views[2].strides == Shape{6, 3, 1});
}

TEST_CASE("there may be no leading dimensions, one, or one element in some") {
  Result<BoundTensors> none = bindTensors(signature(), tensors({}, 4, 2, 3));
  REQUIRE(none);
  CHECK(none->sizes == Shape{1, 2, 2, 3});
  CHECK(none->views[0].shape == Shape{1, 2, 2, 3});

  std::vector<Tensor> p = tensors({4, 1, 2, 1}, 4, 2, 3);
  p[0].strides[1] = 777; // says nothing
  p[0].strides[3] = -1;
  Result<BoundTensors> ones = bindTensors(signature(), p);
  REQUIRE(ones);
  CHECK(ones->sizes[0] == 8);
  CHECK(ones->views[0].strides == Shape{12, 6, 3, 1});

  std::vector<Tensor> empty = tensors({4, 0, 2}, 4, 2, 3);
  empty[0].strides[0] = 9999;
  Result<BoundTensors> bound = bindTensors(signature(), empty);
  REQUIRE(bound);
  CHECK(bound->sizes[0] == 0);

  // An expanded input: the same row everywhere.
  std::vector<Tensor> broadcast = tensors({2, 3}, 4, 2, 3);
  broadcast[0].strides = {0, 0, 3, 1};
  Result<BoundTensors> same = bindTensors(signature(), broadcast);
  REQUIRE(same);
  CHECK(same->views[0].strides[0] == 0);
}

TEST_CASE("what no single stride walks is refused") {
  std::vector<Tensor> p = tensors({2, 3}, 6, 2, 5);
  p[0].strides = {30, 60, 5, 1};
  CHECK(refusal(p) ==
        "Q's leading dimensions have the shape [2, 3] and the strides [30, "
        "60], which no single stride walks, and 'f' takes them as one "
        "('..R'): make it contiguous (x.contiguous(), "
        "numpy.ascontiguousarray(x))");
}

TEST_CASE("tensors that disagree about dimensions are refused") {
  std::vector<Tensor> p = tensors({2, 3}, 6, 2, 5);
  SECTION("leading dimensions of one size") {
    p[2] = at(0x30000, ScalarType::F32, {3, 2, 6});
    CHECK(refusal(p) == "the leading dimensions '..R' are [2, 3] in Q but [3, "
                        "2] in Y");
  }
  SECTION("leading dimensions of different sizes") {
    p[2] = at(0x30000, ScalarType::F32, {2, 6});
    CHECK(refusal(p) == "size 'R' is 6 in Q (the leading dimensions) but 2 in "
                        "Y (the leading dimensions)");
  }
  SECTION("rank") {
    p[0] = at(0x10000, ScalarType::F32, {6});
    CHECK(refusal(p) == "Q has rank 1, but 'f' takes f32[..R, (HK, G), D], "
                        "which has rank 2 or more");
  }
  SECTION("a group that does not divide") {
    p = tensors({2}, 7, 2, 5);
    CHECK(refusal(p) ==
          "dimension 1 of Q has extent 7, but 'f' takes f32[..R, (HK, G), D], "
          "and no size makes that: 7 is not a multiple of 2, what is left of "
          "the group without G");
  }
  SECTION("groups of different products") {
    p[2] = at(0x30000, ScalarType::F32, {2, 3, 8});
    CHECK(refusal(p) == "dimension 2 of Y has extent 8, but 'f' takes "
                        "f32[..R, (HK, G)], here 6");
  }
  SECTION("a group without elements") {
    p = tensors({2}, 0, 0, 5);
    CHECK(refusal(p) == "size 'G' does not follow from the tensors' shapes: "
                        "give a value with -D");
    Result<std::vector<int64_t>> known =
        solveSizes(signature(), p, {-1, -1, 4, -1});
    REQUIRE(known);
    CHECK(*known == Shape{2, 0, 4, 5});
  }
}

TEST_CASE("promises are checked with the strides and the address") {
  std::vector<Tensor> p = tensors({2, 3}, 6, 2, 5);
  SECTION("layout") {
    p[1].strides = {5, 1};
    CHECK(refusal(p) ==
          "K has the strides [5, 1], but 'f' is promised layout(D, HK) align "
          "16, which makes them [1, 2] for the shape [2, 5]");
    p[1].strides = {1, 3};
    CHECK_FALSE(refusal(p).empty());
  }
  SECTION("alignment") {
    p[1].data = reinterpret_cast<void *>(uintptr_t(0x20008));
    CHECK(refusal(p) ==
          "K's address 0x20008 is not a multiple of 16 bytes, but 'f' is "
          "promised layout(D, HK) align 16");
  }
  SECTION("one element in a dimension") {
    p = tensors({2}, 6, 1, 5);
    p[1].strides = {4711, 1};
    CHECK(refusal(p).empty());
  }
}

TEST_CASE("shapes of arguments follow from sizes and leading dimensions") {
  std::vector<Tensor> p = tensors({2, 3}, 6, 2, 5);
  p.pop_back();
  Result<LeadingDims> leading = leadingDims(signature(), p);
  REQUIRE(leading);
  auto shapes = parameterShapes(signature(), {6, 2, 3, 5}, *leading);
  REQUIRE(shapes);
  CHECK((*shapes)[2] == Shape{2, 3, 6});
  auto flat = parameterShapes(signature(), {6, 2, 3, 5});
  REQUIRE(flat);
  CHECK((*flat)[2] == Shape{6, 6});
}

TEST_CASE("tensors are laid out as promised") {
  TensorParam param{"X",
                    ScalarType::F32,
                    {SizeExpr::sizeRef(0), SizeExpr::sizeRef(1),
                     SizeExpr::constant(4), SizeExpr::sizeRef(2)}};
  param.groups = {1, 2, 1};
  param.leading = true;
  CHECK(promisedStrides(param, {2, 3, 8, 5}) == Shape{120, 40, 5, 1});
  param.layout = {3, 0, 1, 2};
  CHECK(artifact::outerLayout(param) == std::vector<unsigned>{2, 0, 1});
  CHECK(promisedStrides(param, {2, 3, 8, 5}) == Shape{24, 8, 1, 48});
  CHECK(promisedStrides(param, {8, 5}) == Shape{1, 8});
  CHECK(artifact::printPromises(param, {"R", "H", "N"}) ==
        " layout(N, ..R, (H, 4))");
}

TEST_CASE("kernels get the strides of the indexed dimensions") {
  artifact::Artifact program;
  program.signature = signature();
  artifact::Variant variant;
  variant.name = "general";
  artifact::Launch launch;
  launch.kernel = "k";
  launch.grid = SizeExpr::sizeRef(2);
  for (unsigned dim = 0; dim < 4; ++dim) {
    artifact::Argument argument;
    argument.kind = artifact::Argument::Kind::Stride;
    argument.dim = dim;
    launch.arguments.push_back(argument);
  }
  variant.launches = {launch};
  program.variants = {variant};
  Result<BoundPlan> plan = bindPlan(program, tensors({2, 3}, 6, 2, 5));
  REQUIRE(plan);
  CHECK(plan->launches[0].grid == 3);
  CHECK(plan->launches[0].arguments == std::vector<uint64_t>{30, 15, 5, 1});
}
