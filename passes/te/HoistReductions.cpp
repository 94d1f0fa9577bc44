//===- HoistReductions.cpp - a tensor for every reduction -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/te/HoistReductions.h"

#include "passes/te/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace girih::te;

namespace girih::te {
#define GEN_PASS_DEF_HOISTREDUCTIONS
#include "passes/te/Passes.h.inc"
} // namespace girih::te

namespace {

/// Names that a new tensor may not take.
class NameTable {
public:
  explicit NameTable(FuncOp func) {
    for (ArrayAttr names :
         {func.getSizes(), func.getArgNames(), func.getResultNames()})
      add(names);
    func.walk([&](Operation *op) {
      if (auto compute = dyn_cast<ComputeOp>(op)) {
        names.insert(compute.getName());
        add(compute.getIndexNames());
      } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
        add(reduce.getIndexNames());
      } else if (auto loop = dyn_cast<ForOp>(op)) {
        names.insert(loop.getIndexName());
      }
    });
  }

  /// `base`, or the first of base_2, base_3 ... that is free; now taken.
  std::string take(const Twine &base) {
    std::string name = base.str();
    for (unsigned count = 2; !names.insert(name).second; ++count)
      name = (base + "_" + Twine(count)).str();
    return name;
  }

private:
  void add(ArrayAttr list) {
    for (Attribute name : list)
      names.insert(cast<StringAttr>(name).getValue());
  }

  llvm::StringSet<> names;
};

/// What a reduction takes from the regions around it.
struct Captured {
  SmallVector<Operation *> scalars;   ///< operations, in order
  SmallVector<BlockArgument> indices; ///< outermost region first
};

/// One index of an enclosing region.
struct IndexFacts {
  StringRef name;
  Attribute extent;
};

} // namespace

static IndexFacts factsOf(BlockArgument index) {
  Operation *owner = index.getOwner()->getParentOp();
  unsigned number = index.getArgNumber();
  if (auto compute = dyn_cast<ComputeOp>(owner))
    return {cast<StringAttr>(compute.getIndexNames()[number]).getValue(),
            compute.getBox()[number]};
  auto reduce = cast<ReduceOp>(owner);
  return {cast<StringAttr>(reduce.getIndexNames()[number]).getValue(),
          reduce.getExtents()[number]};
}

/// Number of regions around `block` inside its te.compute.
static unsigned depthOf(Block *block) {
  unsigned depth = 0;
  for (Operation *op = block->getParentOp(); isa<ReduceOp>(op);
       op = op->getParentOp())
    ++depth;
  return depth;
}

/// Outermost region first.
static void sortByPlace(SmallVector<BlockArgument> &indices) {
  llvm::sort(indices, [](BlockArgument a, BlockArgument b) {
    unsigned depthA = depthOf(a.getOwner()), depthB = depthOf(b.getOwner());
    return depthA != depthB ? depthA < depthB
                            : a.getArgNumber() < b.getArgNumber();
  });
}

static Captured captureOf(ReduceOp reduce) {
  llvm::SetVector<Operation *> scalars;
  llvm::SetVector<BlockArgument> indices;
  auto compute = reduce->getParentOfType<ComputeOp>();
  SmallVector<Value> pending;
  auto visitOperands = [&](Operation *op) {
    llvm::append_range(pending, op->getOperands());
  };
  reduce.getBody().walk(visitOperands);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Region *region = value.getParentRegion();
    if (reduce.getBody().isAncestor(region) ||
        !compute.getBody().isAncestor(region))
      continue; // its own, or a tensor
    if (auto index = dyn_cast<BlockArgument>(value))
      indices.insert(index);
    else if (scalars.insert(value.getDefiningOp()))
      visitOperands(value.getDefiningOp());
  }

  Captured captured{scalars.takeVector(), indices.takeVector()};
  // Definition order: by nesting, then by place in the block.
  llvm::sort(captured.scalars, [](Operation *a, Operation *b) {
    unsigned depthA = depthOf(a->getBlock()), depthB = depthOf(b->getBlock());
    return depthA != depthB ? depthA < depthB : a->isBeforeInBlock(b);
  });
  sortByPlace(captured.indices);
  return captured;
}

/// Where the first op that is no te.where stands.
static void setBehindWheres(OpBuilder &builder, Block &block) {
  auto place = block.begin();
  while (isa<WhereOp>(*place))
    ++place;
  builder.setInsertionPoint(&block, place);
}

