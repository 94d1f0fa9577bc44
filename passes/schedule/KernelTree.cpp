//===- KernelTree.cpp - the tree of one kernel ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/KernelTree.h"

#include "passes/schedule/RowPlaces.h"

#include <algorithm>
#include <set>

using namespace girih;
using namespace girih::schedule;
using layout::Layout;
using poly::Access;
using poly::Affine;
using poly::Binding;
using poly::makeNode;
using poly::Member;
using poly::Node;
using poly::NodePtr;
using poly::Place;
using poly::Reduction;
using poly::Scop;
using poly::Statement;
using poly::StatementKind;

namespace {

/// Elements that one thread loads of one operand in one step of an update.
constexpr int64_t kMostElements = 32;

/// Builds the subtree of one kernel.
class KernelBuilder {
public:
  KernelBuilder(const Scop &scop, const FusionGroup &group,
                const TileChoice &choice, const MemoryOrders &memory)
      : scop(scop), group(group), choice(choice), memory(memory) {
    for (const Unit &unit : group.units)
      for (unsigned s : unit.statements)
        statements.push_back(s);
    std::sort(statements.begin(), statements.end());
  }
  NodePtr build(const std::string &name);

private:
  NodePtr gridBand(NodePtr child);
  NodePtr statementTree(const Unit &unit, unsigned statement);
  /// The tile mark and its point band; `tile[d]` is the box along dim d.
  NodePtr tileOf(unsigned statement, const std::vector<int64_t> &tile,
                 const Layout &layout);
  NodePtr loopBand(unsigned statement, std::vector<Member> members,
                   NodePtr child);
  NodePtr contractionTile(unsigned statement);
  NodePtr stage(unsigned statement, unsigned access, NodePtr child);
  std::vector<poly::KernelMark::ArrayPlace> places() const;
  /// Bytes of the row that one block computes with map `writer` and only it
  /// reads, each statement in one step; 0 when it is no such row.
  int64_t sharedRowBytes(unsigned writer) const;
  /// How many of the `width` elements of a cell's turn an update takes in one
  /// step, so that what it loads leaves registers for the rest.
  int64_t elementStep(const Statement &update, int64_t width,
                      int64_t cells) const;
  /// Appends what is left of the threads to dim `dim` (or as copies).
  void addInnerThreads(Layout &layout, int dim, int64_t stride,
                       int64_t count) const;
  Layout sharedLayout(size_t rank) const;

  const Scop &scop;
  const FusionGroup &group;
  const TileChoice &choice;
  const MemoryOrders &memory;
  std::vector<unsigned> statements;
  RowTiles rowTiles; ///< what has been built of a row kernel
};

} // namespace

Member girih::schedule::member(std::string name, Binding binding,
                               bool coincident,
                               std::vector<poly::Digit> digits) {
  Member result;
  result.name = std::move(name);
  result.binding = binding;
  result.coincident = coincident;
  result.digits = std::move(digits);
  return result;
}

poly::Digit girih::schedule::digit(unsigned dim, int64_t divisor,
                                   int64_t modulus) {
  poly::Digit result;
  result.value = Affine::dim(dim);
  result.divisor = divisor;
  result.modulus = modulus;
  return result;
}

std::optional<Layout>
girih::schedule::stageLayout(const Scop &scop, const MemoryOrders &memory,
                             unsigned array, const std::vector<int64_t> &shape,
                             int64_t threads) {
  std::vector<unsigned> order;
  if (array < memory.size())
    order = memory[array];
  for (unsigned d = order.size(); d < shape.size(); ++d)
    order.push_back(d);
  std::vector<int64_t> inMemory;
  for (unsigned d : order)
    inMemory.push_back(shape[d]);
  std::optional<Layout> copy;
  for (int64_t vector = 16 / scop.arrays[array].elementBytes;
       vector >= 1 && !copy; vector /= 2)
    copy = layout::streamingLayout(inMemory, threads, vector);
  if (!copy)
    return copy;
  copy->shape = shape;
  for (auto *digits : {&copy->registers, &copy->threads})
    for (layout::Digit &digit : *digits)
      if (digit.dim >= 0)
        digit.dim = int(order[size_t(digit.dim)]);
  return copy;
}

