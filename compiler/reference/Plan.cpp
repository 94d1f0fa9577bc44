//===- Plan.cpp - how one te.compute becomes a host kernel ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Plan.h"

#include "compiler/reference/Order.h"
#include "compiler/reference/ScalarEmitter.h"
#include "compiler/reference/Signature.h"
#include "compiler/reference/TermStorage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace girih;
using namespace girih::reference;

namespace {

/// Partial results of one tile should stay in the second-level cache.
constexpr int64_t kScratchTarget = 128 << 10;
/// Vectors of a map that one work item covers.
constexpr int64_t kMapVectors = 16;

std::string nameOf(mlir::Operation *op) {
  if (auto compute = mlir::dyn_cast<te::ComputeOp>(op))
    return compute.getName().str();
  return mlir::cast<te::ScatterOp>(op).getName().str();
}

class ComputePlanner {
public:
  ComputePlanner(te::FuncOp func, mlir::Operation *op, const HostShape &host,
                 bool bounds, const ProgramInfo &program,
                 const llvm::DenseMap<mlir::Value, unsigned> &tensorOf)
      : func(func), op(op), compute(mlir::dyn_cast<te::ComputeOp>(op)),
        block(op->getRegion(0).front()), name(nameOf(op)), host(host),
        bounds(bounds), program(program), tensorOf(tensorOf) {}

  Result<ComputePlan> run();

private:
  Status analyseBlock(mlir::Block &block);
  Status analyseReduction(te::ReduceOp reduce);
  void analyseRead(te::ReadOp read);
  Status analyseUnary(te::UnaryOp unary);
  void chooseTile();
  void planDomain();
  void planTarget();
  void addChecks(mlir::ValueRange subscripts, unsigned tensor, bool writes);
  bool watch(mlir::Operation *access, mlir::ValueRange subscripts,
             te::TeTensorType type, unsigned tensor, bool writes);
  void planScatter(te::ScatterOp scatter);
  mlir::Attribute extentOfIndex(mlir::BlockArgument index);
  unsigned addOperand(OperandInfo operand);

  te::FuncOp func;
  mlir::Operation *op;
  te::ComputeOp compute; ///< the op, or null: a te.scatter
  mlir::Block &block;
  std::string name;
  const HostShape &host;
  bool bounds;
  const ProgramInfo &program;
  const llvm::DenseMap<mlir::Value, unsigned> &tensorOf;
  ComputePlan plan;

  std::vector<unsigned> around; ///< numbers of te.reduce around the current op
  unsigned cuts = 0;            ///< regions around it that a te.where cuts
  bool hasReduction = false;
  bool gathers = false; ///< some lanes are loaded one by one
  bool reusesAcrossRows = false;
  bool holdsWide = false, sumsNarrow = false;
  bool inexactInside = false;
};

} // namespace

llvm::ArrayRef<mlir::Attribute> reference::boxOf(mlir::Operation *op) {
  if (auto compute = mlir::dyn_cast<te::ComputeOp>(op))
    return compute.getBox();
  return mlir::cast<te::ScatterOp>(op).getExtents().getValue();
}

unsigned ComputePlanner::addOperand(OperandInfo operand) {
  for (auto [index, known] : llvm::enumerate(plan.info.operands))
    if (known.tensor == operand.tensor &&
        known.contiguousDim == operand.contiguousDim)
      return index;
  plan.info.operands.push_back(operand);
  return plan.info.operands.size() - 1;
}

mlir::Attribute ComputePlanner::extentOfIndex(mlir::BlockArgument index) {
  mlir::Operation *owner = index.getOwner()->getParentOp();
  if (auto reduce = mlir::dyn_cast<te::ReduceOp>(owner))
    return reduce.getExtents()[index.getArgNumber()];
  if (auto loop = mlir::dyn_cast<te::ForOp>(owner))
    return loop.getExtent();
  return boxOf(op)[index.getArgNumber()];
}

