//===- BuildScop.cpp - te with terms -> Scop ------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/scop/BuildScop.h"

#include "dialects/te/TeFacts.h"
#include "passes/scop/ExpandTerm.h"
#include "passes/scop/ScatterScop.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

using namespace girih;
using namespace girih::scop;
using poly::Access;
using poly::Affine;

namespace {

class Builder {
public:
  explicit Builder(te::FuncOp func) : func(func) {}
  std::optional<ScopWithMap> run();

private:
  void addContext();
  /// An extent or offset over the parameters.
  Affine extent(mlir::Attribute attribute);
  /// A subscript of te.read that no rule brings inside.
  Affine subscript(mlir::Value index,
                   const llvm::DenseMap<mlir::Value, Affine> &indices);
  int64_t extentBound(mlir::Attribute attribute);
  /// What says a size; null where arguments do.
  te::DerivedSizeAttr derivedOf(mlir::StringAttr size);
  unsigned addArray(mlir::Value tensor, llvm::StringRef name,
                    poly::ArrayRole role);
  mlir::LogicalResult addArrays();
  mlir::LogicalResult addCompute(te::ComputeOp compute);
  /// The time loops around `compute`, outermost first; new ones are added.
  std::vector<unsigned> loopsAround(te::ComputeOp compute);
  /// The turns of those loops, then the compute's indices.
  std::vector<std::string> dimNames(te::ComputeOp compute,
                                    const std::vector<unsigned> &loops);
  /// The te indices around `compute`'s region as dims: the loops', its own.
  llvm::DenseMap<mlir::Value, Affine> indicesOf(te::ComputeOp compute);
  /// The domain: 0 <= turn < extent of the loops, 0 <= index < extent of the
  /// compute's box, and its te.where ops.
  std::vector<Affine> domain(te::ComputeOp compute,
                             const std::vector<unsigned> &loops);
  /// 0 <= dim < the extent.
  void addBounds(unsigned dim, mlir::Attribute size,
                 std::vector<Affine> &constraints);
  /// What the te.where ops of `block` require, each >= 0.
  std::vector<Affine>
  wheresOf(mlir::Block &block,
           const llvm::DenseMap<mlir::Value, Affine> &indices);
  mlir::LogicalResult addScatter(te::ScatterOp scatter);
  /// Accesses of a region's te.read ops, given the te indices in scope.
  std::vector<Access>
  readsOf(mlir::Block &block,
          const llvm::DenseMap<mlir::Value, Affine> &indices);
  mlir::LogicalResult addReduction(te::ComputeOp compute, te::ReduceOp reduce);

  te::FuncOp func;
  ScopWithMap result;
  NamePool names, loopNames;
  std::vector<int> paramOfSize; ///< size -> parameter, or -1 when given
  llvm::DenseMap<mlir::Value, unsigned> arrayOf; ///< by first version
  llvm::DenseMap<mlir::Operation *, unsigned> loopOf;
};

std::vector<std::string> strings(mlir::ArrayAttr names) {
  std::vector<std::string> list;
  for (mlir::Attribute name : names)
    list.push_back(mlir::cast<mlir::StringAttr>(name).str());
  return list;
}

/// A quotient's name is its text: `(D + 1) / 2` becomes `D_1_by_2`.
std::string identifierOf(llvm::StringRef size) {
  if (!size.contains(' '))
    return size.str();
  std::string name;
  for (char c : size)
    if (llvm::isAlnum(c) || c == '_')
      name += c;
    else if (c == '/')
      name += "_by_";
    else if (c == '+' || c == '-')
      name += '_';
  return name;
}

/// The te.for ops around `compute`, outermost first.
std::vector<te::ForOp> forsAround(te::ComputeOp compute) {
  std::vector<te::ForOp> fors;
  for (auto loop = compute->getParentOfType<te::ForOp>(); loop;
       loop = loop->getParentOfType<te::ForOp>())
    fors.insert(fors.begin(), loop);
  return fors;
}

/// Whether `value` is one te.read without rules, perhaps through casts.
bool isOneRead(mlir::Value value) {
  while (auto cast = value.getDefiningOp<te::CastOp>())
    value = cast.getValue();
  auto read = value.getDefiningOp<te::ReadOp>();
  if (!read || read.getGuarded())
    return false;
  return llvm::none_of(read.getIndices(),
                       [](mlir::Value index) { return te::isComputed(index); });
}

/// Whether the reduction's body is a product of two reads, lhs read first, with
/// a leaf that a contraction can do.
bool isProduct(te::ReduceOp reduce) {
  auto yield = mlir::cast<te::YieldOp>(reduce.getBlock().getTerminator());
  auto product = yield.getValue().getDefiningOp<te::BinaryOp>();
  if (reduce.getLeaf() == te::Leaf::Plain || !product ||
      product.getKind() != te::BinaryKind::Mul)
    return false;
  unsigned reads = 0;
  for (mlir::Operation &op : reduce.getBlock())
    reads += mlir::isa<te::ReadOp>(op);
  return reads == 2 && product.getLhs() != product.getRhs() &&
         isOneRead(product.getLhs()) && isOneRead(product.getRhs());
}

} // namespace

