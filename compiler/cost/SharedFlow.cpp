//===- SharedFlow.cpp - shared memory and registers of a kernel -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the layouts of the values that threads hold through a kernel, site by
// site, as the tile passes do: where a reader wants another layout, or cells of
// several warps are merged, threads exchange values through shared memory.
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/TreeSites.h"
#include "compiler/layout/Exchange.h"

#include <algorithm>
#include <set>

using namespace girih;
using namespace girih::cost;
using layout::Layout;
using poly::Access;
using poly::Affine;
using poly::Node;
using poly::Statement;
using poly::StatementKind;

namespace {

class Flow {
public:
  Flow(const poly::Scop &scop, const KernelSites &kernel)
      : scop(scop), kernel(kernel) {}

  std::vector<Buffer> run() {
    node(*kernel.kernel);
    if (scratch > 0) {
      // A small area is doubled: uses in turn need one barrier fewer.
      constexpr int64_t kDoubledUpTo = 8 * 1024;
      int64_t bytes = (scratch + 15) / 16 * 16;
      Buffer area{"exchange", {bytes}, 1};
      area.slots = bytes <= kDoubledUpTo ? 2 : 1;
      buffers.push_back(area);
    }
    return std::move(buffers);
  }

private:
  void node(const Node &at) {
    if (at.kind == Node::Kind::Tile) {
      for (const Site &site : kernel.sites)
        if (site.tile == &at)
          tile(site);
      return;
    }
    bool isLoop =
        std::any_of(at.members.begin(), at.members.end(), [](const auto &m) {
          return m.binding == poly::Binding::Loop;
        });
    std::map<unsigned, Layout> before = held;
    for (const poly::NodePtr &child : at.children)
      node(*child);
    if (!isLoop)
      return;
    // What a loop carries comes back in the layout in which it went in.
    for (auto &[array, layout] : before)
      if (held[array] != layout) {
        convert(array, layout, {});
        held[array] = layout;
      }
  }

  unsigned bytesOf(unsigned array) const {
    return scop.arrays[array].elementBytes;
  }

  /// The held value of `array` in `to`; its dimension d is dims[d] there, or is
  /// left out (-1).
  void convert(unsigned array, const Layout &to, std::vector<int> dims) {
    Layout from = held.at(array);
    if (dims.empty() && from.rank() > 0)
      for (unsigned d = 0; d < from.rank(); ++d)
        dims.push_back(int(d));
    std::vector<unsigned> kept;
    for (size_t d = dims.size(); d-- > 0;)
      if (dims[d] < 0)
        from = from.slice(d);
    for (int dim : dims)
      if (dim >= 0)
        kept.push_back(unsigned(dim));
    // The same distribution: nothing moves.
    bool isSame = from == to;
    for (size_t d = 0; d < kept.size(); ++d)
      isSame &= kept[d] == d;
    if (isSame)
      return;
    layout::ConvertPlan plan =
        layout::planConvert(from, to, kept, bytesOf(array));
    scratch = std::max(scratch, plan.scratchElements * bytesOf(array));
  }

  void read(const Site &site, const Access &access, const Layout &layout) {
    if (!held.count(access.array))
      return;
    const Statement &statement = scop.statements[site.statement];
    std::vector<int> dims;
    size_t rank = held[access.array].rank();
    for (size_t turn = 0; turn + access.subscripts.size() < rank; ++turn)
      dims.push_back(int(turn));
    for (const Affine &subscript : access.subscripts)
      for (unsigned d = 0; d < statement.dims.size(); ++d)
        if (subscript == Affine::dim(d))
          dims.push_back(int(d));
    if (dims.empty() && layout.rank() == 0)
      return;
    if (held[access.array].rank() == dims.size())
      convert(access.array, layout, dims);
  }

  /// What a map's stage reads in another layout is exchanged.
  void turn(const Site &site, size_t number) {
    const Statement &statement = scop.statements[site.statement];
    const Access &access = statement.accesses[number];
    const Node *stage = site.stageOf(scop, number);
    if (statement.kind != StatementKind::Map || !stage ||
        held.count(access.array) || !access.isExact())
      return;
    std::optional<Layout> from =
        stagedLayout(statement, access, stage->stage, site.layout);
    if (!from)
      return;
    std::vector<unsigned> dims;
    for (unsigned d = 0; d < site.layout.rank(); ++d)
      dims.push_back(d);
    layout::ConvertPlan plan =
        layout::planConvert(*from, site.layout, dims, bytesOf(access.array));
    scratch = std::max(scratch, plan.scratchElements * bytesOf(access.array));
  }

  void write(const Site &site, const Layout &layout) {
    const Statement &statement = scop.statements[site.statement];
    unsigned array = statement.write().array;
    poly::Place place = kernel.placeOf(array);
    if (place == poly::Place::Register) {
      held[array] = layout;
      leaveTurns(statement, array);
    }
    if (place == poly::Place::Shared)
      addRow(array, layout);
  }

