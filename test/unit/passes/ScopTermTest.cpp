//===- ScopTermTest.cpp - expanded terms keep their bits ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle is arith::reduceByTerm, the defining replay of a term; the Scop is
// run instance by instance in its textual order.
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/Term.h"
#include "test/unit/passes/Middle.h"
#include "test/unit/passes/ScopRun.h"
#include "test/unit/passes/TeScalars.h"

#include <catch2/catch.hpp>

#include <random>

using namespace girih;
using namespace girih::test;
using te::TestTensor;

namespace {

/// S[i] = KIND[k](X[i, k]) by `term`, as the assoc phase leaves it.
std::string rowText(const std::string &term, const std::string &kind = "sum",
                    const std::string &extent = "N",
                    const std::string &given = "") {
  return "te.func @f sizes [\"M\", \"N\"]" + given +
         " (%X \"X\": !te.tensor<[M, " + extent +
         "], f32>) -> (\"S\": !te.tensor<[M], f32>) functions fast {\n"
         "  %S = te.compute \"S\" [\"i\"] : !te.tensor<[M], f32> {\n"
         "  ^bb0(%i: index):\n"
         "    %r = te.reduce " +
         kind + " [\"k\"] in [" + extent + "] order \"fixed\" term <\"" + term +
         "\"> leaf plain : f32 {\n"
         "    ^bb0(%k: index):\n"
         "      %x = te.read %X[%i, %k] : !te.tensor<[M, " +
         extent +
         "], f32>\n"
         "      te.yield %x : f32\n"
         "    }\n"
         "    te.yield %r : f32\n"
         "  }\n"
         "  te.return %S : !te.tensor<[M], f32>\n}\n";
}

arith::Term termOf(const std::string &text) {
  std::string error;
  size_t offset = 0;
  auto term = arith::parseTerm(text, error, offset);
  INFO(text << ": " << error);
  REQUIRE(term);
  REQUIRE(arith::printTerm(*term) == text);
  return *term;
}

/// Random values of many magnitudes, with some zeros of both signs.
TestTensor randomRows(int64_t rows, int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  TestTensor tensor{{rows, n}, {}};
  for (int64_t i = 0; i < rows * n; ++i) {
    float value = std::ldexp(float(int32_t(random())), int(random() % 24) - 40);
    if (random() % 13 == 0)
      value = random() % 2 ? 0.0f : -0.0f;
    tensor.data.push_back(value);
  }
  return tensor;
}

void checkRows(Middle &program, const std::string &term, te::ReduceKind kind,
               int64_t n) {
  const int64_t kRows = 3;
  Sizes sizes{{"M", kRows}, {"N", n}};
  std::vector<TestTensor> arguments{randomRows(kRows, n, 7 * n + 1)};
  INFO(term << " over " << n);
  std::vector<TestTensor> results;
  try {
    ScopRun run(program.func(), program.scop(), program.params(sizes),
                arguments);
    run.runTextually();
    results = run.results();
  } catch (const std::runtime_error &error) {
    FAIL(error.what());
  }
  TestTensor expected{{kRows}, {}};
  for (int64_t i = 0; i < kRows; ++i) {
    std::vector<float> row(arguments[0].data.begin() + i * n,
                           arguments[0].data.begin() + (i + 1) * n);
    auto combine = [&](float a, float b) {
      switch (kind) {
      case te::ReduceKind::Sum:
        return a + b;
      case te::ReduceKind::Prod:
        return a * b;
      case te::ReduceKind::Max:
        return arith::maximum(a, b);
      case te::ReduceKind::Min:
        return arith::minimum(a, b);
      }
      return a;
    };
    expected.data.push_back(
        arith::reduceByTerm(termOf(term), row.data(), n,
                            float(te::scalar::identityOf(kind)), combine));
  }
  CHECK(difference(results, {expected}) == "");
}

const std::vector<int64_t> kExtents = {0,  1,  2,  3,  5,  7,  8,  9,
                                       12, 13, 16, 17, 31, 64, 97, 130};

} // namespace

TEST_CASE("terms over a size keep their bits", "[scop]") {
  for (const char *term :
       {"seq",
        "lanes(1, 1)",
        "lanes(4, 1)",
        "lanes(8, 4)",
        "lanes(64, 3)",
        "seg(1, seq)",
        "seg(4, seq)",
        "seg(7, seq)",
        "seg(16, lanes(4, 2))",
        "seg(16, lanes(64, 1))",
        "seg(8, seq, m = lanes(4, 1))",
        "seg(8, lanes(2, 2), m = lanes(2, 3))",
        "seg(8, seg(4, seq))",
        "seg(12, seg(5, seq))",
        "seg(4, seg(8, seq))",
        "seg(24, seg(6, seg(2, seq)))",
        "seg(12, seg(5, lanes(2, 1), m = lanes(2, 1)), m = lanes(4, 2))",
        "seg(4, seq, m = seg(4, seq))",
        "seg(3, seq, m = seg(2, lanes(2, 1)))",
        "seg(3, lanes(2, 1), m = seg(4, seq, m = seg(2, seq)))",
        "seg(10, seg(4, seq, m = seg(2, seq)), m = seg(3, seq))"}) {
    Middle program(rowText(term));
    for (int64_t n : kExtents)
      checkRows(program, term, te::ReduceKind::Sum, n);
  }
}