Layout KernelBuilder::sharedLayout(size_t rank) const {
  Layout layout;
  layout.shape.assign(rank, 1);
  std::copy(choice.sharedTile.begin(), choice.sharedTile.end(),
            layout.shape.begin());
  layout.registers = choice.sharedRegisters;
  layout.threads = choice.sharedThreads;
  return layout;
}

void KernelBuilder::addInnerThreads(Layout &layout, int dim, int64_t stride,
                                    int64_t count) const {
  int64_t used = std::min(count, choice.innerThreads);
  if (used > 1)
    layout.threads.push_back({used, dim, stride});
  if (choice.innerThreads / used > 1)
    layout.threads.push_back({choice.innerThreads / used, -1, 0});
}

NodePtr KernelBuilder::gridBand(NodePtr child) {
  NodePtr band = makeNode(Node::Kind::Band, statements);
  band->permutable = true;
  const Statement &first = scop.statements[statements[0]];
  for (unsigned d = group.timeDims(); d < group.sharedDims; ++d)
    band->members.push_back(
        member(first.dims[d] + "o", Binding::Grid, true,
               std::vector<poly::Digit>(statements.size(),
                                        digit(d, choice.sharedTile[d], 0))));
  if (band->members.empty())
    return child;
  band->children.push_back(std::move(child));
  return band;
}

NodePtr KernelBuilder::tileOf(unsigned s, const std::vector<int64_t> &tile,
                              const Layout &layout) {
  const Statement &statement = scop.statements[s];
  NodePtr band = makeNode(Node::Kind::Band, {s});
  // Dims along which a cell is updated run one after the other.
  unsigned ordered = statement.dims.size();
  for (const Reduction &reduction : scop.reductions)
    if (reduction.update == s)
      ordered = reduction.cellEnd;
  for (unsigned d = 0; d < statement.dims.size(); ++d)
    band->members.push_back(member(statement.dims[d] + "i", Binding::Point,
                                   d < ordered, {digit(d, 1, tile[d])}));
  band->children.push_back(makeNode(Node::Kind::Leaf, {s}));
  if (band->members.empty()) // one value
    band = std::move(band->children[0]);
  NodePtr mark = makeNode(Node::Kind::Tile, {s});
  mark->tile.shape = tile;
  mark->tile.layout = layout::print(layout);
  mark->children.push_back(std::move(band));
  return mark;
}

NodePtr KernelBuilder::loopBand(unsigned s, std::vector<Member> members,
                                NodePtr child) {
  if (members.empty())
    return child;
  NodePtr band = makeNode(Node::Kind::Band, {s});
  band->members = std::move(members);
  band->children.push_back(std::move(child));
  return band;
}

NodePtr KernelBuilder::stage(unsigned s, unsigned access, NodePtr child) {
  const Statement &statement = scop.statements[s];
  const Access &read = statement.accesses[access];
  std::vector<int64_t> shape;
  for (const Affine &subscript : read.subscripts) {
    int64_t extent = 1;
    for (unsigned d = 0; d < statement.dims.size(); ++d)
      if (subscript.dimCoefficient(d) != 0)
        extent =
            d < group.sharedDims ? choice.sharedTile[d] : choice.reducedTile;
    shape.push_back(extent);
  }
  NodePtr mark = makeNode(Node::Kind::Stage, {s});
  mark->stage.array = read.array;
  mark->stage.shape = shape;
  std::optional<Layout> copy =
      stageLayout(scop, memory, read.array, shape, choice.threads);
  mark->stage.layout = copy ? layout::print(*copy) : "";
  mark->children.push_back(std::move(child));
  return mark;
}

