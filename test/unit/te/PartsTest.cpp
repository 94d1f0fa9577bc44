//===- PartsTest.cpp - parts, versions and time loops: text and rules -----===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Te.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace girih::te;

namespace {

/// What parsing (and verifying) gives: the printed module, or the errors.
struct Parsed {
  explicit Parsed(const std::string &text)
      : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<TeDialect>();
    context.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &error) { errors += error.str() + "\n"; });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (module) {
      llvm::raw_string_ostream stream(printed);
      module->print(stream);
    }
  }
  bool refusedFor(const std::string &why) const {
    UNSCOPED_INFO(errors);
    return !module && errors.find(why) != std::string::npos;
  }
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string printed, errors;
};

std::string inFunc(const std::string &body, const std::string &result,
                   const std::string &inPlace = "") {
  return "te.func @f sizes [\"N\", \"T\"] (%X \"X\": !te.tensor<[N], f32>) -> "
         "(\"Y\": !te.tensor<[N], f32>" +
         inPlace + ") functions fast {\n" + body + "  te.return " + result +
         " : !te.tensor<[N], f32>\n}\n";
}

const char kWhole[] = R"(  %c0 = te.compute "c0" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %v = te.read %X[%i] : !te.tensor<[N], f32>
    te.yield %v : f32
  }
)";

std::string part(const std::string &head, const std::string &body,
                 const std::string &yield) {
  return "  %c1 = te.compute \"c1\" [\"i\"] " + head +
         " : !te.tensor<[N], f32> {\n  ^bb0(%i: index):\n" + body +
         "    te.yield " + yield + "\n  }\n";
}

const char kRead[] = "    %v = te.read %c0[%i] : !te.tensor<[N], f32>\n";

} // namespace

TEST_CASE("parts and versions print and read back") {
  Parsed once(inFunc(std::string(kWhole) +
                         part("in [N - 1] into %c0",
                              "    te.where [%i] by [-1] plus T - 1\n"
                              "    %here = te.affine [%i] by [1] plus 1\n" +
                                  std::string(kRead),
                              "%v : f32 at [%here]"),
                     "%c1"));
  INFO(once.errors);
  REQUIRE(once.module);
  Parsed twice(once.printed);
  REQUIRE(twice.module);
  CHECK(once.printed == twice.printed);
  auto func = *once.module->getOps<FuncOp>().begin();
  auto computes = llvm::to_vector(func.getBlock().getOps<ComputeOp>());
  REQUIRE(computes.size() == 2);
  CHECK(computes[0].isWhole());
  CHECK_FALSE(computes[1].isWhole());
  CHECK(storageOf(computes[1].getResult()) == computes[0].getResult());
}

TEST_CASE("time loops print and read back") {
  std::string body =
      R"(  %l = te.for "t" in T (%X) : (!te.tensor<[N], f32>) -> !te.tensor<[N], f32> {
  ^bb0(%t: index, %x: !te.tensor<[N], f32>):
    %n = te.compute "n" ["i"] into %x : !te.tensor<[N], f32> {
    ^bb0(%i: index):
      te.where [%i, %t] by [1, -1] plus 0
      %v = te.read %x[%i] : !te.tensor<[N], f32>
      te.yield %v : f32
    }
    te.next %n : !te.tensor<[N], f32>
  }
)";
  Parsed once(inFunc(body, "%l", " in_place %X"));
  INFO(once.errors);
  REQUIRE(once.module);
  Parsed twice(once.printed);
  REQUIRE(twice.module);
  CHECK(once.printed == twice.printed);
  auto func = *once.module->getOps<FuncOp>().begin();
  CHECK(func.inPlaceOf(0) == 0);
  auto loop = *func.getBlock().getOps<ForOp>().begin();
  CHECK(storageOf(loop.getResult(0)) == func.getBlock().getArgument(0));
  auto inner = *loop.getBlock().getOps<ComputeOp>().begin();
  CHECK(storageOf(inner.getResult()) == func.getBlock().getArgument(0));

  // The same without an output in X's place writes into an argument.
  CHECK(Parsed(inFunc(body, "%l"))
            .refusedFor("writes into argument 0, which no result is in place"));
}

TEST_CASE("a dead version is not read") {
  std::string late = std::string(kWhole) + part("into %c0", kRead, "%v : f32") +
                     R"(  %y = te.compute "y" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %v = te.read %c0[%i] : !te.tensor<[N], f32>
    te.yield %v : f32
  }
)";
  CHECK(Parsed(inFunc(late, "%y"))
            .refusedFor("overwrites a tensor that is used below"));
}

TEST_CASE("the rules of parts are checked") {
  std::string whole = kWhole;
  CHECK(Parsed(inFunc(whole + part("into %c0",
                                   std::string(kRead) +
                                       "    te.where [%i] by [1] plus 0\n",
                                   "%v : f32"),
                      "%c1"))
            .refusedFor("has a te.where behind other ops"));
  CHECK(Parsed(inFunc(whole + part("into %c0", kRead, "%v : f32 at [%i, %i]"),
                      "%c1"))
            .refusedFor("writes a tensor of rank 1 at 2 subscripts"));
  CHECK(Parsed(inFunc(whole + part("into %c0",
                                   "    te.where [%i] by [1, 2] plus 0\n" +
                                       std::string(kRead),
                                   "%v : f32"),
                      "%c1"))
            .refusedFor("has 1 indices but 2 coefficients"));
  CHECK(Parsed(inFunc(whole + part("in [N, N] into %c0", kRead, "%v : f32"),
                      "%c1"))
            .refusedFor("names 1 indices of 2"));
  CHECK(
      Parsed(inFunc(whole + part("in [Q] into %c0", kRead, "%v : f32"), "%c1"))
          .refusedFor("uses size 'Q'"));
  CHECK(Parsed(inFunc(whole, "%c0", " in_place %X"))
            .refusedFor("that lies elsewhere than it says"));
}
