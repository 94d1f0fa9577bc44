//===- MlirGenRefusalTest.cpp - what mlirgen refuses, in its words --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/te/Helpers.h"

using namespace girih;
using namespace girih::mlirgen;

namespace {

using Given = std::vector<std::pair<std::string, int64_t>>;

std::string constrained(const std::string &where) {
  return "op scale(X: f32[M, Nx]) -> Y: f32[M, Nx] where " + where +
         " {\n  Y[i, j] = X[i, j] * 2\n}\n";
}

/// The one error that a text gives.
Diagnostic refusal(const std::string &text, const std::string &opName,
                   const Given &given = {}) {
  GenOptions options;
  options.given = given;
  Generated generated(text, opName, options);
  INFO(generated.diags.renderText(false));
  REQUIRE(generated.diags.all().size() == 1);
  return generated.diags.all().front();
}

const char *const kTwoOps = R"(
op first(X: f32[N]) -> Y: f32[N] {
  Y[i] = X[i]
}
op second(X: f32[N]) -> Y: f32[N] {
  Y[i] = -X[i]
}
)";

} // namespace

TEST_CASE("an operator that cannot be chosen") {
  Diagnostic none = refusal("const A: f32 = 1\n", "");
  CHECK(none.code == "G0601");
  CHECK(none.message == "the file defines no operator");

  Diagnostic many = refusal(kTwoOps, "");
  CHECK(many.code == "G0602");
  CHECK(many.message == "the file defines 2 operators: first, second");
  REQUIRE(many.helps.size() == 1);
  CHECK(many.helps[0] == "name the one that is meant, for example first");

  Diagnostic unknown = refusal(kTwoOps, "secund");
  CHECK(unknown.code == "G0601");
  CHECK(unknown.message ==
        "the file has no operator 'secund'; did you mean 'second'?");
  REQUIRE(unknown.notes.size() == 1);
  CHECK(unknown.notes[0].message == "its operators are first, second");

  CHECK(Generated(kTwoOps, "second").func().getSymName() == "second");
}

TEST_CASE("a given size that the operator does not have") {
  std::string text = constrained("M % 8 == 0");
  Diagnostic close = refusal(text, "", {{"nx", 4}});
  CHECK(close.code == "G0603");
  CHECK(close.message == "'scale' has no size 'nx'; did you mean 'Nx'?");
  REQUIRE(close.notes.size() == 1);
  CHECK(close.notes[0].message == "its sizes are M, Nx");

  Diagnostic without = refusal(
      "op f(X: f32[4]) -> Y: f32[4] {\n  Y[i] = X[i]\n}\n", "", {{"Batch", 4}});
  CHECK(without.message == "'f' has no size 'Batch'");
  REQUIRE(without.notes.size() == 1);
  CHECK(without.notes[0].message == "'f' has no sizes at all");
}

TEST_CASE("a given size out of range or given twice") {
  std::string text = constrained("M >= 0");
  Diagnostic negative = refusal(text, "", {{"M", -1}});
  CHECK(negative.code == "G0604");
  CHECK(negative.message ==
        "the size 'M' is given as -1; a size is not negative");

  Diagnostic large = refusal(text, "", {{"M", int64_t(1) << 40}});
  CHECK(large.code == "G0604");
  CHECK(large.message == "the size 'M' is given as 1099511627776, the largest "
                         "size is 1099511627775");

  Diagnostic twice = refusal(text, "", {{"M", 8}, {"Nx", 3}, {"M", 16}});
  CHECK(twice.code == "G0604");
  CHECK(twice.message == "the size 'M' is given twice, as 8 and as 16");

  // All of them are reported, not only the first.
  GenOptions options;
  options.given = {{"M", -1}, {"K", 3}};
  CHECK(Generated(text, "", options).diags.all().size() == 2);
}

TEST_CASE("a derived size is what the given ones make it") {
  std::string text = "op f(X: f32[H]) -> Y: f32[OH]\n"
                     "    where OH = (H - 3) / 2, OH <= 8 {\n"
                     "  Y[i] = X[i]\n}\n";
  GenOptions options;
  options.given = {{"H", 10}};
  Generated fixed(text, "", options);
  CHECK(fixed.func().getGiven().vec() == std::vector<int64_t>{10, 3});

  Diagnostic other = refusal(text, "", {{"H", 10}, {"OH", 4}});
  CHECK(other.code == "G0604");
  CHECK(other.message ==
        "the size 'OH' is given as 4, but the other sizes make it 3");
  REQUIRE(other.notes.size() == 1);
  CHECK(other.notes[0].message == "it is defined here: OH = (H - 3) / 2");

  Diagnostic negative = refusal(text, "", {{"H", 2}});
  CHECK(negative.code == "G0604");
  CHECK(negative.message ==
        "the size 'OH' would be -1; a size is not negative");

  Diagnostic large = refusal(text, "", {{"H", 100}});
  CHECK(large.code == "G0605");
  CHECK(large.message == "the size 'OH' is given as 48, but 'f' demands OH <= "
                         "8");
}

TEST_CASE("a given size against a constraint") {
  struct Row {
    const char *constraint;
    int64_t given;
    const char *help; ///< the value it proposes; null where there is none
  };
  const Row rows[] = {
      {"M % 8 == 0", 1001, "1000"}, {"M % 8 == 0", 3, "8"},
      {"M < 10", 10, "9"},          {"M <= 10", 11, "10"},
      {"M > 10", 10, "11"},         {"M >= 10", 9, "10"},
      {"M == 10", 9, "10"},
  };
  for (const Row &row : rows) {
    std::string text = constrained(row.constraint);
    Diagnostic error = refusal(text, "", {{"M", row.given}});
    INFO(row.constraint);
    CHECK(error.code == "G0605");
    CHECK(error.message == "the size 'M' is given as " +
                               std::to_string(row.given) +
                               ", but 'scale' demands " + row.constraint);
    REQUIRE(error.notes.size() == 1);
    CHECK(error.notes[0].message == "the constraint stands here");
    REQUIRE(error.notes[0].range);
    CHECK(error.notes[0].range->begin == text.find(row.constraint));
    REQUIRE(error.helps.size() == (row.help ? 1 : 0));
    if (row.help)
      CHECK(error.helps[0] ==
            std::string("give another value, for example -D M=") + row.help);
  }

  // At the edge of each constraint.
  const std::pair<const char *, int64_t> allowed[] = {
      {"M % 8 == 0", 0}, {"M % 8 == 0", 1000}, {"M < 10", 9},   {"M <= 10", 10},
      {"M > 10", 11},    {"M >= 10", 10},      {"M == 10", 10}, {"Nx == 3", 9}};
  for (auto [constraint, value] : allowed) {
    GenOptions options;
    options.given = {{"M", value}};
    INFO(constraint);
    CHECK(Generated(constrained(constraint), "", options).diags.all().empty());
  }
}
