//===- GatherTiles.cpp - places that data or rules choose -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that chooses an element is computed in registers, in the layout of
// what it chooses: one more tile.map, whose loads may themselves be chosen.
//
//===----------------------------------------------------------------------===//

#include "passes/tile/KernelEmitter.h"
#include "passes/tile/Promises.h"

#include <algorithm>

using namespace girih;
using namespace girih::tilegen;
using layout::Layout;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;
using poly::Access;
using poly::Affine;

static tile::BoundRule tileRule(te::BoundRule rule) {
  switch (rule) {
  case te::BoundRule::Clamp:
    return tile::BoundRule::Clamp;
  case te::BoundRule::Reflect:
    return tile::BoundRule::Reflect;
  case te::BoundRule::Wrap:
    return tile::BoundRule::Wrap;
  }
  return tile::BoundRule::None;
}

FailureOr<KernelEmitter::ComputedPlaces>
KernelEmitter::computedPlaces(const Site &site, mlir::Operation *user,
                              mlir::ValueRange indices, unsigned number,
                              const Layout &layout, bool skips) {
  const poly::Array &array = context.scop.arrays[number];
  ComputedPlaces result;
  std::vector<Affine> subscripts;
  // In the order of the memory, as the view's dimensions are.
  for (unsigned s : memoryOrder(context, number)) {
    Value subscript = indices[s];
    auto rule = tile::BoundRule::None;
    te::ToIndexOp gathered = te::gatherOf(subscript);
    if (auto bound = subscript.getDefiningOp<te::BoundOp>())
      rule = tileRule(bound.getRule());
    else if (skips && (gathered || mlir::isa<te::PutOp>(user)))
      rule = tile::BoundRule::Skip; // a read's affine ones: its valid set
    if (gathered) {
      FailureOr<Fragment> value =
          mapBody(site, gathered.getValue(), *user->getBlock(), layout,
                  indicesOf(site.info));
      if (failed(value))
        return failure();
      result.gathered.push_back(*value);
      result.gatheredDims.push_back(int32_t(subscripts.size()));
    }
    result.rules.push_back(static_cast<int32_t>(rule));
    subscripts.push_back(affineOf(site, subscript));
    result.extents.push_back(index.affine(array.extents[s], site.box.corners));
  }
  result.places = boxAccess(subscripts, site.box, index);
  return result;
}

FailureOr<KernelEmitter::Fragment>
KernelEmitter::loadBound(const Site &site, const Access &access,
                         const Layout &layout, te::ReadOp source) {
  const poly::Array &array = context.scop.arrays[access.array];
  FailureOr<ComputedPlaces> computed =
      computedPlaces(site, source, source.getIndices(), access.array, layout,
                     source.getGuarded());
  if (failed(computed))
    return failure();
  ValidSet valid = readableSet(site, array, source);
  return Fragment(tile::LoadBoundOp::create(
      builder, loc, fragType(context.map.arrayTypes[access.array], layout),
      globals.at(access.array), computed->places.bases,
      builder.getDenseI64ArrayAttr(computed->places.coefficients),
      builder.getDenseI32ArrayAttr(computed->rules), computed->extents,
      computed->gathered, builder.getDenseI32ArrayAttr(computed->gatheredDims),
      valid.bases, builder.getDenseI64ArrayAttr(valid.coefficients)));
}

static tile::ScatterKind tileKind(te::ScatterKind kind) {
  switch (kind) {
  case te::ScatterKind::Set:
    return tile::ScatterKind::Set;
  case te::ScatterKind::Add:
    return tile::ScatterKind::Add;
  case te::ScatterKind::Max:
    return tile::ScatterKind::Max;
  case te::ScatterKind::Min:
    return tile::ScatterKind::Min;
  }
  return tile::ScatterKind::Set;
}

LogicalResult KernelEmitter::emitScatter(const Site &site) {
  te::ScatterOp scatter = site.info.scatter;
  te::PutOp put = scatter.getPut();
  unsigned target = site.model.write().array;
  // Elements of one thread keep their order; those that are ordered otherwise
  // must be in one.
  for (size_t d = 0; d < site.model.dims.size(); ++d) {
    const Access &place = site.model.write();
    bool apart = site.model.unordered;
    for (size_t s = 0; s < place.subscripts.size(); ++s)
      apart |= !place.isAny(s) && place.subscripts[s] == Affine::dim(d);
    for (const layout::Digit &digit : site.layout.threads)
      if (!apart && digit.dim == int(d) && digit.count > 1)
        return fail("'" + site.model.name + "' divides '" + site.model.dims[d] +
                    "' among threads, along which it keeps an order");
  }
  bool isShared = std::any_of(
      kernelNode.statements.begin(), kernelNode.statements.end(),
      [&](unsigned other) {
        return other != site.statement &&
               context.scop.statements[other].write().array == target;
      });
  if (isShared && dirty.count(target)) {
    tile::BarrierOp::create(builder, loc);
    dirty.clear();
  }
  if (!globals.count(target))
    return fail("'" + site.model.name + "' changes '" +
                context.scop.arrays[target].name +
                "', which is not in memory here");
  FailureOr<Fragment> value = mapBody(site, put.getValue(), scatter.getBlock(),
                                      site.layout, indicesOf(site.info));
  if (failed(value))
    return failure();
  FailureOr<ComputedPlaces> computed = computedPlaces(
      site, put, put.getIndices(), target, site.layout, scatter.getDrop());
  if (failed(computed))
    return failure();
  bool isAtomic =
      site.model.unordered && scatter.getKind() != te::ScatterKind::Set;
  tile::ScatterOp::create(
      builder, loc, tileKind(scatter.getKind()), *value, globals.at(target),
      computed->places.bases,
      builder.getDenseI64ArrayAttr(computed->places.coefficients),
      builder.getDenseI32ArrayAttr(computed->rules), computed->extents,
      computed->gathered, builder.getDenseI32ArrayAttr(computed->gatheredDims),
      site.valid.bases, builder.getDenseI64ArrayAttr(site.valid.coefficients),
      isAtomic);
  dirty.insert(target);
  return success();
}
