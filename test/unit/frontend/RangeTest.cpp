//===- RangeTest.cpp - how far indices run --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::frontend;

namespace {

std::string extentOf(const IndexVariable &index) {
  REQUIRE(index.extent.has_value());
  return spelling(*index.extent);
}

} // namespace

TEST_CASE("ranges follow from the first access") {
  auto program = accept("op o(X: f32[M, 8], Z: f32[8, N]) -> Y: f32[M, N] {\n"
                        "  Y[i, j] = sum[k](X[i, k] * Z[k, j])\n}");
  const Statement &statement = *program->ops()[0]->statements[0];
  CHECK(extentOf(*statement.indices[0]) == "M");
  CHECK(extentOf(*statement.indices[1]) == "N");
  CHECK(extentOf(*statement.value->as<ReduceExpr>()->indices[0]) == "8");
}

TEST_CASE("an output's declaration gives the range of an index nothing reads") {
  auto program = accept("op o(X: f32[M]) -> Y: f32[M, 4] {\n"
                        "  Y[i, c] = X[i] * f32(c)\n}");
  const Statement &statement = *program->ops()[0]->statements[0];
  CHECK(extentOf(*statement.indices[1]) == "4");
  CHECK(
      program->source->lineColumn(statement.indices[1]->fixedBy.begin).column ==
      30);
}

TEST_CASE("temporaries carry ranges on") {
  auto program = accept("op o(X: f32[M, N]) -> Y: f32[N] {\n"
                        "  T[j, i] = X[i, j]\n"
                        "  Y[j] = sum[i](T[j, i])\n}");
  const OpDecl &op = *program->ops()[0];
  CHECK(spelling(op.tensors[2]->dims[0]) == "N");
  CHECK(spelling(op.tensors[2]->dims[1]) == "M");
}

TEST_CASE("sibling reductions may use one name for two indices") {
  auto program = accept("op o(X: f32[M], Z: f32[N]) -> s: f32 {\n"
                        "  s = sum[k](X[k]) + sum[k](Z[k])\n}");
  const auto *sum = program->ops()[0]->statements[0]->value->as<BinaryExpr>();
  CHECK(extentOf(*sum->lhs->as<ReduceExpr>()->indices[0]) == "M");
  CHECK(extentOf(*sum->rhs->as<ReduceExpr>()->indices[0]) == "N");
}

TEST_CASE("constant subscripts, zero extents, nested sums, diagonals") {
  accept("op o(X: f32[M, 4]) -> Y: f32[M] { Y[i] = X[i, 0] + X[i, 3] }");
  accept("op o(X: f32[M, 0]) -> Y: f32[M] { Y[i] = sum[k](X[i, k]) }");
  accept("op o(X: f32[M, N]) -> s: f32 { s = sum[i](sum[j](X[i, j])) }");
  accept("op o(X: f32[M, M]) -> Y: f32[M] { Y[i] = X[i, i] }");
}

TEST_CASE("two ranges for one index show both places") {
  Checked checked = check("op o(A: f32[M, K], B: f32[L, N]) -> C: f32[M, N] {\n"
                          "  C[i, j] = sum[k](A[i, k] * B[k, j])\n}");
  REQUIRE(checked.diagnostics.all().size() == 1);
  CHECK(checked.diagnostics.renderText(false) ==
        "t.te:2:32: error[G0403]: the index 'k' runs over L here and over K "
        "there\n"
        "    2 |   C[i, j] = sum[k](A[i, k] * B[k, j])\n"
        "      |                                ^\n"
        "t.te:2:25: note: there: this runs over K\n"
        "    2 |   C[i, j] = sum[k](A[i, k] * B[k, j])\n"
        "      |                         ^\n"
        "help: declare both dimensions with the same size\n");
}

TEST_CASE("an output must be covered exactly") {
  Checked checked = check("op o(X: f32[M]) -> Y: f32[8] {\n"
                          "  Y[i] = X[i]\n}");
  REQUIRE(checked.diagnostics.all().size() == 1);
  const Diagnostic &d = checked.diagnostics.all()[0];
  CHECK(d.code == "G0403");
  CHECK(d.message == "the index 'i' runs over 8 here and over M there");
  REQUIRE(d.notes.size() == 1);
  CHECK(checked.diagnostics.file()->lineColumn(d.range->begin).line == 1);
  CHECK(checked.diagnostics.file()->lineColumn(d.notes[0].range->begin).line ==
        2);
}

