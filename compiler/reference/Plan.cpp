//===- Plan.cpp - how one te.compute becomes a host kernel ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Plan.h"

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

class ComputePlanner {
public:
  ComputePlanner(te::FuncOp func, mlir::Operation *op, const HostShape &host,
                 bool bounds, const FunctionPlan &function,
                 const llvm::DenseMap<mlir::Value, unsigned> &tensorOf)
      : func(func), op(op), block(op->getRegion(0).front()), host(host),
        bounds(bounds), function(function), tensorOf(tensorOf) {
    if (auto compute = mlir::dyn_cast<te::ComputeOp>(op)) {
      name = compute.getName().str();
      extents = compute.getType().getShape();
      rank = extents.size();
    } else {
      auto scatter = mlir::cast<te::ScatterOp>(op);
      name = scatter.getName().str();
      extents = scatter.getExtents().getValue();
    }
  }

  Result<ComputePlan> run();

private:
  Status analyseBlock(mlir::Block &block);
  Status analyseReduction(te::ReduceOp reduce);
  void analyseRead(te::ReadOp read);
  Status analyseUnary(te::UnaryOp unary);
  void chooseTile();
  Status planScatter(te::ScatterOp scatter);
  void addChecks(mlir::ValueRange indices, unsigned tensor);
  mlir::Attribute extentOfIndex(mlir::BlockArgument index);
  unsigned addOperand(OperandInfo operand);

  te::FuncOp func;
  mlir::Operation *op;
  mlir::Block &block;
  std::string name;
  llvm::ArrayRef<mlir::Attribute> extents; ///< of the indices
  unsigned rank = 0;                       ///< of the tile; a scatter has none
  const HostShape &host;
  bool bounds;
  const FunctionPlan &function;
  const llvm::DenseMap<mlir::Value, unsigned> &tensorOf;
  ComputePlan plan;

  unsigned depth = 0; ///< of te.reduce around the current op
  bool hasReduction = false;
  bool gathers = false; ///< some lanes are loaded one by one
  bool reusesAcrossRows = false;
  bool holdsWide = false, sumsNarrow = false;
  bool inexactInside = false;
};

} // namespace

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
  return extents[index.getArgNumber()];
}

/// Between which values a subscript lies, for every one that no rule brings
/// inside.
void ComputePlanner::addChecks(mlir::ValueRange indices, unsigned tensor) {
  for (auto [dim, index] : llvm::enumerate(indices)) {
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
    plan.info.checks.push_back(
        {tensor, static_cast<unsigned>(dim), expr(least), expr(end)});
  }
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
  llvm::SmallVector<bool> uses(extents.size(), false);
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
  if (!read.getGuarded())
    addChecks(read.getIndices(), operand.tensor);
  // Where lanes walk along a computed subscript, or each asks whether it is
  // inside, they are gathered.
  if (laneDims == 1 && !computesLanes && !read.getGuarded()) {
    bool last = laneDim + 1 == static_cast<int>(read.getIndices().size());
    bool reused = depth > 0 && !llvm::all_of(uses, [](bool u) { return u; });
    if (last || reused)
      operand.contiguousDim = laneDim;
  }
  laneDims += computesLanes;
  gathers |= laneDims > 0 && operand.contiguousDim < 0;
  reusesAcrossRows |= depth > 0 && laneDims > 0 && !facts.row;
  facts.inexact |= function.info.tensors[operand.tensor].inexact;
  inexactInside |= facts.inexact;
  plan.operandOf[read] = addOperand(operand);
  plan.facts[read.getResult()] = facts;
}

