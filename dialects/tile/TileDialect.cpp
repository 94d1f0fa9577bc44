//===- TileDialect.cpp - registration and types of the tile dialect -------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tile/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace girih::tile;

#include "dialects/tile/TileDialect.cpp.inc"
#include "dialects/tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile/TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tile/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tile/TileOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool girih::tile::isElementType(Type type) {
  if (isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType,
          Float8E5M2Type>(type) ||
      type.isSignlessInteger(1))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  unsigned width = integer.getWidth();
  return width == 8 || width == 16 || width == 32 || width == 64;
}

static LogicalResult verifyElement(function_ref<InFlightDiagnostic()> emitError,
                                   Type type) {
  if (girih::tile::isElementType(type))
    return success();
  return emitError() << "element type must be one of the te dialect's, not "
                     << type;
}

LogicalResult FragType::verify(function_ref<InFlightDiagnostic()> emitError,
                               Type elementType, StringRef text) {
  if (failed(verifyElement(emitError, elementType)))
    return failure();
  std::string why;
  std::optional<girih::layout::Layout> layout = girih::layout::parseLayout(
      std::string_view(text.data(), text.size()), why);
  if (!layout)
    return emitError() << "not a layout: " << why;
  if (!layout->isValid(why))
    return emitError() << "not a valid layout: " << why;
  // Types are compared by their text.
  std::string canonical = girih::layout::print(*layout);
  if (text != canonical)
    return emitError() << "a layout is written \"" << canonical << "\"";
  return success();
}

girih::layout::Layout FragType::parsedLayout() const {
  StringRef text = getLayout();
  std::string why;
  return *girih::layout::parseLayout(std::string_view(text.data(), text.size()),
                                     why);
}

FragType FragType::get(Type elementType, const girih::layout::Layout &layout) {
  return get(elementType.getContext(), elementType,
             girih::layout::print(layout));
}

LogicalResult GlobalType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type elementType, unsigned rank,
                                 unsigned vector) {
  if (failed(verifyElement(emitError, elementType)))
    return failure();
  if (vector == 0 || (vector & (vector - 1)) ||
      vector * girih::tile::bytesOf(elementType) > 16)
    return emitError() << "vector must be a power of two of at most 16 bytes, "
                          "not "
                       << vector;
  if (rank == 0 && vector > 1)
    return emitError() << "a tensor of rank 0 has no vectors";
  return success();
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type elementType, ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> strides) {
  if (failed(verifyElement(emitError, elementType)))
    return failure();
  if (shape.size() != strides.size())
    return emitError() << "has " << shape.size() << " extents but "
                       << strides.size() << " strides";
  // No block has more shared memory than this many elements.
  constexpr int64_t kMost = int64_t(1) << 20;
  int64_t last = 0;
  for (auto [extent, stride] : llvm::zip(shape, strides)) {
    if (extent < 1 || stride < 1 || extent > kMost || stride > kMost)
      return emitError() << "extents and strides must lie in 1 .. " << kMost;
    last += (extent - 1) * stride;
  }
  if (last >= kMost)
    return emitError() << "spans " << last + 1 << " elements, more than "
                       << kMost;
  // Sorted by stride, each dimension must step over the ones below it.
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [extent, stride] : llvm::zip(shape, strides))
    if (extent > 1)
      dims.push_back({stride, extent});
  llvm::sort(dims);
  int64_t span = 1;
  for (auto [stride, extent] : dims) {
    if (stride < span)
      return emitError() << "stride " << stride << " overlaps the " << span
                         << " elements below it";
    span += (extent - 1) * stride;
  }
  return success();
}

int64_t SharedType::elements() const {
  int64_t last = 0;
  for (auto [extent, stride] : llvm::zip(getShape(), getStrides()))
    last += (extent - 1) * stride;
  return last + 1;
}

int64_t SharedType::bytes() const {
  return elements() * girih::tile::bytesOf(getElementType());
}