TEST_CASE("dimensions written as sums need not agree, numbers or not") {
  accept("op o(P: f32[N + K], W: f32[K]) -> Q: f32[N], R: f32[K] {\n"
         "  Q[n] = P[n]\n  R[n] = P[n + N] * W[n]\n}");
  accept("op o<const A: i32 = 4, const B: i32 = 2>(P: f32[A + 2 * B])\n"
         "    -> Q: f32[A], R: f32[B] {\n"
         "  Q[n] = P[n]\n  R[n] = P[n + A]\n}");
  Checked checked = check("op o<const A: i32 = 4, const B: i32 = 2>(\n"
                          "    P: f32[A - B]) -> Q: f32[A] {\n"
                          "  Q[n] = P[n]\n}");
  REQUIRE(!checked.diagnostics.all().empty());
  CHECK(checked.diagnostics.all()[0].code == "G0405");
}

//===----------------------------------------------------------------------===//
// Sums as subscripts
//===----------------------------------------------------------------------===//

namespace {

/// The extent of the first left-hand index of the first statement.
std::string firstExtent(const char *text) {
  auto program = accept(text);
  return extentOf(*program->ops()[0]->statements[0]->indices[0]);
}

const IndexVariable &onlyReduced(const Program &program) {
  const Statement &statement = *program.ops()[0]->statements[0];
  return *statement.value->as<ReduceExpr>()->indices[0];
}

/// The first diagnostic of `text`, whose notes and help are looked at.
Diagnostic firstError(const char *text) {
  Checked checked = check(text);
  REQUIRE(!checked.diagnostics.all().empty());
  return checked.diagnostics.all()[0];
}

} // namespace

TEST_CASE("a range is the largest in which every access is inside") {
  // i + 1 <= N - 1.
  CHECK(firstExtent("op o(X: f32[N]) -> s: f32 where N >= 1 {\n"
                    "T[i] = X[i] + X[i + 1]\ns = sum[i](T[i]) }") == "N - 1");
  // 2 i + 1 <= 2 N - 1 and 3 i <= 12 - 1.
  CHECK(firstExtent("op o(X: f32[2 * N]) -> s: f32 {\n"
                    "T[i] = X[2 * i + 1]\ns = sum[i](T[i]) }") == "N");
  CHECK(firstExtent("op o(X: f32[12]) -> s: f32 {\n"
                    "T[i] = X[3 * i + 2]\ns = sum[i](T[i]) }") == "4");
  CHECK(firstExtent("op o(X: f32[11]) -> s: f32 {\n"
                    "T[i] = X[3 * i + 2]\ns = sum[i](T[i]) }") == "3");
  // N - 1 - i >= 0.
  CHECK(firstExtent("op o(X: f32[N]) -> s: f32 {\n"
                    "T[i] = X[N - 1 - i]\ns = sum[i](T[i]) }") == "N");
  // r < K from W, so i + K - 1 <= N + K - 2.
  CHECK(firstExtent("op o(X: f32[N + K - 1], W: f32[K]) -> s: f32 {\n"
                    "T[i] = sum[r](X[i + r] * W[r])\n"
                    "s = sum[i](T[i]) }") == "N");
}

TEST_CASE("ranges of reduced indices start where they must") {
  auto program = accept("op o(X: f32[N]) -> s: f32 where N >= 1 {\n"
                        "s = sum[k](X[k - 1] * X[k]) }");
  const IndexVariable &k = onlyReduced(*program);
  CHECK(spelling(k.start) == "1");
  CHECK(extentOf(k) == "N - 1");

  program = accept("op o(X: f32[N]) -> s: f32 where N >= 3 {\n"
                   "s = sum[k in 2..N - 1](X[k + 1] * X[k - 2]) }");
  CHECK(spelling(onlyReduced(*program).start) == "2");
  CHECK(extentOf(onlyReduced(*program)) == "N - 3");
}

TEST_CASE("proofs know constraints, inputs and that loops run") {
  // N >= 1 where anything is read.
  accept("op o(X: f32[N]) -> Y: f32[N] { Y[i] = X[i] - X[0] }");
  accept("op o(X: f32[N], Z: f32[M]) -> Y: f32[M] where N >= 4 {\n"
         "Y[i] = Z[i] - X[3] }");
  // N is a multiple of 8 and not 0.
  accept("op o(X: f32[N], Z: f32[M]) -> Y: f32[M] where N % 8 == 0, N > 0 {\n"
         "Y[i] = Z[i] - X[7] }");
  accept("op o(X: f32[2 * H + 1, W]) -> Y: f32[H, W] {\n"
         "Y[h, w] = sum[r in 0..3](X[2 * h + r, w]) }");
  accept("op o(X: f32[N + 1]) -> Y: f32[N] { Y[i] = X[i] - X[i + 1] }");
  accept("op o(X: f32[N]) -> Y: f32[N - 1] where N >= 1 {\n"
         "Y[i] = X[i] - X[i + 1] }");
  accept("op o(X: f32[N], W: f32[K]) -> Y: f32[(N - K) + 1]\n"
         "where N >= 16, K <= 16 { Y[i] = sum[r](X[i + r] * W[r]) }");
}

