//===- TeAssocTest.cpp - terms, leaves, and the phases together -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/TeTexts.h"

using namespace girih::te;
using Catch::Matchers::Contains;

namespace {

/// Y[i] = sum[k](X[i, k]) in `order`.
std::string rowSum(const std::string &order) {
  return reductionOf("M", "\"i\"", "(%i: index):",
                     "sum [\"k\"] in [N] order \"" + order +
                         "\" leaf plain : f32",
                     R"(    ^bb0(%k: index):
      %v = te.read %X[%i, %k] : !te.tensor<[M, N], f32>)");
}

/// Y[i] = sum[k](X[i, k] * X[i, k]) in `order`.
std::string rowSquares(const std::string &order) {
  return reductionOf("M", "\"i\"", "(%i: index):",
                     "sum [\"k\"] in [N] order \"" + order +
                         "\" leaf plain : f32",
                     R"(    ^bb0(%k: index):
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
      %v = te.binary mul %x, %x : f32)");
}

/// Y[] = sum[a, b](X[a, b]) in `order`.
std::string wholeSum(const std::string &order) {
  return reductionOf("", "", ":",
                     "sum [\"a\", \"b\"] in [M, N] order \"" + order +
                         "\" leaf plain : f32",
                     R"(    ^bb0(%a: index, %b: index):
      %v = te.read %X[%a, %b] : !te.tensor<[M, N], f32>)");
}

std::string given(std::string text, const std::string &values) {
  std::string sizes = R"(sizes ["M", "N", "K"])";
  return text.insert(text.find(sizes) + sizes.size(),
                     " given [" + values + "]");
}

std::string termOf(const std::string &text, const char *tensor = "Y") {
  TeTest test(text);
  INFO(text);
  REQUIRE(test.run(createAssociate()));
  ReduceOp reduce = test.compute(tensor).getReduction();
  REQUIRE(reduce);
  return reduce.getTermAttr().getText().str() + " " +
         stringifyLeaf(reduce.getLeaf()).str();
}

std::string refusalOf(const std::string &text) {
  TeTest test(text);
  REQUIRE_FALSE(test.run(createAssociate()));
  return test.diagnostics;
}

} // namespace

//===----------------------------------------------------------------------===//
// te-assoc
//===----------------------------------------------------------------------===//

TEST_CASE("the default terms") {
  CHECK(termOf(rowSum("fixed")) == "lanes(4096, 4) plain");
  CHECK(termOf(rowSquares("fixed")) == "lanes(4096, 4) fma");
  // A column.
  CHECK(termOf(reductionOf("N", "\"j\"", "(%j: index):",
                           R"(max ["k"] in [M] order "fixed" leaf plain : f32)",
                           R"(    ^bb0(%k: index):
      %v = te.read %X[%k, %j] : !te.tensor<[M, N], f32>)")) ==
        "seg(4096, lanes(64, 1), m = lanes(64, 1)) plain");
  // A whole tensor: rows, then the sum of their sums.
  CHECK(termOf(wholeSum("fixed")) ==
        "seg(65536, lanes(1024, 4), m = lanes(1024, 1)) plain");
  CHECK(termOf(wholeSum("fixed"), "Y_sum") == "lanes(4096, 4) plain");
  // A matrix product.
  const char *matmul = R"(    ^bb0(%k: index):
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
      %z = te.read %Z[%k, %j] : !te.tensor<[N, K], f32>
      %v = te.binary mul %x, %z : f32)";
  CHECK(termOf(reductionOf("M, K", R"("i", "j")", "(%i: index, %j: index):",
                           R"(sum ["k"] in [N] order "fixed" leaf plain : f32)",
                           matmul)) == "seq fma");
  CHECK(
      termOf(reductionOf("M, K", R"("i", "j")", "(%i: index, %j: index):",
                         R"(prod ["k"] in [N] order "fixed" leaf plain : f32)",
                         matmul)) == "seq plain");
  // A matrix times a vector is no contraction: the rows say how.
  CHECK(termOf(reductionOf("M", R"("i")", "(%i: index):",
                           R"(sum ["k"] in [N] order "fixed" leaf plain : f32)",
                           R"(    ^bb0(%k: index):
      %zero = te.index_constant 0
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
      %z = te.read %Z[%k, %zero] : !te.tensor<[N, K], f32>
      %v = te.binary mul %x, %z : f32)")) == "lanes(4096, 4) fma");
}

TEST_CASE("a row's lanes hold 16 bytes of the tensor that is read") {
  for (auto [type, width] : {std::pair("f64", "2"), std::pair("f32", "4"),
                             std::pair("f16", "8"), std::pair("bf16", "8")}) {
    std::string text =
        R"(te.func @f sizes ["M", "N"] (%X "X": !te.tensor<[M, N], TYPE>)
      -> ("Y": !te.tensor<[M], f64>) functions fast {
  %Y = te.compute "Y" ["i"] : !te.tensor<[M], f64> {
  ^bb0(%i: index):
    %s = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f64 {
    ^bb0(%k: index):
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], TYPE>
      %v = te.cast %x : TYPE to f64
      te.yield %v : f64
    }
    te.yield %s : f64
  }
  te.return %Y : !te.tensor<[M], f64>
})";
    for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
      text.replace(at, 4, type);
    CHECK(termOf(text) == std::string("lanes(4096, ") + width + ") plain");
  }
}