NodePtr KernelBuilder::contractionTile(unsigned s) {
  const Statement &statement = scop.statements[s];
  unsigned k = statement.dims.size() - 1;
  std::vector<int64_t> tile = choice.sharedTile;
  tile.push_back(choice.reducedTile);
  // The layout is the accumulator's: the reduced dim is inside the tile op.
  NodePtr child = tileOf(s, tile, sharedLayout(group.sharedDims));
  child = stage(s, 1, std::move(child));
  child = stage(s, 0, std::move(child));
  return loopBand(s,
                  {member(statement.dims[k] + "o", Binding::Loop, false,
                          {digit(k, choice.reducedTile, 0)})},
                  std::move(child));
}

int64_t KernelBuilder::elementStep(const Statement &update, int64_t width,
                                   int64_t cells) const {
  // Of the registers that a full multiprocessor gives a thread, three eighths.
  // Narrow elements stay packed until they are used.
  int64_t bytes = 0;
  for (const Access &access : update.accesses) {
    const poly::Array &array = scop.arrays[access.array];
    if (!access.isWrite && array.role != poly::ArrayRole::Accumulator)
      bytes += array.elementBytes;
  }
  int64_t budget = 65536 / choice.threads * 3 / 8;
  int64_t most = std::min<int64_t>(4 * budget / std::max<int64_t>(bytes, 1),
                                   kMostElements) /
                 cells;
  if (width <= most)
    return width;
  int64_t step = 1;
  while (step * 2 <= most)
    step *= 2;
  return step;
}

NodePtr KernelBuilder::statementTree(const Unit &unit, unsigned s) {
  const Statement &statement = scop.statements[s];
  unsigned shared = group.sharedDims, rank = statement.dims.size();
  if (statement.kind == StatementKind::Update && isContraction(scop, unit))
    return contractionTile(s);

  Layout layout = sharedLayout(rank);
  std::vector<Member> loops;
  bool isWhole = true;
  auto loop = [&](unsigned d, int64_t size) {
    int64_t extent = mostValues(statement, d);
    isWhole &= extent >= 0 && extent <= size;
    loops.push_back(member(statement.dims[d] + "o", Binding::Loop, false,
                           {digit(d, size, 0)}));
    layout.shape[d] = size;
  };
  const Reduction *reduction =
      unit.reduction ? &scop.reductions[*unit.reduction] : nullptr;
  unsigned outer = unit.outerDims;
  // Outer dims that are not shared (a level whose values are inner): one by
  // one.
  for (unsigned d = shared; d < std::min(outer, rank); ++d)
    if (reduction || d + 1 < rank)
      loop(d, 1);

  if (reduction && statement.kind != StatementKind::Merge) {
    bool hasCells = reduction->cellEnd > reduction->outputEnd;
    if (hasCells) {
      unsigned cell = reduction->cellEnd - 1;
      int64_t cells = constantExtent(statement, cell);
      layout.shape[cell] = cells;
      int64_t used = std::min(cells, choice.innerThreads);
      addInnerThreads(layout, cell, 1, cells);
      if (statement.kind == StatementKind::Update) {
        unsigned round = cell + 1, element = cell + 2;
        loop(round, choice.rounds);
        int64_t turn = constantExtent(statement, element);
        int64_t width =
            choice.holdsRow ? turn : elementStep(statement, turn, cells / used);
        if (width < turn)
          loop(element, width);
        layout.shape[element] = width;
        if (width > 1)
          layout.registers.push_back({width, int(element), 1});
      }
      if (cells / used > 1)
        layout.registers.push_back({cells / used, int(cell), used});
      if (statement.kind == StatementKind::Update && choice.rounds > 1)
        layout.registers.push_back({choice.rounds, int(cell) + 1, 1});
    } else {
      addInnerThreads(layout, -1, 0, 1);
      for (unsigned d = reduction->cellEnd; d < rank; ++d) {
        bool last = d + 1 == rank;
        int64_t step = last ? std::max<int64_t>(choice.reducedTile, 8) : 1;
        loop(d, step);
        if (step > 1)
          layout.registers.push_back({step, int(d), 1});
      }
    }
    rowTiles[s] = {layout, isWhole};
    return loopBand(s, std::move(loops), tileOf(s, layout.shape, layout));
  }

  if (!reduction && rank > shared && statement.kind == StatementKind::Map) {
    // A map below the shared dims: the threads walk its last dim.
    unsigned last = rank - 1;
    layout.registers.push_back({choice.vector, int(last), 1});
    addInnerThreads(layout, last, choice.vector, choice.innerThreads);
    int64_t step = choice.innerThreads * choice.vector;
    if (choice.innerVectors > 1)
      layout.registers.push_back({choice.innerVectors, int(last), step});
    loop(last, step * std::max<int64_t>(choice.innerVectors, 1));
    for (Member &member : loops)
      member.coincident = true;
    rowTiles[s] = {layout, isWhole};
    return loopBand(s, std::move(loops), tileOf(s, layout.shape, layout));
  }
  addInnerThreads(layout, -1, 0, 1);
  NodePtr tile = tileOf(s, layout.shape, layout);
  if (choice.turnsReads && statement.kind == StatementKind::Map)
    for (unsigned a = 0; a < statement.accesses.size(); ++a)
      if (const Access &read = statement.accesses[a];
          !read.isWrite && isTurned(read, statement.write(), memory) &&
          (a == 0 ||
           std::find(statement.accesses.begin(), statement.accesses.begin() + a,
                     read) == statement.accesses.begin() + a))
        tile = stage(s, a, std::move(tile));
  return loopBand(s, std::move(loops), std::move(tile));
}

