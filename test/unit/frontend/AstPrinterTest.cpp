//===- AstPrinterTest.cpp - the canonical text and its round trip ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include "compiler/frontend/OrderTerms.h"

using namespace girih;
using namespace girih::frontend;

namespace {

std::string printed(const std::string &text) {
  SourceFile source("t.te", text);
  Diagnostics diagnostics;
  diagnostics.setFile(std::make_shared<const SourceFile>("t.te", text));
  auto file = parseFile(source, diagnostics);
  INFO(text << "\n" << diagnostics.renderText(false));
  REQUIRE(file != nullptr);
  return printAst(*file);
}

/// The canonical text of one expression.
std::string canonical(const std::string &expr) {
  std::string text = printed("op o() -> s: f32 { s = " + expr + " }");
  std::string head = "op o() -> s: f32 {\n  s = ";
  REQUIRE(text.substr(0, head.size()) == head);
  return text.substr(head.size(), text.size() - head.size() - 3);
}

} // namespace

TEST_CASE("examples print to a fixed point") {
  for (const std::string &name : exampleNames()) {
    INFO(name);
    std::string text = readExample(name);
    CHECK(text.substr(0, 3) == "// ");
    std::string once = printed(text);
    CHECK(printed(once) == once);
    // Checking a program does not change what is printed.
    CHECK(printAst(accept(text)->file) == once);
  }
}

TEST_CASE("an example's canonical text") {
  std::string text = printed(readExample("ffn_silu"));
  CHECK(text.substr(0, text.find("\ntest ")) ==
        "/// Y = silu(A W), with the product rounded to bf16 before the "
        "activation.\n"
        "op matmul_silu(A: bf16[M, K], W: bf16[K, N]) -> Y: bf16[M, N] {\n"
        "  C[i, j] = bf16(sum[k](f32(A[i, k]) * f32(W[k, j])))\n"
        "  Y[i, j] = bf16(silu(f32(C[i, j])))\n"
        "}\n");
}

TEST_CASE("every clause prints to a fixed point") {
  std::string text =
      "/// doc\n///\nconst A:f32=-1.5e3\n"
      "fn f(x:f32,y:f32)->f32=if x<y then x else y\nfn g()->f16=1f16\n"
      "op o(X:f32[M,N,4,0],q:f32[])->Y:f32[M],s:f32[] where M%8==0,N<=65536,"
      "N>1,M<9,M>=1,N==4{numerics{invariant=N,M,contract=off "
      "functions=portable}\n"
      "Y[i]=sum[k,l,p,order=sequential](X[i,k,l,p])+A s[]=q[]\n"
      "t[i]=exp.fast(Y[i])u[i]=max[k](X[i,k,0,0])}";
  std::string once = printed(text);
  CHECK(
      once ==
      "/// doc\n///\nconst A: f32 = -1.5e3\n\n"
      "fn f(x: f32, y: f32) -> f32 = if x < y then x else y\n\n"
      "fn g() -> f16 = 1f16\n\n"
      "op o(X: f32[M, N, 4, 0], q: f32) -> Y: f32[M], s: f32\n"
      "    where M % 8 == 0, N <= 65536, N > 1, M < 9, M >= 1, N == 4 {\n"
      "  numerics { functions = portable, contract = off, invariant = N, M }\n"
      "  Y[i] = sum[k, l, p, order=sequential](X[i, k, l, p]) + A\n"
      "  s = q\n"
      "  t[i] = exp.fast(Y[i])\n"
      "  u[i] = max[k](X[i, k, 0, 0])\n"
      "}\n");
  CHECK(printed(once) == once);
}

TEST_CASE("parentheses are kept where they mean something") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"(a + b) + c", "a + b + c"},
      {"a + (b + c)", "a + (b + c)"},
      {"a - (b - c)", "a - (b - c)"},
      {"(a * b) + c / d", "a * b + c / d"},
      {"a * (b + c)", "a * (b + c)"},
      {"a / (b * c)", "a / (b * c)"},
      {"-(a * b)", "-(a * b)"},
      {"-a * b", "-a * b"},
      {"-(-a)", "-(-a)"},
      {"- -a", "-(-a)"},
      {"a - -b", "a - -b"},
      {"not (a and b)", "not (a and b)"},
      {"not a and b", "not a and b"},
      {"(not a) or b", "not a or b"},
      {"not not a", "not not a"},
      {"(a or b) and c", "(a or b) and c"},
      {"a or (b or c)", "a or (b or c)"},
      {"(a < b) == c", "(a < b) == c"},
      {"not (a < b)", "not a < b"},
      {"(if a then b else c) + d", "(if a then b else c) + d"},
      {"if a then b else if c then d else e",
       "if a then b else if c then d else e"},
      {"if (if a then b else c) then d else e",
       "if if a then b else c then d else e"},
      {"(((a)))", "a"},
      {"sum[i]((a))", "sum[i](a)"},
      {"sum[i, order=fixed](a)", "sum[i](a)"},
      {"inf + nan - 0x1.8p3f16", "inf + nan - 0x1.8p3f16"},
      {"true and false", "true and false"},
      {"fma(a, (b), c)", "fma(a, b, c)"},
      {"bf16((a))", "bf16(a)"},
  };
  for (const auto &[text, wanted] : cases) {
    CHECK(canonical(text) == wanted);
    CHECK(canonical(wanted) == wanted);
  }
}

TEST_CASE("order terms print as the association terms' grammar") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"seq", "seq"},
      {"seg(64,seq)", "seg(64, seq)"},
      {"seg(4096, lanes(64,1), m=lanes(64,1))",
       "seg(4096, lanes(64, 1), m = lanes(64, 1))"},
      {"seg(64, tree(8), m=seq)", "seg(64, tree(8))"},
      {"tree(8, seq)", "tree(8)"},
      {"tree(8, tree(2))", "tree(8, tree(2))"},
      {"lanes(4096, 4, seq)", "lanes(4096, 4)"},
      {"mma(sm_90, 16)", "mma(sm_90, 16)"},
  };
  for (const auto &[text, wanted] : cases) {
    std::string expr = "sum[i, order=" + text + "](a)";
    CHECK(canonical(expr) == "sum[i, order=" + wanted + "](a)");
    CHECK(canonical(canonical(expr)) == canonical(expr));
  }
}
