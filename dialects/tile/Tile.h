//===- Tile.h - the tile dialect's C++ interface ----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_DIALECTS_TILE_TILE_H
#define GIRIH_DIALECTS_TILE_TILE_H

#include "compiler/layout/Layout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/tile/TileDialect.h.inc"
#include "dialects/tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.h.inc"

namespace girih::tile {

/// What tensors and fragments can hold: the scalar types of the te dialect.
bool isElementType(mlir::Type type);
/// Bytes of an element in memory; a bool takes one.
inline unsigned bytesOf(mlir::Type element) {
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

/// The layout of a value of fragment type.
inline layout::Layout layoutOf(mlir::Value value) {
  return mlir::cast<FragType>(value.getType()).parsedLayout();
}

} // namespace girih::tile

#endif // GIRIH_DIALECTS_TILE_TILE_H
