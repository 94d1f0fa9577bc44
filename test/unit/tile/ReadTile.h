//===- ReadTile.h - reading tile text in tests ------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_TILE_READTILE_H
#define GIRIH_TEST_UNIT_TILE_READTILE_H

#include "dialects/te/Te.h"
#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <string>

/// A context with what tile programs are made of; keeps the diagnostics.
struct TileReader {
  mlir::MLIRContext context;
  std::string errors;

  TileReader() {
    context.loadDialect<girih::te::TeDialect, girih::tile::TileDialect,
                        mlir::arith::ArithDialect, mlir::scf::SCFDialect>();
  }

  /// The verified module, or null with `errors` set.
  mlir::OwningOpRef<mlir::ModuleOp> read(const std::string &text) {
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            errors += diagnostic.str() + "\n";
                                            return mlir::success();
                                          });
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }
};

inline std::string printed(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

#endif // GIRIH_TEST_UNIT_TILE_READTILE_H
