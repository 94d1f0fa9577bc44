//===- GatherTest.cpp - places that data choose ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::frontend;

/// `op f(id: i32[T] in 0..N, j: i32[T], u: u8[T], q: i64[T], X: f32[N],
/// L: f32[256], w: f32[T]) -> Y: f32[T] { body }`
static std::string gather(const std::string &body,
                          const std::string &promise = " in 0..N") {
  return "op f(id: i32[T]" + promise +
         ", j: i32[T], u: u8[T], q: i64[T], X: f32[N], L: f32[256], w: f32[T])"
         " -> Y: f32[T] where N >= 1 { " +
         body + " }";
}

TEST_CASE("what is known of values proves gathers inside") {
  for (const char *body : {"Y[t] = X[id[t]]",
                           "Y[t] = L[u[t]]",
                           "Y[t] = L[j[t] & 255]",
                           "Y[t] = L[j[t] % 256]",
                           "Y[t] = L[bits(j[t], 7, 8)]",
                           "Y[t] = L[128 + sbits(u[t], 0, 8)]",
                           "Y[t] = L[min(max(j[t], 0), 255)]",
                           "Y[t] = L[max(min(j[t], 255), 0)]",
                           "Y[t] = X[floordiv(id[t], 2)]",
                           "Y[t] = X[tdiv(id[t], 3)]",
                           "Y[t] = X[N - 1 - id[t]]",
                           "Y[t] = X[i64(id[t])]",
                           "Y[t] = L[(if w[t] > 0 then i32(u[t]) else 7)]",
                           "Y[t] = X[q[t] % i64(N)]",
                           "Y[t] = L[floordiv(i32(u[t]) * 2 + 1, 2)]",
                           "Y[t] = w[floordiv(t, 2)]",
                           "Y[t] = L[t % 256]",
                           "Y[t] = X[clamp(q[t])]",
                           "Y[t] = X[checked(q[t] + 1)]",
                           "Y[t] = X[wrap(j[t] * j[t])]",
                           "Y[t] = X[reflect(j[t])]",
                           "Y[t] = X[q[t]] else 0",
                           "Y[t] = X[id[id2]]"}) {
    std::string text = body;
    if (text.find("id2") != std::string::npos)
      text = "Y[t] = X[id[t]] + sum[k](X[id[k]])";
    accept(gather(text));
  }
}

