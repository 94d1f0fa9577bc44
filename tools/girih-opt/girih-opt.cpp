//===- girih-opt.cpp - runs passes over Girih's dialects ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Te.h"
#include "dialects/tile/Tile.h"
#include "passes/te/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<girih::te::TeDialect, girih::tile::TileDialect,
                  mlir::arith::ArithDialect, mlir::scf::SCFDialect>();
  girih::te::registerTePasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Girih's dialects, read, transformed and printed\n",
      registry));
}
