//===- KernelLayouts.cpp - threads, layouts and places of one kernel ------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/FusionGroups.h"
#include "passes/schedule/KernelCompletion.h"
#include "passes/schedule/TileChoice.h"

#include <algorithm>
#include <numeric>

using namespace girih;
using namespace girih::schedule;
using layout::Layout;
using poly::Access;
using poly::Affine;
using poly::Binding;
using poly::Member;
using poly::Node;
using poly::Place;
using poly::Reduction;
using poly::Statement;
using poly::StatementKind;

/// Elements of the narrowest type in 16 bytes.
int64_t KernelCompletion::vectorOf(unsigned s) const {
  return 16 / narrowestBytes(scop, s);
}

/// A product both of whose operands are staged directly above its tile.
void KernelCompletion::markContractions(Node &filter) {
  for (const Unit &unit : findUnits(scop)) {
    if (!unit.reduction || !isContraction(scop, unit))
      continue;
    unsigned s = scop.reductions[*unit.reduction].update;
    if (!tiles.count(s))
      continue;
    std::set<unsigned> staged;
    walk(filter, [&](Node &node) {
      if (node.kind == Node::Kind::Stage && node.statements[0] == s)
        staged.insert(node.stage.array);
    });
    const std::vector<Access> &accesses = scop.statements[s].accesses;
    tiles.at(s).isContraction =
        staged.count(accesses[0].array) && staged.count(accesses[1].array);
  }
}

bool KernelCompletion::chooseThreads(const AskedThreads &wanted) {
  int64_t mapped = 1, most = 1;
  bool any = false;
  unsigned asked = wanted.count;
  const Origin *origin = asked ? &wanted.origin : nullptr;
  for (unsigned s : statements) {
    int64_t own = 1, elements = 1;
    for (const Point &point : tiles.at(s).points) {
      if (point.binding == Binding::Thread) {
        own *= point.turns;
        any = true;
        if (!asked)
          origin = originOf(s, point.loop);
      }
      if (!point.isOrdered)
        elements *= point.turns;
    }
    mapped = std::lcm(mapped, own);
    bool isMap = scop.statements[s].kind == StatementKind::Map;
    most = std::max(most, elements / (isMap ? vectorOf(s) : 1));
  }
  if (any) {
    int64_t count = mapped % 32 == 0 ? mapped : std::lcm<int64_t>(mapped, 32);
    if (asked && asked % mapped != 0) {
      fail("G0723",
           "the loops mapped to threads take " + std::to_string(mapped) +
               " threads, which do not "
               "divide the " +
               std::to_string(asked) + " asked for",
           origin)
          .help("leave 'threads' out, or map loops of other extents");
      return false;
    }
    threads = asked ? asked : count;
    if (count > int64_t(input.target.maxThreadsPerBlock)) {
      fail("G0723",
           "the loops mapped to threads take " + std::to_string(count) +
               " threads; a block has at "
               "most " +
               std::to_string(input.target.maxThreadsPerBlock),
           origin)
          .help("map fewer loops, or split by smaller factors");
      return false;
    }
    return true;
  }
  if (asked) {
    threads = asked;
    return true;
  }
  int64_t count = 32;
  while (count < 256 && count * 2 <= most)
    count *= 2;
  while (count < int64_t(input.target.maxThreadsPerBlock) && most > 32 * count)
    count *= 2;
  threads = count;
  return true;
}

