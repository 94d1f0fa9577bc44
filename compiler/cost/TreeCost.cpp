//===- TreeCost.cpp - what a schedule tree takes and moves ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/TreeCost.h"

#include "compiler/cost/Domain.h"
#include "compiler/cost/TreeSites.h"

#include <algorithm>

using namespace girih;
using namespace girih::cost;
using poly::Access;
using poly::Node;
using poly::Reduction;
using poly::Scop;
using poly::Statement;
using poly::StatementKind;

namespace {

/// The tensors' own extents.
std::vector<int64_t> extentsOf(const poly::Array &array,
                               const std::vector<int64_t> &sizes) {
  std::vector<int64_t> extents;
  for (size_t d = 0; d < array.extents.size(); ++d)
    extents.push_back(
        std::max<int64_t>(ceilDiv(linearOf(array.extents[d], 0, sizes).constant,
                                  array.extentDivisor(d)),
                          0));
  return extents;
}

class KernelCounter {
public:
  KernelCounter(const Scop &scop, const KernelSites &kernel,
                const std::vector<int64_t> &sizes, const StatementWork *work,
                CountMemo *memo)
      : scop(scop), kernel(kernel), sizes(sizes), work(work), memo(memo) {}

  /// What needs no sizes.
  KernelCost budget() {
    cost.name = kernel.kernel->kernel.name;
    cost.threads = kernel.kernel->kernel.threads;
    cost.buffers = sharedBuffers(scop, kernel);
    cost.registerDemand = registerDemand(scop, kernel);
    cost.registers = unsigned(std::min<int64_t>(255, cost.registerDemand));
    return std::move(cost);
  }

  KernelCost run(const std::vector<const Node *> &path) {
    cost = budget();
    countBlocks(*kernel.kernel);
    for (const Node *node : path)
      for (size_t m = 0; m < node->members.size(); ++m)
        if (node->members[m].binding == poly::Binding::Time)
          cost.launches *= valuesOf(*node, m);
    for (size_t s = 0; s < kernel.sites.size(); ++s) {
      countSite(s);
      cost.loadBytes = std::max(cost.loadBytes, loadBytesOf(s));
    }
    return std::move(cost);
  }

private:
  /// Bytes that a thread of the site reads from memory before it uses any.
  unsigned loadBytesOf(size_t s) const {
    const Site &site = kernel.sites[s];
    const Statement &statement = scop.statements[site.statement];
    int64_t bytes = 0;
    for (size_t a = 0; a < statement.accesses.size(); ++a) {
      const Access &access = statement.accesses[a];
      if (access.isWrite || isAtHand(access, s))
        continue;
      int64_t elements = site.layout.registerCount();
      if (const Node *stage = site.stageOf(scop, a)) {
        elements = 1;
        for (int64_t extent : stage->stage.shape)
          elements *= extent;
        elements /= std::max(1u, cost.threads);
      }
      bytes += elements * scop.arrays[access.array].elementBytes;
    }
    return unsigned(bytes);
  }

  /// The most values that a member has over its statements: it begins at 0.
  double valuesOf(const Node &band, size_t m) const {
    double most = 0;
    for (unsigned s : band.statements) {
      Domain domain = domainOf(scop.statements[s], sizes);
      const poly::Digit &digit = poly::digitOf(band, m, s);
      if (domain.isEmpty())
        continue;
      Linear value = linearOf(digit.value, domain.ranges.size(), sizes);
      int64_t last = mostOf(value, domain.ranges);
      if (digit.modulus > 0)
        last = std::min(last, digit.modulus - 1);
      most = std::max(most, double(floorDiv(last, digit.divisor) + 1));
    }
    return most;
  }

  Count counted(const TileAccess &access, Counted what) const {
    if (!memo)
      return count(access, what);
    if (what == Counted::Touches)
      return counted(access, Counted::Elements);
    // Neither depends on layouts, and how many instances there are not on the
    // tile.
    std::vector<int64_t> key{int64_t(what)};
    auto add = [&](const Linear &value) {
      key.insert(key.end(), value.factors.begin(), value.factors.end());
      key.push_back(value.constant);
    };
    for (const Range &range : access.domain.ranges) {
      key.push_back(range.begin);
      key.push_back(range.end);
    }
    key.push_back(int64_t(access.domain.coupled.size()));
    for (const Linear &constraint : access.domain.coupled)
      add(constraint);
    if (what != Counted::Instances) {
      key.insert(key.end(), access.box.begin(), access.box.end());
      for (const Linear &subscript : access.subscripts)
        add(subscript);
    }
    auto [place, isNew] = memo->counts.try_emplace(std::move(key));
    if (isNew)
      place->second = count(access, what);
    return place->second;
  }