/// Clones the captured scalars to the front of the reduction's body, which then
/// depends on indices and tensors only.
static void sinkScalars(ReduceOp reduce, const Captured &captured) {
  OpBuilder builder(reduce.getContext());
  setBehindWheres(builder, reduce.getBlock());
  IRMapping map;
  for (Operation *op : captured.scalars) {
    Operation *clone = builder.clone(*op, map);
    for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
      from.replaceUsesWithIf(to, [&](OpOperand &use) {
        return reduce.getBody().isAncestor(use.getOwner()->getParentRegion());
      });
  }
}

/// True when the reduction is all its compute does, writes a tensor of its own
/// and is not repeated along an index that it does not use.
static bool standsAlone(ComputeOp compute, ReduceOp reduce,
                        const Captured &captured) {
  auto yield = cast<YieldOp>(compute.getBlock().getTerminator());
  return yield.getValue() == reduce.getResult() && yield.getAt().empty() &&
         !compute.getExtentsAttr() && !compute.getInto() &&
         captured.indices.size() == compute.getType().getRank();
}

/// The te.where ops of the regions around `reduce`.
static SmallVector<WhereOp> wheresAround(ReduceOp reduce) {
  SmallVector<WhereOp> wheres;
  for (Operation *around = reduce->getParentOp();
       isa<ComputeOp, ReduceOp>(around); around = around->getParentOp())
    llvm::append_range(wheres, around->getRegion(0).front().getOps<WhereOp>());
  return wheres;
}

/// Adds the indices without which the hoisted tensor's domain could not be said
/// exactly: an index that stands in one te.where can be left out (it is then at
/// its best), one that ties several together cannot.
static void captureTies(ReduceOp reduce, ArrayRef<WhereOp> wheres,
                        Captured &captured) {
  llvm::SetVector<BlockArgument> all(captured.indices.begin(),
                                     captured.indices.end());
  for (WhereOp where : wheres)
    for (Value operand : where.getIndices()) {
      auto index = cast<BlockArgument>(operand);
      size_t uses = 0;
      for (WhereOp other : wheres)
        uses += llvm::count(other.getIndices(), operand);
      if (uses > 1 && !isa<ForOp>(index.getOwner()->getParentOp()))
        all.insert(index);
    }
  captured.indices = all.takeVector();
  sortByPlace(captured.indices);
}

/// Writes, where `builder` is, the te.where ops of a tensor over `indices` such
/// that its domain is that of `wheres` without the other indices.
static void copyWheres(OpBuilder &builder, ArrayRef<WhereOp> wheres,
                       ArrayRef<BlockArgument> indices, ValueRange inner) {
  MLIRContext *context = builder.getContext();
  auto add = [&](Location loc, ArrayRef<Value> operands,
                 ArrayRef<int64_t> factors, const LinearExtent &offset) {
    if (operands.empty() && offset.terms.empty() && offset.constant >= 0)
      return;
    WhereOp::create(builder, loc, operands,
                    builder.getDenseI64ArrayAttr(factors),
                    makeExtent(context, offset));
  };
  auto addScaled = [](LinearExtent &sum, const LinearExtent &by,
                      int64_t factor) {
    for (auto [size, count] : by.terms)
      sum.terms.push_back({size, count * factor});
    sum.constant += by.constant * factor;
  };
  for (WhereOp where : wheres) {
    SmallVector<Value> operands;
    SmallVector<int64_t> factors;
    LinearExtent offset = linearOf(where.getOffset());
    for (auto [operand, factor] :
         llvm::zip(where.getIndices(), where.getCoefficients())) {
      auto index = cast<BlockArgument>(operand);
      auto place = llvm::find(indices, index);
      if (place != indices.end() ||
          isa<ForOp>(index.getOwner()->getParentOp())) {
        operands.push_back(
            place == indices.end() ? operand : inner[place - indices.begin()]);
        factors.push_back(factor);
        continue;
      }
      // Left out: some value of it will do, which is its best one.
      LinearExtent last = linearOf(factsOf(index).extent);
      last.constant -= 1;
      add(where.getLoc(), {}, {}, last);
      if (factor > 0)
        addScaled(offset, last, factor);
    }
    add(where.getLoc(), operands, factors, offset);
  }
}

