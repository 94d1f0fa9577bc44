//===- ScanTest.cpp - running sums and products ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::frontend;

static std::string scan(const std::string &clauses,
                        const std::string &type = "f32") {
  return "op f(X: " + type + "[M, N]) -> Y: " + type +
         "[M, N] {\nY[i, j] = cumsum[j" + clauses + "](X[i, j])\n}";
}

/// The statements that the one of `scan` becomes.
static size_t statementsOf(const std::string &clauses) {
  auto program = accept(scan(clauses));
  const OpDecl &op = *program->ops()[0];
  return (op.instance ? op.instance : &op)->statements.size();
}

TEST_CASE("orders of scans") {
  // What is scanned, the chain, and what reads it; segments have two chains and
  // their sums.
  for (const char *chain : {"", ", order=fixed", ", order=free",
                            ", order=sequential", ", order=seq"})
    CHECK(statementsOf(chain) == 3);
  for (const char *segments :
       {", order=seg(4)", ", order=seg(4, seq)", ", order=seg(4, m = seq)",
        ", exclusive, reverse, order=seg(65535, seq, m = seq)"})
    CHECK(statementsOf(segments) == 5);
  accept("op f(X: f32[100]) -> Y: f32[100] {\n"
         "Y[j] = cumsum[j, order=seg(7)](cumprod[j, order=seg(9)](X[j])) }");
  // Names that are taken already.
  accept("op f(X: f32[j_segment, j_place]) -> Y: f32[j_segment, j_place] {\n"
         "Y_before[i] = sum[k](X[i, k])\n"
         "Y[i, j] = cumsum[j, order=seg(4)](X[i, j]) + Y_before[i] }");
}

TEST_CASE("orders that no scan has") {
  const Refusal refusals[] = {
      {", @order=lanes(4, 1)", "G0909",
       "no scan runs in the order 'lanes(4, 1)'"},
      {", @order=tree(4)", "G0909", "no scan runs in the order 'tree(4)'"},
      {", @order=seg(8, lanes(4, 1))", "G0909",
       "no scan runs in the order 'seg(8, lanes(4, 1))'"},
      {", @order=seg(8, m = lanes(4, 1))", "G0909",
       "no scan runs in the order 'seg(8, seq, m = lanes(4, 1))'"},
      {", @order=mma(sm_90, 16)", "G0909",
       "no scan runs in the order 'mma(sm_90, 16)'"},
      {", @order=seg(65536)", "G0909",
       "segments of a scan have at most 65535 elements"},
  };
  for (const Refusal &refusal : refusals) {
    std::string text = scan(refusal.text);
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
  Checked checked = check(scan(", order=tree(4)"));
  CHECK(checked.diagnostics.renderText(false).find(
            "there are fixed, free, sequential and seq, which are one chain "
            "from one end to the other, and seg(L): a chain for each L "
            "elements") != std::string::npos);
  for (const char *order : {", @order=seg(8)", ", @order=free"}) {
    std::string text = scan(order, "i32");
    checkRefusal({text.c_str(), "G0503",
                  "'cumsum' of i32 gives the same bits in any order: the "
                  "clause has no effect"},
                 Severity::Warning);
  }
}

TEST_CASE("a segment's own order is seq if none is said") {
  auto program = accept("op o(X: f32[N]) -> s: f32, t: f32 {\n"
                        "s = sum[k, order=seg(8)](X[k])\n"
                        "t = sum[k, order=seg(8, m = lanes(4, 1))](X[k]) }");
  std::string text = printAst(program->file);
  CHECK(text.find("order=seg(8, seq)") != std::string::npos);
  CHECK(text.find("order=seg(8, seq, m = lanes(4, 1))") != std::string::npos);
}