static bool isCut(mlir::Block &block) {
  return !block.getOps<te::WhereOp>().empty();
}

/// Under a te.where the hull of a box says too little: unless every subscript
/// is an index that runs over the very extent it walks, the code looks at each
/// access. Returns false where there is no te.where: the hull must be checked.
bool ComputePlanner::watch(mlir::Operation *access, mlir::ValueRange subscripts,
                           te::TeTensorType type, unsigned tensor,
                           bool writes) {
  if (cuts == 0)
    return false;
  auto isInside = [&](auto pair) {
    auto [index, extent] = pair;
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(index);
    return argument && extentOfIndex(argument) == extent;
  };
  if (llvm::all_of(llvm::zip(subscripts, type.getShape()), isInside))
    return true;
  plan.watchOf[access] = plan.info.watched.size();
  for (unsigned dim = 0; dim < subscripts.size(); ++dim)
    plan.info.watched.push_back({tensor, dim, writes});
  return true;
}

/// Between which values a subscript lies, for every one that no rule brings
/// inside.
void ComputePlanner::addChecks(mlir::ValueRange subscripts, unsigned tensor,
                               bool writes) {
  for (auto [dim, index] : llvm::enumerate(subscripts)) {
    if (index.getDefiningOp<te::ToIndexOp>())
      continue; // data say; what lies outside is not touched
    te::LinearExtent least, end;
    end.constant = 1;
    auto add = [&](mlir::Value operand, int64_t factor) {
      // factor * (extent - 1) at the last value of the index.
      te::LinearExtent &far = factor > 0 ? end : least;
      te::LinearExtent extent =
          te::linearOf(extentOfIndex(mlir::cast<mlir::BlockArgument>(operand)));
      for (auto [size, times] : extent.terms)
        far.terms.push_back({size, factor * times});
      far.constant += factor * (extent.constant - 1);
    };
    if (auto constant = index.getDefiningOp<te::IndexConstantOp>()) {
      least.constant = constant.getValue();
      end.constant = constant.getValue() + 1;
    } else if (auto affine = index.getDefiningOp<te::AffineOp>()) {
      te::LinearExtent offset = te::linearOf(affine.getOffset());
      for (te::LinearExtent *bound : {&least, &end}) {
        bound->constant += offset.constant;
        llvm::append_range(bound->terms, offset.terms);
      }
      for (auto [operand, factor] :
           llvm::zip(affine.getIndices(), affine.getCoefficients()))
        add(operand, factor);
    } else if (index.getDefiningOp<te::BoundOp>()) {
      // Any element will do, but there must be one.
    } else {
      add(index, 1);
    }
    auto expr = [&](const te::LinearExtent &sum) {
      return extentOf(func, te::makeExtent(func.getContext(), sum));
    };
    plan.info.checks.push_back({tensor, static_cast<unsigned>(dim), writes,
                                expr(least), expr(end), around});
  }
}

bool ComputePlan::walksNeighbours(mlir::ValueRange subscripts) const {
  if (subscripts.empty() || llvm::any_of(subscripts.drop_back(), [&](auto i) {
        return factsOf(i).lane;
      }))
    return false;
  mlir::Value last = subscripts.back();
  auto affine = last.getDefiningOp<te::AffineOp>();
  if (!affine)
    return mlir::isa<mlir::BlockArgument>(last) && factsOf(last).lane;
  int64_t step = 0;
  for (auto [index, factor] :
       llvm::zip(affine.getIndices(), affine.getCoefficients()))
    if (factsOf(index).lane)
      step += factor;
  return step == 1;
}

