//===- StatementGen.cpp - one statement to te.compute ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/mlirgen/StatementGen.h"

namespace girih::mlirgen {

using namespace frontend;
using mlir::Value;

Value emitNothing(ExprGen &exprs, mlir::OpBuilder &builder,
                  const Tensor &tensor, te::TeTensorType type,
                  mlir::Location loc) {
  llvm::SmallVector<mlir::Attribute> box(type.getRank(),
                                         builder.getI64IntegerAttr(0));
  llvm::SmallVector<mlir::Attribute> names;
  for (unsigned d = 0; d < type.getRank(); ++d)
    names.push_back(builder.getStringAttr("d" + std::to_string(d)));
  auto compute = te::ComputeOp::create(
      builder, loc, type, builder.getStringAttr(tensor.name.text),
      builder.getArrayAttr(names), builder.getArrayAttr(box), Value(),
      mlir::StringAttr());
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *body = builder.createBlock(&compute.getBody());
  for (unsigned d = 0; d < type.getRank(); ++d)
    body->addArgument(builder.getIndexType(), loc);
  mlir::Type element = type.getElementType();
  mlir::TypedAttr zero =
      llvm::isa<mlir::FloatType>(element)
          ? mlir::TypedAttr(mlir::FloatAttr::get(element, 0.0))
          : mlir::TypedAttr(mlir::IntegerAttr::get(element, 0));
  te::YieldOp::create(builder, loc,
                      Value(te::ConstantOp::create(builder, loc, zero)));
  return compute.getResult();
}

namespace {

class StatementGen {
public:
  StatementGen(ExprGen &exprs, mlir::OpBuilder &builder,
               const Statement &statement, te::TeTensorType type)
      : exprs(exprs), builder(builder), statement(statement), type(type) {}

  Value run(Value into) {
    if (!statement.splits)
      return define(into, statement.otherwise ? std::vector<Condition>()
                                              : statement.domain);
    Value version = define(into, statement.domain);
    // The elements that the first condition leaves out, then those that keep
    // it and not the second, and so on: each once.
    std::vector<Condition> conditions;
    for (const Condition &condition : statement.domain) {
      conditions.push_back(negated(condition));
      version = define(version, conditions, /*others=*/true);
      conditions.back() = condition;
    }
    return version;
  }

private:
  static Condition negated(const Condition &condition) {
    Condition result;
    result.range = condition.range;
    for (auto [index, factor] : condition.sum.terms)
      result.sum.terms.push_back({index, -factor});
    result.sum.offset = condition.sum.offset * -1 - Extent::of(1);
    return result;
  }

  /// The box, where it is not the tensor's shape.
  mlir::ArrayAttr box() const {
    llvm::SmallVector<mlir::Attribute> extents;
    for (const auto &index : statement.indices)
      extents.push_back(exprs.extentOf(*index->extent));
    if (llvm::ArrayRef(extents) == type.getShape())
      return {};
    return builder.getArrayAttr(extents);
  }

  Value define(Value into, const std::vector<Condition> &conditions,
               bool others = false) {
    if (statement.readsItself) {
      if (!into)
        into = emitNothing(exprs, builder, *statement.tensor, type,
                           exprs.at(statement.range));
      exprs.bind(*statement.tensor, into);
    }
    if (statement.tensor->aliases)
      exprs.bind(*statement.tensor->aliases, into);
    const Expr &value = others ? *statement.otherwise : *statement.value;
    auto compute = te::ComputeOp::create(
        builder, exprs.at(statement.range), type,
        builder.getStringAttr(statement.target.text),
        exprs.namesOf(statement.indices), box(), into, mlir::StringAttr());
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *body = builder.createBlock(&compute.getBody());
    exprs.bindIndices(statement.indices, *body);
    exprs.emitDomain(conditions);
    exprs.setDomain(conditions);
    bool chooses =
        statement.otherwise && !statement.splits && !statement.domain.empty();
    Value result = chooses ? exprs.emitWhere(*statement.where, true, value)
                           : exprs.emit(value);
    if (chooses) {
      // As for `if`: both are evaluated, where reads that may lie outside are
      // guarded.
      Value condition = exprs.emit(*statement.where);
      Value otherwise =
          exprs.emitWhere(*statement.where, false, *statement.otherwise);
      result = te::SelectOp::create(builder, exprs.at(statement.range),
                                    condition, result, otherwise);
    }
    llvm::SmallVector<Value> at;
    for (const Subscript &subscript : statement.at)
      at.push_back(exprs.emitSum(subscript.sum, exprs.at(subscript.range)));
    te::YieldOp::create(builder, exprs.at(value.range), result, at);
    return compute.getResult();
  }

  ExprGen &exprs;
  mlir::OpBuilder &builder;
  const Statement &statement;
  te::TeTensorType type;
};

} // namespace

Value emitStatement(ExprGen &exprs, mlir::OpBuilder &builder,
                    const Statement &statement, te::TeTensorType type,
                    Value into) {
  return StatementGen(exprs, builder, statement, type).run(into);
}

} // namespace girih::mlirgen
