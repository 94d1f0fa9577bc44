//===- TePassesTest.cpp - the te passes on small modules ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/TeTexts.h"

using namespace girih::te;

//===----------------------------------------------------------------------===//
// te-hoist-reductions
//===----------------------------------------------------------------------===//

TEST_CASE("reductions move into tensors of their own") {
  TeTest test(funcOf(kSoftmax));
  auto before = runFunc(test);
  REQUIRE(test.run(createHoistReductions()));
  checkHoisted(test);
  CHECK(test.has(R"(te.compute "Y_max" ["i"] : !te.tensor<[M], f32>)"));
  CHECK(test.has(R"(te.compute "Y_sum" ["i"] : !te.tensor<[M], f32>)"));
  // The sum reads the maximum, now a tensor, inside its own body.
  ReduceOp sum = test.compute("Y_sum").getReduction();
  REQUIRE(sum);
  CHECK(llvm::count_if(sum.getBlock().getOps<ReadOp>(), [&](ReadOp read) {
          return read.getTensor() == test.compute("Y_max").getResult();
        }) == 1);
  checkSameBits(before, runFunc(test));
}

TEST_CASE("nested reductions take the enclosing reduction's indices") {
  TeTest test(funcOf(kNested));
  auto before = runFunc(test);
  REQUIRE(test.run(createHoistReductions()));
  checkHoisted(test);
  CHECK(
      test.has(R"(te.compute "Y_prod" ["i", "k"] : !te.tensor<[M, K], f32>)"));
  CHECK(test.has(R"(te.compute "Y_sum" ["i"] : !te.tensor<[M], f32>)"));
  // C's constant stood beside the reduction: sunk, so C stays one tensor.
  CHECK(test.compute("C").getReduction());
  CHECK_FALSE(test.compute("C_sum"));
  checkSameBits(before, runFunc(test));
}

TEST_CASE("a reduction is not repeated along an index it does not use") {
  TeTest test(reductionOf("M, K", R"("i", "j")", "(%i: index, %j: index):",
                          R"(sum ["k"] in [N] order "fixed" leaf plain : f32)",
                          R"(    ^bb0(%k: index):
      %v = te.read %X[%i, %k] : !te.tensor<[M, N], f32>)"));
  REQUIRE(test.run(createHoistReductions()));
  checkHoisted(test);
  CHECK(test.has(R"(te.compute "Y_sum" ["i"] : !te.tensor<[M], f32>)"));
}

TEST_CASE("hoisted tensors get names that nothing else has") {
  TeTest test(R"(te.func @f sizes ["N", "Y_sum"]
    (%X "Y_sum_2": !te.tensor<[N], f32>) -> ("Y": !te.tensor<[N], f32>)
    functions fast {
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %s = te.reduce sum ["Y_sum_3"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %v = te.read %X[%k] : !te.tensor<[N], f32>
      te.yield %v : f32
    }
    %x = te.read %X[%i] : !te.tensor<[N], f32>
    %y = te.binary sub %x, %s : f32
    te.yield %y : f32
  }
  te.return %Y : !te.tensor<[N], f32>
})");
  REQUIRE(test.run(createHoistReductions()));
  CHECK(test.has(R"(te.compute "Y_sum_4" [] : !te.tensor<[], f32>)"));
}

TEST_CASE("hoisting twice changes nothing") {
  TeTest test(funcOf(kNested));
  REQUIRE(test.run(createHoistReductions()));
  std::string once = test.text();
  REQUIRE(test.run(createHoistReductions()));
  CHECK(test.text() == once);
}

//===----------------------------------------------------------------------===//
// te-canonicalize
//===----------------------------------------------------------------------===//