/// Lanes that walk the tensor's last dimension are loaded as one vector. Where
/// they walk another dimension, a reduction that reads the element again for
/// other outputs wants a packed copy with that dimension innermost; what is
/// read once is gathered.
void ComputePlanner::analyseRead(te::ReadOp read) {
  mlir::Block *outer = &block;
  ValueFacts facts;
  int laneDim = -1, laneDims = 0;
  bool computesLanes = false;
  llvm::SmallVector<bool> uses(boxOf(op).size(), false);
  for (auto [dim, index] : llvm::enumerate(read.getIndices())) {
    if (!mlir::isa<mlir::BlockArgument>(index)) {
      ValueFacts of = plan.factsOf(index);
      facts.row |= of.row;
      facts.lane |= of.lane;
      facts.inexact |= of.inexact;
      computesLanes |= of.lane;
      continue;
    }
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(index);
    if (!argument || argument.getOwner() != outer)
      continue;
    unsigned number = argument.getArgNumber();
    uses[number] = true;
    if (static_cast<int>(number) == plan.info.columnDim) {
      laneDim = dim;
      ++laneDims;
    }
    ValueFacts of = plan.factsOf(index);
    facts.row |= of.row;
    facts.lane |= of.lane;
  }
  OperandInfo operand{tensorOf.lookup(read.getTensor()), -1};
  if (!read.getGuarded() && !watch(read, read.getIndices(),
                                   read.getTensor().getType(), operand.tensor,
                                   /*writes=*/false))
    addChecks(read.getIndices(), operand.tensor, /*writes=*/false);
  // Where lanes walk along a computed subscript, or each asks whether it is
  // inside, they are gathered, unless a vector as a whole lies inside.
  bool plain =
      !computesLanes && !read.getGuarded() && !plan.watchOf.contains(read);
  if (!plain && plan.walksNeighbours(read.getIndices()))
    operand.contiguousDim = read.getIndices().size() - 1;
  if (plain && laneDims == 1) {
    bool last = laneDim + 1 == static_cast<int>(read.getIndices().size());
    // What is being written has no copies.
    bool reused = !around.empty() && !(compute && isSelfRead(compute, read)) &&
                  !llvm::all_of(uses, [](bool u) { return u; });
    if (last || reused)
      operand.contiguousDim = laneDim;
  }
  laneDims += computesLanes;
  gathers |= laneDims > 0 && (operand.contiguousDim < 0 || !plain);
  reusesAcrossRows |= !around.empty() && laneDims > 0 && !facts.row;
  facts.inexact |= program.tensors[operand.tensor].inexact;
  inexactInside |= facts.inexact;
  plan.operandOf[read] = addOperand(operand);
  plan.facts[read.getResult()] = facts;
}

Status ComputePlanner::analyseUnary(te::UnaryOp unary) {
  ValueFacts facts = plan.factsOf(unary.getValue());
  if (unary.hasAccuracy()) {
    if (accuracyOf(unary) == te::Accuracy::Portable || unary.isAlwaysPortable())
      return Failure{name + " holds a portable " +
                     te::stringifyUnaryKind(unary.getKind()).str() +
                     " that has not been expanded into exactly rounded "
                     "operations"};
    facts.inexact = true;
    inexactInside = true;
  }
  plan.facts[unary.getResult()] = facts;
  return {};
}

