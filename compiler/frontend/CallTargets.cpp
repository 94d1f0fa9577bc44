//===- CallTargets.cpp - what stands on the left of a call ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/CallExpander.h"

#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/IndexSums.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

bool CallExpander::bindUpdated() {
  std::vector<const TensorDecl *> decls;
  for (const TensorDecl &input : instance->inputs)
    if (input.inOut)
      decls.push_back(&input);
  std::vector<Name> targets = {statement.target};
  targets.insert(targets.end(), statement.moreTargets.begin(),
                 statement.moreTargets.end());
  for (size_t i = 0; i < std::max(decls.size(), targets.size()); ++i) {
    const std::string name =
        i < decls.size() ? tensors.at(decls[i]->name.text).tensor->name.text
                         : "";
    if (i < targets.size() && targets[i].text == name)
      continue;
    std::string left;
    for (const TensorDecl *decl : decls)
      left += (left.empty() ? "" : ", ") +
              tensors.at(decl->name.text).tensor->name.text;
    return fail(codes::kWrongArgumentCount,
                fmt::format("'{}' has no outputs: what it updates in place "
                            "stands on the left",
                            callee.name.text),
                targets[std::min(i, targets.size() - 1)].range,
                fmt::format("write '{} = {}(...)'", left, callee.name.text));
  }
  return true;
}

bool CallExpander::bindTargets() {
  if (instance->outputs.empty())
    return bindUpdated();
  std::vector<Name> targets = {statement.target};
  targets.insert(targets.end(), statement.moreTargets.begin(),
                 statement.moreTargets.end());
  size_t count = instance->outputs.size();
  if (targets.size() != count)
    return fail(codes::kWrongArgumentCount,
                fmt::format("'{}' gives {} tensor{}, this statement takes {}",
                            callee.name.text, count, count == 1 ? "" : "s",
                            targets.size()),
                statement.target.range);
  for (size_t i = 0; i < count; ++i) {
    for (const std::string &name : updated)
      if (tensors.at(name).tensor->name.text == targets[i].text)
        return fail(codes::kTensorRedefined,
                    fmt::format("'{}' is updated by this call, and would be "
                                "its output '{}' too",
                                targets[i].text,
                                instance->outputs[i].name.text),
                    targets[i].range, "give the output a name of its own");
    for (size_t j = 0; j < i; ++j)
      if (targets[j].text == targets[i].text)
        return fail(codes::kTensorRedefined,
                    fmt::format("'{}' is defined twice", targets[i].text),
                    targets[i].range);
    const TensorDecl &output = instance->outputs[i];
    cloner.tensors[output.name.text] = targets[i].text;
    places[output.name.text] = targets[i].range;
    std::vector<Extent> dims;
    for (const DimDecl &dim : output.dims) {
      if (dim.place == DimDecl::Place::Leading) {
        const std::string *name = leadingName(output);
        auto found = name ? leading.find(*name) : leading.end();
        if (found == leading.end())
          return fail(codes::kLeadingDims,
                      fmt::format("no argument says what the leading "
                                  "dimensions of '{}' are",
                                  output.name.text),
                      call.callee.range);
        for (const Extent &extent : found->second) {
          dims.push_back(extent);
          declared[output.name.text].emplace_back(extent, dim.range);
        }
        continue;
      }
      NamedSum sum = namedSum(*dim.value).value_or(NamedSum());
      dims.push_back(takeKnown(sum));
      if (!sum.factors.empty())
        return fail(codes::kSizeNotSolved,
                    fmt::format("no argument says how large '{}' is",
                                sum.factors.begin()->first),
                    call.callee.range);
      if (!checkNumbers(dims.back(), call.callee.range))
        return false;
      declared[output.name.text].emplace_back(dims.back(), dim.range);
    }
    auto found = scope.tensors.find(targets[i].text);
    if (found != scope.tensors.end() &&
        !checkOutput(output, dims, *found->second, targets[i].range))
      return false;
  }
  return true;
}

bool CallExpander::checkOutput(const TensorDecl &output,
                               const std::vector<Extent> &dims,
                               const Tensor &tensor, SourceRange range) {
  if (tensor.role != Tensor::Role::Output || tensor.definition)
    return true; // the statement itself will say what is wrong
  bool same = tensor.type == output.type && tensor.dims.size() == dims.size();
  for (size_t i = 0; same && i < dims.size(); ++i)
    same = isSame(tensor.dims[i], dims[i]);
  if (same)
    return true;
  auto shape = [](ScalarType type, const std::vector<Extent> &extents) {
    std::string text(spelling(type));
    for (size_t i = 0; i < extents.size(); ++i)
      text += (i ? ", " : "[") + spelling(extents[i]);
    return extents.empty() ? text : text + "]";
  };
  return fail(codes::kShapesDiffer,
              fmt::format("'{}' is declared {}, '{}' gives {}",
                          tensor.name.text, shape(tensor.type, tensor.dims),
                          callee.name.text, shape(output.type, dims)),
              range);
}

} // namespace girih::frontend