  /// What is carried through a loop of turns has no dims for them.
  void leaveTurns(const Statement &statement, unsigned array) {
    size_t turns = statement.loops.size();
    bool isCarried = false;
    for (const Statement &other : scop.statements)
      for (const Access &theirs : other.accesses)
        isCarried |= theirs.array == array && other.loops.size() != turns;
    if (!isCarried || turns == 0)
      return;
    Layout to = held[array];
    std::vector<int> dims;
    for (size_t d = 0; d < to.rank(); ++d)
      dims.push_back(d < turns ? -1 : int(d - turns));
    for (size_t turn = turns; turn-- > 0;)
      to = to.slice(turn);
    convert(array, to, dims);
    held[array] = to;
  }

  void addBuffer(Buffer buffer) {
    buffer.unit = 16;
    for (const Buffer &other : buffers)
      if (other.name == buffer.name && other.extents == buffer.extents &&
          other.elementBytes == buffer.elementBytes)
        return;
    buffers.push_back(std::move(buffer));
  }

  void addRow(unsigned array, const Layout &layout) {
    int64_t last = layout.shape.empty() ? 1 : layout.shape.back();
    addBuffer(
        {scop.arrays[array].name, {powerOfTwoFrom(last)}, bytesOf(array)});
  }

  void tile(const Site &site) {
    const Statement &statement = scop.statements[site.statement];
    unsigned written = statement.write().array;
    switch (statement.kind) {
    case StatementKind::Map:
    case StatementKind::Init:
    case StatementKind::Scatter:
      for (size_t a = 0; a < statement.accesses.size(); ++a)
        if (const Access &access = statement.accesses[a]; !access.isWrite) {
          read(site, access, site.layout);
          turn(site, a);
        }
      if (statement.kind != StatementKind::Scatter)
        write(site, site.layout);
      return;
    case StatementKind::Update:
      if (site.isStaged())
        contract(site);
      else
        update(site);
      return;
    case StatementKind::Merge:
      break;
    }
    const Access &source = statement.accesses.front();
    if (source.wholeFrom < 0) {
      read(site, source, site.layout);
      write(site, site.layout);
      return;
    }
    Layout cells;
    if (held.count(source.array)) {
      cells = held[source.array];
    } else {
      const poly::Array &array = scop.arrays[source.array];
      int64_t count = array.extents.empty() ? 1 : array.extents.back().constant;
      cells = cellLayout(site.layout, powerOfTwoFrom(count));
    }
    // Lanes are halved; the results of a tree are combined in pairs.
    bool isHalving = false;
    for (const poly::Reduction &reduction : scop.reductions)
      isHalving |= reduction.merge == site.statement;
    int64_t elements = layout::mergeScratchElements(
        cells, isHalving ? layout::BitOrder::HighestFirst
                         : layout::BitOrder::LowestFirst);
    scratch = std::max(scratch, elements * bytesOf(written));
    write(site, cells.slice(cells.rank() - 1));
  }

  void update(const Site &site) {
    const Statement &statement = scop.statements[site.statement];
    const Access &write = statement.write();
    for (const Access &access : statement.accesses)
      if (!access.isWrite && access.array != write.array)
        read(site, access, site.layout);
    Layout cells = site.layout;
    size_t kept = statement.loops.size() + write.subscripts.size();
    while (cells.rank() > kept)
      cells = cells.slice(cells.rank() - 1);
    if (held.count(write.array) && held[write.array] != cells)
      convert(write.array, cells, {});
    this->write(site, cells);
  }

  void contract(const Site &site) {
    const Statement &statement = scop.statements[site.statement];
    unsigned accumulator = statement.write().array;
    const unsigned k = unsigned(statement.dims.size()) - 1;
    for (size_t operand = 0; operand < site.stages.size(); ++operand) {
      const poly::StageMark &mark = site.stages[operand]->stage;
      const Access &access = statement.accesses[operand];
      std::vector<int> dims = stagedDims(statement, access);
      int64_t along = 1, across = 1;
      unsigned free = operand == 0 ? k - 2 : k - 1;
      for (size_t a = 0; a < dims.size(); ++a) {
        if (dims[a] == int(k))
          along = mark.shape[a];
        else if (dims[a] == int(free) || mark.shape[a] > 1)
          across = mark.shape[a];
      }
      Buffer buffer{scop.arrays[mark.array].name + std::to_string(operand),
                    {along, across},
                    bytesOf(accumulator)};
      buffer.rowPadding = 4;
      buffer.padsLastRow = false;
      addBuffer(buffer);
    }
    if (held.count(accumulator) && held[accumulator] != site.layout)
      convert(accumulator, site.layout, {});
    held[accumulator] = site.layout;
  }