/// Points that nobody mapped, over all threads: vectors along the dim that is
/// the fastest in memory, then threads from there outwards.
void KernelCompletion::spread(unsigned s, StatementTile &tile) {
  Layout &layout = tile.layout;
  std::vector<unsigned> dims;
  int fastest = spreadDim(s);
  auto isFree = [&](unsigned d) {
    return d < layout.shape.size() && layout.shape[d] > 1 &&
           std::none_of(tile.points.begin(), tile.points.end(),
                        [&](const Point &point) {
                          return point.dim == d && point.isOrdered;
                        });
  };
  if (fastest >= 0 && isFree(fastest))
    dims.push_back(fastest);
  for (unsigned d = layout.shape.size(); d-- > 0;)
    if (isFree(d) && int(d) != fastest)
      dims.push_back(d);
  int64_t left = threads;
  std::vector<layout::Digit> rest;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t extent = layout.shape[dims[i]], vector = 1;
    int64_t most = tile.isContraction ? 4 : vectorOf(s);
    bool isMap = scop.statements[s].kind == StatementKind::Map;
    if (i == 0 && (isMap || tile.isContraction) && fastest == int(dims[0]))
      while (vector * 2 <= most && extent % (vector * 2) == 0 &&
             extent / (vector * 2) >= std::min<int64_t>(32, left))
        vector *= 2;
    if (vector > 1)
      layout.registers.push_back({vector, int(dims[i]), 1});
    int64_t across = std::gcd(extent / vector, left);
    if (across > 1)
      layout.threads.push_back({across, int(dims[i]), vector});
    left /= across;
    if (extent / vector > across)
      rest.push_back({extent / vector / across, int(dims[i]), vector * across});
  }
  layout.registers.insert(layout.registers.end(), rest.begin(), rest.end());
  if (left > 1)
    layout.threads.push_back({left, -1, 0});
}

/// Loops that are threads, the fastest first: inner ones, except that those of
/// one directive keep its order.
std::vector<Point>
KernelCompletion::threadPoints(const StatementTile &tile) const {
  std::vector<Point> points;
  for (auto point = tile.points.rbegin(); point != tile.points.rend(); ++point)
    if (point->binding == Binding::Thread && point->turns > 1)
      points.push_back(*point);
  for (const std::vector<std::string> &order : facts.threadOrders) {
    std::vector<size_t> slots;
    std::vector<std::pair<size_t, Point>> named;
    for (size_t p = 0; p < points.size(); ++p) {
      auto place = std::find(order.begin(), order.end(), points[p].loop);
      if (place == order.end())
        continue;
      slots.push_back(p);
      named.emplace_back(order.end() - place, points[p]);
    }
    std::stable_sort(
        named.begin(), named.end(),
        [](const auto &a, const auto &b) { return a.first < b.first; });
    for (size_t i = 0; i < slots.size(); ++i)
      points[slots[i]] = named[i].second;
  }
  return points;
}

/// The loop of the tile that a directive bound last; empty: none.
static std::string boundLoop(const StatementTile &tile) {
  std::string loop;
  for (const Point &point : tile.points)
    if (point.binding != Binding::Loop)
      loop = point.loop;
  return loop;
}

bool KernelCompletion::layOut(unsigned s) {
  StatementTile &tile = tiles.at(s);
  Layout &layout = tile.layout;
  layout.shape = tile.shape;
  if (tile.isContraction)
    layout.shape.pop_back();
  bool isMapped = false;
  for (const Point &point : tile.points)
    isMapped |= point.binding != Binding::Loop;
  // The elements of a cell's turn first.
  for (auto point = tile.points.rbegin(); point != tile.points.rend(); ++point)
    if (point->isOrdered && point->turns > 1 &&
        point->dim < layout.shape.size())
      layout.registers.push_back(
          {point->turns, int(point->dim), point->stride});
  if (!isMapped) {
    // As another statement of the kernel with the same box has it.
    for (unsigned other : statements) {
      if (other >= s)
        break;
      const Layout &theirs = tiles.at(other).layout;
      if (theirs.shape == layout.shape && layout.registers.empty()) {
        layout = theirs;
        return true;
      }
    }
    if (tile.isContraction || isBesideContraction(s))
      if (squareLayout(layout))
        return true;
    spread(s, tile);
  } else {
    int64_t used = 1;
    for (Binding pass : {Binding::Vector, Binding::Unroll})
      for (auto point = tile.points.rbegin(); point != tile.points.rend();
           ++point) {
        bool isVector = point->binding == Binding::Vector;
        if (point->isOrdered || point->binding == Binding::Thread ||
            point->turns == 1 || isVector != (pass == Binding::Vector))
          continue;
        layout.registers.push_back(
            {point->turns, int(point->dim), point->stride});
      }
    for (const Point &point : threadPoints(tile)) {
      layout.threads.push_back({point.turns, int(point.dim), point.stride});
      used *= point.turns;
    }
    if (threads % used != 0) {
      fail("G0723",
           "the loops of '" + scop.statements[s].name +
               "' mapped to threads take " + std::to_string(used) +
               " threads, which do not divide the kernel's " +
               std::to_string(threads),
           threadPoints(tile).empty()
               ? originOf(s)
               : originOf(s, threadPoints(tile).front().loop));
      return false;
    }
    if (int64_t(threads) > used)
      layout.threads.push_back({threads / used, -1, 0});
  }
  std::string problem;
  if (!layout.isValid(problem)) {
    fail("G0727",
         "the tile of '" + scop.statements[s].name +
             "' cannot be distributed: " + problem,
         originOf(s, boundLoop(tile)));
    return false;
  }
  if (layout.registerCount() > 512) {
    fail("G0727",
         "each thread would hold " + std::to_string(layout.registerCount()) +
             " elements of the tile of '" + scop.statements[s].name +
             "'; at most 512 are possible",
         originOf(s, boundLoop(tile)))
        .help("take a smaller tile or more threads");
    return false;
  }
  return true;
}

