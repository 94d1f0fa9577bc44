//===- RaggedTest.cpp - loops over groups of elements ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::frontend;

static constexpr const char *kLoop = "for e in 0..E, t in off[e]..off[e + 1] ";

/// `op f(X: f32[T, K], W: f32[E, K], off: i32[E + 1] offsets(T), len: i32[E])
/// -> Y: f32[T, K] { body }`
static std::string grouped(const std::string &body,
                           const std::string &promise = " offsets(T)") {
  return "op f(X: f32[T, K], W: f32[E, K], off: i32[E + 1]" + promise +
         ", len: i32[E]) -> Y: f32[T, K] { " + body + " }";
}

TEST_CASE("a loop over groups takes its group from the offsets") {
  auto program =
      accept(grouped(std::string(kLoop) + "{ Y[t, k] = X[t, k] * W[e, k] }"));
  const auto &op = *std::get<std::unique_ptr<OpDecl>>(program->file.items[0]);
  REQUIRE(op.instance != nullptr);
  REQUIRE(op.instance->statements.size() == 2);
  const Statement &group = *op.instance->statements[0];
  CHECK(group.target.text == "off_group");
  CHECK(printExpr(*group.value) ==
        "min(sum[e in 0..E](i64(i64(off[e + 1]) <= i64(t))), i64(E) - 1)");
  CHECK(printExpr(*op.instance->statements[1]->value) ==
        "X[t, k] * W[off_group[t], k]");
  REQUIRE(group.tensor->dims.size() == 1);
  CHECK(spelling(group.tensor->dims[0]) == "T");
  // Two loops count once, unless a loop over time is around the first.
  auto statements = [](const std::string &body) {
    auto both = accept(grouped(body));
    return std::get<std::unique_ptr<OpDecl>>(both->file.items[0])
        ->instance->statements.size();
  };
  const std::string scaled = std::string(kLoop) + "{ Z[t, k] = X[t, k] * "
                                                  "W[e, k] } ",
                    last = std::string(kLoop) + "{ Y[t, k] = Z[t, k] * "
                                                "f32(e) } ";
  CHECK(statements(scaled + last) == 3);
  CHECK(statements(scaled + "for n in 0..3 { " + std::string(kLoop) +
                   "{ Z[t, k] = Z[t, k] * f32(e) } } " + last) == 4);
  CHECK(statements("Z[t, k] = X[t, k] for n in 0..3 { " + std::string(kLoop) +
                   "{ Z[t, k] = Z[t, k] * f32(e) } } " + last) == 5);
  // Without a use there is no such tensor.
  program = accept(grouped(std::string(kLoop) + "{ Y[t, k] = X[t, k] }"));
  CHECK(std::get<std::unique_ptr<OpDecl>>(program->file.items[0])
            ->instance->statements.size() == 1);
}

TEST_CASE("a loop with else is over the box") {
  auto program =
      accept("op f(X: f32[B, N], len: i32[B]) -> Y: f32[B, N] { "
             "for b in 0..B, t in 1..len[b] { Y[b, t] = X[b, t] } else -1 }");
  const auto &op = *std::get<std::unique_ptr<OpDecl>>(program->file.items[0]);
  CHECK(printExpr(*op.instance->statements[0]->value) ==
        "if i64(t) >= i64(1) and i64(t) < i64(len[b]) then X[b, t] else -1");
}

