//===- ProgramModel.cpp - programs and their trees, for tests -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/cost/ProgramModel.h"

#include "compiler/pipeline/CompileState.h"
#include "compiler/pipeline/Pipeline.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::test;

using Sizes = std::vector<std::pair<std::string, int64_t>>;

static std::vector<int64_t> valuesOf(const poly::Scop &scop,
                                     const Sizes &sizes) {
  std::vector<int64_t> values;
  for (const std::string &param : scop.params) {
    bool found = false;
    for (const auto &[name, value] : sizes)
      if (name == param && !found) {
        values.push_back(value);
        found = true;
      }
    INFO(param);
    REQUIRE(found);
  }
  return values;
}

cost::Plan ProgramModel::at(const Sizes &sizes) const {
  std::string why;
  std::optional<cost::Plan> plan =
      cost::costOf(scop, tree, valuesOf(scop, sizes), why);
  INFO(why);
  REQUIRE(plan);
  return *plan;
}

std::vector<cost::Product> ProgramModel::products(const Sizes &sizes) const {
  return cost::productsOf(scop, valuesOf(scop, sizes));
}

ProgramModel girih::test::modelOf(const std::string &text,
                                  const std::string &target) {
  auto source = std::make_shared<SourceFile>("test.te", text);
  Diagnostics diags(source);
  ProgramModel model;
  pipeline::CompileOptions options;
  options.target = target;
  options.last = pipeline::Phase::Schedule;
  options.inspect = [&](pipeline::CompileState &state) {
    model.scop = state.scop->scop;
    model.tree = {poly::cloneNode(*state.schedules.front().tree.root)};
  };
  pipeline::compile(source, options, diags);
  INFO(diags.renderText(false));
  REQUIRE_FALSE(diags.hasErrors());
  REQUIRE(model.tree.root);
  return model;
}
