//===- ScopTest.cpp - tests of affine expressions and Scop text -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Scop.h"
#include "compiler/support/Diagnostics.h"
#include "test/unit/poly/Samples.h"

#include <catch2/catch.hpp>

#include <random>
#include <stdexcept>

using namespace girih;
using namespace girih::poly;

namespace {

void requireRefused(const std::string &text, const std::string &words) {
  Diagnostics diags;
  INFO(text);
  CHECK_FALSE(readScop(text, diags));
  REQUIRE(diags.hasErrors());
  CHECK_THAT(diags.all()[0].message, Catch::Contains(words));
}

const std::string kHead = "scop t\n  params N\n  array X input 4 [N]\n"
                          "  array Y output 4 [N]\n  statement Y map\n";

} // namespace

TEST_CASE("affine expressions print as isl reads them", "[affine]") {
  Affine a =
      Affine::dim(1, 8) + Affine::dim(2) + Affine::param(0) - Affine::of(1);
  CHECK(print(a, {"i", "l", "e"}, {"N"}) == "8l + e + N - 1");
  CHECK(print(Affine::dim(0, -1) - Affine::param(0, 3), {"i"}, {"N"}) ==
        "-i - 3N");
  CHECK(print(Affine(), {}, {}) == "0");
  CHECK(Affine::dim(0) == Affine::dim(0) + Affine::dim(3, 0));
  CHECK_FALSE(Affine::dim(0) == Affine::dim(1));
  CHECK((Affine::param(1) * 0).isConstant());
  CHECK_THROWS_AS(Affine::of(INT64_MAX) + Affine::of(1), std::overflow_error);
}

TEST_CASE("every sample Scop is read back exactly", "[scop]") {
  for (const Scop &scop :
       {test::matmulSilu(), test::rowSum(4096, 4), test::softmax(),
        test::wholeSum(4), test::recurrence()}) {
    std::string text = printScop(scop);
    INFO(text);
    Diagnostics diags;
    std::optional<Scop> again = readScop(text, diags);
    REQUIRE(again);
    CHECK(*again == scop);
    CHECK(printScop(*again) == text);
  }
}

TEST_CASE("domains and accesses are isl text", "[scop]") {
  Scop scop = test::rowSum(4096, 4);
  CHECK(printDomain(scop, 1) ==
        "[M, N] -> { S_sum[i, l, q, e] : 0 <= i < M and 0 <= l < 4096 and 0 "
        "<= q and 0 <= e < 4 and 4l + 16384q + e < N }");
  CHECK(printAccess(scop, 1, 1) ==
        "[M, N] -> { S_sum[i, l, q, e] -> X[i, 4l + 16384q + e] }");
  CHECK(printAccess(scop, 2, 0) ==
        "[M, N] -> { S_merge[i] -> S_acc[i, w1] : 0 <= w1 < 4096 }");
}

TEST_CASE("random constraints survive the text form", "[scop]") {
  std::mt19937 random(7);
  auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 500; ++round) {
    Scop scop = test::matmulSilu();
    Statement &s = scop.statements[1];
    s.constraints.clear();
    for (int64_t c = number(0, 5); c > 0; --c) {
      Affine a = Affine::of(number(-2, 2));
      for (unsigned d = 0; d < 3; ++d)
        a = a + Affine::dim(d, number(-2, 2)) + Affine::param(d, number(-1, 1));
      s.constraints.push_back(a);
    }
    Diagnostics diags;
    INFO(printScop(scop));
    std::optional<Scop> again = readScop(printScop(scop), diags);
    REQUIRE(again);
    REQUIRE(*again == scop);
  }
}

TEST_CASE("isl's ways to write a conjunction are understood", "[scop]") {
  Diagnostics diags;
  std::optional<Scop> scop = readScop(
      kHead + "    domain [N] -> { Y[i, j] : 0 <= i, j < N and 2*i = j*2 and "
              "3(i + 1) >= -(j - 2) and i > 0 }\n"
              "    write [N] -> { Y[i, j] -> Y[i] }\n",
      diags);
  INFO(diags.renderText(false));
  REQUIRE(scop);
  CHECK(printDomain(*scop, 0) ==
        "[N] -> { Y[i, j] : 0 <= i and 0 <= j and i < N and j < N and 2i <= 2j "
        "<= 2i and 0 <= 3i + j + 1 and 1 <= i }");
}

