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

#endif // GIRIH_DIALECTS_TE_TE_H