  void countBlocks(const Node &node) {
    for (size_t m = 0; m < node.members.size(); ++m)
      if (node.members[m].binding == poly::Binding::Grid)
        cost.blocks *= valuesOf(node, m);
    for (const poly::NodePtr &child : node.children)
      countBlocks(*child);
  }

  TensorTraffic &trafficOf(unsigned array) {
    const std::string &name = scop.arrays[array].name;
    for (TensorTraffic &entry : cost.traffic)
      if (entry.tensor == name)
        return entry;
    cost.traffic.emplace_back();
    cost.traffic.back().tensor = name;
    return cost.traffic.back();
  }

  /// The site's domain and box.
  TileAccess tileOf(const Site &site) const {
    const Statement &statement = scop.statements[site.statement];
    TileAccess tile;
    tile.domain = domainOf(statement, sizes);
    tile.box = site.tile->tile.shape;
    tile.box.resize(statement.dims.size(), 1);
    tile.layout = site.layout;
    return tile;
  }

  /// Whether site number `s` finds the elements in registers or shared memory.
  bool isAtHand(const Access &access, size_t s) const {
    if (!kernel.isKept(access.array))
      return false;
    return !kernel.isLoadedOnce(access.array) ||
           (access.isExact() && !kernel.isFirstReader(scop, access.array, s));
  }

  void countSite(size_t s) {
    const Site &site = kernel.sites[s];
    const Statement &statement = scop.statements[site.statement];
    TileAccess tile = tileOf(site);
    countWork(site, tile);
    if (site.isStaged())
      countProduct(site, tile);
    std::vector<Access> seen;
    for (size_t a = 0; a < statement.accesses.size(); ++a) {
      const Access &access = statement.accesses[a];
      const poly::Array &array = scop.arrays[access.array];
      if (access.isWrite) {
        countWrite(statement, access, tile);
        continue;
      }
      // The same element read twice is loaded once. What a place that data
      // choose is, the access does not say.
      bool isAgain = access.isExact() &&
                     std::find(seen.begin(), seen.end(), access) != seen.end();
      seen.push_back(access);
      // Atomic updates read where they write.
      bool isAtomic = statement.kind == StatementKind::Scatter &&
                      statement.unordered &&
                      access.array == statement.write().array;
      if (isAtHand(access, s) || isAgain || isAtomic)
        continue;
      if (array.role == poly::ArrayRole::Accumulator &&
          statement.kind == StatementKind::Merge && access.wholeFrom >= 0)
        countCells(site, access, tile);
      else if (site.stageOf(scop, a))
        countStaged(site, a, tile);
      else
        countRead(access, tile);
    }
  }

  void countRead(const Access &access, TileAccess tile) {
    const poly::Array &array = scop.arrays[access.array];
    TensorTraffic &entry = trafficOf(access.array);
    if (!access.isExact()) {
      // A place that data or a rule choose: every element is one access.
      tile.sharesRegisters = false;
      Count touches = counted(tile, Counted::Touches);
      Count instances = counted(tile, Counted::Instances);
      entry.requestedBytes += touches.value * array.elementBytes;
      entry.readBytes += instances.value * array.elementBytes;
      entry.isExact &= touches.isExact;
      double whole = array.elementBytes;
      for (int64_t extent : extentsOf(array, sizes))
        whole *= double(extent);
      entry.readFootprint =
          std::max(entry.readFootprint,
                   std::min(whole, instances.value * array.elementBytes));
      return;
    }
    double footprint = addPlace(access, tile) * array.elementBytes;
    Count touches = counted(tile, Counted::Touches);
    Count elements = counted(tile, Counted::Elements);
    entry.requestedBytes += touches.value * array.elementBytes;
    entry.readBytes += elements.value * array.elementBytes;
    entry.readFootprint =
        std::max(entry.readFootprint,
                 std::min(footprint, elements.value * array.elementBytes));
    entry.isExact &= touches.isExact && elements.isExact;
  }

