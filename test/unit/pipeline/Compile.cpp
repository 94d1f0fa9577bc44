//===- Compile.cpp - compiling in tests of the pipeline -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/pipeline/Compile.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

using namespace girih;
using namespace girih::test;
using pipeline::CompileOptions;
using pipeline::Phase;

Outcome girih::test::compileText(const std::string &text,
                                 const CompileOptions &options) {
  auto source = std::make_shared<SourceFile>("test.te", text);
  Diagnostics diags(source);
  Outcome outcome;
  outcome.result = pipeline::compile(source, options, diags);
  if (diags.hasErrors())
    outcome.errors = diags.renderText(false);
  for (const Diagnostic &diagnostic : diags.all())
    outcome.messages.push_back(diagnostic.code + ": " + diagnostic.message);
  if (!outcome.result && outcome.errors.empty())
    outcome.errors = "failed without an error";
  if (outcome.result && !outcome.errors.empty())
    throw std::runtime_error("succeeded with errors: " + outcome.errors);
  return outcome;
}

std::string girih::test::formOf(const std::string &source, Phase phase,
                                CompileOptions options) {
  options.last = phase;
  Outcome outcome = compileText(source, options);
  INFO(outcome.errors);
  REQUIRE(outcome);
  return outcome.result->text;
}

CompileOptions girih::test::readingFrom(Phase from, Phase last) {
  CompileOptions options;
  options.from = from;
  options.last = last;
  options.isSource = false;
  return options;
}

std::string girih::test::exampleText(const std::string &name) {
  std::ifstream file(GIRIH_EXAMPLES "/" + name + ".te");
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string girih::test::edited(std::string text, const std::string &from,
                                const std::string &to,
                                const std::string &after) {
  size_t start = text.find(after);
  REQUIRE(start != std::string::npos);
  size_t at = text.find(from, start);
  INFO(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}
