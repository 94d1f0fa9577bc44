//===- Helpers.h - te modules of texts in tests -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_TE_HELPERS_H
#define GIRIH_TEST_UNIT_TE_HELPERS_H

#include "compiler/mlirgen/MlirGen.h"
#include "passes/te/TePipelines.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>

namespace girih::mlirgen {

inline std::string readExample(const std::string &name) {
  std::ifstream stream(std::string(GIRIH_EXAMPLES_DIR) + "/" + name + ".te",
                       std::ios::binary);
  REQUIRE(stream.good());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// What becomes of a text whose front end part must succeed.
class Generated {
public:
  explicit Generated(std::string text, const std::string &opName = "",
                     const GenOptions &options = {})
      : context(mlir::MLIRContext::Threading::DISABLED) {
    Diagnostics frontEnd;
    program = frontend::parseProgram(
        std::make_shared<const SourceFile>("t.te", std::move(text)), frontEnd);
    INFO(frontEnd.renderText(false));
    REQUIRE(program);
    result = generateTe(*program, opName, options, context, diags);
    REQUIRE(static_cast<bool>(result) == !diags.hasErrors());
  }

  mlir::ModuleOp module() {
    INFO(diags.renderText(false));
    REQUIRE(result);
    return *result;
  }

  te::FuncOp func() { return *module().getOps<te::FuncOp>().begin(); }

  /// The module's text; inside a line runs of spaces as one (enumerations are
  /// printed with one more).
  std::string text() { return textOf(module()); }

  bool has(const std::string &part) {
    return text().find(part) != std::string::npos;
  }

  /// Reads its own text back and prints that.
  std::string textAgain() {
    auto again =
        mlir::parseSourceString<mlir::ModuleOp>(print(module()), &context);
    REQUIRE(again);
    return textOf(*again);
  }

  /// The term and leaf of each reduction after assoc, e.g. "seq fma".
  std::vector<std::string> terms() {
    REQUIRE(succeeded(te::runTePasses(module())));
    REQUIRE(succeeded(mlir::verify(module())));
    REQUIRE(succeeded(te::runAssoc(module())));
    REQUIRE(succeeded(mlir::verify(module())));
    std::vector<std::string> list;
    module().walk([&](te::ReduceOp reduce) {
      REQUIRE(reduce.getTermAttr());
      list.push_back(reduce.getTermAttr().getText().str() + " " +
                     te::stringifyLeaf(reduce.getLeaf()).str());
    });
    return list;
  }

  std::unique_ptr<frontend::Program> program;
  Diagnostics diags;

private:
  static std::string print(mlir::ModuleOp op) {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    op.print(stream);
    return printed;
  }

  static std::string textOf(mlir::ModuleOp op) {
    std::string text;
    bool indentation = true;
    for (char c : print(op)) {
      if (c != ' ' || indentation || text.back() != ' ')
        text += c;
      indentation = c == '\n' || (indentation && c == ' ');
    }
    return text;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> result;
};

} // namespace girih::mlirgen

#endif // GIRIH_TEST_UNIT_TE_HELPERS_H
