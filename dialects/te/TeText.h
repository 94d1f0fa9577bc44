//===- TeText.h - text of extents -------------------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The custom directive `Extent` of TeOps.td: `2 * H + R - 1`.
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

} // namespace girih::te

#endif // GIRIH_DIALECTS_TE_TETEXT_H
