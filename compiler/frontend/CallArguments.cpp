//===- CallArguments.cpp - what a call gives to an operator ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/CallExpander.h"

#include "compiler/frontend/ExprChecker.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

static bool isGiven(const std::vector<GivenParam> &given,
                    std::string_view name) {
  return std::any_of(given.begin(), given.end(), [&](const GivenParam &param) {
    return param.name.text == name;
  });
}

bool CallExpander::bindTensor(const TensorDecl &input, Expr &value) {
  auto *name = value.as<NameExpr>();
  if (!name)
    return fail(codes::kWrongOperandType,
                fmt::format("'{}' takes a whole tensor for '{}', by its name",
                            callee.name.text, input.name.text),
                value.range, "give the value a name in a statement of its own");
  const Tensor *tensor =
      ExprChecker(sema, scope, nullptr).findTensor({name->name, value.range});
  if (!tensor)
    return false;
  tensors[input.name.text] = {tensor, value.range};
  if (input.optional)
    given.push_back({{input.name.text, value.range}, nullptr, "present", {}});
  return true;
}

bool CallExpander::bindArguments() {
  if (call.arguments.size() > callee.inputs.size())
    return fail(codes::kWrongArgumentCount,
                fmt::format("'{}' takes {} tensor{}, this call gives {}",
                            callee.name.text, callee.inputs.size(),
                            callee.inputs.size() == 1 ? "" : "s",
                            call.arguments.size()),
                call.callee.range);
  for (size_t i = 0; i < call.arguments.size(); ++i)
    if (!bindTensor(callee.inputs[i], *call.arguments[i]))
      return false;
  return true;
}

bool CallExpander::bindNamed() {
  std::vector<std::string> names;
  for (const TensorDecl &input : callee.inputs)
    names.push_back(input.name.text);
  for (const OpParam &param : callee.params)
    names.push_back(param.name.text);
  for (const NamedArgument &argument : call.named) {
    const std::string &name = argument.name.text;
    if (std::find(names.begin(), names.end(), name) == names.end())
      return fail(codes::kUndefined,
                  fmt::format("'{}' has no parameter '{}'{}", callee.name.text,
                              name, didYouMean(name, names)),
                  argument.name.range);
    if (tensors.count(name) || isGiven(given, name))
      return fail(codes::kArgumentRepeated,
                  fmt::format("'{}' is given twice", name),
                  argument.name.range);
    const TensorDecl *input = nullptr;
    for (const TensorDecl &decl : callee.inputs)
      if (decl.name.text == name)
        input = &decl;
    bool isNone = argument.word == "none";
    if (input && argument.value) {
      if (!bindTensor(*input, *argument.value))
        return false;
    } else if (input && !(isNone && input->optional)) {
      return fail(codes::kBadParameterValue,
                  fmt::format("'{}' is a tensor, not {}", name, argument.word),
                  argument.name.range);
    } else {
      given.push_back({argument.name, argument.value.get(), argument.word,
                       callerConstants()});
    }
  }
  for (const TensorDecl &input : callee.inputs)
    if (!input.optional && !tensors.count(input.name.text))
      return fail(codes::kArgumentMissing,
                  fmt::format("the call of '{}' gives no '{}'",
                              callee.name.text, input.name.text),
                  call.callee.range);
  return true;
}

ConstLookup CallExpander::callerConstants() {
  return [this](const NameExpr &name, SourceRange range) -> const ConstDecl * {
    for (const auto &constant : scope.op.constants)
      if (constant->name.text == name.name)
        return constant.get();
    return sema.usableConstant(name, range);
  };
}

void CallExpander::inferTypes() {
  for (const OpParam &param : callee.params) {
    if (param.kind != OpParam::Kind::Type || isGiven(given, param.name.text))
      continue;
    for (const TensorDecl &input : callee.inputs) {
      auto found = tensors.find(input.name.text);
      if (input.typeParam != param.name.text || found == tensors.end())
        continue;
      given.push_back({{param.name.text, found->second.range},
                       nullptr,
                       std::string(spelling(found->second.tensor->type)),
                       {}});
      break;
    }
  }
}

bool CallExpander::checkInPlace() {
  for (const TensorDecl &input : callee.inputs) {
    auto found = tensors.find(input.name.text);
    if (!input.inOut || found == tensors.end())
      continue;
    const auto &[tensor, range] = found->second;
    if (tensor->role == Tensor::Role::Input && !tensor->inOut)
      return fail(codes::kInputAssigned,
                  fmt::format("'{}' updates '{}' in place, and '{}' is an "
                              "input",
                              callee.name.text, input.name.text,
                              tensor->name.text),
                  range,
                  "declare it inout, or give a copy of it a name and pass "
                  "that");
    for (const auto &[name, other] : tensors)
      if (name != input.name.text && other.tensor == tensor)
        return fail(codes::kArgumentRepeated,
                    fmt::format("'{}' is given for '{}', which '{}' updates "
                                "in place, and for '{}'",
                                tensor->name.text, input.name.text,
                                callee.name.text, name),
                    other.range, "pass a copy of it for one of them");
    updated.insert(input.name.text);
  }
  return true;
}

} // namespace girih::frontend
