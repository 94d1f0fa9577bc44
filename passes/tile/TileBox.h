//===- TileBox.h - one statement's box and its accesses ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of a statement is a constant box of its dims with a corner that
// depends on the members above the tile mark, and a valid set. This file
// substitutes corner and box coordinates into domains and accesses, and decides
// how wide an access may be.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TILE_TILEBOX_H
#define GIRIH_PASSES_TILE_TILEBOX_H

#include "compiler/layout/Layout.h"
#include "passes/tile/IndexEmitter.h"

#include <set>

namespace girih::tilegen {

/// dim d of the statement = corner of d + coordinate d of the box.
struct TileBox {
  std::vector<int64_t> shape;
  std::vector<mlir::Value> corners;
  /// The largest number known to divide each corner (0: the corner is 0).
  std::vector<int64_t> cornerMultiple;

  unsigned rank() const { return shape.size(); }
};

/// Why the members above a tile mark do not give the tile a corner, in words;
/// empty when they do. Each is a part of one dim, `floor((i mod 64)/8)`, or a
/// sum of dims without divisor of which all but one have loops of their own.
std::string boxProblem(const poly::ScheduleTree &tree,
                       const poly::Node &tileMark, unsigned statement,
                       const poly::Statement &model,
                       const std::vector<int64_t> &shape);

/// The box of `statement` under its tile mark; `outer` are the values of the
/// members on the path, as in LoopNode::outer.
TileBox makeBox(const poly::ScheduleTree &tree, const poly::Node &tileMark,
                unsigned statement, unsigned rank,
                const std::vector<int64_t> &shape,
                const std::vector<mlir::Value> &outer, IndexEmitter &index);

/// Domain constraints that can fail inside the box, as bases and coefficients
/// over box coordinates.
struct ValidSet {
  std::vector<poly::Affine> constraints; ///< over statement dims
  std::vector<mlir::Value> bases;
  std::vector<int64_t> coefficients;
};

/// Drops constraints that hold all over the box: those over dims of box extent
/// 1 (the loops enumerate exactly the instances) and those whose minimum over
/// the box is known not to be negative.
ValidSet validSet(const poly::Statement &statement, const TileBox &box,
                  IndexEmitter &index);

/// Bases and coefficients of subscripts over box coordinates.
struct BoxAccess {
  std::vector<mlir::Value> bases;
  std::vector<int64_t> coefficients;
};
BoxAccess boxAccess(const std::vector<poly::Affine> &subscripts,
                    const TileBox &box, IndexEmitter &index);

/// The widest vector (elements, a power of two <= limit) with which `layout`'s
/// fastest register digit may access memory at `subscripts`: contiguous,
/// aligned, and valid or invalid as a whole. Parameters that must be divisible
/// for that are added to `divisible` with the divisor.
int64_t accessVector(const std::vector<poly::Affine> &subscripts,
                     const TileBox &box, const ValidSet &valid,
                     const layout::Layout &layout, int64_t limit,
                     std::set<std::pair<unsigned, int64_t>> &divisible);

} // namespace girih::tilegen

#endif // GIRIH_PASSES_TILE_TILEBOX_H