Status ComputePlanner::analyseReduction(te::ReduceOp reduce) {
  std::string kind = te::nameOf(reduce).str();
  std::string where = kind + " of " + name;
  bool associative = reduce.getKind() == te::ReduceKind::Max ||
                     reduce.getKind() == te::ReduceKind::Min ||
                     !mlir::isa<mlir::FloatType>(reduce.getType());
  ReductionInfo info;
  info.where = name;
  if (te::TermAttr attribute = reduce.getTermAttr()) {
    std::string error;
    size_t offset = 0;
    auto term = arith::parseTerm(attribute.getText().str(), error, offset);
    if (!term)
      return Failure{"the " + where + " has no readable term: " + error};
    info.term = *term;
  } else if (!associative) {
    return Failure{"the " + where +
                   " has no association term; the reference replays modules "
                   "from the assoc phase on"};
  }
  if (holdsMma(info.term))
    return Failure{"the " + where + " has the term " +
                   arith::printTerm(info.term) +
                   ", and the reference does not replay tensor cores' chains"};
  bool constant = true;
  int64_t elements = 1;
  for (mlir::Attribute extent : reduce.getExtents()) {
    info.extents.push_back(extentOf(func, extent));
    std::optional<int64_t> value = func.constantExtent(extent);
    constant &= value && !__builtin_mul_overflow(elements, *value, &elements);
  }
  if (!constant && needsConstantExtent(info.term))
    return Failure{"the " + where + " has the term " +
                   arith::printTerm(info.term) +
                   ", which needs a constant extent"};
  if (constant)
    if (auto problem = termProblem(info.term, elements))
      return Failure{"the " + where + ": " + *problem};

  artifact::ScalarType type = scalarTypeOf(reduce.getType());
  sumsNarrow |= artifact::bytesOf(type) == 2;
  hasReduction = true;
  plan.reductionOf[reduce] = plan.info.reductions.size();
  plan.terms.push_back(info.term);
  plan.info.reductions.push_back(std::move(info));

  bool cut = isCut(reduce.getBlock());
  around.push_back(plan.info.reductions.size() - 1);
  cuts += cut;
  Status status = analyseBlock(reduce.getBlock());
  around.pop_back();
  cuts -= cut;
  if (!status)
    return status;
  auto yield = mlir::cast<te::YieldOp>(reduce.getBlock().getTerminator());
  ValueFacts facts = plan.factsOf(yield.getValue());
  for (te::WhereOp where : reduce.getBlock().getOps<te::WhereOp>())
    for (mlir::Value index : where.getIndices()) {
      facts.row |= plan.factsOf(index).row;
      facts.lane |= plan.factsOf(index).lane;
    }
  if (reduce.getFrom()) {
    ValueFacts of = plan.factsOf(reduce.getFrom());
    facts.row |= of.row;
    facts.lane |= of.lane;
    facts.inexact |= of.inexact;
  }
  plan.facts[reduce.getResult()] = facts;
  return {};
}

Status ComputePlanner::analyseBlock(mlir::Block &block) {
  for (mlir::Operation &inner : block) {
    Status status;
    if (auto read = mlir::dyn_cast<te::ReadOp>(inner)) {
      analyseRead(read);
    } else if (auto reduce = mlir::dyn_cast<te::ReduceOp>(inner)) {
      status = analyseReduction(reduce);
    } else if (auto unary = mlir::dyn_cast<te::UnaryOp>(inner)) {
      status = analyseUnary(unary);
    } else if (mlir::isa<te::PowOp, te::OnGridOp, te::PhiloxOp>(inner)) {
      status =
          Failure{name + " holds a " + inner.getName().getStringRef().str() +
                  " that has not been expanded"};
    } else if (inner.getNumResults() == 1) {
      ValueFacts facts;
      for (mlir::Value operand : inner.getOperands()) {
        ValueFacts of = plan.factsOf(operand);
        facts.row |= of.row;
        facts.lane |= of.lane;
        facts.inexact |= of.inexact;
      }
      plan.facts[inner.getResult(0)] = facts;
    }
    if (!status)
      return status;
    for (mlir::Type type : inner.getResultTypes())
      holdsWide |= type.isF64() || type.isInteger(64);
  }
  return {};
}