TEST_CASE("dead tensors go, equal values merge, roundings stay") {
  TeTest test(funcOf(R"(
  %dead = te.compute "dead" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    te.yield %x : f32
  }
  %dead2 = te.compute "dead2" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %x = te.read %dead[%i, %j] : !te.tensor<[M, N], f32>
    te.yield %x : f32
  }
  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    %x2 = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    %zero = te.constant 0.0 : f32
    %one = te.constant 1.0 : f32
    %a = te.binary add %x, %zero : f32
    %b = te.binary mul %x2, %one : f32
    %two = te.binary add %one, %one : f32
    %c = te.binary mul %a, %two : f32
    %y = te.binary sub %c, %b : f32
    te.yield %y : f32
  })"));
  REQUIRE(test.run(createCanonicalizeTe()));
  CHECK_FALSE(test.compute("dead"));
  CHECK_FALSE(test.compute("dead2"));
  int reads = 0, binaries = 0;
  test.func().walk([&](ReadOp) { ++reads; });
  test.func().walk([&](BinaryOp) { ++binaries; });
  CHECK(reads == 1);
  CHECK(binaries == 5); // x + 0, x * 1 and 1 + 1 among them
}

TEST_CASE("a select on a constant and a negated constant are folded") {
  TeTest test(funcOf(R"(
  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    %zero = te.constant 0.0 : f32
    %negated = te.unary neg unset %zero : f32
    %no = te.constant false
    %y = te.select %no, %x, %negated : f32
    te.yield %y : f32
  })"));
  REQUIRE(test.run(createCanonicalizeTe()));
  CHECK(test.has("te.constant -0.000000e+00 : f32"));
  CHECK_FALSE(test.has("te.select"));
  CHECK_FALSE(test.has("te.unary"));
  CHECK_FALSE(test.has("te.read"));
}

TEST_CASE("tensors defined alike are merged, outputs are not") {
  std::string copy = R"( ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    %n = te.unary abs unset %x : f32
    te.yield %n : f32
  })";
  std::string sum = R"(
  %S = te.compute "S" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %a = te.read %A[%i, %j] : !te.tensor<[M, N], f32>
    %b = te.read %B[%i, %j] : !te.tensor<[M, N], f32>
    %y = te.binary add %a, %b : f32
    te.yield %y : f32
  })";
  std::string head = "\n  %A = te.compute \"A\"" + copy +
                     "\n  %B = te.compute \"B\"" + copy + sum;
  TeTest test(R"(te.func @f sizes ["M", "N"] (%X "X": !te.tensor<[M, N], f32>)
    -> ("S": !te.tensor<[M, N], f32>, "Y": !te.tensor<[M, N], f32>)
    functions fast {)" +
              head + "\n  %Y = te.compute \"Y\"" + copy + R"(
  te.return %S, %Y : !te.tensor<[M, N], f32>, !te.tensor<[M, N], f32>
})");
  REQUIRE(test.run(createCanonicalizeTe()));
  CHECK(test.compute("A"));
  CHECK_FALSE(test.compute("B"));
  CHECK(test.compute("Y"));
  // The two reads in S became one.
  CHECK(llvm::range_size(test.compute("S").getBlock().getOps<ReadOp>()) == 1);
}

//===----------------------------------------------------------------------===//
// te-inline-producers
//===----------------------------------------------------------------------===//

namespace {

/// A map P over [M, N] and a Y that reads it by `reads`.
std::string producerAnd(const std::string &reads,
                        const std::string &outputType = "[M, N], f32") {
  return funcOf(R"(
  %P = te.compute "P" ["i", "j"] : !te.tensor<[M, N], bf16> {
  ^bb0(%i: index, %j: index):
    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    %p = te.cast %x : f32 to bf16
    te.yield %p : bf16
  })" + reads,
                outputType);
}

} // namespace

TEST_CASE("a map with one reader of each element is computed there") {
  TeTest test(funcOf(kNested));
  REQUIRE(test.run(createHoistReductions()));
  auto before = runFunc(test);
  REQUIRE(test.run(createInlineProducers()));
  CHECK(test.compute("D")); // read by the sum and by the nested product
  CHECK(test.compute("C")); // a reduction
  checkSameBits(before, runFunc(test));

  TeTest cast(producerAnd(R"(
  %Y = te.compute "Y" ["j", "i"] : !te.tensor<[N, M], f32> {
  ^bb0(%j: index, %i: index):
    %p = te.read %P[%i, %j] : !te.tensor<[M, N], bf16>
    %y = te.cast %p : bf16 to f32
    te.yield %y : f32
  })",
                          "[N, M], f32"));
  before = runFunc(cast);
  REQUIRE(cast.run(createInlineProducers()));
  CHECK_FALSE(cast.compute("P"));
  CHECK(cast.has("f32 to bf16")); // the rounding stays
  CHECK(cast.has("bf16 to f32"));
  checkSameBits(before, runFunc(cast));
}