  /// Fills in the subscripts, with the bounds of the array: a guarded read
  /// takes place inside only, others always lie there. The elements between the
  /// least and the largest subscripts.
  double addPlace(const Access &access, TileAccess &tile) const {
    const poly::Array &array = scop.arrays[access.array];
    std::vector<int64_t> extents = extentsOf(array, sizes);
    double footprint = 1;
    for (size_t d = 0; d < access.subscripts.size(); ++d) {
      Linear place =
          linearOf(access.subscripts[d], tile.domain.ranges.size(), sizes);
      Linear beforeEnd = place;
      beforeEnd.constant = extents[d] - 1 - place.constant;
      for (int64_t &factor : beforeEnd.factors)
        factor = -factor;
      require(tile.domain, place);
      if (!isImplied(tile.domain, beforeEnd))
        require(tile.domain, beforeEnd);
      tile.subscripts.push_back(place);
    }
    if (tile.domain.isEmpty())
      return 0;
    for (size_t d = 0; d < tile.subscripts.size(); ++d)
      footprint *=
          double(std::min(mostOf(tile.subscripts[d], tile.domain.ranges),
                          extents[d] - 1) -
                 std::max<int64_t>(
                     leastOf(tile.subscripts[d], tile.domain.ranges), 0) +
                 1);
    return footprint;
  }

  /// Whether a constraint of the domain says so already.
  static bool isImplied(const Domain &domain, const Linear &value) {
    for (const Linear &known : domain.coupled)
      if (known.factors == value.factors && known.constant <= value.constant)
        return true;
    return false;
  }

  /// A staged operand's box is over the array's dimensions; dims of the
  /// statement that it does not follow copy it anew for each of their tiles.
  void countStaged(const Site &site, size_t operand, TileAccess tile) {
    const Statement &statement = scop.statements[site.statement];
    const Access &access = statement.accesses[operand];
    std::optional<layout::Layout> layout = stagedLayout(
        statement, access, site.stageOf(scop, operand)->stage, tile.layout);
    if (!layout)
      return;
    tile.layout = std::move(*layout);
    countRead(access, tile);
  }

  /// Partial results of a merge, which lie in memory.
  void countCells(const Site &site, const Access &access, TileAccess tile) {
    const poly::Array &array = scop.arrays[access.array];
    std::vector<int64_t> extents = extentsOf(array, sizes);
    if (extents.empty())
      return;
    int64_t cells = extents.back();
    tile.layout = cellLayout(site.layout, powerOfTwoFrom(cells));
    tile.domain.ranges.push_back({0, cells});
    tile.box.push_back(powerOfTwoFrom(cells));
    Access whole = access;
    whole.wholeFrom = -1;
    whole.subscripts.push_back(poly::Affine::dim(tile.box.size() - 1));
    countRead(whole, tile);
  }

  void countWrite(const Statement &statement, const Access &access,
                  const TileAccess &tile) {
    if (!kernel.arrays.stored.count(access.array) ||
        kernel.placeOf(access.array) == poly::Place::Shared)
      return;
    const poly::Array &array = scop.arrays[access.array];
    TensorTraffic &entry = trafficOf(access.array);
    Count instances = counted(tile, Counted::Instances);
    double bytes = instances.value * array.elementBytes;
    entry.writtenBytes += bytes;
    double whole = array.elementBytes;
    for (int64_t extent : extentsOf(array, sizes))
      whole *= double(extent);
    entry.writtenFootprint =
        std::max(entry.writtenFootprint, std::min(whole, bytes));
    entry.isExact &=
        instances.isExact && statement.kind != StatementKind::Scatter;
  }

  /// How a staged product is fed. Its dims end with a row, a column and the
  /// reduced one; the first operand has the rows, the second the columns.
  void countProduct(const Site &site, const TileAccess &tile) {
    const Statement &statement = scop.statements[site.statement];
    const int k = int(statement.dims.size()) - 1;
    if (k < 2 || site.stages.size() != 2 || tile.domain.isEmpty())
      return;
    StagedProduct product;
    product.depth = double(tile.box[k]);
    product.steps = double(tile.domain.ranges[k].tiles(tile.box[k]));
    unsigned bytes = scop.arrays[statement.write().array].elementBytes;
    product.multiplies = bytes / 4;
    for (int operand : {0, 1}) {
      int dim = k - 2 + operand;
      int64_t kept = 1, vector = 1;
      for (const layout::Digit &digit : site.layout.registers)
        if (digit.dim == dim) {
          kept *= digit.count;
          if (digit.stride == 1)
            vector = std::min<int64_t>(digit.count, 16 / bytes);
        }
      std::vector<int64_t> offsets;
      for (int64_t lane = 0;
           lane < std::min<int64_t>(32, site.layout.threadCount()); ++lane)
        offsets.push_back(site.layout.at(0, lane)[size_t(dim)] * bytes);
      double loads = double(ceilDiv(kept, vector));
      product.multiplies *= double(kept);
      product.loads += loads;
      product.wavefronts +=
          loads * layout::sharedWavefronts(offsets, unsigned(vector * bytes));
      // Each element is read, cast and stored by one thread.
      const Access &access = statement.accesses[operand];
      double elements = 1;
      for (int64_t extent : site.stages[operand]->stage.shape)
        elements *= double(extent);
      elements /= std::max(1u, cost.threads);
      unsigned own = scop.arrays[access.array].elementBytes;
      bool isTurned = !access.subscripts.empty() &&
                      access.subscripts.back().dimCoefficient(k) != 0;
      product.copies += elements * own / 16 + (own < bytes ? elements : 0) +
                        elements / (isTurned ? 1 : 16 / bytes);
      product.copyWavefronts += elements * bytes / 4;
    }
    cost.products.push_back(product);
  }

