//===- TeText.h - text of extents -------------------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The custom directive `Extent` of TeOps.td: `2 * H + R - 1`, and what the
// files of this dialect share.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_DIALECTS_TE_TETEXT_H
#define GIRIH_DIALECTS_TE_TETEXT_H

#include "dialects/te/Te.h"

namespace girih::te {

mlir::ParseResult parseExtent(mlir::AsmParser &parser, mlir::Attribute &extent);
void printExtent(mlir::AsmPrinter &printer, mlir::Attribute extent);
inline void printExtent(mlir::OpAsmPrinter &printer, mlir::Operation *,
                        mlir::Attribute extent) {
  printExtent(printer, extent);
}

// `["i", "j"]` and `[M, 4096, N - 1]`.
mlir::ParseResult parseNames(mlir::OpAsmParser &parser, mlir::ArrayAttr &names);
void printNames(mlir::OpAsmPrinter &printer, mlir::ArrayAttr names);
mlir::ParseResult parseExtents(mlir::AsmParser &parser,
                               llvm::SmallVectorImpl<mlir::Attribute> &extents);
void printExtents(mlir::AsmPrinter &printer,
                  llvm::ArrayRef<mlir::Attribute> extents);

// What verifiers share (TeOps.cpp).
/// An extent, or an offset, which may be negative, over sizes of `func`.
mlir::LogicalResult verifySum(mlir::Operation *op, FuncOp func,
                              mlir::Attribute extent);
mlir::LogicalResult verifyExtents(mlir::Operation *op, FuncOp func,
                                  llvm::ArrayRef<mlir::Attribute> extents);
mlir::LogicalResult verifyScalarRegion(mlir::Operation *op, mlir::Block &block);
mlir::LogicalResult verifyIndexArguments(mlir::Operation *op,
                                         mlir::Block &block, size_t count);
/// As many subscripts as `type` has dimensions, each made as te.read allows.
mlir::LogicalResult verifySubscripts(mlir::Operation *op, TeTensorType type,
                                     mlir::ValueRange indices,
                                     llvm::StringRef verb);

} // namespace girih::te

#endif // GIRIH_DIALECTS_TE_TETEXT_H