TEST_CASE("loops over groups print as they are read") {
  std::string text =
      "op f(X: f32[T, K], W: f32[E, K], off: i32[E + 1] offsets(T), len: "
      "i32[E]) -> Y: f32[T, K], Z: f32[E, K] {\n"
      "  for n in 0..2 {\n"
      "    for e in 0..E, t in off[e]..off[e + 1] {\n"
      "      d[t, k] = X[t, k] * W[e, k]\n"
      "      u[t, k] = d[t, k] * f32(e)\n"
      "    }\n"
      "    v[t, k] = u[t, k]\n"
      "  }\n"
      "  for e in 0..E, t in off[e]..off[e + 1] {\n"
      "    Y[t, k] = X[t, k]\n"
      "  }\n"
      "  for e in 0..E, k in 0..len[e] {\n"
      "    Z[e, k] = W[e, k]\n"
      "  } else 0\n"
      "}\n";
  Checked checked = check(text);
  INFO(checked.diagnostics.renderText(false));
  REQUIRE(checked.program != nullptr);
  CHECK(printAst(checked.program->file) == text);
  // The one style of the formatter differs in the header only.
  Diagnostics diagnostics;
  auto styled = formatText(SourceFile("t.te", text), diagnostics);
  REQUIRE(styled);
  CHECK(styled->substr(styled->find("  for n")) ==
        text.substr(text.find("  for n")));
  CHECK(formatText(SourceFile("t.te", "op f(len: i32[B]) -> Y: f32[B, 4] {\n"
                                      "for b in 0..B,t in 0..len[b]{Y[b,t]="
                                      "1f32}else 0}\n"),
                   diagnostics) ==
        std::optional<std::string>("op f(len: i32[B]) -> Y: f32[B, 4] {\n"
                                   "  for b in 0..B, t in 0..len[b] {\n"
                                   "    Y[b, t] = 1f32\n"
                                   "  } else 0\n"
                                   "}\n"));
}