/// Whether a staged product of the kernel has accumulators of that box.
bool KernelCompletion::isBesideContraction(unsigned s) const {
  for (const auto &[other, tile] : tiles)
    if (tile.isContraction &&
        std::equal(tile.shape.begin(), tile.shape.end() - 1,
                   tiles.at(s).shape.begin(), tiles.at(s).shape.end()))
      return true;
  return false;
}

/// 16 x 16 threads, each with blocks of 4 x 4 every 64 elements: both operands
/// are read from shared memory as vectors, without bank conflicts.
bool KernelCompletion::squareLayout(Layout &layout) const {
  unsigned rank = layout.shape.size();
  if (threads != 256 || rank < 2 || layout.shape[rank - 1] % 64 != 0 ||
      layout.shape[rank - 2] % 64 != 0)
    return false;
  for (unsigned d = 0; d + 2 < rank; ++d)
    if (layout.shape[d] != 1)
      return false;
  int i = int(rank) - 2, j = int(rank) - 1;
  for (int dim : {j, i}) {
    layout.registers.push_back({4, dim, 1});
    if (layout.shape[dim] > 64)
      layout.registers.push_back({layout.shape[dim] / 64, dim, 64});
    layout.threads.push_back({16, dim, 4});
  }
  return true;
}

/// The outermost loop of the tile over a dim; empty: none.
static std::string loopOver(const StatementTile &tile, unsigned dim) {
  for (const Point &point : tile.points)
    if (point.dim == dim)
      return point.loop;
  return "";
}

/// Cells are kept in registers from their init to their merge, so all of their
/// statements have the same ones in one tile.
bool KernelCompletion::checkCells() {
  for (const Reduction &reduction : scop.reductions) {
    if (!tiles.count(reduction.init) || !tiles.count(reduction.update))
      continue;
    const std::vector<const Node *> above = poly::pathOf(tree, reduction.init);
    auto isShared = [&](const Node *node) {
      return std::find(above.begin(), above.end(), node) != above.end();
    };
    const std::string &name = scop.arrays[reduction.accumulator].name;
    std::vector<std::pair<unsigned, unsigned>> others = {
        {reduction.update, reduction.cellEnd}};
    if (reduction.merge)
      others.emplace_back(*reduction.merge, reduction.outputEnd);
    for (auto [s, end] : others) {
      const Statement &statement = scop.statements[s];
      for (const Node *node : poly::pathOf(tree, s))
        for (size_t m = 0; m < node->members.size(); ++m) {
          const Member &member = node->members[m];
          std::optional<unsigned> dim = dimOf(poly::digitOf(*node, m, s));
          if (isShared(node) || member.binding != Binding::Loop || !dim ||
              *dim >= end)
            continue;
          fail("G0727",
               "the cells '" + name + "' stay in registers, but '" +
                   statement.name + "' has a loop '" + member.name +
                   "' over them of its own",
               originOf(s, member.name))
              .help("make '" + member.name +
                    "' a loop around all statements of the sum, or give it a "
                    "fixed number of turns so that it is part of the tile");
          return false;
        }
      for (unsigned d = 0; d < end; ++d)
        if (tiles.at(s).shape[d] != tiles.at(reduction.init).shape[d]) {
          fail("G0727",
               "the cells '" + name + "' stay in registers, but '" +
                   statement.name + "' takes " +
                   std::to_string(tiles.at(s).shape[d]) + " of them along '" +
                   statement.dims[d] + "' at once, '" +
                   scop.statements[reduction.init].name + "' " +
                   std::to_string(tiles.at(reduction.init).shape[d]),
               originOf(s, loopOver(tiles.at(s), d)))
              .help("split the loops of both in the same way");
          return false;
        }
    }
  }
  return true;
}

