//===- SuggestTest.cpp - "did you mean" -----------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/support/Suggest.h"

#include <catch2/catch.hpp>

using girih::didYouMean;
using girih::nearestName;

TEST_CASE("the nearest name is offered") {
  CHECK(nearestName("sliu", {"relu", "silu", "sigmoid"}) == "silu");
  CHECK(nearestName("EXP", {"abs", "exp"}) == "exp");
  CHECK(nearestName("softmaxx", {"matmul", "softmax"}) == "softmax");
  CHECK(didYouMean("sqr", {"sqrt"}) == "; did you mean 'sqrt'?");
}

TEST_CASE("a far name is not offered") {
  CHECK(nearestName("A", {"B", "C"}) == "");
  CHECK(nearestName("a", {"A"}) == "A");
  CHECK(nearestName("matmul", {"softmax"}) == "");
  CHECK(nearestName("x", {}) == "");
  CHECK(nearestName("exp", {"exp"}) == "");
  CHECK(didYouMean("matmul", {"softmax"}) == "");
}
