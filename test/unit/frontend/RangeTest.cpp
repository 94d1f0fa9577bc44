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
