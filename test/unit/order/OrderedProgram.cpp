//===- OrderedProgram.cpp - a program that runs in any order --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/order/OrderedProgram.h"

#include "compiler/support/Diagnostics.h"
#include "runtime/Compare.h"
#include "runtime/Promise.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::test;

OrderedProgram::OrderedProgram(
    const std::string &text, std::vector<std::pair<std::string, int64_t>> given)
    : middle(text, std::move(given)) {
  INFO(text);
  planted = middle.scop();
  Diagnostics diags;
  auto dependences = poly::computeDependences(scop(), {}, diags);
  INFO(diags.renderText(false));
  REQUIRE(dependences);
  found = std::move(*dependences);
  std::string module;
  llvm::raw_string_ostream stream(module);
  middle.func()->getParentOp()->print(stream);
  auto compiled = reference::ReferenceProgram::compile(module);
  INFO(compiled.message());
  REQUIRE(compiled);
  reference.emplace(std::move(*compiled));
  auto instances = order::InOrder::compile(middle.func(), planted);
  INFO(instances.message());
  REQUIRE(instances);
  program.emplace(std::move(*instances));
}

OrderedProgram::Arrays
OrderedProgram::tensors(const std::vector<int64_t> &params, uint64_t seed,
                        bool outputs) const {
  const artifact::Signature &signature = reference->signature();
  std::vector<int64_t> sizes = program->sizesOf(params);
  Arrays arrays;
  for (size_t index = 0; index < signature.params.size(); ++index) {
    const artifact::TensorParam &param = signature.params[index];
    if (param.isOutput != outputs)
      continue;
    std::vector<int64_t> shape;
    for (const artifact::SizeExpr &extent : param.shape) {
      auto value = artifact::evaluate(extent, sizes);
      REQUIRE(value);
      shape.push_back(*value);
    }
    auto array = rt::HostArray::create(param.type, shape);
    REQUIRE(array);
    if (!outputs && param.range.empty())
      rt::fillRandom(*array, rt::RandomKind::Normal, seed, uint32_t(index));
    else if (!outputs)
      REQUIRE(rt::fillPromised(*array, signature, param, sizes,
                               rt::RandomKind::Normal, seed, uint32_t(index)));
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

static std::vector<reference::HostTensor>
viewsOf(std::vector<rt::HostArray> &inputs,
        std::vector<rt::HostArray> &outputs) {
  std::vector<reference::HostTensor> views;
  for (std::vector<rt::HostArray> *list : {&inputs, &outputs})
    for (rt::HostArray &array : *list)
      views.push_back(
          {array.data(), array.type(), array.shape(), array.strides()});
  return views;
}

std::vector<int64_t> OrderedProgram::paramsOf(int64_t value) {
  const artifact::Signature &signature = reference->signature();
  std::vector<int64_t> sizes(signature.sizes.size(), value);
  for (const artifact::DerivedSize &derived : signature.derived) {
    auto known = artifact::evaluate(derived, sizes);
    REQUIRE((known && *known));
    sizes[derived.size] = **known;
  }
  std::vector<int64_t> params;
  for (unsigned size : map().sizeOfParam)
    params.push_back(sizes[size]);
  return params;
}

const std::vector<rt::HostArray> &
OrderedProgram::expected(const std::vector<int64_t> &params, uint64_t seed) {
  auto [at, isNew] = known.try_emplace({params, seed});
  if (isNew) {
    Arrays inputs = tensors(params, seed, /*outputs=*/false);
    at->second = tensors(params, seed, /*outputs=*/true);
    reference::RunOptions options;
    options.threads = 1;
    Status status = reference->run(viewsOf(inputs, at->second), options);
    INFO((status ? "" : status.message()));
    REQUIRE(status);
  }
  return at->second;
}

std::string OrderedProgram::difference(const poly::InstanceOrder &order,
                                       const std::vector<int64_t> &params,
                                       uint64_t seed) {
  const Arrays &right = expected(params, seed);
  Arrays inputs = tensors(params, seed, /*outputs=*/false);
  Arrays outputs = tensors(params, seed, /*outputs=*/true);
  Status status = program->run(order, params, viewsOf(inputs, outputs));
  INFO((status ? "" : status.message()));
  REQUIRE(status);
  size_t count = inputs.size();
  for (size_t o = 0; o < outputs.size(); ++o) {
    auto result = rt::compareBits(outputs[o].tensor(), right[o].tensor());
    REQUIRE(result);
    const artifact::TensorParam &param =
        reference->signature().params[count + o];
    if (!result->equal())
      return rt::printComparison(param.name, param.type, *result);
  }
  return "";
}