Affine Builder::extent(mlir::Attribute attribute) {
  te::LinearExtent sum = te::linearOf(attribute);
  Affine result = Affine::of(sum.constant);
  for (auto [name, factor] : sum.terms) {
    int size = func.findSize(name.getValue());
    if (paramOfSize[size] < 0)
      result.constant += factor * func.getGiven()[size];
    else
      result = result + Affine::param(paramOfSize[size], factor);
  }
  return result;
}

Affine Builder::subscript(mlir::Value index,
                          const llvm::DenseMap<mlir::Value, Affine> &indices) {
  if (auto constant = index.getDefiningOp<te::IndexConstantOp>())
    return Affine::of(constant.getValue());
  auto affine = index.getDefiningOp<te::AffineOp>();
  if (!affine)
    return indices.at(index);
  Affine sum = extent(affine.getOffset());
  for (auto [operand, factor] :
       llvm::zip(affine.getIndices(), affine.getCoefficients()))
    sum = sum + indices.at(operand) * factor;
  return sum;
}

/// An upper bound of an extent: its value, or a `where` bound, or -1.
int64_t Builder::extentBound(mlir::Attribute attribute) {
  if (std::optional<int64_t> constant = func.constantExtent(attribute))
    return *constant;
  te::LinearExtent sum = te::linearOf(attribute);
  int64_t total = sum.constant;
  for (auto [size, factor] : sum.terms) {
    int64_t bound = -1;
    for (mlir::Attribute entry : func.getConstraints()) {
      auto constraint = mlir::cast<te::SizeConstraintAttr>(entry);
      bool bounds = constraint.getKind() == te::ConstraintKind::AtMost ||
                    constraint.getKind() == te::ConstraintKind::Equal;
      if (bounds && constraint.getSize() == size)
        bound = bound < 0 ? constraint.getValue()
                          : std::min(bound, constraint.getValue());
    }
    if (te::DerivedSizeAttr derived = derivedOf(size))
      if (int64_t most = extentBound(derived.getNumerator()); most >= 0) {
        most /= derived.getDivisor();
        bound = bound < 0 ? most : std::min(bound, most);
      }
    int64_t given = func.getGiven()[func.findSize(size.getValue())];
    if (given >= 0)
      bound = given;
    // At its largest, or at 0 where it is subtracted.
    if (factor > 0 && bound < 0)
      return -1;
    total += factor > 0 ? factor * bound : (given >= 0 ? factor * given : 0);
  }
  return std::max<int64_t>(total, 0);
}

void Builder::addContext() {
  for (auto [index, name] : llvm::enumerate(strings(func.getSizes()))) {
    if (func.getGiven()[index] >= 0) {
      paramOfSize.push_back(-1);
      continue;
    }
    paramOfSize.push_back(result.scop.params.size());
    result.map.sizeOfParam.push_back(index);
    result.scop.params.push_back(names.unique(identifierOf(name)));
    result.scop.context.push_back(Affine::param(result.scop.params.size() - 1));
  }
  for (mlir::Attribute entry : func.getConstraints()) {
    auto constraint = mlir::cast<te::SizeConstraintAttr>(entry);
    int param = paramOfSize[func.findSize(constraint.getSize().getValue())];
    if (param < 0)
      continue;
    Affine size = Affine::param(param);
    Affine value = Affine::of(constraint.getValue());
    te::ConstraintKind kind = constraint.getKind();
    // Divisibility is not one affine inequality; the launch checks it.
    if (kind == te::ConstraintKind::AtMost || kind == te::ConstraintKind::Equal)
      result.scop.context.push_back(value - size);
    if (kind == te::ConstraintKind::AtLeast ||
        kind == te::ConstraintKind::Equal)
      result.scop.context.push_back(size - value);
  }
  if (!func.getDerived())
    return;
  // divisor * size <= sum <= divisor * size + divisor - 1.
  for (mlir::Attribute entry : func.getDerivedAttr()) {
    auto derived = mlir::cast<te::DerivedSizeAttr>(entry);
    Affine rest = extent(derived.getNumerator()) -
                  extent(derived.getSize()) * derived.getDivisor();
    for (const Affine &row :
         {rest, Affine::of(derived.getDivisor() - 1) - rest})
      if (llvm::any_of(row.params, [](int64_t factor) { return factor; }))
        result.scop.context.push_back(row);
  }
}

