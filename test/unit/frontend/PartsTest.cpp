//===- PartsTest.cpp - parts of tensors, domains, conditions --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::frontend;

namespace {

const OpDecl &firstOp(const Program &program) {
  return *std::get<std::unique_ptr<OpDecl>>(program.file.items.at(0));
}

const Tensor &tensorOf(const OpDecl &op, const std::string &name) {
  for (const auto &tensor : op.tensors)
    if (tensor->name.text == name)
      return *tensor;
  FAIL("no tensor " << name);
  return *op.tensors.front();
}

/// A condition as "1 * i + -1 * j + T - L >= 0".
std::string textOf(const Condition &condition) {
  std::string text;
  for (auto [index, factor] : condition.sum.terms)
    text += std::to_string(factor) + " * " + index->name.text + " + ";
  return text + spelling(condition.sum.offset) + " >= 0";
}

void accepts(const std::string &header, const std::string &body) {
  accept("op o" + header + " {\n" + body + "\n}\n");
}

} // namespace

TEST_CASE("parts that are disjoint and cover") {
  accepts("(X: f32[T, 2 * H]) -> Y: f32[T, 2 * H]",
          "Y[t, i] = X[t, i + H]\nY[t, i + H] = X[t, i]");
  accepts("(A: f32[N], B: f32[N]) -> Y: f32[2 * N]",
          "Y[2 * i] = A[i]\nY[2 * i + 1] = B[i]");
  accepts("(A: f32[N], B: f32[N], C: f32[N]) -> Y: f32[3 * N]",
          "Y[3 * i] = A[i]\nY[3 * i + 2] = C[i]\nY[3 * i + 1] = B[i]");
  accepts("(A: f32[N]) -> B: f32[N] where N >= 2",
          "B[0] = A[0]\nB[N - 1] = A[N - 1]\n"
          "B[i + 1] = A[i] + A[i + 1] + A[i + 2]");
  accepts("(A: f32[N]) -> B: f32[N] where N >= 2",
          "B[0] = A[0]\nB[N - 1] = A[N - 1]\n"
          "B[i] = A[i - 1] + A[i + 1] where i >= 1 and i < N - 1");
  accepts("(A: f32[N, N]) -> B: f32[N, N]",
          "B[i, j] = A[i, j] where j <= i\nB[i, j] = A[j, i] where i < j");
  accepts("(X: f32[N]) -> D: f32[N, N]",
          "D[i, i] = X[i]\nD[i, j] = 0f32 where i < j\n"
          "D[i, j] = 0f32 where not (i <= j)");
  accepts("(X: f32[N]) -> Y: f32[N]", "Y[N - 1 - i] = X[i]");
  accepts("(X: f32[N]) -> Y: f32[N + 1]", "Y[N] = 1f32\nY[i] = X[i]");
  accepts("(X: f32[N]) -> Y: f32[4]",
          "Y[0] = 1f32\nY[2] = 1f32\nY[1] = 1f32\nY[3] = 2f32");
  accepts("<const S: i32 = 2>(X: f32[N]) -> Y: f32[S * N]",
          "Y[S * i] = X[i]\nY[S * i + S - 1] = X[i]");
}

TEST_CASE("temporaries reach as far as their parts, and readers are cut") {
  auto program = accept("op o(X: f32[N]) -> Y: f32[N] {\n"
                        "T[i + 1] = X[i]\nT[0] = 7f32\nY[i] = T[i]\n}\n");
  const OpDecl &op = firstOp(*program);
  CHECK(spelling(tensorOf(op, "T").dims.at(0)) == "N + 1");
  CHECK(tensorOf(op, "T").parts.size() == 2);
  CHECK(tensorOf(op, "T").whole);

  program =
      accept("op o(Q: f32[L, D], K: f32[T, D]) -> O: f32[L] {\n"
             "S[i, j] = sum[d](Q[i, d] * K[j, d]) where j <= i + (T - L)\n"
             "P[i, j] = exp(S[i, j])\n"
             "O[i] = sum[j](P[i, j])\n}\n");
  const OpDecl &causal = firstOp(*program);
  CHECK_FALSE(tensorOf(causal, "S").whole);
  REQUIRE(causal.statements.at(1)->domain.size() == 1);
  CHECK(textOf(causal.statements[1]->domain[0]) ==
        "1 * i + -1 * j + -L + T >= 0");
  const auto *sum = causal.statements.at(2)->value->as<ReduceExpr>();
  REQUIRE(sum->domain.size() == 1);
  CHECK(textOf(sum->domain[0]) == "1 * i + -1 * j + -L + T >= 0");
}