TEST_CASE("which bounds a guarded read needs") {
  auto program = accept("op o(X: f32[N, M]) -> Y: f32[N, M] {\n"
                        "Y[i, j] = X[i - 1, M - 1 - j] else 0\n}");
  const auto *access =
      program->ops()[0]->statements[0]->value->as<AccessExpr>();
  REQUIRE(access);
  CHECK(access->subscripts[0].below);
  CHECK_FALSE(access->subscripts[0].above);
  CHECK_FALSE(access->subscripts[1].below);
  CHECK_FALSE(access->subscripts[1].above);
  // One that is always inside needs none.
  program = accept("op o(X: f32[N]) -> Y: f32[N] { Y[i] = X[i] else 0 }");
  CHECK_FALSE(
      program->ops()[0]->statements[0]->value->as<AccessExpr>()->isGuarded());
  // It sets no range where the output does.
  accept("op o(X: f32[N]) -> Y: f32[N + 4] { Y[i] = X[i] else 0 }");
}

TEST_CASE("an 'else' belongs to the read before it, or to an open 'if'") {
  auto program =
      accept("op o(X: f32[N]) -> Y: f32[N] {\n"
             "Y[i] = X[i - 1] else 0 + (if i > 0 then X[i] else 2) }");
  CHECK(printExpr(*program->ops()[0]->statements[0]->value) ==
        "(X[i - 1] else 0) + (if i > 0 then X[i] else 2)");
  program = accept("op o(X: f32[N]) -> Y: f32[N] {\n"
                   "Y[i] = if i > 3 then (X[i - 4] else 1) else X[i] }");
  CHECK(printExpr(*program->ops()[0]->statements[0]->value) ==
        "if i > 3 then (X[i - 4] else 1) else X[i]");
}

TEST_CASE("what cannot be proved is refused with an example") {
  struct Case {
    const char *text, *message, *note, *help;
  };
  const Case cases[] = {
      {"op o(X: f32[N]) -> Y: f32[N] { Y[i] = X[i + 1] }",
       "cannot prove that i + 1 lies inside a dimension of size N",
       "its upper end fails: with N = 1, i = 0 this is element 1 of 1",
       "narrow the range of an index, add a 'where', or give the read a rule: "
       "X[clamp(i + 1)], or (X[...] else 0)"},
      {"op o(X: f32[N]) -> Y: f32[N] { Y[i] = X[i - 2] }",
       "cannot prove that i - 2 lies inside a dimension of size N",
       "its lower end fails: with N = 1, i = 0 this is element -2 of 1",
       "narrow the range of an index, add a 'where', or give the read a rule: "
       "X[clamp(i - 2)], or (X[...] else 0)"},
      {"op o(X: f32[N], Z: f32[M]) -> Y: f32[M] { Y[i] = X[clamp(i)] }",
       "cannot prove that i lies inside a dimension of size N",
       "'clamp' needs at least one element to choose from",
       "add the constraint 'where N >= 1'"},
      {"op o(X: f32[2 * H]) -> Y: f32[H] {\n"
       "Y[h] = sum[r in 0..3](X[2 * h + r]) }",
       "cannot prove that 2 * h + r lies inside a dimension of size 2 * H",
       "its upper end fails: with H = 1, h = 0, r = 2 this is element 2 of 2",
       ""},
  };
  for (const Case &each : cases) {
    INFO(each.text);
    Diagnostic d = firstError(each.text);
    CHECK(d.code == "G0405");
    CHECK(d.message == each.message);
    REQUIRE(d.notes.size() == 2);
    CHECK(d.notes[1].message == each.note);
    if (*each.help)
      CHECK(d.helps.at(0) == each.help);
  }
}

TEST_CASE("dimensions and ranges that may be negative are refused") {
  Diagnostic d = firstError("op o(X: f32[N]) -> Y: f32[N - 1] {\n"
                            "Y[i] = X[i] }");
  CHECK(d.code == "G0408");
  CHECK(d.message ==
        "the dimension N - 1 of 'Y' may be negative: with N = 0 it is -1");
  CHECK(d.helps.at(0) == "add the constraint 'where N >= 1'");
  d = firstError("op o(X: f32[N]) -> s: f32 { s = sum[k in 2..N](X[k]) }");
  CHECK(d.code == "G0408");
  CHECK(d.message == "the range 2..N of the index 'k' may end before it "
                     "starts: with N = 0 it has -2 elements");
  CHECK(d.helps.at(0) == "add the constraint 'where N >= 2'");
  d = firstError("op o(X: f32[N]) -> s: f32 {\n"
                 "T[i] = X[i + 1]\ns = sum[i](T[i]) }");
  CHECK(d.code == "G0408");
  d = firstError("op o(X: f32[N + K]) -> Y: f32[N] { Y[i] = X[i] }");
  CHECK(d.code == "G0406");
  CHECK(d.message == "no input says how large 'N' is");
  CHECK(d.helps.at(0) ==
        "it must be the only unknown of some input's dimension");
}