te::DerivedSizeAttr Builder::derivedOf(mlir::StringAttr size) {
  if (func.getDerived())
    for (mlir::Attribute entry : func.getDerivedAttr())
      if (auto derived = mlir::cast<te::DerivedSizeAttr>(entry);
          derived.getSize() == size)
        return derived;
  return {};
}

unsigned Builder::addArray(mlir::Value tensor, llvm::StringRef name,
                           poly::ArrayRole role) {
  auto type = mlir::cast<te::TeTensorType>(tensor.getType());
  poly::Array array;
  array.name = names.unique(name.str());
  array.role = role;
  array.elementBytes = te::bytesOf(type.getElementType());
  for (mlir::Attribute size : type.getShape())
    array.extents.push_back(extent(size));
  unsigned index = result.scop.arrays.size();
  result.scop.arrays.push_back(std::move(array));
  result.map.arrayTypes.push_back(type.getElementType());
  result.map.argument.push_back(-1);
  result.map.result.push_back(-1);
  arrayOf[tensor] = index;
  return index;
}

std::vector<unsigned> Builder::loopsAround(te::ComputeOp compute) {
  std::vector<unsigned> loops;
  for (te::ForOp loop : forsAround(compute)) {
    auto [at, isNew] = loopOf.try_emplace(loop, result.scop.loops.size());
    if (isNew)
      result.scop.loops.push_back({loopNames.unique(loop.getIndexName().str()),
                                   extent(loop.getExtent()), te::isPass(loop)});
    loops.push_back(at->second);
  }
  return loops;
}

std::vector<std::string> Builder::dimNames(te::ComputeOp compute,
                                           const std::vector<unsigned> &loops) {
  std::vector<std::string> dims;
  auto add = [&](std::string name) {
    name = scopName(name);
    while (llvm::is_contained(dims, name) ||
           llvm::is_contained(result.scop.params, name))
      name += "_";
    dims.push_back(std::move(name));
  };
  for (unsigned loop : loops)
    add(result.scop.loops[loop].name);
  for (const std::string &name : strings(compute.getIndexNames()))
    add(name);
  return dims;
}

llvm::DenseMap<mlir::Value, Affine> Builder::indicesOf(te::ComputeOp compute) {
  llvm::DenseMap<mlir::Value, Affine> indices;
  unsigned next = 0;
  for (te::ForOp loop : forsAround(compute))
    indices[loop.getIndex()] = Affine::dim(next++);
  for (mlir::BlockArgument argument : compute.getBlock().getArguments())
    indices[argument] = Affine::dim(next++);
  return indices;
}

void Builder::addBounds(unsigned dim, mlir::Attribute size,
                        std::vector<Affine> &constraints) {
  constraints.push_back(Affine::dim(dim));
  constraints.push_back(extent(size) - Affine::of(1) - Affine::dim(dim));
  // A bound that the text promises, in reach of those who look for constants;
  // at a whole number of vectors, so that it never splits one.
  int64_t bound = extentBound(size);
  if (bound >= 0 && !func.constantExtent(size))
    constraints.push_back(Affine::of((bound + 15) / 16 * 16 - 1) -
                          Affine::dim(dim));
}

std::vector<Affine> Builder::domain(te::ComputeOp compute,
                                    const std::vector<unsigned> &loops) {
  std::vector<Affine> constraints;
  for (unsigned d = 0; d < loops.size(); ++d) {
    constraints.push_back(Affine::dim(d));
    constraints.push_back(result.scop.loops[loops[d]].extent - Affine::of(1) -
                          Affine::dim(d));
  }
  for (auto [d, size] : llvm::enumerate(compute.getBox()))
    addBounds(loops.size() + d, size, constraints);
  for (Affine &where : wheresOf(compute.getBlock(), indicesOf(compute)))
    constraints.push_back(std::move(where));
  return constraints;
}