TEST_CASE("an else chooses, or is a definition where that saves work") {
  auto program =
      accept("op o(A: f32[N, K]) -> C: f32[N, N], D: f32[N, K] {\n"
             "C[i, j] = sum[k](A[i, k] * A[j, k]) where j <= i else 0\n"
             "D[i, k] = A[i, k] where k < 3 else 0\n}\n");
  const OpDecl &op = firstOp(*program);
  CHECK(op.statements.at(0)->splits);
  CHECK_FALSE(op.statements.at(1)->splits);
  program = accept("op o(A: f32[N]) -> D: f32[N] {\n"
                   "T[i] = A[i] where i < 3\n"
                   "D[i] = T[i] where i < 3 else 0\n}\n");
  CHECK(firstOp(*program).statements.at(1)->splits);
}

TEST_CASE("conditions count in the proofs of reads") {
  const char *bodies[] = {
      "Y[i, j] = if i > 0 then X[i - 1, j] else 0",
      "Y[i, j] = if i == 0 then 0 else X[i - 1, j]",
      "Y[i, j] = if not (i + 2 >= M) then X[i + 2, j] else 0",
      "Y[i, j] = if i >= 1 and j + 1 < N then X[i - 1, j + 1] else 0",
      "Y[i, j] = if i < 1 or B[i, j] > 0 then 0 else X[i - 1, j]",
      "Y[i, j] = X[i - 1, j] where i >= 1 else X[i, j]",
      "Y[i, j] = X[i, j] where i < 1 else X[i - 1, j]",
      "Y[i, j] = sum[k : k >= 1](X[i, k - 1] * X[i, k])",
      "Y[i, j] = sum[k in 0..j + 1](X[i, k])",
      "Y[i, j] = sum[k in j..N](X[i, k])",
      "Y[i, j] = sum[k in 0..j, l in k..j](X[i, k] + X[i, l])",
      "Y[i, j] = sum[k in 0..N - j](X[i, j + k])",
  };
  for (const char *body : bodies)
    accept(inOp(body));
}

TEST_CASE("ranges that depend on indices get a box") {
  auto program = accept("op o(A: f32[N, N]) -> Y: f32[N] {\n"
                        "Y[i] = sum[j in i..N](A[i, j])\n}\n");
  const auto *sum = firstOp(*program).statements.at(0)->value->as<ReduceExpr>();
  CHECK(spelling(sum->indices.at(0)->start) == "0");
  CHECK(spelling(*sum->indices.at(0)->extent) == "N");
  REQUIRE(sum->domain.size() == 2);
  CHECK(textOf(sum->domain[0]) == "1 * j + -1 * i + 0 >= 0");
  CHECK(textOf(sum->domain[1]) == "-1 * j + N - 1 >= 0");

  program = accept("op o(X: f32[N]) -> Y: f32[N] {\n"
                   "Y[i] = sum[j in 0..i + 2](X[i] * f32(j))\n}\n");
  sum = firstOp(*program).statements.at(0)->value->as<ReduceExpr>();
  CHECK(spelling(*sum->indices.at(0)->extent) == "N + 1");

  program = accept("op o(X: f32[B, T], len: i32[B]) -> Y: f32[B] {\n"
                   "Y[b] = sum[t in 0..len[b]](X[b, t])\n}\n");
  sum = firstOp(*program).statements.at(0)->value->as<ReduceExpr>();
  CHECK(spelling(*sum->indices.at(0)->extent) == "T");
  CHECK(sum->tests.size() == 1);
}

