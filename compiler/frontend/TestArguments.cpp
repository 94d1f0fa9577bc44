//===- TestArguments.cpp - what a test runs, and with what ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/TestChecker.h"

#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

bool TestChecker::findOp() {
  const Global *global = sema.findGlobal(run.op.text);
  if (global && global->op) {
    op = global->op;
    return !sema.brokenOps.count(op);
  }
  if (global) {
    error(
        codes::kWrongKind,
        fmt::format("{} '{}' is not an operator", global->what(), run.op.text),
        run.op.range)
        .note("defined here", global->range);
    return false;
  }
  std::vector<std::string> names;
  for (auto &[name, other] : sema.globals)
    if (other.op)
      names.push_back(name);
  error(codes::kUndefined,
        fmt::format("there is no operator '{}'{}", run.op.text,
                    didYouMean(run.op.text, names)),
        run.op.range);
  return false;
}

std::vector<std::string> TestChecker::sizeNames() const {
  std::vector<std::string> names;
  auto add = [&](const std::string &name, SourceRange) {
    for (const OpParam &param : op->params)
      if (param.name.text == name)
        return;
    names.push_back(name);
  };
  for (const TensorDecl &input : op->inputs)
    for (const DimDecl &dim : input.dims)
      forEachName(*dim.value, add);
  return names;
}

bool TestChecker::isSize(std::string_view name) const {
  std::vector<std::string> names = sizeNames();
  return std::find(names.begin(), names.end(), name) != names.end();
}

const TensorDecl *TestChecker::find(const std::vector<TensorDecl> &decls,
                                    std::string_view name) {
  for (const TensorDecl &decl : decls)
    if (decl.name.text == name)
      return &decl;
  return nullptr;
}

const TensorDecl *TestChecker::findOutput(const OpDecl &op,
                                          std::string_view name) {
  if (const TensorDecl *output = find(op.outputs, name))
    return output;
  const TensorDecl *input = find(op.inputs, name);
  return input && input->inOut ? input : nullptr;
}

bool TestChecker::checkArguments() {
  bool good = true;
  std::vector<std::string> names = sizeNames();
  for (const TensorDecl &input : op->inputs)
    names.push_back(input.name.text);
  for (const OpParam &param : op->params)
    names.push_back(param.name.text);
  for (size_t i = 0; i < run.arguments.size(); ++i) {
    TestArgument &argument = run.arguments[i];
    const std::string &name = argument.name.text;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      bool output = find(op->outputs, name);
      Diagnostic &d = error(
          codes::kUndefined,
          output ? fmt::format("'{}' is an output of '{}' and is not given",
                               name, op->name.text)
                 : fmt::format("'{}' has no parameter '{}'{}", op->name.text,
                               name, didYouMean(name, names)),
          argument.name.range);
      d.note(fmt::format("'{}' is defined here", op->name.text),
             op->name.range);
      if (output)
        d.help(fmt::format("write 'expect {} == ...' behind the run", name));
      good = false;
      continue;
    }
    for (size_t j = 0; j < i; ++j)
      if (run.arguments[j].name.text == name) {
        error(codes::kArgumentRepeated,
              fmt::format("'{}' is given twice", name), argument.name.range)
            .note("first given here", run.arguments[j].name.range);
        good = false;
        break;
      }
    good &= bindParameter(argument);
  }
  for (const TensorDecl &input : op->inputs)
    if (!input.optional && !valueOf(input.name.text)) {
      error(codes::kArgumentMissing,
            fmt::format("the run of '{}' gives no '{}'", op->name.text,
                        input.name.text),
            run.op.range)
          .note("it is declared here", input.range);
      good = false;
    }
  return good;
}

bool TestChecker::bindParameter(const TestArgument &argument) {
  using Kind = TestValue::Kind;
  const TestValue &value = argument.value;
  GivenParam param{argument.name, nullptr, "", sema.fileConstants()};
  if (const TensorDecl *input = find(op->inputs, argument.name.text)) {
    if (value.kind == Kind::Type ||
        (value.kind == Kind::None && !input->optional)) {
      error(
          value.kind == Kind::Type ? codes::kBadParameterValue
                                   : codes::kNotOptional,
          value.kind == Kind::Type
              ? fmt::format("'{}' is a tensor, not a type", argument.name.text)
              : fmt::format("'{}' is not optional", argument.name.text),
          value.range)
          .note("it is declared here", input->range);
      return false;
    }
    if (!input->optional)
      return true;
    param.word = value.kind == Kind::None ? "none" : "present";
  } else if (isSize(argument.name.text)) {
    return true;
  } else if (value.kind == Kind::Type) {
    param.word = value.word;
  } else if (value.elements.size() == 1 && value.shape.empty() &&
             (value.kind == Kind::List || value.kind == Kind::Tensor)) {
    param.value = value.elements[0].get();
  } else {
    error(codes::kBadParameterValue,
          fmt::format("the parameter '{}' takes one value", argument.name.text),
          value.range);
    return false;
  }
  run.settings.emplace_back(argument.name.text,
                            param.value ? printExpr(*param.value) : param.word);
  given.push_back(std::move(param));
  return true;
}

TestValue *TestChecker::valueOf(std::string_view name) {
  for (TestArgument &argument : run.arguments)
    if (argument.name.text == name)
      return argument.value.kind == TestValue::Kind::None ? nullptr
                                                          : &argument.value;
  return nullptr;
}

} // namespace girih::frontend
