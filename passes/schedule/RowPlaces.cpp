//===- RowPlaces.cpp - rows that stay in registers ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/RowPlaces.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using layout::Moves;
using poly::Access;
using poly::Affine;
using poly::Scop;
using poly::Statement;

/// Coefficients of the statement's dims, place by place.
static std::vector<int64_t> coefficientsOf(const std::vector<Affine> &places,
                                           size_t rank) {
  std::vector<int64_t> result;
  for (const Affine &place : places)
    for (unsigned d = 0; d < rank; ++d)
      result.push_back(place.dimCoefficient(d));
  return result;
}

static Moves movesOf(const RowTile &tile, const std::vector<Affine> &places) {
  return layout::movesOf(tile.layout,
                         coefficientsOf(places, tile.layout.rank()));
}

/// One element of the row for each of the statement's instances: the shared
/// dims choose the row, and the last subscript walks along it from its start.
static bool isAlongRow(const Access &access, const Statement &statement,
                       unsigned shared) {
  if (!access.isExact() || access.subscripts.size() != shared + 1)
    return false;
  for (unsigned d = 0; d < shared; ++d)
    if (!(access.subscripts[d] == Affine::dim(d)))
      return false;
  const Affine &last = access.subscripts.back();
  for (unsigned d = 0; d < statement.dims.size(); ++d)
    if (d < shared ? last.dimCoefficient(d) != 0 : last.dimCoefficient(d) < 0)
      return false;
  return last.constant == 0 &&
         std::all_of(last.params.begin(), last.params.end(),
                     [](int64_t factor) { return factor == 0; });
}

bool girih::schedule::findsRow(const Scop &scop, const RowTiles &tiles,
                               unsigned shared, unsigned writer,
                               unsigned reader, const Access &read) {
  auto from = tiles.find(writer), to = tiles.find(reader);
  if (from == tiles.end() || to == tiles.end() || !from->second.isWhole ||
      !to->second.isWhole)
    return false;
  const Statement &map = scop.statements[writer];
  const Access &write = map.write();
  if (map.dims.size() != shared + 1 || !isAlongRow(write, map, shared) ||
      !isAlongRow(read, scop.statements[reader], shared))
    return false;
  return movesOf(from->second, write.subscripts) ==
         movesOf(to->second, read.subscripts);
}

/// Constraints of the domain that do not hold all over the tile at its first
/// place.
static std::vector<Affine> boundsOf(const Statement &statement,
                                    const RowTile &tile, unsigned shared) {
  std::vector<Affine> bounds;
  for (const Affine &constraint : statement.constraints) {
    // What the constraint may lose over the box.
    int64_t least = constraint.constant;
    bool known = true;
    for (int64_t factor : constraint.params)
      known &= factor >= 0;
    for (unsigned d = 0; d < statement.dims.size(); ++d) {
      int64_t factor = constraint.dimCoefficient(d);
      known &= factor >= 0 || d >= shared;
      if (factor < 0 && d >= shared)
        least += factor * (tile.layout.shape[d] - 1);
    }
    if (!known || least < 0)
      bounds.push_back(constraint);
  }
  return bounds;
}

/// Whether both bounds leave the same registers out: the same values at the
/// first place, and the same steps.
static bool sameBound(const Affine &a, const RowTile &tileA,
                      const std::vector<Affine> &placesA, const Affine &b,
                      const RowTile &tileB, const std::vector<Affine> &placesB,
                      unsigned shared) {
  for (unsigned d = 0; d < shared; ++d)
    if (a.dimCoefficient(d) != b.dimCoefficient(d))
      return false;
  if (a.constant != b.constant || a.params != b.params)
    return false;
  std::vector<Affine> ofA = placesA, ofB = placesB;
  ofA.push_back(a);
  ofB.push_back(b);
  return movesOf(tileA, ofA) == movesOf(tileB, ofB);
}

static bool readsAlike(const Scop &scop, const RowTiles &tiles, unsigned shared,
                       unsigned a, const Access &readA, unsigned b,
                       const Access &readB) {
  const RowTile &tileA = tiles.at(a), &tileB = tiles.at(b);
  if (movesOf(tileA, readA.subscripts) != movesOf(tileB, readB.subscripts))
    return false;
  std::vector<Affine> boundsA = boundsOf(scop.statements[a], tileA, shared);
  std::vector<Affine> boundsB = boundsOf(scop.statements[b], tileB, shared);
  auto isSame = [&](const Affine &of, const Affine &to) {
    return sameBound(of, tileA, readA.subscripts, to, tileB, readB.subscripts,
                     shared);
  };
  return std::all_of(boundsA.begin(), boundsA.end(),
                     [&](const Affine &of) {
                       return std::any_of(
                           boundsB.begin(), boundsB.end(),
                           [&](const Affine &to) { return isSame(of, to); });
                     }) &&
         std::all_of(boundsB.begin(), boundsB.end(), [&](const Affine &to) {
           return std::any_of(boundsA.begin(), boundsA.end(),
                              [&](const Affine &of) { return isSame(of, to); });
         });
}

std::vector<unsigned> girih::schedule::rowsReadAlike(const Scop &scop,
                                                     const RowTiles &tiles,
                                                     unsigned shared) {
  struct Read {
    unsigned statement;
    const Access *access;
  };
  std::map<unsigned, std::vector<Read>> reads;
  std::vector<unsigned> others;
  for (const auto &[s, tile] : tiles)
    for (const Access &access : scop.statements[s].accesses) {
      const poly::Array &array = scop.arrays[access.array];
      // An element that data choose is loaded by itself.
      if (!access.isWrite && !access.isExact())
        continue;
      if (access.isWrite || !tile.isWhole ||
          !isAlongRow(access, scop.statements[s], shared)) {
        others.push_back(access.array);
        continue;
      }
      // Nothing beyond the row's end, as a guarded read would have.
      Affine inside =
          array.extents.back() - Affine::of(1) - access.subscripts.back();
      const std::vector<Affine> &domain = scop.statements[s].constraints;
      if (std::find(domain.begin(), domain.end(), inside) == domain.end())
        others.push_back(access.array);
      reads[access.array].push_back({s, &access});
    }
  std::vector<unsigned> result;
  for (const auto &[array, all] : reads) {
    bool several = false, alike = true;
    for (const Read &read : all) {
      several |= read.statement != all.front().statement;
      alike &= readsAlike(scop, tiles, shared, all.front().statement,
                          *all.front().access, read.statement, *read.access);
    }
    if (several && alike &&
        std::find(others.begin(), others.end(), array) == others.end())
      result.push_back(array);
  }
  return result;
}
