//===- Te.h - the te dialect's C++ interface --------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_DIALECTS_TE_TE_H
#define GIRIH_DIALECTS_TE_TE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "dialects/te/TeDialect.h.inc"
#include "dialects/te/TeEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/te/TeAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/te/TeTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/te/TeOps.h.inc"

namespace girih::te {

/// The types that tensors and values can have (Te_Scalar of TeOps.td).
bool isScalarType(mlir::Type type);
/// A signed or an unsigned integer, not a bool.
bool isIntegerType(mlir::Type type);
/// Bytes in memory; a bool takes one.
inline unsigned bytesOf(mlir::Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}
/// An extent as a sum over sizes.
struct LinearExtent {
  llvm::SmallVector<std::pair<mlir::StringAttr, int64_t>, 2> terms;
  int64_t constant = 0;
};
/// Of a StringAttr, an IntegerAttr or an ExtentAttr.
LinearExtent linearOf(mlir::Attribute extent);
/// The one attribute that means `extent`. Terms may repeat a size or be 0.
mlir::Attribute makeExtent(mlir::MLIRContext *context,
                           const LinearExtent &extent);

/// The te.to_index behind a subscript of te.read or te.put, perhaps through a
/// te.bound; or null.
ToIndexOp gatherOf(mlir::Value subscript);
/// Whether a rule or data choose the element: made by te.bound or te.to_index.
bool isComputed(mlir::Value subscript);

/// An entry of te.func's `checks`, a dictionary: results `where` and `value`
/// (numbers; i64 tensors of rank 0) tell of the first instance, counted
/// lexicographically over the indices `names`, from `starts` on, over
/// `extents`, in which `subscript` of `tensor` was outside 0 .. `end`-1;
/// `where` is the largest i64 if none was. With `kind` ("spread", "magnitude")
/// and `low` it is one of the other words of artifact::CheckWord, of shape [1].
mlir::LogicalResult verifyCheckWords(FuncOp func);

/// The version in which the tensor's memory began: `into` and the results and
/// arguments of te.for followed upwards. An argument of te.func, or the result
/// of a te.compute without `into`.
mlir::Value storageOf(mlir::Value tensor);

/// `sum`, `max`; `any` and `all` where max and min are over booleans.
llvm::StringRef nameOf(ReduceOp reduce);

} // namespace girih::te

#endif // GIRIH_DIALECTS_TE_TE_H
