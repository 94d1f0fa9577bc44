//===- TermReplayTest.cpp - what a term computes --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/Formats.h"
#include "compiler/arith/Term.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdio>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace girih::arith;

static float add(float a, float b) { return a + b; }

static float sumBy(const Term &term, const std::vector<float> &values) {
  return reduceByTerm(term, values.data(), int64_t(values.size()), 0.0f, add);
}

static Term term(std::string_view text) {
  std::string error;
  size_t offset = 0;
  auto parsed = parseTerm(text, error, offset);
  REQUIRE(parsed);
  return *parsed;
}

/// Combines strings, so that the result shows the order itself.
static std::string orderOf(std::string_view text, int n) {
  std::vector<std::string> names;
  for (int k = 0; k < n; ++k)
    names.push_back(std::to_string(k));
  return reduceByTerm(term(text), names.data(), n, std::string("z"),
                      [](const std::string &a, const std::string &b) {
                        return "(" + a + "+" + b + ")";
                      });
}

static std::vector<float> randomValues(size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> mantissa(-2.0f, 2.0f);
  std::vector<float> values(n);
  for (float &value : values)
    value = std::ldexp(mantissa(generator), int(generator() % 20));
  return values;
}

TEST_CASE("the order of each term, written out") {
  CHECK(orderOf("seq", 0) == "z");
  CHECK(orderOf("seq", 1) == "(z+0)");
  CHECK(orderOf("seq", 3) == "(((z+0)+1)+2)");
  CHECK(orderOf("seg(2, seq)", 0) == "z");
  CHECK(orderOf("seg(2, seq)", 3) == "((z+((z+0)+1))+(z+2))");
  CHECK(orderOf("tree(1)", 2) == "((z+0)+1)");
  CHECK(orderOf("tree(2)", 0) == "(z+z)");
  CHECK(orderOf("tree(3)", 3) == "(((z+0)+(z+1))+(z+2))");
  CHECK(orderOf("tree(5)", 5) == "((((z+0)+(z+1))+((z+2)+(z+3)))+(z+4))");
  CHECK(orderOf("lanes(1, 1)", 2) == "((z+0)+1)");
  CHECK(orderOf("lanes(2, 1)", 3) == "(((z+0)+2)+(z+1))");
  CHECK(orderOf("lanes(2, 2)", 5) == "((((z+0)+1)+4)+((z+2)+3))");
  CHECK(orderOf("lanes(4, 1)", 2) == "(((z+0)+z)+((z+1)+z))");
  CHECK(orderOf("lanes(4, 1)", 0) == "((z+z)+(z+z))");
  CHECK(orderOf("seg(2, lanes(2, 1), m = lanes(2, 1))", 4) ==
        "((z+((z+0)+(z+1)))+(z+((z+2)+(z+3))))");
  CHECK(orderOf("tree(2, seg(1, seq))", 4) ==
        "(((z+(z+0))+(z+1))+((z+(z+2))+(z+3)))");
}

TEST_CASE("a row where the order shows") {
  std::vector<float> row(4096, 1.0f);
  row[0] = 16777216.0f; // 2^24
  CHECK(sumBy(term("seq"), row) == 16777216.0f);
  CHECK(sumBy(term("tree(2)"), row) == 16779264.0f);
  CHECK(sumBy(term("tree(4)"), row) == 16780288.0f);
  CHECK(sumBy(term("tree(8)"), row) == 16780800.0f);
  CHECK(sumBy(term("tree(32)"), row) == 16781184.0f);
}

TEST_CASE("two small terms on either side of one") {
  float tiny = std::ldexp(1.0f, -24);
  CHECK(sumBy(term("seq"), {1.0f, tiny, tiny}) == 1.0f);
  // {1, 0, tiny, tiny} in two halves: 1 + (tiny + tiny).
  CHECK(sumBy(term("tree(2)"), {1.0f, 0.0f, tiny, tiny}) ==
        1.0f + std::ldexp(1.0f, -23));
}

