//===- Helpers.h - checking texts in tests ----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_FRONTEND_HELPERS_H
#define GIRIH_TEST_UNIT_FRONTEND_HELPERS_H

#include "compiler/frontend/Frontend.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace girih::frontend {

inline const std::vector<std::string> &exampleNames() {
  static const std::vector<std::string> names = {
      "ffn_silu", "swiglu", "row_sum",     "whole_sum",
      "softmax",  "norms",  "int8_matmul", "int4_matmul"};
  return names;
}

inline std::string readExample(const std::string &name) {
  std::ifstream stream(std::string(GIRIH_EXAMPLES_DIR) + "/" + name + ".te",
                       std::ios::binary);
  REQUIRE(stream.good());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

struct Checked {
  std::unique_ptr<Program> program;
  Diagnostics diagnostics;
};

inline Checked check(std::string text) {
  Checked result;
  auto source = std::make_shared<const SourceFile>("t.te", std::move(text));
  result.program = parseProgram(source, result.diagnostics);
  return result;
}

/// The program of a text that must be accepted; the one message allowed is that
/// an input is not read (short tests need not use every input).
inline std::unique_ptr<Program> accept(std::string text) {
  Checked checked = check(std::move(text));
  INFO(checked.diagnostics.renderText(false));
  REQUIRE(checked.program != nullptr);
  for (const Diagnostic &d : checked.diagnostics.all())
    REQUIRE(d.code == "G0208");
  return std::move(checked.program);
}

/// A text, '@' before the place of its first message; its code and words.
struct Refusal {
  const char *text;
  const char *code;
  const char *message;
};

/// Asserts the first message's place, code, words and severity.
inline void checkRefusal(const Refusal &refusal,
                         Severity severity = Severity::Error) {
  std::string text = refusal.text;
  size_t mark = text.find('@');
  REQUIRE(mark != std::string::npos);
  text.erase(mark, 1);
  SourceFile plain("t.te", text);
  LineColumn wanted = plain.lineColumn(static_cast<uint32_t>(mark));
  Checked checked = check(text);
  INFO(refusal.text << "\n" << checked.diagnostics.renderText(false));
  CHECK((checked.program == nullptr) == (severity == Severity::Error));
  REQUIRE_FALSE(checked.diagnostics.all().empty());
  const Diagnostic &first = checked.diagnostics.all().front();
  CHECK(first.severity == severity);
  CHECK(first.code == refusal.code);
  CHECK(first.message == refusal.message);
  REQUIRE(first.range.has_value());
  LineColumn place = plain.lineColumn(first.range->begin);
  CHECK(place.line == wanted.line);
  CHECK(place.column == wanted.column);
}

/// `body` inside an operator over X: f32[M, N] and B: bf16[M, N] with result
/// Y: f32[M, N]; one line each for the header and the body.
inline std::string inOp(const std::string &body) {
  return "op o(X: f32[M, N], B: bf16[M, N]) -> Y: f32[M, N] {\n" + body +
         "\n}\n";
}

} // namespace girih::frontend

#endif // GIRIH_TEST_UNIT_FRONTEND_HELPERS_H
