//===- TestExpects.cpp - what a test expects ------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/TestChecker.h"

#include "compiler/support/Suggest.h"

#include <fmt/format.h>

namespace girih::frontend {

void TestChecker::checkExpect(TestExpect &expected) {
  using Kind = TestValue::Kind;
  const TensorDecl *output = findOutput(*instance, expected.tensor.text);
  if (!output) {
    std::vector<std::string> names;
    for (const TensorDecl &decl : instance->outputs)
      names.push_back(decl.name.text);
    for (const TensorDecl &decl : instance->inputs)
      if (decl.inOut)
        names.push_back(decl.name.text);
    error(codes::kUndefined,
          fmt::format("'{}' has no output '{}'{}", op->name.text,
                      expected.tensor.text,
                      didYouMean(expected.tensor.text, names)),
          expected.tensor.range)
        .note(fmt::format("it has {}", fmt::join(names, ", ")));
    return;
  }
  TestValue &value = expected.value;
  auto shape = shapeOf(*output, expected.tensor.range);
  if (!shape || !resolveName(value, /*here=*/true))
    return;
  if (!expected.exact && !isFloat(output->type)) {
    error(codes::kWrongOperandType,
          fmt::format("'~=' is for floats, and '{}' is {}", output->name.text,
                      spelling(output->type)),
          expected.tensor.range)
        .help(fmt::format("write 'expect {} == ...': its values are exact",
                          output->name.text));
    return;
  }
  switch (value.kind) {
  case Kind::Random:
  case Kind::Type:
  case Kind::None:
    error(codes::kMisplaced, "this is nothing that an output can be",
          value.range);
    return;
  case Kind::List:
    break;
  case Kind::Tensor: {
    const TensorDecl *other = find(instance->inputs, value.word);
    other = other ? other : findOutput(*instance, value.word);
    if (!sameType(*output, *other, value.range))
      return;
    auto otherShape = shapeOf(*other, value.range);
    if (!otherShape)
      return;
    value.shape = std::move(*otherShape);
    break;
  }
  case Kind::Call:
    if (!checkCall(*output, value))
      return;
    break;
  default:
    value.shape = *shape;
  }
  if (value.shape != *shape) {
    Diagnostic &d = error(
        codes::kShapesDiffer,
        fmt::format("'{}' has the shape {} here, this value {}",
                    output->name.text, printed(*shape), printed(value.shape)),
        value.range);
    d.note("it is declared here", output->range);
    if (value.shape.empty())
      d.help("write fill(...) for the same value everywhere");
    return;
  }
  finishTensor(*output, value);
}

bool TestChecker::sameType(const TensorDecl &output, const TensorDecl &other,
                           SourceRange range) {
  if (output.type == other.type)
    return true;
  error(codes::kOperandTypesDiffer,
        fmt::format("'{}' is {}, '{}' is {}", output.name.text,
                    spelling(output.type), other.name.text,
                    spelling(other.type)),
        range);
  return false;
}

bool TestChecker::checkCall(const TensorDecl &output, TestValue &value) {
  TestChecker other(sema, *value.call, this);
  if (!other.checkRun())
    return false;
  const auto &outputs = other.instance->outputs;
  const TensorDecl *found = findOutput(*other.instance, output.name.text);
  if (!found && outputs.size() == 1)
    found = &outputs[0];
  if (!found) {
    error(codes::kUndefined,
          fmt::format("'{}' has several outputs and none is called '{}'",
                      other.op->name.text, output.name.text),
          value.range);
    return false;
  }
  auto shape = other.shapeOf(*found, value.range);
  if (!shape || !sameType(output, *found, value.range))
    return false;
  value.shape = std::move(*shape);
  value.word = found->name.text;
  return true;
}

} // namespace girih::frontend