TEST_CASE("numbers and factors of sums have limits") {
  for (const char *sum : {"70000 * i", "i + 1099511627776 * 1",
                          "1099511627775 * 1099511627775", "300 * (300 * i)"}) {
    INFO(sum);
    Diagnostic d = firstError(
        ("op o(X: f32[N]) -> Y: f32[N] { Y[i] = X[" + std::string(sum) + "] }")
            .c_str());
    CHECK(d.code == "G0108");
    CHECK(d.message ==
          "a subscript has a number of 2^40 or a factor of 2^16 or more");
  }
}

TEST_CASE("what is outside has the tensor's type") {
  Diagnostic d = firstError("op o(X: f32[N], Z: bf16[N]) -> Y: f32[N] {\n"
                            "Y[i] = X[i - 1] else Z[i] }");
  CHECK(d.code == "G0301");
  CHECK(d.message == "'X' holds f32, the value outside it is bf16");
  CHECK(d.helps.at(0) == "cast it: f32(Z[i])");
}

TEST_CASE("the printed text of sums, rules and ranges reads back") {
  std::string text =
      "op o(X: f32[2 * H + 1, W]) -> Y: f32[H, W] {\n"
      "  Y[h, w] = sum[r in 0..3, s in -1..2](X[2 * h + r, clamp(w + s)])\n"
      "}\n";
  auto program = accept(text.c_str());
  CHECK(printAst(program->file) == text);
  text = "op o(X: f32[N]) -> Y: f32[N] {\n"
         "  Y[i] = (X[i - 1] else -1) * (X[wrap(-2 * (i - 3))] + 1)\n"
         "}\n";
  program = accept(text.c_str());
  CHECK(printAst(program->file) == text);
}

TEST_CASE(
    "where every read has a rule, an output's plain read says the range") {
  auto rangeOf = [](const std::string &body) {
    auto program =
        accept("op o(X: f32[H, W], F: f32[3]) -> Y: f32[H, 2 * W] {\n" + body +
               "\n}\n");
    const OpDecl &op =
        *std::get<std::unique_ptr<OpDecl>>(program->file.items.at(0));
    return spelling(*op.statements.at(0)->indices.at(1)->extent);
  };
  std::string blur = "Z[h, w] = sum[r]((X[h, w + r - 1] else 0) * F[r])\n";
  CHECK(rangeOf(blur + "Y[h, w] = Z[h, w] + 1") == "2 * W");
  // Through another temporary, and also where a part reads it before.
  CHECK(rangeOf(blur + "A[h, w] = Z[h, w] * 2\n"
                       "Y[h, w] = A[h, w] + 1") == "2 * W");
  // Where it is a value only, or an end of a range.
  CHECK(rangeOf("Z[h, w] = f32(w) * (X[h, 0 * w - 1] else 0)\n"
                "Y[h, w] = Z[h, w] + 1") == "2 * W");
  // A read of its own in the statement says more.
  CHECK(rangeOf("Z[h, w] = X[h, w] + (X[h, w + 1] else 0)\n"
                "Y[h, w] = Z[h, clamp(w)]") == "W");
  const Refusal refusals[] = {
      // Only read beside others.
      {"op o(X: f32[H], F: f32[3]) -> Y: f32[H] {\n"
       "Z[@h] = sum[r]((X[h + r - 1] else 0) * F[r])\n"
       "Y[h] = Z[h + 1] else 0 }",
       "G0402", "nothing says how far the index 'h' runs"},
      // An index that the value does not have.
      {"op o(X: f32[H]) -> Y: f32[H, H] {\n"
       "Z[h, @k] = X[h]\nY[h, k] = Z[h, k] }",
       "G0402", "nothing says how far the index 'k' runs"},
      // A temporary that nothing reads.
      {"op o(X: f32[H]) -> Y: f32[H] {\n"
       "Z[@h] = X[h - 1] else 0\nA[h] = Z[h]\nY[h] = X[h] }",
       "G0402", "nothing says how far the index 'h' runs"}};
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
}
