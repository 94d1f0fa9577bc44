//===- MutationTest.cpp - damaged texts never crash the front end ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <random>

using namespace girih;
using namespace girih::frontend;

namespace {

/// Whatever the text: it is refused with a message, or it round-trips.
void feed(const std::string &text) {
  Checked checked = check(text);
  if (!checked.program) {
    REQUIRE(checked.diagnostics.hasErrors());
    return;
  }
  std::string once = printAst(checked.program->file);
  // The one style: the same tree, and at rest.
  Diagnostics diagnostics;
  auto formatted = formatText(SourceFile("t.te", text), diagnostics);
  REQUIRE(formatted.has_value());
  INFO(*formatted);
  REQUIRE(formatText(SourceFile("t.te", *formatted), diagnostics) == formatted);
  auto file = parseFile(SourceFile("t.te", *formatted), diagnostics);
  REQUIRE(file != nullptr);
  REQUIRE(printAst(*file) == once);
  Checked again = check(once);
  INFO(text << "\n" << once << again.diagnostics.renderText(false));
  REQUIRE(again.program != nullptr);
  REQUIRE(printAst(again.program->file) == once);
}

} // namespace

TEST_CASE("mutated examples") {
  std::mt19937 random(20251);
  std::vector<std::string> texts;
  for (const std::string &name : exampleNames()) {
    std::string text = readExample(name);
    texts.push_back(text.substr(text.find("///"))); // the code, mostly
  }
  texts.push_back(
      "const A: f32 = 1 / 3\nfn f(x: f32) -> f32 = if x < 0 then -x else x * "
      "A\nop o(X: f32[M, 64]) -> Y: f32[M], s: f32 where M % 8 == 0 {\n"
      "numerics { functions = portable }\nY[i] = sum[k, order=seg(16, tree(4),"
      " m=seq)](f(X[i, k])) + X[i, 3] * f32(i)\ns = max[i](Y[i])\n}\n");
  texts.push_back(
      "op g<const A: bool = true, type T in {f32, f16}>(X: T[M, N], b: T[N]? "
      "= none) -> Y: T[M, N] {\nt[i, j] = if A and b == none then X[i, j] "
      "else X[i, j] * 2\nY[i, j] = T(f32(t[i, j]))\n}\nop h(X: f32[M, 4]) "
      "-> Y: f32[M, 4], s: f32 {\np = g(X, A = false)\nY = g(p) // c\n"
      "s = sum[i, j](Y[i, j])\n}\ntest \"t\" {\nrun g(X = [[1, 2]], T = f16)"
      "\n// d\nexpect Y ~= fill(1) ulp 3\nrun h(X = iota(), M = 2)\n"
      "expect s == -0.5\nexpect Y == h(X = X)\n}\n");
  texts.push_back(
      "op f(X: f32[M, N]) -> Y: f32[M, N] { Y[i, j] = X[i, j] }\n"
      "template t(T, k) { split T.k by 8 -> ko, ki; unroll T.ki }\n"
      "schedule f for sm_90 when M >= 4, N % 8 == 0 exact {\n"
      "a: tile Y.i, Y.j by ?{64, 128}, 32 -> io, jo,\nii, ji\n// c\n"
      "stage X in shared at Y.jo depth 4 swizzle 128B\napply t(Y.sum, l)\n"
      "skew i by 2 * j\nroles producer 1, consumers 2\n"
      "map Y.io, Y.jo to grid raster 8; compute Y inline }\n");
  const std::string pieces[] = {
      "schedule ", "template ", ";",     "?{",   "128B",  "exact ",
      "apply t(",  ".",         "->",    "none", "run ",  "expect ",
      "<",         ">",         "fill(", "T",    "type ", "g(",
      "A = ",      "? = none",  "(",     ")",    "[",     "]",
      "{",         "}",         "sum[",  "=",    "==",    "if ",
      "then",      "else",      "1e99",  "op",   "const", "where",
      "..",        "-",         "not ",  ",",    "f32(",  "order=",
      "tree(3)",   "i",         "M",     "0",    "\n",    "//",
      ":"};
  unsigned accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = texts[random() % texts.size()];
    unsigned edits = 1 + random() % 4;
    for (unsigned i = 0; i < edits && !text.empty(); ++i) {
      size_t at = random() % text.size();
      switch (random() % 5) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + random() % 8);
        break;
      case 2:
        text.insert(at, pieces[random() % std::size(pieces)]);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), random() % 40));
        break;
      default:
        text[at] = static_cast<char>(' ' + random() % 95);
      }
    }
    Checked checked = check(text);
    if (checked.program) {
      ++accepted;
      feed(text);
    } else {
      REQUIRE(checked.diagnostics.hasErrors());
    }
    if (round % 16 == 0) {
      // Rendering must survive any bytes too.
      checked.diagnostics.renderText(true);
      checked.diagnostics.renderJson();
    }
  }
  CHECK(accepted > 500); // not everything is destroyed at once
}