TEST_CASE("terms over a given size keep their bits", "[scop]") {
  // Lanes beyond the last element are left out, and added at once.
  for (const char *term :
       {"seq", "lanes(64, 1)", "lanes(64, 4)", "lanes(4096, 4)",
        "seg(16, lanes(64, 1))", "seg(8, lanes(16, 2), m = lanes(32, 1))",
        "seg(12, seg(5, lanes(8, 1), m = lanes(8, 1)), m = lanes(64, 2))",
        "seg(3, seq, m = seg(2, lanes(16, 1)))"})
    for (int64_t n : kExtents) {
      Middle program(
          rowText(term, "sum", "N", " given [-1, " + std::to_string(n) + "]"));
      checkRows(program, term, te::ReduceKind::Sum, n);
      Middle constant(rowText(term, "sum", std::to_string(n)));
      checkRows(constant, term, te::ReduceKind::Sum, n);
    }
}

TEST_CASE("trees keep their bits", "[scop]") {
  struct Row {
    const char *term;
    std::vector<int64_t> extents;
  };
  for (const Row &row : std::vector<Row>{
           {"tree(1)", {0, 1, 5}},
           {"tree(4)", {0, 4, 8, 100}},
           {"tree(7)", {0, 7, 21}},
           {"tree(6, lanes(4, 2))", {0, 6, 66}},
           {"tree(3, lanes(64, 1))", {0, 3, 30}},
           {"tree(4, tree(3))", {0, 12, 48}},
           {"tree(2, seg(5, seq))", {0, 2, 10, 12, 26}},
           {"tree(2, seg(5, tree(5), m = tree(3)))", {30}},
           {"seg(8, tree(4))", {0, 4, 8, 16, 64}},
           {"seg(8, seq, m = tree(4))", {0, 25, 32, 96}},
           {"seg(8, seq, m = seg(2, tree(2)))", {0, 12, 16, 32}},
           {"seg(8, tree(2, lanes(4, 1)), m = tree(3))", {24, 48}}})
    for (int64_t n : row.extents) {
      Middle program(rowText(row.term, "sum", std::to_string(n)));
      checkRows(program, row.term, te::ReduceKind::Sum, n);
    }
}

TEST_CASE("every kind of reduction keeps its bits", "[scop]") {
  for (auto [kind, name] : {std::pair{te::ReduceKind::Prod, "prod"},
                            std::pair{te::ReduceKind::Max, "max"},
                            std::pair{te::ReduceKind::Min, "min"}})
    for (const char *term : {"seq", "lanes(8, 2)", "seg(6, lanes(4, 1))",
                             "seg(6, seg(4, seq), m = lanes(2, 1))"})
      for (int64_t n : {0, 1, 7, 16, 61}) {
        Middle program(rowText(term, name));
        checkRows(program, term, kind, n);
        Middle given(rowText(term, name, std::to_string(n)));
        checkRows(given, term, kind, n);
      }
}

TEST_CASE("the order of an expanded sum shows", "[scop]") {
  // 2^24 swallows each 1 that it meets alone: [2^24, 1, ..., 1] of 4096.
  struct Row {
    const char *term;
    double sum;
  };
  const double kBig = 0x1p24;
  for (const Row &row : {Row{"seq", kBig},
                         {"lanes(4096, 1)", kBig + 4094},
                         // Lane 0 holds 2^24 and swallows its own ones.
                         {"lanes(64, 1)", kBig + 63 * 64},
                         {"seg(64, seq)", kBig + 63 * 64},
                         {"seg(1024, seg(64, seq))", kBig + 3 * 1024 + 15 * 64},
                         {"tree(64)", kBig + 63 * 64}}) {
    Middle program(rowText(row.term, "sum", "4096"));
    std::vector<TestTensor> arguments{{{1, 4096}, {}}};
    arguments[0].data.assign(4096, 1);
    arguments[0].data[0] = kBig;
    Sizes sizes{{"M", 1}, {"N", 4096}};
    ScopRun run(program.func(), program.scop(), program.params(sizes),
                arguments);
    run.runTextually();
    INFO(row.term);
    CHECK(run.results()[0].data[0] == row.sum);
  }
}

TEST_CASE("terms that a Scop cannot say are refused", "[scop]") {
  auto refusal = [](const std::string &text) {
    return Middle(text).scopRefusal();
  };
  CHECK(refusal(rowText("tree(4)")) ==
        "'te.reduce' op has the term 'tree(4)', which this version cannot "
        "realise: it has tree(4) over a number of elements that is not "
        "constant\n");
  CHECK(refusal(rowText("tree(4)", "sum", "10")) ==
        "'te.reduce' op has the term 'tree(4)', which this version cannot "
        "realise: it has tree(4), which does not divide 10 elements\n");
  // The last segment has 8 elements: tree(4) there means pairs, not threes.
  CHECK(refusal(rowText("seg(12, tree(4))", "sum", "20")) ==
        "'te.reduce' op has the term 'seg(12, tree(4))', which this version "
        "cannot realise: it has tree(4) over a number of elements that is not "
        "constant\n");
  CHECK(refusal(rowText("seg(2, seq, m = tree(4))", "sum", "10")) ==
        "'te.reduce' op has the term 'seg(2, seq, m = tree(4))', which this "
        "version cannot realise: it has tree(4), which does not divide 5 "
        "elements\n");
  CHECK(refusal(rowText("mma(sm_90, 16)")) ==
        "'te.reduce' op has an mma term, which this version cannot realise\n");
  std::string noTerm = rowText("seq");
  size_t at = noTerm.find(" term <\"seq\">");
  noTerm.erase(at, std::string(" term <\"seq\">").size());
  CHECK(refusal(noTerm) ==
        "'te.reduce' op has no term: the assoc phase has not run\n");
}