/// Whether `reader` finds what `writer` wrote in its own block's registers: the
/// same box of the same instances.
bool KernelCompletion::staysInRegisters(unsigned writer, unsigned reader,
                                        const Access &read) const {
  const Statement &from = scop.statements[writer];
  const Access &write = from.write();
  unsigned time = from.loops.size();
  if (!read.isExact() || !write.isExact() ||
      write.subscripts.size() + time != from.dims.size())
    return false;
  const std::vector<const Node *> path = poly::pathOf(tree, writer);
  auto isShared = [&](const Node *node) {
    return std::find(path.begin(), path.end(), node) != path.end();
  };
  const std::vector<const Node *> readerPath = poly::pathOf(tree, reader);
  // A loop of the writer alone makes the tile again and again.
  for (const Node *node : path)
    for (const Member &member : node->members)
      if (member.binding == Binding::Loop &&
          std::find(readerPath.begin(), readerPath.end(), node) ==
              readerPath.end())
        return false;
  for (unsigned w = 0; w < write.subscripts.size(); ++w) {
    if (!(write.subscripts[w] == Affine::dim(time + w)))
      return false;
    int dim = -1;
    for (unsigned d = 0; d < scop.statements[reader].dims.size(); ++d)
      if (read.subscripts[w] == Affine::dim(d))
        dim = int(d);
    if (dim < 0 ||
        tiles.at(reader).shape[dim] != tiles.at(writer).shape[time + w])
      return false;
    for (const Node *node : readerPath)
      for (size_t m = 0; m < node->members.size(); ++m)
        if (!isShared(node) && node->members[m].binding == Binding::Loop &&
            poly::digitOf(*node, m, reader).value.dimCoefficient(dim) != 0)
          return false;
  }
  return true;
}

/// Whether an array that several statements write stays in registers, also from
/// turn to turn of a loop: all that touch it are in the kernel and touch the
/// same box, which no loop of the kernel moves.
bool KernelCompletion::isCarried(unsigned array) const {
  if (scop.arrays[array].role == poly::ArrayRole::InOut)
    return false;
  std::optional<std::vector<int64_t>> box;
  for (unsigned s = 0; s < scop.statements.size(); ++s)
    for (const Access &access : scop.statements[s].accesses) {
      if (access.array != array)
        continue;
      if (!tiles.count(s) || !access.isExact())
        return false;
      std::vector<int64_t> own;
      for (const Affine &subscript : access.subscripts) {
        int dim = -1;
        for (unsigned d = 0; d < scop.statements[s].dims.size(); ++d)
          if (subscript == Affine::dim(d))
            dim = int(d);
        if (dim < 0)
          return false;
        own.push_back(tiles.at(s).shape[dim]);
        for (const Node *node : poly::pathOf(tree, s))
          for (size_t m = 0; m < node->members.size(); ++m)
            if (node->members[m].binding == Binding::Loop &&
                poly::digitOf(*node, m, s).value.dimCoefficient(dim) != 0)
              return false;
      }
      if (box && *box != own)
        return false;
      box = std::move(own);
    }
  return box.has_value();
}

