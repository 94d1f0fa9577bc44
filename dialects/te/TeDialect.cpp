//===- TeDialect.cpp - registration and types of the te dialect -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Te.h"

#include "compiler/arith/Term.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace girih::te;

#include "dialects/te/TeDialect.cpp.inc"
#include "dialects/te/TeEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/te/TeAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/te/TeTypes.cpp.inc"

void TeDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/te/TeAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/te/TeTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/te/TeOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

bool girih::te::isIntegerType(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  unsigned width = integer.getWidth();
  return width == 8 || width == 16 || width == 32 || width == 64;
}

bool girih::te::isScalarType(Type type) {
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type,
             Float8E4M3FNType, Float8E5M2Type>(type) ||
         type.isSignlessInteger(1) || isIntegerType(type);
}

LogicalResult TeTensorType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<Attribute> shape,
                                   Type elementType) {
  if (!isScalarType(elementType))
    return emitError() << "element type must be f64, f32, f16, bf16, f8E4M3FN, "
                          "f8E5M2, i1, or i or ui of 8, 16, 32 or 64 bits, not "
                       << elementType;
  for (Attribute extent : shape) {
    if (auto constant = dyn_cast<IntegerAttr>(extent)) {
      if (!constant.getType().isInteger(64) || constant.getInt() < 0)
        return emitError() << "an extent must be a 64-bit integer >= 0";
    } else if (!isa<StringAttr, ExtentAttr>(extent)) {
      return emitError() << "an extent is a size's name or an integer";
    }
  }
  return success();
}

LogicalResult TermAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef text) {
  std::string error;
  size_t offset = 0;
  if (!girih::arith::parseTerm(std::string_view(text.data(), text.size()),
                               error, offset))
    return emitError() << "not an association term: " << error;
  return success();
}