  const poly::Scop &scop;
  const KernelSites &kernel;
  std::map<unsigned, Layout> held;
  std::vector<Buffer> buffers;
  int64_t scratch = 0;
};

} // namespace

std::vector<Buffer> girih::cost::sharedBuffers(const poly::Scop &scop,
                                               const KernelSites &kernel) {
  return Flow(scop, kernel).run();
}

/// Words that `count` elements of a thread take; narrow ones stay packed until
/// they are used.
static int64_t wordsOf(int64_t count, unsigned elementBytes) {
  return (count * elementBytes + 3) / 4;
}

/// Words of the value that a site makes.
static int64_t resultWords(const poly::Scop &scop, const Site &site) {
  const Statement &statement = scop.statements[site.statement];
  const Access &write = statement.write();
  Layout layout = site.layout;
  size_t kept = statement.loops.size() + write.subscripts.size();
  while (layout.rank() > kept)
    layout = layout.slice(layout.rank() - 1);
  return wordsOf(layout.registerCount(), scop.arrays[write.array].elementBytes);
}

static bool isReadAt(const poly::Scop &scop, const KernelSites &kernel,
                     unsigned array, size_t site) {
  for (const Access &access :
       scop.statements[kernel.sites[site].statement].accesses)
    if (!access.isWrite && access.array == array)
      return true;
  return false;
}

int64_t girih::cost::registerDemand(const poly::Scop &scop,
                                    const KernelSites &kernel) {
  int64_t most = 0;
  for (size_t s = 0; s < kernel.sites.size(); ++s) {
    const Site &site = kernel.sites[s];
    const Statement &statement = scop.statements[site.statement];
    // Values of earlier sites: those that a later one reads, and those that end
    // here, whose registers the result may take.
    int64_t live = 0, ending = 0;
    std::set<unsigned> counted;
    for (size_t earlier = 0; earlier < s; ++earlier) {
      const Site &maker = kernel.sites[earlier];
      unsigned array = scop.statements[maker.statement].write().array;
      if (kernel.placeOf(array) != poly::Place::Register)
        continue;
      bool isNeeded = false, isReadHere = false;
      for (size_t reader = s; reader < kernel.sites.size(); ++reader)
        for (const Access &access :
             scop.statements[kernel.sites[reader].statement].accesses)
          if (!access.isWrite && access.array == array)
            (reader == s ? isReadHere : isNeeded) = true;
      if ((isNeeded || isReadHere) && counted.insert(array).second)
        (isNeeded ? live : ending) += resultWords(scop, maker);
    }
    // What was loaded once and is needed again.
    for (unsigned array : kernel.arrays.arrays) {
      if (!kernel.isLoadedOnce(array))
        continue;
      for (size_t loader = 0; loader < s; ++loader)
        if (isReadAt(scop, kernel, array, loader)) {
          bool isNeeded = false;
          for (size_t reader = s; reader < kernel.sites.size(); ++reader)
            isNeeded |= isReadAt(scop, kernel, array, reader);
          if (isNeeded)
            live += wordsOf(kernel.sites[loader].layout.registerCount(),
                            scop.arrays[array].elementBytes);
          break;
        }
    }
    // Operands from memory, in the site's layout; of a contraction what it
    // copies and a column and a row of what it multiplies.
    int64_t operands = 0;
    std::set<unsigned> seen;
    for (size_t a = 0; a < statement.accesses.size(); ++a) {
      const Access &access = statement.accesses[a];
      unsigned bytes = scop.arrays[access.array].elementBytes;
      bool isFirst = kernel.isLoadedOnce(access.array) &&
                     kernel.isFirstReader(scop, access.array, s);
      if (access.isWrite || (kernel.isKept(access.array) && !isFirst) ||
          !seen.insert(access.array).second)
        continue;
      if (const Node *stage = site.stageOf(scop, a)) {
        int64_t elements = 1;
        for (int64_t extent : stage->stage.shape)
          elements *= extent;
        operands +=
            8 + wordsOf(elements /
                            std::max<int64_t>(kernel.kernel->kernel.threads, 1),
                        bytes);
        continue;
      }
      operands += wordsOf(site.layout.registerCount(), bytes);
    }
    // What a site changes in place is counted already.
    int64_t result =
        counted.count(statement.write().array) ? 0 : resultWords(scop, site);
    int64_t own = std::max(ending + operands, result);
    most = std::max(most, live + own);
  }
  // Besides: an address and a stride of each array in memory, the block's
  // place.
  constexpr int64_t kAlways = 11, kEach = 3, kMostArrays = 6;
  int64_t arrays = std::min<int64_t>(kernel.arrays.arrays.size(), kMostArrays);
  return kAlways + kEach * arrays + most;
}
