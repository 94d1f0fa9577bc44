//===- TeInvarianceTest.cpp - do results depend on a size? ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/te/Invariance.h"
#include "test/unit/passes/TeTest.h"

using namespace girih::te;

namespace {

/// What the answer says of the te text, all in one.
std::string answerOf(const std::string &text, const char *size) {
  TeTest test(text);
  INFO(test.diagnostics);
  REQUIRE(test.runAll());
  InvarianceAnswer answer = invarianceIn(test.func(), size);
  std::string said;
  for (const SizeDependence &reason : answer.reasons) {
    for (const std::string &result : reason.results)
      said += result + " ";
    said += "no: " + reason.what + "\n";
  }
  for (const std::string &sentence : answer.proved)
    said += "yes: " + sentence + "\n";
  return said;
}

/// Y: [M] is X: [M] behind `body`, whose value is %v and which may say where
/// an instance writes.
std::string mapOf(const std::string &body, const std::string &head = "",
                  const std::string &at = "", const std::string &before = "") {
  return R"(te.func @f sizes ["M", "N"] (%X "X": !te.tensor<[M], f32>,
      %Z "Z": !te.tensor<[M, N], f32>)
      -> ("Y": !te.tensor<[M], f32>) functions fast {
)" + before +
         R"(  %Y = te.compute "Y" ["i"] )" + head + R"( : !te.tensor<[M], f32> {
  ^bb0(%i: index):
)" + body +
         "    te.yield %v : f32" + at + R"(
  }
  te.return %Y : !te.tensor<[M], f32>
})";
}

const char kRead[] = "    %v = te.read %X[%i] : !te.tensor<[M], f32>\n";

/// A tensor whose memory %Y goes on in.
const char kFirst[] = R"(  %Y0 = te.compute "Y0" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %v = te.constant 0.0 : f32
    te.yield %v : f32
  }
)";

} // namespace

TEST_CASE("maps are invariant in the sizes of their rows", "[te]") {
  CHECK(answerOf(mapOf(kRead), "M") ==
        "yes: Y does not depend on M: it has no reduction, and M neither "
        "chooses an element nor is a value\n");
}

TEST_CASE("reductions over a size depend on it, others do not", "[te]") {
  std::string text = mapOf(
      R"(    %v = te.reduce sum ["j"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%j: index):
      %z = te.read %Z[%i, %j] : !te.tensor<[M, N], f32>
      te.yield %z : f32
    }
)");
  CHECK(answerOf(text, "M") ==
        "yes: Y does not depend on M: it reduces over other sizes alone, by "
        "terms of literals (Y is a sum over j in 0..N by lanes(4096, 4))\n");
  CHECK(answerOf(text, "N") == "Y no: Y takes the sum over j in 0..N\n");
}

TEST_CASE("sizes that choose or count", "[te]") {
  CHECK(answerOf(mapOf(R"(    %s = te.size "M"
    %v = te.to_float %s : index to f32
)"),
                 "M") == "Y no: Y uses M as a value\n");
  CHECK(answerOf(mapOf(R"(    %s = te.affine [%i] by [-1] plus M - 1
    %v = te.read %X[%s] : !te.tensor<[M], f32>
)"),
                 "M") == "Y no: Y has a subscript with M - 1\n");
  CHECK(answerOf(mapOf(R"(    %s = te.bound wrap %i in M
    %v = te.read %X[%s] : !te.tensor<[M], f32>
)"),
                 "M") == "Y no: Y reads by the rule wrap at M\n");
  CHECK(answerOf(mapOf(R"(    %s = te.size "M"
    %x = te.read %X[%i] : !te.tensor<[M], f32>
    %n = te.unary neg unset %x : f32
    %c = te.compare lt %i, %s : index
    %v = te.select %c, %x, %n : f32
)"),
                 "M") == "Y no: Y compares with M\n");
}

TEST_CASE("which statement defines an element", "[te]") {
  // All elements that exist: the same at each size.
  CHECK(answerOf(mapOf(kRead, "in [M] into %Y0", " at [%i]", kFirst), "M")
            .substr(0, 4) == "yes:");
  CHECK(
      answerOf(mapOf(kRead, "in [M - 1] into %Y0", " at [%i]", kFirst), "M") ==
      "Y no: Y has elements of i in 0..M - 1, and others beside them\n");
  CHECK(answerOf(
            mapOf("    te.where [%i] by [-1] plus M - 2\n" + std::string(kRead),
                  "into %Y0", "", kFirst),
            "M") == "Y no: Y has a condition with M - 2 on which of its "
                    "elements a statement defines\n");
  CHECK(answerOf(
            mapOf("    te.where [%i] by [1] plus N - 2\n" + std::string(kRead),
                  "into %Y0", "", kFirst),
            "M")
            .substr(0, 4) == "yes:");
}

TEST_CASE("what a tensor is made from counts", "[te]") {
  const std::string text = R"(
te.func @f sizes ["M", "N", "H"] (%X "X": !te.tensor<[M, N], f32>)
    -> ("Y": !te.tensor<[M, N], f32>, "Z": !te.tensor<[M, N], f32>)
    derived [#te.derived<"H" = M by 2>] functions fast {
  %S = te.compute "S" ["j"] : !te.tensor<[N], f32> {
  ^bb0(%j: index):
    %v = te.reduce sum ["i"] in [H] order "fixed" leaf plain : f32 {
    ^bb0(%i: index):
      %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
      te.yield %x : f32
    }
    te.yield %v : f32
  }
  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %v = te.read %S[%j] : !te.tensor<[N], f32>
    te.yield %v : f32
  }
  %Z = te.compute "Z" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %v = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    te.yield %v : f32
  }
  te.return %Y, %Z : !te.tensor<[M, N], f32>, !te.tensor<[M, N], f32>
})";
  const std::string proved = "yes: Z does not depend on ";
  CHECK(answerOf(text, "M").find(
            "Y no: S takes the sum over i in 0..H (H changes with M)\n" +
            proved) == 0);
  CHECK(answerOf(text, "H").find("Y no: S takes the sum over i in 0..H\n" +
                                 proved) == 0);
  TeTest test(text);
  REQUIRE(test.runAll());
  CHECK(invarianceIn(test.func(), "M").reasons.at(0).path ==
        "Y is made from S");
}

TEST_CASE("the text of te keeps what it is asked", "[te]") {
  std::string text = mapOf(kRead);
  text.insert(text.find("functions fast") + 14, " invariant [\"M\"]");
  TeTest test(text);
  CHECK(test.has("functions fast invariant [\"M\"] {"));
}
