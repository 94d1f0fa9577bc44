//===- BuildScop.cpp - te with terms -> Scop ------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/scop/BuildScop.h"

#include "passes/scop/ExpandTerm.h"
#include "passes/scop/ScatterScop.h"

#include "llvm/ADT/DenseMap.h"

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
  unsigned addArray(mlir::Value tensor, llvm::StringRef name,
                    poly::ArrayRole role);
  mlir::LogicalResult addCompute(te::ComputeOp compute);
  mlir::LogicalResult addScatter(te::ScatterOp scatter);
  /// The domain 0 <= index < extent of indices.
  std::vector<Affine> box(llvm::ArrayRef<mlir::Attribute> extents);
  /// Accesses of a region's te.read ops, given the te indices in scope.
  std::vector<Access>
  readsOf(mlir::Block &block,
          const llvm::DenseMap<mlir::Value, Affine> &indices);
  mlir::LogicalResult addReduction(te::ComputeOp compute, te::ReduceOp reduce);

  te::FuncOp func;
  ScopWithMap result;
  NamePool names;
  std::vector<int> paramOfSize; ///< size -> parameter, or -1 when given
  llvm::DenseMap<mlir::Value, unsigned> arrayOf;
};

std::vector<std::string> strings(mlir::ArrayAttr names) {
  std::vector<std::string> list;
  for (mlir::Attribute name : names)
    list.push_back(mlir::cast<mlir::StringAttr>(name).str());
  return list;
}

std::vector<std::string> indexNames(mlir::ArrayAttr list) {
  std::vector<std::string> names = strings(list);
  for (std::string &name : names)
    name = scopName(name);
  return names;
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
    result.scop.params.push_back(names.unique(name));
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

std::vector<Affine> Builder::box(llvm::ArrayRef<mlir::Attribute> extents) {
  std::vector<Affine> constraints;
  for (auto [d, size] : llvm::enumerate(extents)) {
    constraints.push_back(Affine::dim(d));
    constraints.push_back(extent(size) - Affine::of(1) - Affine::dim(d));
    // A bound that the text promises, in reach of those who look for constants;
    // at a whole number of vectors, so that it never splits one.
    int64_t bound = extentBound(size);
    if (bound >= 0 && !func.constantExtent(size))
      constraints.push_back(Affine::of((bound + 15) / 16 * 16 - 1) -
                            Affine::dim(d));
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
        accessAt(arrayOf.at(read.getTensor()), read.getIndices(),
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
  site.array = arrayOf.at(compute.getResult());
  site.outer = indexNames(compute.getIndexNames());
  site.outerConstraints = box(compute.getType().getShape());
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

  auto bodyReads = [&](const std::vector<Affine> &values) {
    llvm::DenseMap<mlir::Value, Affine> indices;
    unsigned next = 0;
    for (mlir::BlockArgument argument : compute.getBlock().getArguments())
      indices[argument] = values[next++];
    for (mlir::BlockArgument argument : reduce.getBlock().getArguments())
      indices[argument] = values[next++];
    return readsOf(reduce.getBlock(), indices);
  };
  expandTerm(*term, site, bodyReads, isProduct(reduce), names, result);
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
  statement.dims = indexNames(compute.getIndexNames());
  statement.constraints = box(compute.getType().getShape());
  StatementInfo info;
  info.compute = compute;
  info.elementType = compute.getType().getElementType();
  llvm::DenseMap<mlir::Value, Affine> indices;
  Access write;
  write.array = arrayOf.at(compute.getResult());
  write.isWrite = true;
  for (auto [d, argument] :
       llvm::enumerate(compute.getBlock().getArguments())) {
    indices[argument] = Affine::dim(d);
    info.indices.push_back(Affine::dim(d));
    write.subscripts.push_back(Affine::dim(d));
  }
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
  statement.dims = indexNames(scatter.getIndexNames());
  statement.constraints = box(scatter.getExtents().getValue());
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
      accessAt(arrayOf.at(scatter.getResult()), scatter.getPut().getIndices(),
               [&](mlir::Value index) { return subscript(index, indices); });
  if (scatter.getKind() != te::ScatterKind::Set)
    statement.accesses.push_back(place);
  place.isWrite = true;
  statement.accesses.push_back(std::move(place));
  result.scop.statements.push_back(std::move(statement));
  result.map.statements.push_back(std::move(info));
  return mlir::success();
}

std::optional<ScopWithMap> Builder::run() {
  result.scop.name = func.getSymName().str();
  addContext();
  for (auto [index, argument] : llvm::enumerate(func.getBlock().getArguments()))
    result.map.argument[addArray(
        argument, mlir::cast<mlir::StringAttr>(func.getArgNames()[index]),
        poly::ArrayRole::Input)] = index;

  auto terminator = mlir::cast<te::ReturnOp>(func.getBlock().getTerminator());
  for (auto compute : func.getBlock().getOps<te::ComputeOp>()) {
    auto results = terminator.getResults();
    // A scatter works in place of what it starts from: one array.
    mlir::Value tensor = compute.getResult();
    llvm::StringRef name = compute.getName();
    for (mlir::Operation *user : compute->getUsers())
      if (auto scatter = mlir::dyn_cast<te::ScatterOp>(user)) {
        tensor = scatter.getResult();
        name = scatter.getName();
      }
    auto found = llvm::find(results, tensor);
    bool isOutput = found != results.end();
    unsigned array = addArray(compute.getResult(), name,
                              isOutput ? poly::ArrayRole::Output
                                       : poly::ArrayRole::Temporary);
    arrayOf[tensor] = array;
    if (isOutput)
      result.map.result[array] = found - results.begin();
  }
  for (auto [index, value] : llvm::enumerate(terminator.getResults())) {
    if (!value.getDefiningOp<te::ComputeOp>() &&
        !value.getDefiningOp<te::ScatterOp>()) {
      func.emitOpError("returns argument ") << index << " unchanged";
      return std::nullopt;
    }
  }
  for (mlir::Operation &op : func.getBlock()) {
    auto compute = mlir::dyn_cast<te::ComputeOp>(op);
    auto scatter = mlir::dyn_cast<te::ScatterOp>(op);
    if ((compute && mlir::failed(addCompute(compute))) ||
        (scatter && mlir::failed(addScatter(scatter))))
      return std::nullopt;
  }
  return std::move(result);
}

std::optional<ScopWithMap> girih::scop::buildScop(te::FuncOp func) {
  return Builder(func).run();
}
