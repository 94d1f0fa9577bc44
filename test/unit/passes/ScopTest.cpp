//===- ScopTest.cpp - whole programs as Scops -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/support/Diagnostics.h"
#include "test/unit/passes/Middle.h"
#include "test/unit/passes/ScopRun.h"

#include <catch2/catch.hpp>

#include <set>

using namespace girih;
using namespace girih::test;

namespace {

/// Runs the program's Scop in textual order and compares with its text.
void checkTextual(Middle &program, const Sizes &sizes, unsigned seed = 1) {
  auto arguments = program.arguments(sizes, seed);
  std::string text;
  for (auto [name, value] : sizes)
    text += name + " = " + std::to_string(value) + " ";
  INFO(text);
  std::string problem;
  try {
    ScopRun run(program.func(), program.scop(), program.params(sizes),
                arguments);
    run.runTextually();
    problem = difference(run.results(), program.expected(sizes, arguments));
  } catch (const std::runtime_error &error) {
    problem = error.what();
  }
  CHECK(problem == "");
}

void checkTextual(const std::string &text, const std::vector<Sizes> &list) {
  Middle dynamic(text);
  for (const Sizes &sizes : list) {
    checkTextual(dynamic, sizes);
    std::vector<std::pair<std::string, int64_t>> given(sizes.begin(),
                                                       sizes.end());
    Middle fixed(text, given);
    REQUIRE(fixed.scop().scop.params.empty());
    checkTextual(fixed, sizes);
  }
}

} // namespace

TEST_CASE("the examples as Scops", "[scop]") {
  const std::vector<Sizes> kPlane = {{{"M", 0}, {"N", 3}},
                                     {{"M", 2}, {"N", 0}},
                                     {{"M", 1}, {"N", 1}},
                                     {{"M", 3}, {"N", 7}},
                                     {{"M", 2}, {"N", 1000}}};
  checkTextual(exampleText("row_sum"), kPlane);
  checkTextual(exampleText("softmax"), kPlane);
  checkTextual(exampleText("swiglu"), kPlane);
  checkTextual(exampleText("ffn_silu"), {{{"M", 0}, {"N", 2}, {"K", 2}},
                                         {{"M", 3}, {"N", 2}, {"K", 0}},
                                         {{"M", 1}, {"N", 1}, {"K", 1}},
                                         {{"M", 5}, {"N", 7}, {"K", 11}}});
  checkTextual(
      exampleText("whole_sum"),
      {{{"N", 0}}, {{"N", 1}}, {{"N", 1023}}, {{"N", 65536}}, {{"N", 200003}}});
}

TEST_CASE("sums over several indices", "[scop]") {
  const std::vector<Sizes> kSizes = {{{"M", 2}, {"N", 0}, {"K", 3}},
                                     {{"M", 2}, {"N", 3}, {"K", 0}},
                                     {{"M", 3}, {"N", 5}, {"K", 7}}};
  checkTextual("op f(X: f32[M, N, K]) -> Y: f32[M] {\n"
               "  Y[i] = sum[j, k, order=sequential](X[i, j, k])\n}\n",
               kSizes);
  checkTextual("op f(X: f32[M, N, K]) -> Y: f32[M] {\n"
               "  Y[i] = sum[k, j, order=sequential](X[i, j, k])\n}\n",
               kSizes);
  checkTextual("op f(X: f32[M, N, K]) -> y: f32 {\n"
               "  y = sum[i, j, k](X[i, j, k])\n}\n",
               kSizes);
  checkTextual("op f(A: f32[M, N, K], B: f32[N, K, M]) -> Y: f32[M, M] {\n"
               "  Y[i, l] = sum[j, k](A[i, j, k] * B[j, k, l])\n}\n",
               kSizes);
  // An order without indices to tell apart: the other one has other bits.
  Middle forward("op f(X: f32[N, K]) -> y: f32 {\n"
                 "  y = sum[j, k, order=sequential](X[j, k])\n}\n");
  Middle swapped("op f(X: f32[N, K]) -> y: f32 {\n"
                 "  y = sum[k, j, order=sequential](X[j, k])\n}\n");
  Sizes sizes{{"N", 40}, {"K", 40}};
  auto arguments = forward.arguments(sizes);
  CHECK(difference(forward.expected(sizes, arguments),
                   swapped.expected(sizes, arguments)) != "");
}

TEST_CASE("leaves of products", "[scop]") {
  const std::vector<Sizes> kSizes = {{{"M", 3}, {"N", 4}, {"K", 37}}};
  for (const char *order :
       {"sequential", "fixed", "seq", "lanes(8, 2)", "seg(8, seq)"})
    checkTextual(std::string("op f(A: f32[M, K], B: f32[K, N]) -> Y: f32[M, N] "
                             "{\n  Y[i, j] = sum[k, order=") +
                     order + "](A[i, k] * B[k, j])\n}\n",
                 kSizes);
  checkTextual("op f(A: f32[M, K]) -> Y: f32[M] {\n"
               "  Y[i] = sum[k](A[i, k] * A[i, k])\n}\n",
               {{{"M", 3}, {"K", 37}}});
}