int64_t KernelBuilder::sharedRowBytes(unsigned writer) const {
  const Statement &map = scop.statements[writer];
  unsigned rank = map.dims.size();
  if (choice.style != Style::Row || choice.innerVectors == 0 ||
      !group.loops.empty() || group.isAlone || map.kind != StatementKind::Map ||
      rank != group.sharedDims + 1 ||
      scop.arrays[map.write().array].role != poly::ArrayRole::Temporary)
    return 0;
  for (unsigned reader = 0; reader < scop.statements.size(); ++reader) {
    const Statement &statement = scop.statements[reader];
    for (const Access &access : statement.accesses) {
      if (access.isWrite || access.array != map.write().array)
        continue;
      if (!std::binary_search(statements.begin(), statements.end(), reader))
        return 0;
      if (!access.isExact())
        return 0;
      for (unsigned d = 0; d < group.sharedDims; ++d)
        if (!(access.subscripts[d] == Affine::dim(d)))
          return 0;
      // From its start on, and nothing beyond its end.
      const Affine &last = access.subscripts.back();
      Affine inside =
          scop.arrays[access.array].extents.back() - Affine::of(1) - last;
      const std::vector<Affine> &domain = statement.constraints;
      bool fromStart = last.constant == 0;
      for (int64_t factor : last.params)
        fromStart &= factor == 0;
      for (int64_t factor : last.dims)
        fromStart &= factor >= 0;
      if (!fromStart ||
          std::find(domain.begin(), domain.end(), inside) == domain.end())
        return 0;
      bool isMapOfRow =
          statement.kind == StatementKind::Map && statement.dims.size() == rank;
      if (isMapOfRow && !(last == Affine::dim(rank - 1)))
        return 0;
      if (statement.kind == StatementKind::Map && statement.dims.size() == rank)
        continue;
      // One round of cells: dims are the cell, the round and the element.
      bool oneRound = false;
      for (const Reduction &reduction : scop.reductions)
        oneRound |= reduction.update == reader &&
                    reduction.outputEnd == group.sharedDims &&
                    reduction.cellEnd > reduction.outputEnd &&
                    constantExtent(statement, reduction.cellEnd) == 1;
      if (!oneRound)
        return 0;
    }
  }
  // Cells are a power of two, so the buffer is.
  int64_t elements = 1;
  while (elements < choice.innerThreads * choice.vector * choice.innerVectors)
    elements *= 2;
  return elements * scop.arrays[map.write().array].elementBytes;
}