/// A reduction keeps rows x columns accumulators in registers, so that a load
/// serves several of them; a map walks its block one vector at a time.
void ComputePlanner::chooseTile() {
  KernelInfo &info = plan.info;
  int rank = boxOf(op).size();
  if (info.columnDim < 0)
    return;
  plan.width = host.vectorBits / 32;
  bool ordered = llvm::is_contained(info.inOrder, true);
  bool plain =
      hasReduction && !ordered && !sumsNarrow && !(bounds && inexactInside);
  if (plain && !gathers)
    plan.columns = holdsWide ? 2 : 4;
  if (plain && rank >= 2 && reusesAcrossRows)
    plan.rows = host.vectorBits >= 512 ? 4 : 2;

  int64_t bytes = (holdsWide ? 8 : 4) + (bounds ? 8 : 0);
  int64_t entries = 1;
  for (const arith::Term &term : plan.terms)
    entries = std::max(entries, fixedEntries(term));
  auto entryBytes = [&] {
    return bytes * plan.width * plan.rows * plan.columns;
  };
  while (plan.rows * plan.columns > 1 &&
         entries * entryBytes() > kScratchTarget)
    (plan.rows > 1 ? plan.rows : plan.columns) /= 2;

  if (plan.rows > 1)
    info.rowDim = rank - 2;
  info.tileRows = plan.rows;
  info.columnBlock =
      int64_t(plan.width) * (hasReduction ? plan.columns : kMapVectors);
}

/// The box, in which order it is run through, and what walks its lanes.
void ComputePlanner::planDomain() {
  KernelInfo &info = plan.info;
  for (mlir::Attribute extent : boxOf(op))
    info.box.push_back(extentOf(func, extent));
  if (compute) {
    llvm::SmallVector<bool> ordered = orderedIndices(compute);
    info.inOrder.assign(ordered.begin(), ordered.end());
  } else {
    info.inOrder.assign(info.box.size(), true);
  }
  int rank = info.box.size();
  bool hasLanes = host.vectorBits > 0 && rank > 0 && !info.inOrder.back();
  info.columnDim = hasLanes ? rank - 1 : -1;
  for (mlir::BlockArgument index : block.getArguments()) {
    int number = index.getArgNumber();
    plan.facts[index] = {number == rank - 2, number == info.columnDim, false};
  }
  mlir::Value into =
      compute ? compute.getInto() : mlir::cast<te::ScatterOp>(op).getStart();
  info.begins = !into;
  if (into)
    info.result = tensorOf.lookup(into);
  for (mlir::Operation *outer = op->getParentOp(); mlir::isa<te::ForOp>(outer);
       outer = outer->getParentOp())
    ++info.loops;
}

/// What is written lies inside the tensor.
void ComputePlanner::planTarget() {
  if (auto scatter = mlir::dyn_cast<te::ScatterOp>(op))
    return planScatter(scatter);
  if (compute.isWhole())
    return;
  auto yield = mlir::cast<te::YieldOp>(block.getTerminator());
  mlir::ValueRange target = yield.getAt();
  if (target.empty())
    target = block.getArguments();
  if (!watch(yield, target, compute.getType(), plan.info.result,
             /*writes=*/true))
    addChecks(target, plan.info.result, /*writes=*/true);
}

void ComputePlanner::planScatter(te::ScatterOp scatter) {
  plan.info.distinct = scatter.getDistinct();
  if (!scatter.getDrop())
    addChecks(scatter.getPut().getIndices(), plan.info.result, /*writes=*/true);
}

Result<ComputePlan> ComputePlanner::run() {
  plan.op = op;
  plan.info.result = program.tensors.size(); // the next one
  planDomain();
  cuts = isCut(block);
  if (Status status = analyseBlock(block); !status)
    return Failure{status.message()};
  planTarget();
  chooseTile();
  int64_t bytes = (holdsWide ? 8 : 4) + (bounds ? 8 : 0);
  for (ReductionInfo &reduction : plan.info.reductions)
    reduction.entryBytes = bytes * plan.width * plan.rows * plan.columns;
  return std::move(plan);
}

Result<ComputePlan>
reference::planCompute(te::FuncOp func, mlir::Operation *op,
                       const HostShape &host, bool bounds,
                       const ProgramInfo &info,
                       const llvm::DenseMap<mlir::Value, unsigned> &tensorOf) {
  return ComputePlanner(func, op, host, bounds, info, tensorOf).run();
}
