//===- CheckGen.cpp - error words of checked subscripts -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `X[checked(s)]` reads as clamp does. Beside it stand two results that no text
// names: the smallest number of an instance whose s lies outside, and that s.
// They are ordinary reductions, so every device computes them.
//
//===----------------------------------------------------------------------===//

#include "compiler/mlirgen/ExprGen.h"

#include <algorithm>
#include <limits>

namespace girih::mlirgen {

using namespace frontend;
using mlir::Location;
using mlir::Value;

namespace {

using Indices = std::vector<const IndexVariable *>;

void collect(const IndexSum &sum, Indices &found);

void collect(const Expr &expr, Indices &found) {
  if (auto *name = expr.as<NameExpr>()) {
    if (auto *index = std::get_if<const IndexVariable *>(&name->target))
      found.push_back(*index);
    return;
  }
  auto *access = expr.as<AccessExpr>();
  if (auto *binary = expr.as<BinaryExpr>())
    for (const auto &side : binary->sides)
      collect(side.sum, found);
  if (!access) {
    forEachChild(expr, [&](const Expr &child) { collect(child, found); });
    return;
  }
  for (const Subscript &subscript : access->subscripts)
    collect(subscript.sum, found);
  if (access->otherwise)
    collect(*access->otherwise, found);
}

void collect(const IndexSum &sum, Indices &found) {
  for (const auto &term : sum.terms)
    found.push_back(term.first);
  for (const auto &value : sum.values)
    collect(*value.first, found);
}

} // namespace

void ExprGen::noteChecked(const Subscript &subscript, const Tensor &tensor,
                          size_t dim) {
  if (subscript.rule != AccessRule::Checked || !notesChecked)
    return;
  CheckedUse use;
  use.subscript = &subscript;
  use.tensor = tensor.name.text;
  use.end = tensor.dims[dim];
  use.path = path;
  use.domain = domain;
  Indices used;
  collect(subscript.sum, used);
  for (const auto &condition : path)
    collect(*condition.first, used);
  for (const Condition &condition : domain)
    collect(condition.sum, used);
  // Those of reductions inside are their own.
  for (const IndexVariable *index : bound)
    if (std::count(used.begin(), used.end(), index) &&
        !std::count(use.indices.begin(), use.indices.end(), index))
      use.indices.push_back(index);
  checkedUses.push_back(std::move(use));
}

Value ExprGen::emitWhere(const Expr &condition, bool held, const Expr &expr) {
  path.push_back({&condition, held});
  Value value = emit(expr);
  path.pop_back();
  return value;
}

Value ExprGen::emitCheckBody(const CheckedUse &use, Value where, Location loc) {
  mlir::Type type = builder.getI64Type();
  auto integer = [&](int64_t value) {
    return emitInteger(uint64_t(value), type, loc);
  };
  auto compare = [&](te::CompareKind kind, Value a, Value b) -> Value {
    return te::CompareOp::create(builder, loc, builder.getI1Type(), kind, a, b);
  };
  auto both = [&](Value a, Value b) -> Value {
    return te::LogicOp::create(builder, loc, te::LogicKind::And, a, b);
  };
  auto sizeOf = [&](const Extent &extent) {
    IndexSum sum;
    sum.offset = extent;
    return emitAsInteger(emitSum(sum, loc), loc);
  };
  Value value = emitComputed(use.subscript->sum, loc);
  Value outside =
      te::LogicOp::create(builder, loc, te::LogicKind::Or,
                          compare(te::CompareKind::Lt, value, integer(0)),
                          compare(te::CompareKind::Ge, value, sizeOf(use.end)));
  for (auto [condition, held] : use.path) {
    Value holds = emit(*condition);
    if (!held)
      holds = te::NotOp::create(builder, loc, holds);
    outside = both(outside, holds);
  }
  // Otherwise te.where says who takes part.
  if (use.indices.empty())
    for (const Condition &condition : use.domain)
      outside =
          both(outside, compare(te::CompareKind::Ge,
                                sizeOf(condition.sum.offset), integer(0)));
  Value number = integer(0);
  for (const IndexVariable *index : use.indices) {
    number = te::BinaryOp::create(builder, loc, te::BinaryKind::Mul, number,
                                  sizeOf(*index->extent));
    number = te::BinaryOp::create(builder, loc, te::BinaryKind::Add, number,
                                  emitAsInteger(indices.lookup(index), loc));
  }
  Value none = integer(std::numeric_limits<int64_t>::max());
  if (!where)
    return te::SelectOp::create(builder, loc, outside, number, none);
  Value first = te::ReadOp::create(builder, loc, type, where,
                                   mlir::ValueRange(), /*guarded=*/false);
  outside = both(outside, compare(te::CompareKind::Eq, number, first));
  return te::SelectOp::create(builder, loc, outside, value, none);
}

Value ExprGen::emitCheckWord(const CheckedUse &use, const std::string &name,
                             Value where) {
  Location loc = at(use.subscript->range);
  notesChecked = false;
  auto compute = te::ComputeOp::create(
      builder, loc,
      te::TeTensorType::get(builder.getContext(), {}, builder.getI64Type()),
      name, builder.getArrayAttr({}));
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&compute.getBody());
  Value word;
  if (use.indices.empty()) {
    word = emitCheckBody(use, where, loc);
  } else {
    llvm::SmallVector<mlir::Attribute> names, extents;
    for (const IndexVariable *index : use.indices) {
      names.push_back(builder.getStringAttr(index->name.text));
      extents.push_back(extentOf(*index->extent));
    }
    auto reduce = te::ReduceOp::create(
        builder, loc, builder.getI64Type(), te::ReduceKind::Min,
        builder.getArrayAttr(names), builder.getArrayAttr(extents), "fixed",
        te::TermAttr(), te::Leaf::Plain, /*from=*/Value());
    word = reduce.getResult();
    mlir::OpBuilder::InsertionGuard inner(builder);
    mlir::Block *body = builder.createBlock(&reduce.getBody());
    for (const IndexVariable *index : use.indices)
      indices[index] = body->addArgument(builder.getIndexType(), loc);
    emitDomain(use.domain);
    te::YieldOp::create(builder, loc, emitCheckBody(use, where, loc));
  }
  te::YieldOp::create(builder, loc, word);
  notesChecked = true;
  return compute.getResult();
}

} // namespace girih::mlirgen