TEST_CASE("the text's own order") {
  CHECK(termOf(rowSum("sequential")) == "seq plain");
  CHECK(termOf(rowSquares("sequential")) == "seq muladd");
  // Free is what fixed is.
  CHECK(termOf(rowSum("free")) == "lanes(4096, 4) plain");
  CHECK(termOf(rowSquares("free")) == termOf(rowSquares("fixed")));
  CHECK(termOf(wholeSum("free")) == termOf(wholeSum("fixed")));
  CHECK(termOf(rowSquares("seq")) == "seq fma");
  CHECK(termOf(rowSum("seg( 8,seq )")) == "seg(8, seq) plain");
  CHECK(termOf(wholeSum("sequential")) == "seq plain");
  CHECK(termOf(given(rowSum("tree(8)"), "-1, 64, -1")) == "tree(8) plain");
  CHECK(termOf(given(rowSum("seg(32, tree(8))"), "-1, 64, -1")) ==
        "seg(32, tree(8)) plain");
}

TEST_CASE("orders that are refused") {
  CHECK_THAT(
      refusalOf(rowSum("sideways")),
      Contains("order 'sideways' is neither fixed, free, sequential nor a "
               "term: "));
  CHECK_THAT(refusalOf(rowSum("tree(8)")),
             Contains("order 'tree(8)': tree(8) needs a constant extent, and N "
                      "is not given at compile time"));
  CHECK_THAT(refusalOf(given(rowSum("tree(8)"), "-1, 100, -1")),
             Contains("order 'tree(8)': tree(8) does not divide 100 elements"));
  CHECK_THAT(refusalOf(given(rowSum("seg(32, tree(8))"), "-1, 100, -1")),
             Contains("tree(8) does not divide 4 elements"));
  CHECK_THAT(
      refusalOf(given(rowSum("seg(32, seq, m = tree(4))"), "-1, 192, -1")),
      Contains("tree(4) does not divide 6 elements"));
  CHECK_THAT(refusalOf(wholeSum("lanes(32, 4)")),
             Contains("order 'lanes(32, 4)' over several indices is not "
                      "supported yet; nest the sums"));
  CHECK_THAT(refusalOf(rowSum("mma(sm_90, 16)")),
             Contains("order 'mma(sm_90, 16)' needs a sum of products"));
}

TEST_CASE("terms do not depend on given sizes") {
  for (const std::string &text :
       {rowSum("fixed"), rowSquares("fixed"), wholeSum("fixed")})
    CHECK(termOf(text) == termOf(given(text, "7, 5000, 3")));
}

TEST_CASE("a reduction that has a term keeps it") {
  std::string text = rowSquares("fixed");
  text.replace(text.find("leaf plain"), 10,
               "term <\"seg(2, seq)\"> leaf muladd");
  CHECK(termOf(text) == "seg(2, seq) muladd");
}

//===----------------------------------------------------------------------===//
// The phases together
//===----------------------------------------------------------------------===//

TEST_CASE("the phases keep every bit of sequential programs") {
  for (const char *body : {kSoftmax, kNested}) {
    TeTest reference(funcOf(body));
    // The portable functions are the one change of value: expand them first.
    REQUIRE(reference.run(createExpandFunctions()));
    TeTest test(funcOf(body));
    REQUIRE(test.runAll());
    checkHoisted(test);
    test.func().walk([](ReduceOp reduce) { CHECK(reduce.getTermAttr()); });
    checkSameBits(runFunc(reference), runFunc(test));
    std::string once = test.text();
    REQUIRE(test.runAll());
    CHECK(test.text() == once);
  }
}

TEST_CASE("a softmax keeps the numerator that two tensors read") {
  std::string text = funcOf(kSoftmax);
  TeTest test(text);
  REQUIRE(test.runAll());
  CHECK(test.compute("Y_max"));
  CHECK(test.compute("Y_sum"));
  CHECK(test.compute("Y"));
}

TEST_CASE("a product behind a temporary is rounded, kept or inlined") {
  // T is rounded where it is written: sum[k](T[i, k]) has no product to fuse,
  // whether T is computed in place or returned as well.
  auto text = [](bool keep) {
    std::string results = R"("Y": !te.tensor<[M], f32>)";
    std::string returned = "te.return %Y : !te.tensor<[M], f32>";
    if (keep) {
      results += R"(, "T": !te.tensor<[M, N], f32>)";
      returned =
          "te.return %Y, %T : !te.tensor<[M], f32>, !te.tensor<[M, N], f32>";
    }
    return R"(te.func @f sizes ["M", "N", "K"] (%X "X": !te.tensor<[M, N], f32>,
      %Z "Z": !te.tensor<[N, K], f32>) -> ()" +
           results + R"() functions fast {
  %T = te.compute "T" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    %y = te.binary mul %x, %x : f32
    te.yield %y : f32
  }
  %Y = te.compute "Y" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %s = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %t = te.read %T[%i, %k] : !te.tensor<[M, N], f32>
      te.yield %t : f32
    }
    te.yield %s : f32
  }
  )" + returned +
           "\n}\n";
  };
  TeTest inlined(text(false)), kept(text(true));
  REQUIRE(inlined.runAll());
  REQUIRE(kept.runAll());
  CHECK_FALSE(inlined.compute("T"));
  CHECK(kept.compute("T"));
  CHECK(inlined.has(R"x(term <"lanes(4096, 4)"> leaf plain)x"));
  CHECK(kept.has(R"x(term <"lanes(4096, 4)"> leaf plain)x"));
  checkSameBits(runFunc(inlined), runFunc(kept));
}