TEST_CASE("random bytes and random tokens") {
  std::mt19937 random(7);
  const std::string words[] = {
      "op ", "o",      "(",          ")",      "[",   "]",     "{",
      "}",   ":",      "f32",        "->",     "=",   "X",     "i",
      "sum", ",",      "+",          "-",      "if ", "then ", "0.5",
      "==",  "fn ",    "const ",     "where ", "\n",  "else ", "not ",
      "%",   "order=", "seg(4, seq)"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    unsigned length = random() % 200;
    for (unsigned i = 0; i < length; ++i) {
      if (round % 3 == 0)
        text += static_cast<char>(random());
      else
        text += words[random() % std::size(words)] + " ";
    }
    feed(text);
  }
}

TEST_CASE("nesting and size limits hold without running out of stack") {
  struct Case {
    std::string text;
    const char *code;
  };
  auto repeat = [](std::string part, size_t times) {
    std::string text;
    for (size_t i = 0; i < times; ++i)
      text += part;
    return text;
  };
  const size_t kMany = 200000;
  std::string chain = "fn g0(x: f32) -> f32 = x + 1\n";
  std::string doubling = chain;
  for (int i = 1; i < 3000; ++i) {
    std::string last = std::to_string(i - 1), name = std::to_string(i);
    chain += "fn g" + name + "(x: f32) -> f32 = g" + last + "(x)\n";
    if (i < 100)
      doubling += "fn g" + name + "(x: f32) -> f32 = g" + last + "(x) * g" +
                  last + "(x)\n";
  }
  const Case cases[] = {
      {inOp("Y[i, j] = " + repeat("(", kMany)), "G0104"},
      {inOp("Y[i, j] = " + repeat("-", kMany) + "1f32"), "G0104"},
      {inOp("Y[i, j] = " + repeat("not ", kMany) + "true"), "G0104"},
      {inOp("Y[i, j] = " + repeat("exp(", kMany)), "G0104"},
      {inOp("Y[i, j] = " + repeat("if true then ", kMany)), "G0104"},
      {inOp("Y[i, j] = " + repeat("if true then 1 else ", kMany)), "G0104"},
      {inOp("Y[i, j] = " + repeat("sum[a](", kMany)), "G0115"},
      {inOp("Y[i, j] = " + repeat("X[i, j] else ", kMany)), "G0104"},
      {"op o(X: f32[" + repeat("2, ", 17) + "]) -> s: f32 { s = 0f32 }",
       "G0115"},
      {"op o(" + repeat("X: f32, ", 500) + ") -> s: f32 { s = 0f32 }", "G0115"},
      {inOp("Y[" + repeat("i, ", 21) + "] = 0f32"), "G0115"},
      {inOp("Y[i, j] = X[i, j]" + repeat(" + X[i, j]", kMany / 2)), "G0104"},
      {inOp("Y[i, j] = sum[a, order=" + repeat("tree(2, ", kMany)), "G0501"},
      {inOp(repeat("T[i] = 1\n", 20000)), "G0106"},
      {repeat("{", kMany), "G0103"},
      {repeat(" ", kMaxFileBytes + 1), "G0105"},
      {chain, "G0111"},
      {doubling, "G0111"},
  };
  for (const Case &c : cases) {
    Checked checked = check(c.text);
    INFO(c.text.substr(0, 100));
    CHECK(checked.program == nullptr);
    REQUIRE_FALSE(checked.diagnostics.all().empty());
    CHECK(checked.diagnostics.all()[0].code == c.code);
    CHECK(checked.diagnostics.renderText(false).size() < 20000);
  }
  accept(inOp("Y[i, j] = X[i, j]" + repeat(" + X[i, j]", 900)));
  accept(inOp("Y[i, j] = " + repeat("(", 190) + "X[i, j]" + repeat(")", 190)));
}

TEST_CASE("at most twenty errors are reported") {
  std::string body;
  for (int i = 0; i < 50; ++i)
    body += "T" + std::to_string(i) + "[i, j] = Z[i, j]\n";
  Checked checked = check(inOp(body));
  REQUIRE(checked.diagnostics.all().size() == 21);
  CHECK(checked.diagnostics.all().back().code == "G0107");
}

TEST_CASE("parsing goes on after an error") {
  Checked checked = check("op a(X: f32[M]) -> Y: f32[M] {\n"
                          "  Y[i] = X[i] +\n"
                          "  T[i] = * X[i]\n"
                          "  U[i] = (X[i]\n"
                          "}\n"
                          "op b(X f32) -> Y: f32 { Y = X }\n"
                          "const c: f33 = 1\n"
                          "fn f(x: f32) -> f32 = x x\n");
  std::vector<std::pair<std::string, unsigned>> found;
  for (const Diagnostic &d : checked.diagnostics.all())
    found.emplace_back(
        d.code, checked.diagnostics.file()->lineColumn(d.range->begin).line);
  CHECK(found == std::vector<std::pair<std::string, unsigned>>{{"G0103", 3},
                                                               {"G0103", 5},
                                                               {"G0103", 6},
                                                               {"G0203", 7},
                                                               {"G0103", 8}});
}