TEST_CASE("ill-formed Scop text is refused in words", "[scop]") {
  requireRefused("", "expected 'scop NAME'");
  requireRefused("scop t\n  statements\n", "expected 'params', 'context'");
  requireRefused(kHead + "    domain [N] -> { Y[i] : 0 <= i < N or i = 5 }\n",
                 "a domain is one conjunction");
  requireRefused(kHead + "    domain [N] -> { Y[i] : 0 <= i*N }\n",
                 "a product of two dimensions or parameters is not affine");
  requireRefused(kHead + "    domain [N] -> { Y[i] : 0 <= z }\n",
                 "'z' is neither a dimension nor a parameter here (line 6, "
                 "column 33)");
  requireRefused(kHead + "    domain [N] -> { Y[i] : exists e : i = 2e }\n",
                 "'exists' is neither a dimension nor a parameter");
  requireRefused(kHead +
                     "    domain [N] -> { Y[i] : i <= 99999999999999999999 }\n",
                 "this number is larger than 2^53");
  requireRefused(kHead +
                     "    domain [N] -> { Y[i] : 9007199254740992(9 i) >= 0}\n",
                 "a coefficient is larger than 2^53");
  requireRefused(kHead + "    domain [M] -> { Y[i] }\n",
                 "expected 'N', found 'M'");
  requireRefused(kHead + "    domain [N] -> { Y[floor] : 0 <= floor < N }\n"
                         "    write [N] -> { Y[floor] -> Y[0] }\n",
                 "dimension 'floor' is not a name that isl's notation allows");
  requireRefused(kHead + "    domain [N] -> { Y[i] : 0 <= i < N }\n"
                         "    write [N] -> { Y[i] -> Z[i] }\n",
                 "array 'Z' is not declared");
  requireRefused(
      kHead + "    domain [N] -> { Y[i] : 0 <= i < N }\n"
              "    write [N] -> { Y[i] -> Y[i, 0] }\n",
      "statement 'Y' accesses 'Y' with 2 subscripts where 1 are due");
  requireRefused(kHead + "    domain [N] -> { Y[i] : 0 <= i < N }\n"
                         "    read [N] -> { Y[i] -> X[i] }\n",
                 "statement 'Y' must have exactly one write and it last");
  requireRefused(kHead + "    domain [N] -> { Y[i] : 0 <= i < N }\n"
                         "    write [N] -> { Y[i] -> X[i] }\n",
                 "statement 'Y' writes the input 'X'");
  requireRefused(kHead + "    domain [N] -> { Y[i] : 0 <= i < N }\n"
                         "    read [N] -> { Y[i] -> X[c] : 0 <= c < 2N }\n",
                 "a whole dimension runs over the array's extent");
  requireRefused("scop t $\n", "this character has no meaning here");
  requireRefused(kHead + "    domain [N] -> { Y[i] : " + std::string(500, '(') +
                     "\n",
                 "parentheses are nested more than 100 deep");
}

TEST_CASE("an error points into the diagnostics' own file", "[scop]") {
  std::string text = kHead + "    domain [N] -> { Y[i] : 0 <= z }\n";
  std::string bundle = "# something before\n" + text;
  Diagnostics diags(std::make_shared<SourceFile>("b.scop", bundle));
  CHECK_FALSE(readScop(text, diags));
  REQUIRE(diags.all()[0].range);
  CHECK(bundle.substr(diags.all()[0].range->begin, 1) == "z");
  CHECK(diags.all()[0].code == "G0710");
}

TEST_CASE("damaged Scop text never crashes the reader", "[scop]") {
  std::mt19937 random(11);
  std::string whole = printScop(test::softmax());
  const std::string alphabet = "[]{}()<>=,:;-+*\"\\ \nabMN019mod#/";
  for (int round = 0; round < 2000; ++round) {
    std::string text = whole;
    for (int edits = 1 + round % 4; edits > 0; --edits) {
      size_t at = random() % text.size();
      switch (random() % 3) {
      case 0:
        text[at] = alphabet[random() % alphabet.size()];
        break;
      case 1:
        text.erase(at, 1 + random() % 20);
        break;
      default:
        text.insert(at, 1, alphabet[random() % alphabet.size()]);
      }
      if (text.empty())
        text = " ";
    }
    Diagnostics diags;
    std::optional<Scop> scop = readScop(text, diags);
    INFO(text);
    REQUIRE(scop.has_value() != diags.hasErrors());
    if (scop) {
      std::string printed = printScop(*scop);
      std::optional<Scop> again = readScop(printed, diags);
      REQUIRE(again);
      REQUIRE(*again == *scop);
    }
  }
}