TEST_CASE("what data may place outside is refused with what helps") {
  const Refusal refusals[] = {
      {"Y[t] = X[@j[t]]", "G0405",
       "cannot prove that j[t] lies inside dimension 0 of 'X', of size N"},
      {"Y[t] = X[@id[t] + 1]", "G0405",
       "cannot prove that id[t] + 1 lies inside dimension 0 of 'X', of size N"},
      {"Y[t] = L[@u[t] + 1]", "G0405",
       "cannot prove that u[t] + 1 lies inside dimension 0 of 'L', of size "
       "256"},
      {"Y[t] = L[@tmod(j[t], 256)]", "G0405",
       "cannot prove that tmod(j[t], 256) lies inside dimension 0 of 'L', of "
       "size 256"},
      {"Y[t] = X[@w[t]]", "G0306", "a subscript is an integer, 'w[t]' is f32"},
      {"Y[t] = X[@id[t] * N]", "G0907",
       "a subscript cannot hold 'id[t] * N', a product of a value and a size"},
      {"Y[t] = X[@id[t] * t]", "G0907",
       "a subscript cannot hold 'id[t] * t', a product of a value and an "
       "index"}};
  for (const Refusal &refusal : refusals) {
    std::string text = gather(refusal.text);
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
  Checked checked = check(gather("Y[t] = X[j[t] + 2]"));
  std::string words = checked.diagnostics.renderText(false);
  INFO(words);
  CHECK(words.find("'j' promises no range of its elements") !=
        std::string::npos);
  CHECK(words.find("promise one, j: i32[...] in 0..N; or give the read a rule: "
                   "X[clamp(j[t] + 2)], X[checked(j[t] + 2)], or (X[...] else "
                   "0)") != std::string::npos);
  checked = check(gather("Y[t] = X[id[t] - 1]"));
  words = checked.diagnostics.renderText(false);
  INFO(words);
  CHECK(words.find("'id' promises 0..N, and that does not keep its lower end "
                   "inside") != std::string::npos);
}

TEST_CASE("promises are of integer inputs") {
  const Refusal refusals[] = {
      {"op o(W: f32[K] in @0..K) -> Y: f32 { Y = 1f32 }", "G0306",
       "'W' holds f32: a range is promised of integers"},
      {"op o(W: i32[K] in 0..@NP) -> Y: f32 { Y = 1f32 }", "G0203",
       "there is no size 'NP'"},
      {"op o(W: i32[K]) -> Y: i32[K] @in 0..K { Y[i] = W[i] }", "G0109",
       "only inputs promise a range"},
      {"op o(W: i32[K]? = none @in 0..K) -> Y: i32 { Y = 1i32 }", "G0109",
       "a promised range stands before '? = none'"}};
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
}

static std::string scatter(const std::string &body) {
  return "op f(b: i32[T] in 0..N, j: i32[T], W: f32[T, D], Z: f32[N]) -> "
         "H: f32[N], G: f32[N, D], C: i32[N], S: f32[N] where N >= 1 { "
         "S[i] = Z[i] " +
         body + " }";
}

TEST_CASE("scatter statements are told apart and refused in words") {
  accept(scatter("H[b[t]] +=[order=sequential] W[t, 0] else 0\n"
                 "G[b[t], d] = W[t, d] unique, drop\nC[j[t]] += 1 drop"));
  accept(scatter("H[b[t]] +=[order=free] f32(t)\nG[b[t], d] = W[t, d]\n"
                 "C[b[t]] = i32(t)"));
  accept(scatter("H[clamp(j[t])] max= 1 G[b[t], d] min= W[t, d]\n"
                 "C[b[t]] = i32(t) unique"));
  const Refusal refusals[] = {
      {"H[b[t]] @+= 1", "G0505", "a scattered sum of f32 says its order"},
      {"H[b[t]] +=[@order=tree(8)] 1", "G0505",
       "a scattered sum of f32 has the order 'sequential' or 'free', no "
       "other"},
      {"H[b[t]] +=[@order=fixed] 1", "G0505",
       "a scattered sum of f32 has the order 'sequential' or 'free', no "
       "other"},
      {"H[@j[t]] max= 1", "G0405",
       "cannot prove that j[t] lies inside dimension 0 of 'H', of size N"},
      {"H[b[t]] = @1i32", "G0303", "'H' is declared f32, this value is i32"},
      {"H[b[t]] max= 1 @unique", "G0109",
       "'unique' belongs to '=': 'max=' combines what meets in one place"},
      {"H[b[t]] = 1 drop, @drop", "G0109", "'drop' stands here twice"},
      {"H[i] = Z[i] @unique", "G0109",
       "'unique' belongs to a statement whose place data decide"},
      {"@b[b[t]] = 1", "G0210", "'b' is an input and cannot be defined"},
      {"H[b[t]] max= @H[0]", "G0445", "a scatter into 'H' cannot read it"},
      {"C[b[t]] += 1 @C[0] = 2", "G0205", "'C' is defined twice"},
      {"@H[b[t], 0] max= 1", "G0401",
       "'H' has 1 dimension, this statement gives 2 subscripts"}};
  for (const Refusal &refusal : refusals) {
    std::string text = scatter(refusal.text);
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
  std::string text = scatter("C[b[t]] +=[@order=sequential] 1 H[i] = Z[i] "
                             "G[i, d] = W[0, d] else 0 + 0 * Z[i]");
  checkRefusal({text.c_str(), "G0503",
                "'+=' of i32 gives the same bits in any order: the clause has "
                "no effect"},
               Severity::Warning);
}

TEST_CASE("programs that gather and scatter print as they are written") {
  std::string text =
      "op f(id: i32[T] in 0..N - 1, X: f32[N]) -> H: f32[N], Y: f32[T]\n"
      "    where N >= 1 {\n"
      "  H[id[t] + 1] +=[order=sequential] X[clamp(id[t])] drop\n"
      "  Y[t] = X[id[t] & 7 | 1] else 0\n"
      "}\n";
  auto program = accept(text);
  CHECK(printAst(program->file) == text);
}

TEST_CASE("integer constants beside indices are computed as indices are") {
  std::string text =
      "const STEP: i32 = 2\n\n"
      "op f<const GS: i32 = 3>(S: f32[5], X: f32[N])\n"
      "    -> Y: f32[N], Z: i64[N]\n"
      "    where N <= 12 {\n"
      "  Y[i] = X[i] * S[floordiv(i, GS + 1 - STEP + 1)] +\n"
      "      S[min(i, GS)] + S[i % (GS + STEP)]\n"
      "  Z[i] = i64(i % (2 * STEP) + floordiv(-(GS * STEP), i) +\n"
      "      (if i > GS then i else STEP + 1))\n"
      "}\n";
  accept(text);
  const Refusal refusals[] = {
      // Typed numbers, and what data say, keep their types.
      {"op f(X: f32[N]) -> Z: i64[N] {\nZ[i] = i64(@i % (2i32 + 1)) }", "G0301",
       "the operands of '%' have different types: index and i32"},
      {"op f<const GS: i32 = 3>(X: f32[N], id: i64[N]) -> Y: f32[N] {\n"
       "Y[i] = X[floordiv(@id[i], GS)] else 0 }",
       "G0301",
       "the arguments of 'floordiv' have different types: i64 and i32"}};
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
}

TEST_CASE("a call of an operator that scatters and has a const parameter") {
  accept("op count<const E: i32 = 3>(b: i32[T]) -> h: i32[E] {\n"
         "  h[b[t] + E - 1] += 1 drop\n"
         "}\n"
         "op twice(b: i32[T]) -> h: i32[4], k: i32[4] {\n"
         "  h = count(b, E = 4)\n"
         "  k = count(b, E = 4)\n"
         "}\n");
}

TEST_CASE("casts that the text does not have are not shown") {
  Checked checked = check("op f(X: f32[4], Z: f32[V]) -> Y: f32[V] {\n"
                          "Y[i] = X[floordiv(i, V) + i64(i)] }");
  bool found = false;
  for (const Diagnostic &d : checked.diagnostics.all())
    found |= d.message.find("prove that floordiv(i, V) + i64(i) lies") !=
             std::string::npos;
  INFO(checked.diagnostics.renderText(false));
  CHECK(found);
}