/// Registers for values that stay with their thread from writer to readers: the
/// writer's dims are all shared and every reader is in the kernel and reads the
/// same instance. (An output in registers is stored as well.)
std::vector<poly::KernelMark::ArrayPlace> KernelBuilder::places() const {
  std::vector<poly::KernelMark::ArrayPlace> result;
  std::set<unsigned> seen;
  // Rows in shared memory leave room for several blocks a multiprocessor.
  int64_t sharedLeft = 32 * 1024;
  const bool isRowKernel =
      choice.holdsRow && group.loops.empty() && !group.isAlone;
  auto writersOf = [&](unsigned array) {
    return std::count_if(scop.statements.begin(), scop.statements.end(),
                         [&](const Statement &statement) {
                           return statement.write().array == array;
                         });
  };
  auto isCellsOf = [&](unsigned array) {
    return std::any_of(scop.reductions.begin(), scop.reductions.end(),
                       [&](const Reduction &reduction) {
                         return reduction.accumulator == array;
                       });
  };
  for (unsigned s : statements) {
    unsigned array = scop.statements[s].write().array;
    if (!seen.insert(array).second)
      continue;
    bool mayStay =
        !group.isAlone && scop.arrays[array].role != poly::ArrayRole::InOut;
    bool inRegisters =
        mayStay && scop.statements[s].dims.size() == group.sharedDims;
    bool asRow = mayStay && isRowKernel && writersOf(array) == 1;
    bool isRead = false;
    for (unsigned reader = 0; reader < scop.statements.size(); ++reader)
      for (const Access &access : scop.statements[reader].accesses) {
        if (access.isWrite || access.array != array)
          continue;
        isRead = true;
        asRow = asRow &&
                findsRow(scop, rowTiles, group.sharedDims, s, reader, access);
        inRegisters &=
            std::binary_search(statements.begin(), statements.end(), reader);
        for (unsigned d = 0; d < access.subscripts.size(); ++d)
          inRegisters &=
              access.subscripts[d] == Affine::dim(group.timeDims() + d);
        inRegisters &= access.isExact();
      }
    inRegisters |= asRow;
    inRegisters &= isRead;
    inRegisters |= isCellsOf(array);
    inRegisters &= scop.statements[s].write().isExact();
    Place elsewhere = poly::isResult(scop.arrays[array].role)
                          ? Place::Global
                          : Place::Workspace;
    Place place = inRegisters ? Place::Register : elsewhere;
    int64_t bytes = place == Place::Workspace ? sharedRowBytes(s) : 0;
    if (bytes > 0 && bytes <= sharedLeft) {
      sharedLeft -= bytes;
      place = Place::Shared;
    }
    result.push_back({array, place});
  }
  if (isRowKernel)
    for (unsigned array : rowsReadAlike(scop, rowTiles, group.sharedDims))
      if (!seen.count(array))
        result.push_back({array, Place::Register});
  std::sort(result.begin(), result.end(),
            [](const auto &a, const auto &b) { return a.array < b.array; });
  return result;
}

NodePtr KernelBuilder::build(const std::string &name) {
  std::vector<NodePtr> filters;
  for (const Unit &unit : group.units)
    for (unsigned s : unit.statements) {
      NodePtr filter = makeNode(Node::Kind::Filter, {s});
      filter->children.push_back(statementTree(unit, s));
      filters.push_back(std::move(filter));
    }
  NodePtr body;
  if (filters.size() == 1) {
    body = std::move(filters[0]->children[0]);
  } else {
    body = makeNode(Node::Kind::Sequence, statements);
    body->children = std::move(filters);
  }
  NodePtr kernel = makeNode(Node::Kind::Kernel, statements);
  kernel->kernel.name = name;
  kernel->kernel.threads = choice.threads;
  kernel->kernel.places = places();
  kernel->children.push_back(gridBand(std::move(body)));
  NodePtr filter = makeNode(Node::Kind::Filter, statements);
  filter->children.push_back(std::move(kernel));
  return filter;
}

NodePtr girih::schedule::buildKernel(const Scop &scop, const FusionGroup &group,
                                     const TileChoice &choice,
                                     const MemoryOrders &memory,
                                     const std::string &name) {
  return KernelBuilder(scop, group, choice, memory).build(name);
}