TEST_CASE("parts, domains and conditions that are refused") {
  const Refusal files[] = {
      {"op o(A: f32[N]) -> B: f32[N] where N >= 1 {\n"
       "B[0] = A[0]\n@B[N - 1] = A[N - 1]\n}",
       "G0441", "element B[0] (with N = 1) is written by both statements"},
      {"op o(A: f32[N]) -> B: f32[2 * N] {\n"
       "B[2 * i] = A[i]\n@B[N + i] = A[i]\n}",
       "G0441", "element B[2] (with N = 2) is written by both statements"},
      {"op o(A: f32[N, N]) -> B: f32[N, N] {\n"
       "B[i, j] = A[i, j] where j <= i\n@B[i, j] = A[i, j] where j >= i\n}",
       "G0441", "element B[0, 0] (with N = 1) is written by both statements"},
      {"op o(A: f32[N]) -> B: f32[N] {\n@B[i] = A[i] where i >= 1\n}", "G0442",
       "element B[0] (with N = 1) of the output is never defined"},
      {"op o(A: f32[N]) -> B: f32[2 * N] {\n@B[2 * i] = A[i]\n}", "G0442",
       "element B[1] (with N = 1) of the output is never defined"},
      {"op o(A: f32[N, N]) -> B: f32[N, N] {\n"
       "B[i, j] = A[i, j] where j < i\n@B[i, j] = A[i, j] where j > i\n}",
       "G0442", "element B[0, 0] (with N = 1) of the output is never defined"},
      {"op o(A: f32[N]) -> B: f32[N] {\n"
       "T[i] = A[i] where i >= 1\nB[i] = @T[i]\n}",
       "G0443",
       "element T[0] (with N = 1) is read here, and no statement "
       "defines it"},
      {"op o(A: f32[N, N]) -> B: f32[N] {\n"
       "T[i, j] = A[i, j] where j <= i\nB[i] = max[j in 0..N](@T[i, j])\n}",
       "G0443",
       "element T[0, 1] (with N = 2) is read here, and no statement "
       "defines it"},
      {"op o(A: f32[N]) -> B: f32[N] {\n"
       "T[i] = A[i] where i >= 1\nB[i] = if i >= 1 then @T[i] else 0\n}",
       "G0443",
       "element T[0] (with N = 1) is read here, and no statement "
       "defines it"},
      {"op o(A: f32[N]) -> B: f32[N] {\n"
       "T[2 * i] = A[i]\nB[i] = @T[i]\n}",
       "G0443",
       "element T[1] (with N = 2) is read here, and no statement "
       "defines it"},
      {"op o(A: f32[N], B: f32[M]) -> Y: f32[N] {\n"
       "T[2 * i] = A[i]\nT[@2 * i + 1] = B[i]\nY[i] = T[2 * i]\n}",
       "G0403",
       "this part of 'T' ends at 2 * M, those before it at 2 * N: "
       "neither is known to be the larger"},
      {"op o(A: f32[N]) -> Y: f32[N] {\n"
       "T[0] = 1f32\nT[i + 1] = @i32(A[i])\nY[i] = T[i]\n}",
       "G0303", "'T' holds f32, the value of this part is i32"},
      {"op o(A: f32[N]) -> Y: f32[N] {\n"
       "T[0] = 1f32\n@T[i + 1, 0] = A[i]\nY[i] = T[i]\n}",
       "G0401", "'T' has 1 dimension, this part gives 2 subscripts"},
      {"op o(A: f32[N]) -> Y: f32[N] {\n"
       "T[0] = 1f32\nU[i] = A[i] + (T[i] else 0)\n"
       "T[@i + 1] = U[i]\nY[i] = T[i]\n}",
       "G0403",
       "'T' ended at 1 where a read above asks for its end, this part "
       "makes it N + 1"},
      {"op o(A: f32[N]) -> Y: f32[N] {\n"
       "T[@i - 1] = A[i]\nY[i] = T[i - 1]\n}",
       "G0405",
       "cannot prove that this subscript is 0 or more: it starts at "
       "-1"},
  };
  for (const Refusal &refusal : files)
    checkRefusal(refusal);

  const Refusal bodies[] = {
      {"Y[@i + j, j] = X[i, j]", "G0440",
       "'i + j' holds two indices: a left-hand subscript is a sum of one "
       "index, sizes and integers"},
      {"Y[@i - i, j] = X[i, j]", "G0440",
       "the index 'i' cancels out: every instance would define the same "
       "element"},
      {"Y[i @/ 2, j] = X[i, j]", "G0907",
       "'/' in a left-hand subscript is not supported yet"},
      {"Y[@M, j] = X[0, j]", "G0405",
       "cannot prove that M lies inside a dimension of size M"},
      {"Y[i, j] = X[i, j] where @i == j or i == j + 1 else 0", "G0444",
       "'where' joins comparisons of indices and sizes by 'and'; 'i == j or i "
       "== j + 1' is a choice of two"},
      {"Y[i, j] = X[i, j] where i < 3 and @i != j else 0", "G0444",
       "'where' joins comparisons of indices and sizes by 'and'; 'i != j' is "
       "two ranges"},
      {"Y[i, j] = X[i, j] where @i % 2 == 0 else 0", "G0444",
       "'where' joins comparisons of indices and sizes by 'and'; 'i % 2 == 0' "
       "is about what a division leaves"},
      {"Y[i, j] = X[i, j] where @X[i, j] > 0 else 0", "G0444",
       "'where' joins comparisons of indices and sizes by 'and'; 'X[i, j] > 0' "
       "is no comparison of them"},
      {"Y[i, j] = X[i, j] where @X[i, j] else 0", "G0306",
       "'where' needs a boolean, this is f32"},
      {"Y[i, j] = X[i, j] where i < 3 else @B[i, j]", "G0301",
       "the value behind 'else' is bf16, the one before 'where' is f32"},
      {"Y[i, j] = 1f32 @else 0", "G0103",
       "an 'else' needs a 'where' or an 'if' in front of it"},
      {"Y[i, j] = sum[k : k < 4, @l](X[k, l])", "G0103",
       "the condition stands behind the last index"},
      {"Y[i, j] = sum[k in 0..@B[i, j]](X[i, k])", "G0306",
       "the end of a range is an integer, this is bf16"},
      {"Y[i, j] = sum[k : @X[i, k]](X[i, k])", "G0306",
       "the condition of 'sum' needs a boolean, this is f32"},
      {"Y[i, j] = if i % @0 == 0 then X[i, j] else 0", "G0912",
       "the divisor of an index is a number of at least 1, not '0'"},
      {"Y[i, j] = if i > 0 then X[i - 1, j] else X[@i - 1, j]", "G0405",
       "cannot prove that i - 1 lies inside a dimension of size M"},
      {"Y[i, j] = sum[k in 0..j + 2](X[i, @k])", "G0405",
       "cannot prove that k lies inside a dimension of size N"},
  };
  for (const Refusal &refusal : bodies) {
    std::string text = inOp(refusal.text);
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
}

TEST_CASE("parts and conditions print as they are written") {
  const std::string text =
      "op o<const C: bool = true>(A: f32[N, N], l: i32[N]) -> Y: f32[N, N],\n"
      "    Z: f32[2 * N] {\n"
      "  Y[i, j] = sum[k : k < 4 and A[i, k] > 0, order=seq](A[i, k])\n"
      "      where not C or j <= i else (if C then 0 else 1)\n"
      "  Z[2 * i] = sum[k in 0..l[i]](A[i, k])\n"
      "  Z[2 * i + 1] = A[0, i] + (A[0, i + 1] else 0)\n"
      "}\n";
  auto parsed = check(text);
  INFO(parsed.diagnostics.renderText(false));
  REQUIRE(parsed.program);
  std::string once = printAst(parsed.program->file);
  auto again = check(once);
  REQUIRE(again.program);
  CHECK(printAst(again.program->file) == once);
  CHECK(once.find("  Z[2 * i] = sum[k in 0..l[i]](A[i, k])\n") !=
        std::string::npos);
  CHECK(once.find("sum[k : k < 4 and A[i, k] > 0, order=seq](A[i, k]) where "
                  "not C or j <= i else if C then 0 else 1\n") !=
        std::string::npos);
  Diagnostics diagnostics;
  auto formatted = formatText(SourceFile("t.te", text), diagnostics);
  REQUIRE(formatted);
  CHECK(formatted->find("sum[k : k < 4 and") != std::string::npos);
  CHECK(formatText(SourceFile("t.te", *formatted), diagnostics) == formatted);
}

//===----------------------------------------------------------------------===//
// Two tensors
//===----------------------------------------------------------------------===//

TEST_CASE("a tensor of two that is not wanted is not made") {
  auto printed = [](const std::string &header, const std::string &body) {
    Checked checked = check("op o" + header + " {\n" + body + "\n}\n");
    INFO(checked.diagnostics.renderText(false));
    REQUIRE(checked.program != nullptr);
    CHECK(checked.diagnostics.all().empty());
    std::string text = printAst(checked.program->file);
    return text.substr(text.find("{\n") + 2);
  };
  CHECK(
      printed("(X: f32[M, N]) -> A: i64[M]", "_, A[i] = argmin[e](X[i, e])") ==
      "  A[i] = argmin[e](X[i, e])\n}\n");
  CHECK(
      printed("(X: f32[M, N]) -> V: f32[M]", "V[i], _ = argmax[e](X[i, e])") ==
      "  V[i] = max[e](X[i, e])\n}\n");
  CHECK(printed("(X: f32[M, N]) -> A: i64[M, 1]",
                "_, A[i, r] = topk<1>[e](X[i, e])") ==
        "  _A_place[i] = argmax[e](X[i, e])\n"
        "  A[i, 0] = _A_place[i]\n}\n");
  // The second largest is that of all behind the first one.
  CHECK(printed("(X: f32[N]) -> V: f32[2]",
                "V[r], _ = topk<2>[e : e > 0](X[e])") ==
        "  _V_value = max[e : e > 0](X[e])\n"
        "  _V_place = argmax[e : e > 0](X[e])\n"
        "  V[0] = _V_value\n"
        "  _V_value_1 = max[e : e > 0 and behind(X[e], i64(e), _V_value, "
        "_V_place)](X[e])\n"
        "  V[1] = _V_value_1\n}\n");
  // Many are a loop, which takes what it has printed.
  std::string many = printed("(X: f32[M, N]) -> V: f32[M, 64], A: i64[M, 64]",
                             "V[i, r], A[i, r] = topk<64>[e](X[i, e])");
  CHECK(
      many.find("  for _r in 0..64 {\n"
                "    V[i, _r] = _V_value[i]\n"
                "    A[i, _r] = _V_place[i]\n"
                "    _V_next[i] = max[e : _r < 63 and behind(X[i, e], i64(e), "
                "_V_value[i], _V_place[i])](X[i, e])\n") != std::string::npos);
  CHECK(printed("(X: f32[M, N]) -> V: f32[M, 64], A: i64[M, 64]",
                many.substr(0, many.size() - 3)) == many);
  const Refusal refusals[] = {
      {"op o(X: f32[N]) -> Y: f32 {\n@_, _ = argmax[e](X[e]) }", "G0103",
       "neither of the two tensors has a name"},
      {"op o<const K: i32 = 2>(X: f32[N]) -> A: i64[K] {\n"
       "_, A[r] = topk<@K>[e](X[e]) }",
       "G0103", "how many are chosen is a number, not a name"},
      {"op o(X: f32[M, N]) -> A: i64[M] {\n"
       "@_[i], A[i] = argmax[e](X[i, e]) }",
       "G0103", "'_' stands for a tensor that is not wanted"}};
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
}

TEST_CASE("an output of a call that is not wanted") {
  Checked checked = check("op two(X: f32[N]) -> a: f32, b: f32 {\n"
                          "a = sum[i](X[i])\nb = max[i](X[i]) }\n"
                          "op o(X: f32[N]) -> Y: f32 {\n"
                          "_, c = two(X)\nY = c + 1 }\n");
  REQUIRE(checked.program != nullptr);
  CHECK(checked.diagnostics.all().empty());
}