std::vector<Affine>
Builder::wheresOf(mlir::Block &block,
                  const llvm::DenseMap<mlir::Value, Affine> &indices) {
  std::vector<Affine> constraints;
  for (auto where : block.getOps<te::WhereOp>()) {
    Affine sum = extent(where.getOffset());
    for (auto [index, factor] :
         llvm::zip(where.getIndices(), where.getCoefficients()))
      sum = sum + indices.at(index) * factor;
    constraints.push_back(std::move(sum));
  }
  return constraints;
}

std::vector<Access>
Builder::readsOf(mlir::Block &block,
                 const llvm::DenseMap<mlir::Value, Affine> &indices) {
  std::vector<Access> reads;
  for (mlir::Operation &op : block) {
    auto read = mlir::dyn_cast<te::ReadOp>(op);
    if (!read)
      continue;
    reads.push_back(
        accessAt(arrayOf.at(te::storageOf(read.getTensor())), read.getIndices(),
                 [&](mlir::Value index) { return subscript(index, indices); }));
  }
  return reads;
}

mlir::LogicalResult Builder::addReduction(te::ComputeOp compute,
                                          te::ReduceOp reduce) {
  te::TermAttr attribute = reduce.getTermAttr();
  if (!attribute)
    return reduce.emitOpError("has no term: the assoc phase has not run");
  std::string error;
  size_t offset = 0;
  std::optional<arith::Term> term =
      arith::parseTerm(std::string_view(attribute.getText()), error, offset);
  if (!term)
    return reduce.emitOpError("has a broken term: ") << error;
  if (term->kind == arith::Term::Kind::Mma)
    return reduce.emitOpError("has an mma term, which this version cannot "
                              "realise");
  if (reduce.getExtents().size() > 1 && term->kind != arith::Term::Kind::Seq)
    return reduce.emitOpError("orders several indices by a term other than "
                              "seq");

  ReductionSite site;
  site.compute = compute;
  site.reduce = reduce;
  site.array = arrayOf.at(te::storageOf(compute.getResult()));
  site.loops = loopsAround(compute);
  site.outer = dimNames(compute, site.loops);
  site.outerConstraints = domain(compute, site.loops);
  site.start = readsOf(compute.getBlock(), indicesOf(compute));
  for (mlir::Attribute size : reduce.getExtents())
    site.extents.push_back(extent(size));
  if (reduce.getExtents().size() == 1)
    site.extentBound = extentBound(reduce.getExtents()[0]);
  std::string problem =
      unsupportedTree(*term, func.constantExtent(reduce.getExtents()[0]));
  if (!problem.empty())
    return reduce.emitOpError("has the term '")
           << arith::printTerm(*term)
           << "', which this version cannot realise: it has " << problem;

  auto withValues = [&](const std::vector<Affine> &values) {
    llvm::DenseMap<mlir::Value, Affine> indices = indicesOf(compute);
    unsigned next = 0;
    for (mlir::BlockArgument argument : compute.getBlock().getArguments())
      indices[argument] = values[next++];
    for (mlir::BlockArgument argument : reduce.getBlock().getArguments())
      indices[argument] = values[next++];
    return indices;
  };
  ReductionBody body;
  body.reads = [&](const std::vector<Affine> &values) {
    return readsOf(reduce.getBlock(), withValues(values));
  };
  body.domain = [&](const std::vector<Affine> &values) {
    return wheresOf(reduce.getBlock(), withValues(values));
  };
  expandTerm(*term, site, body, isProduct(reduce), names, result);
  return mlir::success();
}

mlir::LogicalResult Builder::addCompute(te::ComputeOp compute) {
  if (te::ReduceOp reduce = compute.getReduction())
    return addReduction(compute, reduce);
  for (mlir::Operation &op : compute.getBlock())
    if (mlir::isa<te::ReduceOp>(op))
      return op.emitOpError("is not alone in its te.compute: "
                            "te-hoist-reductions has not run");

  poly::Statement statement;
  statement.name = names.unique(compute.getName().str() + "_map");
  statement.kind = poly::StatementKind::Map;
  statement.loops = loopsAround(compute);
  statement.dims = dimNames(compute, statement.loops);
  statement.constraints = domain(compute, statement.loops);
  StatementInfo info;
  info.compute = compute;
  info.elementType = compute.getType().getElementType();
  llvm::DenseMap<mlir::Value, Affine> indices = indicesOf(compute);
  Access write;
  write.array = arrayOf.at(te::storageOf(compute.getResult()));
  write.isWrite = true;
  for (mlir::BlockArgument argument : compute.getBlock().getArguments())
    info.indices.push_back(indices.at(argument));
  auto yield = mlir::cast<te::YieldOp>(compute.getBlock().getTerminator());
  for (mlir::Value index : yield.getAt())
    write.subscripts.push_back(subscript(index, indices));
  if (yield.getAt().empty())
    write.subscripts = info.indices;
  statement.accesses = readsOf(compute.getBlock(), indices);
  statement.accesses.push_back(std::move(write));
  result.scop.statements.push_back(std::move(statement));
  result.map.statements.push_back(std::move(info));
  return mlir::success();
}

