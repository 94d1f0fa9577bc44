//===- ReduceGen.cpp - reductions to te ops -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/mlirgen/ExprGen.h"

#include "compiler/arith/Term.h"
#include "compiler/mlirgen/Codes.h"

#include <fmt/format.h>
#include <limits>

namespace girih::mlirgen {

using namespace frontend;
using mlir::Location;
using mlir::Value;

static te::ReduceKind kindOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return te::ReduceKind::Sum;
  case ReduceKind::Prod:
    return te::ReduceKind::Prod;
  case ReduceKind::Max:
  case ReduceKind::Any:
    return te::ReduceKind::Max;
  case ReduceKind::Min:
  case ReduceKind::All:
    return te::ReduceKind::Min;
  default: // no reduction of te
    break;
  }
  llvm_unreachable("a kind of reduction");
}

std::string ExprGen::orderOf(const ReduceExpr &reduce, ScalarType type) {
  // The front end has said that a clause has no effect.
  if (reduce.kind == ReduceKind::Max || reduce.kind == ReduceKind::Min ||
      !isFloat(type))
    return "fixed";
  switch (reduce.order.kind) {
  case ReduceOrder::Kind::Fixed:
    return "fixed";
  case ReduceOrder::Kind::Sequential:
    return "sequential";
  case ReduceOrder::Kind::Free:
    return "free";
  case ReduceOrder::Kind::Pinned:
    break;
  }
  std::string text = spelling(*reduce.order.term), problem;
  size_t offset = 0;
  if (auto term = arith::parseTerm(text, problem, offset))
    return arith::printTerm(*term);
  diags.error(codes::kBadOrder,
              fmt::format("'{}' is no association term: {}", text, problem),
              reduce.order.range);
  return text;
}

Value ExprGen::emitNeutral(te::ReduceKind kind, ScalarType type, Location loc) {
  bool least = kind == te::ReduceKind::Max;
  if (kind == te::ReduceKind::Sum || kind == te::ReduceKind::Prod) {
    // x + -0 is x for every x; x + 0 is not, for x = -0.
    if (isFloat(type))
      return emitConstant(kind == te::ReduceKind::Sum ? -0.0 : 1.0, type, loc);
    return emitInteger(kind == te::ReduceKind::Prod, typeOf(type), loc);
  }
  if (isFloat(type)) {
    double infinity = std::numeric_limits<double>::infinity();
    return emitConstant(least ? -infinity : infinity, type, loc);
  }
  if (type == ScalarType::Bool)
    return te::ConstantOp::create(
        builder, loc,
        llvm::cast<mlir::IntegerAttr>(builder.getBoolAttr(!least)));
  unsigned width = widthOf(type);
  llvm::APInt value = isUnsigned(type)
                          ? (least ? llvm::APInt::getMinValue(width)
                                   : llvm::APInt::getMaxValue(width))
                          : (least ? llvm::APInt::getSignedMinValue(width)
                                   : llvm::APInt::getSignedMaxValue(width));
  return emitInteger(value.getZExtValue(), typeOf(type), loc);
}

/// The body where all tests hold, else what contributes nothing. A product
/// stays one, so that it is added as a product is.
Value ExprGen::emitTested(const ReduceExpr &reduce, te::ReduceKind kind,
                          ScalarType type) {
  Location loc = locOf(*reduce.tests.front());
  Value condition;
  for (const Expr *test : reduce.tests) {
    Value holds = emit(*test);
    condition =
        condition
            ? Value(te::LogicOp::create(builder, locOf(*test),
                                        te::LogicKind::And, condition, holds))
            : holds;
  }
  auto choose = [&](const Expr &part, te::ReduceKind neutral) -> Value {
    Value value = emit(part);
    return te::SelectOp::create(builder, loc, condition, value,
                                emitNeutral(neutral, type, loc));
  };
  auto *product = reduce.body->as<BinaryExpr>();
  if (kind != te::ReduceKind::Sum || !product || product->op != BinaryOp::Mul)
    return choose(*reduce.body, kind);
  // -0 * 1 is -0, and 0 * 1 is 0.
  Value lhs = choose(*product->lhs, te::ReduceKind::Sum);
  Value rhs = choose(*product->rhs, te::ReduceKind::Prod);
  return te::BinaryOp::create(builder, locOf(*reduce.body), te::BinaryKind::Mul,
                              lhs, rhs);
}

Value ExprGen::emitNode(const ReduceExpr &reduce, const Expr &expr) {
  if (isArgument(reduce.kind))
    return emitArgument(reduce, expr);
  return emitReduction(reduce, kindOf(reduce.kind), expr.type, locOf(expr));
}

Value ExprGen::emitReduction(const ReduceExpr &reduce, te::ReduceKind kind,
                             ScalarType type, Location loc) {
  llvm::SmallVector<mlir::Attribute> extents;
  for (const auto &index : reduce.indices)
    extents.push_back(extentOf(*index->extent));
  auto op = te::ReduceOp::create(
      builder, loc, typeOf(type), kind, namesOf(reduce.indices),
      builder.getArrayAttr(extents), orderOf(reduce, type), te::TermAttr(),
      te::Leaf::Plain, /*from=*/Value());
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *body = builder.createBlock(&op.getBody());
  bindIndices(reduce.indices, *body);
  emitDomain(reduce.domain);
  size_t conditions = domain.size(), tests = path.size();
  domain.insert(domain.end(), reduce.domain.begin(), reduce.domain.end());
  for (const Expr *test : reduce.tests)
    path.push_back({test, true});
  Value value = reduce.tests.empty() ? emit(*reduce.body)
                                     : emitTested(reduce, kind, type);
  domain.erase(domain.begin() + conditions, domain.end());
  path.resize(tests);
  te::YieldOp::create(builder, locOf(*reduce.body), value);
  auto product = value.getDefiningOp<te::BinaryOp>();
  if (!reduce.contract.value_or(contract) && kind == te::ReduceKind::Sum &&
      isFloat(type) && product && product.getKind() == te::BinaryKind::Mul)
    op.setLeaf(te::Leaf::MulAdd);
  return op.getResult();
}

} // namespace girih::mlirgen