TEST_CASE("a bound on a size leaves lanes out", "[scop]") {
  const char *text = "op f(X: f32[M, N]) -> Y: f32[M] where N <= 100 {\n"
                     "  Y[i] = sum[k](X[i, k])\n}\n";
  Middle program(text);
  unsigned cells = program.scop().scop.findArray("Y_acc");
  REQUIRE(cells < program.scop().scop.arrays.size());
  CHECK(program.scop().scop.arrays[cells].extents[1] == poly::Affine::of(32));
  for (int64_t n : {0, 1, 4, 5, 99, 100})
    checkTextual(program, {{"M", 2}, {"N", n}});
  CHECK(program.scop().scop.context.size() == 3);
}

TEST_CASE("names of a Scop are its own", "[scop]") {
  const std::vector<Sizes> kSizes = {{{"M", 3}, {"N", 19}}};
  // Indices called like the dims that an expansion adds.
  for (const char *outer : {"l", "q", "e", "s", "s_", "l2", "q2", "e2", "s2"})
    for (const char *inner : {"l", "q", "e", "s", "s_", "l2", "q2", "e2", "s2"})
      if (std::string(outer) != inner)
        for (const char *order :
             {"seq", "lanes(4, 2)", "seg(6, lanes(2, 1), m = lanes(2, 1))",
              "seg(12, seg(5, seq))"}) {
          std::string i = outer, k = inner;
          Middle program("op f(X: f32[M, N]) -> Y: f32[M] {\n  Y[" + i +
                         "] = sum[" + k + ", order=" + order + "](X[" + i +
                         ", " + k + "])\n}\n");
          checkTextual(program, kSizes[0]);
        }
  // Sizes called so.
  checkTextual("op f(X: f32[l, q]) -> Y: f32[l] {\n  Y[i] = sum[k](X[i, k])\n}"
               "\n",
               {{{"l", 3}, {"q", 19}}});
  checkTextual("op f(X: f32[s, e]) -> Y: f32[s] {\n"
               "  Y[i] = sum[k, order=seg(4, seq)](X[i, k])\n}\n",
               {{{"s", 3}, {"e", 19}}});
  // Tensors called like the statements and arrays of another one.
  checkTextual("op f(S_init: f32[M, N], S_acc: f32[M], S_upd: f32[M], "
               "S_merge: f32[M], S_part: f32[M]) -> S: f32[M], Z: f32[M] {\n"
               "  S[i] = sum[k, order=seg(4, seq)](S_init[i, k])\n"
               "  S_map[i] = S_acc[i] + S_upd[i]\n"
               "  Z[i] = S_map[i] + S_merge[i] * S_part[i]\n}\n",
               kSizes);
  checkTextual("op f(X: f32[M, N]) -> Y: f32[M] {\n"
               "  S[i] = max[k](X[i, k])\n"
               "  S_sum[i] = sum[k](X[i, k])\n"
               "  Y[i] = S[i] + S_sum[i] + sum[k](X[i, k] - S[i])\n}\n",
               kSizes);
}

TEST_CASE("words that isl reserves may be names", "[scop]") {
  for (const char *word : {"mod", "exists", "infty", "implies"}) {
    std::string name = word;
    checkTextual("op f(" + name +
                     ": f32[M, N]) -> Y: f32[M] {\n  Y[i] = sum[k](" + name +
                     "[i, k])\n}\n",
                 {{{"M", 3}, {"N", 9}}});
    checkTextual("op f(X: f32[" + name + ", N]) -> Y: f32[" + name +
                     "] {\n  Y[i] = sum[k](X[i, k])\n}\n",
                 {{{name, 3}, {"N", 9}}});
    checkTextual("op f(X: f32[M, N]) -> Y: f32[M], Z: f32[M, N] {\n"
                 "  Y[" +
                     name + "] = sum[k](X[" + name + ", k])\n  Z[i, " + name +
                     "] = X[i, " + name + "] * 2\n}\n",
                 {{{"M", 3}, {"N", 9}}});
    checkTextual("op f(X: f32[M, N]) -> Y: f32[M] {\n  Y[i] = sum[" + name +
                     ", order=seg(4, seq)](X[i, " + name + "])\n}\n",
                 {{{"M", 3}, {"N", 9}}});
  }
}

TEST_CASE("a Scop is the same twice and survives its text", "[scop]") {
  for (const char *name :
       {"row_sum", "whole_sum", "ffn_silu", "softmax", "swiglu"}) {
    Middle first(exampleText(name)), second(exampleText(name));
    const poly::Scop &scop = first.scop().scop;
    CHECK(scop == second.scop().scop);
    Diagnostics diags;
    auto read = poly::readScop(poly::printScop(scop), diags);
    INFO(poly::printScop(scop));
    INFO(diags.renderText(false));
    REQUIRE(read);
    CHECK(*read == scop);
  }
  Middle nested("op f(X: f32[M, N]) -> Y: f32[M] {\n  Y[i] = sum[k, "
                "order=seg(12, seg(5, seq), m = seg(3, seq))](X[i, k])\n}\n");
  const poly::Scop &scop = nested.scop().scop;
  std::string text = poly::printScop(scop);
  INFO(text);
  CHECK(text.find("array Y_part accumulator 4 [M, ceil(N/12)]\n") !=
        std::string::npos);
  Diagnostics diags;
  auto read = poly::readScop(text, diags);
  REQUIRE(read);
  CHECK(*read == scop);
  std::set<std::string> names(scop.params.begin(), scop.params.end());
  for (const poly::Array &array : scop.arrays)
    CHECK(names.insert(array.name).second);
  for (const poly::Statement &statement : scop.statements)
    CHECK(names.insert(statement.name).second);
}