TEST_CASE("what a loop over groups may define is said") {
  const Refusal refusals[] = {
      {"{ @S[e, k] = X[0, k] } Y[t, k] = X[t, k]", "G0446",
       "the left side of 'S' does not hold 't': each element would define it "
       "anew"},
      {"{ S[@e, t] = X[t, 0] } Y[t, k] = X[t, k]", "G0446",
       "the left side of 'S' holds the group 'e' beside 't': elements of other "
       "groups would stay undefined"},
      {"{ Y[t, k] = sum[@e](W[e, k]) }", "G0212",
       "the index 'e' is in use already"},
      {"{ Y[t, k] = sum[@t](X[t, k]) }", "G0212",
       "the index 't' is in use already"},
      {"{ @for n in 0..2 { Y[t, k] = X[t, k] } }", "G0906",
       "a loop inside a loop over groups of elements is not supported yet"},
      {"{ Y[t, k] = X[@e, k] }", "G0405",
       "cannot prove that off_group[t] lies inside dimension 0 of 'X', of size "
       "T"},
      {"{ Y[t, k] = W[@t, k] }", "G0403",
       "the index 't' runs over E here and over T there"},
  };
  for (const Refusal &refusal : refusals) {
    std::string text = grouped(kLoop + std::string(refusal.text));
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
  checkRefusal({"op g(X: f32[T]) -> Y: f32[T] { Y[t] = X[t] } "
                "op f(X: f32[T], off: i32[E + 1] offsets(T)) -> Y: f32[T] { "
                "for e in 0..E, t in off[e]..off[e + 1] { Y = @g(X) } }",
                "G0906",
                "a call of an operator inside a loop over groups is not "
                "supported yet"});
  Checked checked =
      check(grouped(kLoop + std::string("{ Y[t, k] = X[e, k] }")));
  std::string words = checked.diagnostics.renderText(false);
  INFO(words);
  CHECK(words.find("'e', the group of 't', is off_group[t] in this loop") !=
        std::string::npos);
}

TEST_CASE("the ranges of a loop over groups are said") {
  const Refusal refusals[] = {
      {"@for e in 0..E, t in off[e]..off[e + 1] { } Y[t, k] = X[t, k]", "G0103",
       "a loop over groups holds a statement or more"},
      {"for e in 0..E, t in 0..@W[e, 0] { Y[e, t] = X[e, t] } else 0", "G0306",
       "the end of a range is an integer, this is f32"},
      {"for e in 0..E, t in 0..len[@t] { Y[e, t] = X[e, t] } else 0", "G0203",
       "there is no index 't'; did you mean 'T'?"},
      {"for e in 0..E, @K in off[e]..off[e + 1] { Y[K, e] = X[K, e] }", "G0202",
       "'K' names an index and a size"},
      {"for @W in 0..E, t in off[W]..off[W + 1] { Y[t, k] = X[t, k] }", "G0202",
       "'W' names an index and a tensor"},
      {"for e in 0..E, @e in off[e]..off[e + 1] { Y[e, k] = X[e, k] }", "G0212",
       "the index 'e' is in use already"},
      {"for e in @1..E, t in off[e]..off[e + 1] { Y[t, k] = X[t, k] }", "G0446",
       "the groups of a loop are numbered from 0"},
      {"for e in @0..E - 1, t in off[e]..off[e + 1] { Y[t, k] = X[t, k] }",
       "G0403", "the loop is over E - 1 groups, 'off' has offsets of E"},
      {"for e in 0..E, t in @0..len[e] { Y[t, k] = X[t, k] }", "G0446",
       "the elements of the groups are off[e]..off[e + 1] of one tensor of "
       "offsets"},
      {"for e in 0..E, t in @off[e]..off[e + 2] { Y[t, k] = X[t, k] }", "G0446",
       "the elements of the groups are off[e]..off[e + 1] of one tensor of "
       "offsets"},
      {"for e in 0..E, t in @of[e]..of[e + 1] { Y[t, k] = X[t, k] }", "G0203",
       "there is no tensor 'of'; did you mean 'off'?"},
      {"for e in 0..E, t in @len[e]..len[e + 1] { Y[t, k] = X[t, k] }", "G0446",
       "'len' promises no offsets: nothing says that each element is in one "
       "group"},
      {"for e in 0..E, t in off[e]..off[e + 1]@, k in 0..K { }", "G0906",
       "loops over three indices and more are not supported yet"},
      {"for e@, t in 0..E { }", "G0906",
       "loops over several indices are not supported yet"},
      {"for e in 0..E, t in @0..e + 1 { Y[e, t] = X[t, e] } else 0", "G0446",
       "no data say how far 't' runs: a 'where' says it"},
      {"for e in 0..E, t in 0..len[e] { @Y[t, k] = X[t, k] } else 0", "G0446",
       "'Y' stands in a loop with 'else', and its left side does not hold "
       "'e'"},
      {"for e in 0..E, t in 0..len[e] { Y[e, t] = X[e, t] where @t < 2 } else "
       "0",
       "G0446", "the statements of a loop with 'else' have no 'where'"},
      {"for e in 0..E, t in 0..len[e] { @Y[len[e], t] += 1 } else 0", "G0906",
       "a scatter inside a loop with 'else' is not supported yet"},
  };
  for (const Refusal &refusal : refusals) {
    std::string text = grouped(refusal.text);
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
}

TEST_CASE("promises of offsets are looked at") {
  const Refusal refusals[] = {
      {"op f(off: f32[E + 1] offsets(@E)) -> Y: f32[E] { Y[i] = off[i] }",
       "G0306", "offsets are integers of one dimension, 'off' is f32[E + 1]"},
      {"op f(off: i32[E + 1, E] offsets(@E)) -> Y: i32[E] { Y[i] = off[i, i] }",
       "G0306",
       "offsets are integers of one dimension, 'off' is i32[E + 1, E]"},
      {"op f(off: i32[@E] offsets(E)) -> Y: i32[E] { Y[i] = off[i] }", "G0408",
       "'off' may have no element, and offsets of E groups are E + 1"},
      {"op f(off: i32[E + 1] in @0..E offsets(E)) -> Y: i32[E] { Y[i] = off[i] "
       "}",
       "G0109", "'offsets' says the range of the elements"},
      {"op f(off: i32[E + 1] offsets(E) @offsets(E)) -> Y: i32[E] { Y[i] = "
       "off[i] }",
       "G0109", "'offsets' stands twice behind one tensor"},
      {"op f(X: i32[E]) -> Y: i32[E] @offsets(E) { Y[i] = X[i] }", "G0109",
       "only inputs promise offsets"},
      {"op f(inout X: i32[E + 1] @offsets(E)) { X[i] = 0i32 }", "G0109",
       "only inputs promise offsets"},
      {"op f(off: i32[E + 1] offsets(@T)) -> Y: i32[E] { Y[i] = off[i] }",
       "G0203", "there is no size 'T'"},
      {"op f(off: i32[E + 1] offsets(@E * E)) -> Y: i32[E] { Y[i] = off[i] }",
       "G0905",
       "the number of elements cannot hold 'E * E', a product of two sizes"},
  };
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
  // They are a range, too: from 0, and T itself may be there.
  accept("op f(X: f32[T + 1], off: i32[E + 1] offsets(T)) -> Y: f32[E] { "
         "Y[e] = X[off[e]] }");
}
