//===- SemaTests.cpp - the tests of a file --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/TestChecker.h"

#include <fmt/format.h>

namespace girih::frontend {

void TestChecker::check() {
  if (!checkRun())
    return;
  for (TestExpect &expected : run.expects)
    checkExpect(expected);
}

bool TestChecker::checkRun() {
  if (!findOp() || !checkArguments())
    return false;
  std::string unbound;
  instance = sema.instantiate(*op, given, unbound);
  if (!unbound.empty()) {
    error(codes::kNoParameterValue,
          fmt::format("the parameter '{}' of '{}' has no value", unbound,
                      op->name.text),
          run.op.range)
        .help(fmt::format("give one: {}({} = ...)", op->name.text, unbound));
    return false;
  }
  if (!instance)
    return false;
  bool good = true;
  for (TestArgument &argument : run.arguments)
    if (isSize(argument.name.text))
      good &= bindSize(argument);
  for (const TensorDecl &input : instance->inputs)
    if (TestValue *value = valueOf(input.name.text))
      good &= bindTensor(input, *value);
  good = good && solvePending();
  for (const TensorDecl &input : instance->inputs)
    if (TestValue *value = valueOf(input.name.text); good && value)
      good &= finishTensor(input, *value);
  return good;
}

void Sema::checkTests() {
  // Those of a used file are its own affair.
  std::map<std::string, SourceRange> names;
  for (Item &item : program.file.items) {
    auto *decl = std::get_if<std::unique_ptr<TestDecl>>(&item);
    if (!decl)
      continue;
    TestDecl &test = **decl;
    auto [place, fresh] = names.try_emplace(test.name, test.nameRange);
    if (!fresh)
      reporter
          .error(codes::kRedefined,
                 fmt::format("there are two tests \"{}\"", test.name),
                 test.nameRange)
          .note("the other one stands here", place->second);
    for (TestRun &run : test.runs)
      TestChecker(*this, run).check();
  }
}

} // namespace girih::frontend