/// Moves `reduce`, which captures only `indices`, into a te.compute before the
/// one that holds it.
static void moveToOwnTensor(ComputeOp compute, ReduceOp reduce,
                            ArrayRef<BlockArgument> indices,
                            ArrayRef<WhereOp> wheres, NameTable &names) {
  OpBuilder builder(compute);
  SmallVector<Attribute> extents, indexNames;
  llvm::StringSet<> taken;
  for (BlockArgument index : indices) {
    IndexFacts facts = factsOf(index);
    std::string name = facts.name.str();
    for (unsigned count = 2; !taken.insert(name).second; ++count)
      name = (facts.name + "_" + Twine(count)).str();
    indexNames.push_back(builder.getStringAttr(name));
    extents.push_back(facts.extent);
  }
  auto type =
      TeTensorType::get(builder.getContext(), extents, reduce.getType());
  auto own =
      ComputeOp::create(builder, reduce.getLoc(), type,
                        names.take(compute.getName() + "_" + nameOf(reduce)),
                        builder.getArrayAttr(indexNames));
  own.setPartOf(compute.getPartOf().value_or(compute.getName()));
  Block *body = builder.createBlock(&own.getBody());
  for (BlockArgument index : indices) {
    Value inner = body->addArgument(builder.getIndexType(), index.getLoc());
    index.replaceUsesWithIf(inner, [&](OpOperand &use) {
      return reduce.getBody().isAncestor(use.getOwner()->getParentRegion());
    });
  }
  copyWheres(builder, wheres, indices, body->getArguments());

  builder.setInsertionPoint(reduce);
  auto read = ReadOp::create(
      builder, reduce.getLoc(), reduce.getType(), own.getResult(),
      SmallVector<Value>(indices.begin(), indices.end()));
  reduce.getResult().replaceAllUsesWith(read);
  reduce->moveBefore(body, body->end());
  builder.setInsertionPointToEnd(body);
  YieldOp::create(builder, reduce.getLoc(), reduce.getResult());
}

/// Erases scalars that nothing uses, so that a reduction is left alone.
static void eraseDeadScalars(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (!op.hasTrait<OpTrait::IsTerminator>() && !isa<WhereOp>(op) &&
        op.use_empty())
      op.erase();
}

/// Whether the read is of no element that the compute writes: both have a
/// number of their own somewhere.
static bool isApart(ComputeOp compute, ReadOp read) {
  auto yield = cast<YieldOp>(compute.getBlock().getTerminator());
  for (auto [written, place] : llvm::zip(yield.getAt(), read.getIndices())) {
    auto here = written.getDefiningOp<IndexConstantOp>();
    auto there = place.getDefiningOp<IndexConstantOp>();
    if (here && there && here.getValue() != there.getValue())
      return true;
  }
  return false;
}

/// A reduction over what its own te.compute writes needs the elements written
/// so far: it cannot be moved in front.
static LogicalResult checkHoistable(ComputeOp compute, ReduceOp reduce) {
  bool readsOwn = false;
  if (compute.getInto())
    reduce.getBody().walk([&](ReadOp read) {
      readsOwn |=
          read.getTensor() == compute.getInto() && !isApart(compute, read);
    });
  if (!readsOwn)
    return success();
  return reduce.emitError("'")
         << nameOf(reduce) << "' over elements of '" << compute.getName()
         << "', which the same statement writes, is not supported yet: let the "
            "turns of a loop change the elements behind them, as in for t in "
            "0..N { "
         << compute.getName() << "[i] = ... where i > t }";
}

LogicalResult girih::te::hoistReductions(FuncOp func) {
  NameTable names(func);
  SmallVector<ComputeOp> computes;
  func.walk([&](ComputeOp compute) { computes.push_back(compute); });
  for (ComputeOp compute : computes) {
    // Inner and earlier reductions first: what a later one captures is scalar.
    SmallVector<ReduceOp> reductions;
    compute.walk<WalkOrder::PostOrder>(
        [&](ReduceOp reduce) { reductions.push_back(reduce); });
    for (ReduceOp reduce : reductions) {
      if (reduce.use_empty()) {
        reduce.erase();
        continue;
      }
      if (failed(checkHoistable(compute, reduce)))
        return failure();
      Captured captured = captureOf(reduce);
      sinkScalars(reduce, captured);
      if (standsAlone(compute, reduce, captured))
        continue;
      SmallVector<WhereOp> wheres = wheresAround(reduce);
      captureTies(reduce, wheres, captured);
      moveToOwnTensor(compute, reduce, captured.indices, wheres, names);
    }
    if (!reductions.empty())
      eraseDeadScalars(compute.getBlock());
  }
  return success();
}

namespace {
struct HoistReductionsPass
    : girih::te::impl::HoistReductionsBase<HoistReductionsPass> {
  void runOnOperation() override {
    if (failed(hoistReductions(getOperation())))
      signalPassFailure();
  }
};
} // namespace