RowTiles KernelCompletion::rowTiles(unsigned &shared) const {
  RowTiles result;
  shared = ~0u;
  // Maps alone go over elements, not rows.
  if (std::none_of(statements.begin(), statements.end(), [&](unsigned s) {
        return scop.statements[s].kind == StatementKind::Update;
      }))
    return result;
  for (unsigned s : statements) {
    const StatementTile &tile = tiles.at(s);
    if (tile.isContraction || !scop.statements[s].loops.empty())
      return {};
    unsigned leading = 0;
    while (leading < tile.shape.size() && tile.shape[leading] == 1 &&
           leading < scop.statements[s].dims.size())
      ++leading;
    shared = std::min(shared, leading);
  }
  for (unsigned s : statements) {
    RowTile row{tiles.at(s).layout, true};
    for (const Node *node : poly::pathOf(tree, s))
      for (size_t m = 0; m < node->members.size(); ++m) {
        if (node->members[m].binding != Binding::Loop ||
            turnsOf(*node, node->members[m]) == 1)
          continue;
        // One turn may follow from constraints over other dims too.
        const poly::Digit &digit = poly::digitOf(*node, m, s);
        const std::optional<unsigned> dim = dimOf(digit);
        const int64_t most = dim ? mostValues(scop.statements[s], *dim) : -1;
        row.isWhole &= digit.modulus == 0 && most >= 0 && most <= digit.divisor;
      }
    result[s] = std::move(row);
  }
  return result;
}

std::vector<poly::KernelMark::ArrayPlace> KernelCompletion::places(bool &good) {
  std::vector<poly::KernelMark::ArrayPlace> result;
  std::set<unsigned> seen;
  unsigned shared = 0;
  const RowTiles rows = rowTiles(shared);
  for (unsigned s : statements) {
    unsigned array = scop.statements[s].write().array;
    if (!seen.insert(array).second)
      continue;
    bool isCells = std::any_of(scop.reductions.begin(), scop.reductions.end(),
                               [&](const Reduction &reduction) {
                                 return reduction.accumulator == array;
                               });
    bool isResult = poly::isResult(scop.arrays[array].role);
    Place elsewhere = isResult ? Place::Global : Place::Workspace;
    unsigned writers = 0, readers = 0;
    for (const Statement &statement : scop.statements)
      writers += statement.write().array == array;
    bool inRegisters =
        writers == 1 && scop.arrays[array].role != poly::ArrayRole::InOut;
    for (unsigned reader = 0; reader < scop.statements.size(); ++reader)
      for (const Access &access : scop.statements[reader].accesses)
        if (!access.isWrite && access.array == array) {
          ++readers;
          inRegisters = inRegisters && tiles.count(reader) &&
                        (staysInRegisters(s, reader, access) ||
                         findsRow(scop, rows, shared, s, reader, access));
        }
    inRegisters |= writers > 1 && isCarried(array);
    Place place =
        isCells || (inRegisters && readers > 0) ? Place::Register : elsewhere;
    auto asked = facts.places.find(array);
    if (asked != facts.places.end() && asked->second != place) {
      const std::string &name = scop.arrays[array].name;
      if (asked->second == Place::Register) {
        fail("G0727",
             "'" + name +
                 "' cannot stay in registers: a statement "
                 "reads it at other elements than its block has just "
                 "made",
             &facts.origins.placed.at(array))
            .help("compute '" + name +
                  "' at a loop of its reader with the same tile");
        good = false;
      } else {
        // What tiles cannot do in shared memory they refuse.
        place = asked->second == Place::Shared ? Place::Shared : elsewhere;
      }
    }
    result.push_back({array, place});
  }
  for (unsigned array : rowsReadAlike(scop, rows, shared))
    if (!seen.count(array))
      result.push_back({array, Place::Register});
  std::sort(result.begin(), result.end(),
            [](const auto &a, const auto &b) { return a.array < b.array; });
  return result;
}
