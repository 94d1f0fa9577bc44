//===- Middle.cpp - a program brought to the middle's forms ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/Middle.h"

#include "compiler/arith/Formats.h"
#include "compiler/mlirgen/MlirGen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/te/TePipelines.h"
#include "test/unit/passes/TeScalars.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <random>
#include <sstream>

using namespace girih;
using namespace girih::test;
using te::TestTensor;

Middle::Middle(const std::string &text,
               std::vector<std::pair<std::string, int64_t>> given)
    : mlirContext(std::make_unique<mlir::MLIRContext>(
          mlir::MLIRContext::Threading::DISABLED)) {
  mlirContext->loadDialect<te::TeDialect, mlir::arith::ArithDialect>();
  mlirContext->getDiagEngine().registerHandler(
      [this](mlir::Diagnostic &error) { problems += error.str() + "\n"; });
  INFO(text);
  bool isMlir = text.rfind("module", 0) == 0 || text.rfind("te.func", 0) == 0;
  if (isMlir) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, mlirContext.get());
    INFO(problems);
    REQUIRE(module);
    return;
  }
  auto source = std::make_shared<SourceFile>("test.te", text);
  Diagnostics diags(source);
  auto program = frontend::parseProgram(source, diags);
  INFO(diags.renderText(false));
  REQUIRE(program);
  mlirgen::GenOptions options;
  options.given = std::move(given);
  module = mlirgen::generateTe(*program, "", options, *mlirContext, diags);
  INFO(diags.renderText(false));
  REQUIRE(module);
  bool ran = mlir::succeeded(te::runTePasses(*module)) &&
             mlir::succeeded(te::runAssoc(*module)) &&
             mlir::succeeded(mlir::verify(*module));
  INFO(problems);
  REQUIRE(ran);
}

Middle::~Middle() = default;

te::FuncOp Middle::func() { return *module->getOps<te::FuncOp>().begin(); }

std::string Middle::scopRefusal() {
  problems.clear();
  return scop::buildScop(func()) ? "" : problems;
}

const scop::ScopWithMap &Middle::scop() {
  if (!built) {
    built = scop::buildScop(func());
    INFO(problems);
    REQUIRE(built);
    Diagnostics diags;
    bool good = poly::verifyScop(built->scop, diags);
    INFO(diags.renderText(false));
    REQUIRE(good);
  }
  return *built;
}

std::vector<TestTensor> Middle::arguments(const Sizes &sizes, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<TestTensor> list;
  for (mlir::BlockArgument argument : func().getBlock().getArguments()) {
    auto type = mlir::cast<te::TeTensorType>(argument.getType());
    TestTensor tensor;
    int64_t count = 1;
    for (mlir::Attribute extent : type.getShape()) {
      te::LinearExtent sum = te::linearOf(extent);
      tensor.shape.push_back(sum.constant);
      for (auto [size, factor] : sum.terms)
        tensor.shape.back() += factor * sizes.at(size.str());
      count *= tensor.shape.back();
    }
    for (int64_t i = 0; i < count; ++i) {
      double value = double(int32_t(random())) * 0x1p-30;
      // Different magnitudes, so that every order of a sum has its own bits.
      value = std::ldexp(value, int(random() % 9) - 4);
      tensor.data.push_back(te::scalar::roundTo(type.getElementType(), value));
    }
    list.push_back(std::move(tensor));
  }
  return list;
}

std::vector<TestTensor>
Middle::expected(const Sizes &sizes, const std::vector<TestTensor> &arguments) {
  return te::interpret(func(), sizes, arguments);
}

std::vector<int64_t> Middle::params(const Sizes &sizes) {
  std::vector<int64_t> values;
  for (unsigned size : scop().map.sizeOfParam)
    values.push_back(
        sizes.at(mlir::cast<mlir::StringAttr>(func().getSizes()[size]).str()));
  return values;
}

std::string girih::test::exampleText(const std::string &name) {
  std::ifstream file(GIRIH_EXAMPLES "/" + name + ".te");
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string girih::test::difference(const std::vector<TestTensor> &a,
                                    const std::vector<TestTensor> &b) {
  if (a.size() != b.size())
    return "another number of results";
  for (size_t r = 0; r < a.size(); ++r) {
    if (a[r].shape != b[r].shape || a[r].data.size() != b[r].data.size())
      return "another shape";
    for (size_t i = 0; i < a[r].data.size(); ++i)
      if (!arith::sameValue(a[r].data[i], b[r].data[i])) {
        std::ostringstream text;
        text << std::hexfloat << "result " << r << " differs at element " << i
             << ": " << a[r].data[i] << " and " << b[r].data[i];
        return text.str();
      }
  }
  return "";
}