TEST_CASE("chains start at +0, so no sum is -0") {
  for (const char *text : {"seq", "seg(2, seq)", "tree(2)", "lanes(4, 1)"})
    CHECK(bitsOf(sumBy(term(text), {-0.0f, -0.0f})) == 0);
}

TEST_CASE("seg against a loop written by hand") {
  for (int n : {0, 1, 63, 64, 65, 127, 128, 1000}) {
    std::vector<float> values = randomValues(n, 1 + n);
    float total = 0.0f;
    for (int begin = 0; begin < n; begin += 64) {
      float part = 0.0f;
      for (int k = begin; k < std::min(begin + 64, n); ++k)
        part += values[k];
      total += part;
    }
    CHECK(sameValue(sumBy(term("seg(64, seq)"), values), total));
  }
}

TEST_CASE("lanes against a loop written by hand") {
  for (int n : {0, 1, 3, 4, 5, 127, 128, 129, 131, 1000}) {
    std::vector<float> values = randomValues(n, 100 + n);
    float lane[32] = {};
    for (int k = 0; k < n; ++k)
      lane[(k >> 2) & 31] += values[k];
    for (int h : {16, 8, 4, 2, 1})
      for (int l = 0; l < h; ++l)
        lane[l] += lane[l + h];
    CHECK(sameValue(sumBy(term("lanes(32, 4)"), values), lane[0]));
  }
}

TEST_CASE("the order changes bits on ordinary values") {
  std::vector<float> values = randomValues(4096, 7);
  CHECK(sumBy(term("seq"), values) != sumBy(term("lanes(64, 1)"), values));
  CHECK(sumBy(term("lanes(64, 1)"), values) !=
        sumBy(term("lanes(64, 4)"), values));
}

TEST_CASE("max does not depend on the term, NaN and zeros included") {
  auto maxBy = [](std::string_view text, std::vector<float> values) {
    return reduceByTerm(term(text), values.data(), int64_t(values.size()),
                        -std::numeric_limits<float>::infinity(),
                        maximum<float>);
  };
  for (const char *text : {"seq", "seg(3, seq)", "tree(4)", "lanes(4, 1)"}) {
    CHECK(maxBy(text, {3, 9, -2, 5}) == 9.0f);
    CHECK(bitsOf(maxBy(text, {-0.0f, 0.0f, -0.0f, -0.0f})) == 0);
    CHECK(std::isnan(maxBy(text, {1, NAN, INFINITY, 2})));
    CHECK(maxBy(text, {}) == -std::numeric_limits<float>::infinity());
  }
}

TEST_CASE("foldByTerm takes a leaf fma") {
  std::vector<float> a = randomValues(300, 11), b = randomValues(300, 12);
  auto step = [&](float acc, int64_t k) { return std::fma(a[k], b[k], acc); };
  float lane[8] = {};
  for (int k = 0; k < 300; ++k)
    lane[k % 8] = std::fma(a[k], b[k], lane[k % 8]);
  for (int h : {4, 2, 1})
    for (int l = 0; l < h; ++l)
      lane[l] += lane[l + h];
  CHECK(foldByTerm(term("lanes(8, 1)"), 300, 0.0f, step, add) == lane[0]);

  float seq = 0.0f;
  for (int k = 0; k < 300; ++k)
    seq = std::fma(a[k], b[k], seq);
  CHECK(foldByTerm(term("seq"), 300, 0.0f, step, add) == seq);
}

#ifndef NDEBUG
/// Whether `body` aborts; run in a child process, whose stderr is dropped.
template <typename Body> static bool aborts(Body body) {
  pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    if (!std::freopen("/dev/null", "w", stderr))
      _exit(2);
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST_CASE("mma and uneven trees are not replayed") {
  std::vector<float> values(48, 1.0f);
  CHECK(aborts([&] { sumBy(term("mma(sm_90, 16)"), values); }));
  CHECK(aborts([&] { sumBy(term("seg(16, mma(sm_90, 16))"), values); }));
  CHECK(aborts([&] { sumBy(term("tree(5)"), values); }));
  CHECK_FALSE(aborts([&] { sumBy(term("tree(6)"), values); }));
}
#endif