Status ComputePlanner::analyseUnary(te::UnaryOp unary) {
  ValueFacts facts = plan.factsOf(unary.getValue());
  if (unary.hasAccuracy()) {
    if (accuracyOf(unary) == te::Accuracy::Portable)
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

  ++depth;
  Status status = analyseBlock(reduce.getBlock());
  --depth;
  if (!status)
    return status;
  auto yield = mlir::cast<te::YieldOp>(reduce.getBlock().getTerminator());
  plan.facts[reduce.getResult()] = plan.factsOf(yield.getValue());
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
  if (info.columnDim < 0)
    return;
  plan.width = host.vectorBits / 32;
  bool plain = hasReduction && !sumsNarrow && !(bounds && inexactInside);
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

Status ComputePlanner::planScatter(te::ScatterOp scatter) {
  KernelInfo &info = plan.info;
  info.scatters = true;
  info.start = tensorOf.lookup(scatter.getStart());
  info.distinct = scatter.getDistinct();
  for (mlir::Attribute extent : extents)
    info.domain.push_back(extentOf(func, extent));
  // Its own tensor comes next.
  if (!scatter.getDrop())
    addChecks(scatter.getPut().getIndices(), function.info.tensors.size());
  return {};
}

Result<ComputePlan> ComputePlanner::run() {
  plan.op = op;
  plan.info.columnDim = int(rank) - 1;
  for (mlir::BlockArgument index : block.getArguments()) {
    unsigned number = index.getArgNumber();
    plan.facts[index] = {number + 2 == rank, number + 1 == rank, false};
  }
  if (Status status = analyseBlock(block); !status)
    return Failure{status.message()};
  if (auto scatter = mlir::dyn_cast<te::ScatterOp>(op))
    if (Status status = planScatter(scatter); !status)
      return Failure{status.message()};
  chooseTile();
  int64_t bytes = (holdsWide ? 8 : 4) + (bounds ? 8 : 0);
  for (ReductionInfo &reduction : plan.info.reductions)
    reduction.entryBytes = bytes * plan.width * plan.rows * plan.columns;
  return std::move(plan);
}

Result<FunctionPlan>
reference::planFunction(te::FuncOp func, const HostShape &host, bool bounds) {
  FunctionPlan function;
  ProgramInfo &info = function.info;
  info.signature = signatureOf(func);
  llvm::DenseMap<mlir::Value, unsigned> tensorOf;
  auto addTensor = [&](mlir::Value value, std::string name) {
    TensorInfo tensor;
    tensor.name = std::move(name);
    tensor.type = scalarTypeOf(value.getType());
    for (mlir::Attribute extent :
         mlir::cast<te::TeTensorType>(value.getType()).getShape())
      tensor.shape.push_back(extentOf(func, extent));
    tensorOf[value] = info.tensors.size();
    info.tensors.push_back(std::move(tensor));
  };
  for (auto [argument, name] :
       llvm::zip(func.getBlock().getArguments(), func.getArgNames()))
    addTensor(argument, mlir::cast<mlir::StringAttr>(name).getValue().str());
  for (mlir::Operation &op : func.getBlock().without_terminator()) {
    if (!mlir::isa<te::ComputeOp, te::ScatterOp>(op))
      continue;
    Result<ComputePlan> plan =
        ComputePlanner(func, &op, host, bounds, function, tensorOf).run();
    if (!plan)
      return Failure{plan.message()};
    auto scatter = mlir::dyn_cast<te::ScatterOp>(op);
    addTensor(op.getResult(0),
              scatter ? scatter.getName().str()
                      : mlir::cast<te::ComputeOp>(op).getName().str());
    // What is yielded or put; a place may be uncertain, too.
    bool inexact = scatter && info.tensors[plan->info.start].inexact;
    for (mlir::Value value :
         op.getRegion(0).front().getTerminator()->getOperands())
      inexact |= plan->factsOf(value).inexact;
    info.tensors.back().inexact = inexact;
    plan->info.result = info.tensors.size() - 1;
    plan->info.symbol = "compute" + std::to_string(function.computes.size());
    info.kernels.push_back(plan->info);
    function.computes.push_back(std::move(*plan));
  }
  for (mlir::Value output : func.getBlock().getTerminator()->getOperands())
    info.outputs.push_back(tensorOf.lookup(output));
  return function;
}