  /// A step of a reduction is an addition, after a multiplication where it sums
  /// products.
  void countWork(const Site &site, const TileAccess &tile) {
    double steps = counted(tile, Counted::Instances).value;
    if (work)
      cost.otherFlops += steps * work->flops[site.statement];
    for (const Reduction &reduction : scop.reductions)
      if (reduction.update == site.statement) {
        bool multiplies =
            work ? bool(work->multiplies[site.statement]) : reduction.product;
        (reduction.product ? cost.matrixFlops : cost.otherFlops) +=
            multiplies ? 2 * steps : steps;
      }
  }

  const Scop &scop;
  const KernelSites &kernel;
  const std::vector<int64_t> &sizes;
  const StatementWork *work;
  CountMemo *memo;
  KernelCost cost;
};

Plan::Tensor::Role roleOf(poly::ArrayRole role) {
  switch (role) {
  case poly::ArrayRole::Input:
  case poly::ArrayRole::InOut:
    return Plan::Tensor::Role::Input;
  case poly::ArrayRole::Output:
    return Plan::Tensor::Role::Output;
  default:
    return Plan::Tensor::Role::Temporary;
  }
}

} // namespace

std::optional<Plan>
girih::cost::costOf(const Scop &scop, const poly::ScheduleTree &tree,
                    const std::vector<int64_t> &sizes, std::string &why,
                    const StatementWork *work, CountMemo *memo) {
  Plan plan;
  for (const Node *kernel : poly::kernelsOf(tree)) {
    std::optional<KernelSites> sites = sitesOf(scop, *kernel, why);
    if (!sites)
      return std::nullopt;
    plan.kernels.push_back(KernelCounter(scop, *sites, sizes, work, memo)
                               .run(poly::pathTo(tree, kernel)));
  }
  for (const poly::Array &array : scop.arrays) {
    double bytes = array.elementBytes;
    for (int64_t extent : extentsOf(array, sizes))
      bytes *= double(extent);
    plan.tensors.push_back({array.name, bytes, roleOf(array.role)});
  }
  return plan;
}

std::optional<std::vector<KernelCost>>
girih::cost::budgetsOf(const Scop &scop, const poly::ScheduleTree &tree,
                       std::string &why) {
  std::vector<KernelCost> kernels;
  const std::vector<int64_t> noSizes;
  for (const Node *kernel : poly::kernelsOf(tree)) {
    std::optional<KernelSites> sites = sitesOf(scop, *kernel, why);
    if (!sites)
      return std::nullopt;
    kernels.push_back(
        KernelCounter(scop, *sites, noSizes, nullptr, nullptr).budget());
  }
  return kernels;
}

std::vector<Product>
girih::cost::productsOf(const Scop &scop, const std::vector<int64_t> &sizes) {
  std::vector<Product> products;
  for (const Reduction &reduction : scop.reductions) {
    const Statement &update = scop.statements[reduction.update];
    if (!reduction.product || update.accesses.size() < 3)
      continue;
    Domain domain = domainOf(update, sizes);
    if (domain.isEmpty())
      continue;
    const Access &left = update.accesses[0], &right = update.accesses[1];
    auto follows = [&](const Access &access, unsigned d) {
      for (const poly::Affine &subscript : access.subscripts)
        if (subscript.dimCoefficient(d) != 0)
          return true;
      return false;
    };
    Product product{1, 1, 1, scop.arrays[left.array].elementBytes};
    double batch = 1, all = 1;
    for (unsigned d = 0; d < update.dims.size(); ++d) {
      double extent = double(domain.ranges[d].count());
      bool inLeft = follows(left, d), inRight = follows(right, d);
      if (d >= reduction.outputEnd) {
        all *= extent;
        continue;
      }
      (inLeft && inRight ? batch : inLeft ? product.m : product.n) *= extent;
    }
    // Steps of the chain: a domain with cells is cut at the end.
    double values = batch * product.m * product.n;
    product.k = values > 0 ? countInstances(domain).value / values : all;
    for (double b = 0; b < batch; ++b) {
      products.push_back(product);
      if (products.size() > 4096)
        return products;
    }
  }
  return products;
}