/// One element of the array that the start has filled, read and written.
mlir::LogicalResult Builder::addScatter(te::ScatterOp scatter) {
  poly::Statement statement;
  statement.name = names.unique(scatter.getName().str() + "_put");
  statement.kind = poly::StatementKind::Scatter;
  statement.dims = strings(scatter.getIndexNames());
  for (std::string &name : statement.dims)
    name = scopName(name);
  for (auto [d, size] : llvm::enumerate(scatter.getExtents()))
    addBounds(d, size, statement.constraints);
  statement.unordered = isUnordered(scatter);
  StatementInfo info;
  info.scatter = scatter;
  info.elementType = scatter.getType().getElementType();
  llvm::DenseMap<mlir::Value, Affine> indices;
  for (auto [d, argument] :
       llvm::enumerate(scatter.getBlock().getArguments())) {
    indices[argument] = Affine::dim(d);
    info.indices.push_back(Affine::dim(d));
  }
  statement.accesses = readsOf(scatter.getBlock(), indices);
  Access place =
      accessAt(arrayOf.at(te::storageOf(scatter.getResult())),
               scatter.getPut().getIndices(),
               [&](mlir::Value index) { return subscript(index, indices); });
  if (scatter.getKind() != te::ScatterKind::Set)
    statement.accesses.push_back(place);
  place.isWrite = true;
  statement.accesses.push_back(std::move(place));
  result.scop.statements.push_back(std::move(statement));
  result.map.statements.push_back(std::move(info));
  return mlir::success();
}

/// One array for each memory: all versions of a tensor.
mlir::LogicalResult Builder::addArrays() {
  auto terminator = mlir::cast<te::ReturnOp>(func.getBlock().getTerminator());
  llvm::DenseMap<mlir::Value, unsigned> resultOf;
  for (auto [index, value] : llvm::enumerate(terminator.getResults())) {
    mlir::Value storage = te::storageOf(value);
    if (mlir::isa<mlir::BlockArgument>(storage) && func.inPlaceOf(index) < 0)
      return func.emitOpError("returns argument ") << index << " unchanged";
    if (!resultOf.try_emplace(storage, index).second)
      return func.emitOpError("returns one tensor as two results");
  }
  auto add = [&](mlir::Value first, llvm::StringRef name, bool isArgument) {
    auto found = resultOf.find(first);
    bool isOutput = found != resultOf.end();
    unsigned array = addArray(first, name,
                              isArgument ? (isOutput ? poly::ArrayRole::InOut
                                                     : poly::ArrayRole::Input)
                              : isOutput ? poly::ArrayRole::Output
                                         : poly::ArrayRole::Temporary);
    if (isOutput)
      result.map.result[array] = found->second;
    return array;
  };
  for (auto [index, argument] :
       llvm::enumerate(func.getBlock().getArguments())) {
    auto name = mlir::cast<mlir::StringAttr>(func.getArgNames()[index]);
    result.map.argument[add(argument, name, /*isArgument=*/true)] = index;
  }
  func.walk([&](te::ComputeOp compute) {
    if (compute.getInto())
      return;
    // A scatter works in place of what it starts from.
    llvm::StringRef name = compute.getName();
    for (mlir::Operation *user : compute->getUsers())
      if (auto scatter = mlir::dyn_cast<te::ScatterOp>(user))
        name = scatter.getName();
    add(compute.getResult(), name, /*isArgument=*/false);
  });
  return mlir::success();
}

std::optional<ScopWithMap> Builder::run() {
  result.scop.name = func.getSymName().str();
  addContext();
  if (mlir::failed(addArrays()))
    return std::nullopt;
  auto walked = func.walk([&](mlir::Operation *op) {
    auto compute = mlir::dyn_cast<te::ComputeOp>(op);
    auto scatter = mlir::dyn_cast<te::ScatterOp>(op);
    bool fails = (compute && mlir::failed(addCompute(compute))) ||
                 (scatter && mlir::failed(addScatter(scatter)));
    return fails ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return std::nullopt;
  return std::move(result);
}

std::optional<ScopWithMap> girih::scop::buildScop(te::FuncOp func) {
  return Builder(func).run();
}