TEST_CASE("a map moves into a reduction that reads all of it once") {
  TeTest test(producerAnd(R"(
  %Y = te.compute "Y" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %s = te.reduce sum ["k"] in [N] order "sequential" leaf plain : f32 {
    ^bb0(%k: index):
      %p = te.read %P[%i, %k] : !te.tensor<[M, N], bf16>
      %y = te.cast %p : bf16 to f32
      te.yield %y : f32
    }
    te.yield %s : f32
  })",
                          "[M], f32"));
  auto before = runFunc(test);
  REQUIRE(test.run(createInlineProducers()));
  CHECK_FALSE(test.compute("P"));
  CHECK(test.compute("Y").getReduction());
  checkSameBits(before, runFunc(test));
}

TEST_CASE("a map stays where inlining would repeat work or lose an output") {
  SECTION("two reads") {
    TeTest test(producerAnd(R"(
  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %p = te.read %P[%i, %j] : !te.tensor<[M, N], bf16>
    %q = te.read %P[%i, %j] : !te.tensor<[M, N], bf16>
    %r = te.binary add %p, %q : bf16
    %y = te.cast %r : bf16 to f32
    te.yield %y : f32
  })"));
    REQUIRE(test.run(createInlineProducers()));
    CHECK(test.compute("P"));
  }
  SECTION("a broadcast") {
    TeTest test(producerAnd(R"(
  %Y = te.compute "Y" ["i", "j", "k"] : !te.tensor<[M, N, K], f32> {
  ^bb0(%i: index, %j: index, %k: index):
    %p = te.read %P[%i, %j] : !te.tensor<[M, N], bf16>
    %y = te.cast %p : bf16 to f32
    te.yield %y : f32
  })",
                            "[M, N, K], f32"));
    REQUIRE(test.run(createInlineProducers()));
    CHECK(test.compute("P"));
  }
  SECTION("a contraction's operand") {
    TeTest test(producerAnd(R"(
  %Y = te.compute "Y" ["i", "k"] : !te.tensor<[M, K], f32> {
  ^bb0(%i: index, %k: index):
    %s = te.reduce sum ["j"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%j: index):
      %p = te.read %P[%i, %j] : !te.tensor<[M, N], bf16>
      %f = te.cast %p : bf16 to f32
      %z = te.read %Z[%j, %k] : !te.tensor<[N, K], f32>
      %y = te.binary mul %f, %z : f32
      te.yield %y : f32
    }
    te.yield %s : f32
  })",
                            "[M, K], f32"));
    REQUIRE(test.run(createInlineProducers()));
    CHECK(test.compute("P"));
  }
  SECTION("a diagonal") {
    TeTest test(producerAnd(R"(
  %Y = te.compute "Y" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %p = te.read %P[%i, %i] : !te.tensor<[M, N], bf16>
    %y = te.cast %p : bf16 to f32
    te.yield %y : f32
  })",
                            "[M], f32"));
    REQUIRE(test.run(createInlineProducers()));
    CHECK(test.compute("P"));
  }
  SECTION("an output") {
    TeTest test(R"(te.func @f sizes ["M"] (%X "X": !te.tensor<[M], f32>)
      -> ("P": !te.tensor<[M], f32>) functions fast {
  %P = te.compute "P" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[M], f32>
    te.yield %x : f32
  }
  te.return %P : !te.tensor<[M], f32>
})");
    REQUIRE(test.run(createInlineProducers()));
    CHECK(test.compute("P"));
  }
}
