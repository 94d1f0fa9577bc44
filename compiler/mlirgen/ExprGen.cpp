//===- ExprGen.cpp - one expression to te ops -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/mlirgen/ExprGen.h"

namespace girih::mlirgen {

using namespace frontend;
using mlir::Location;
using mlir::Value;

ExprGen::ExprGen(mlir::OpBuilder &builder, const SourceFile &source,
                 Diagnostics &diags)
    : builder(builder), source(source), diags(diags),
      fileName(builder.getStringAttr(source.name())) {}

//===----------------------------------------------------------------------===//
// Places, types, extents
//===----------------------------------------------------------------------===//

Location ExprGen::at(SourceRange range) const {
  SourceFile::Place in = source.locate(range.begin);
  LineColumn place = in.file->lineColumn(in.offset);
  mlir::StringAttr file =
      in.file == &source ? fileName : builder.getStringAttr(in.file->name());
  return mlir::FileLineColLoc::get(file, place.line, place.column);
}

Location ExprGen::locOf(const Expr &expr) const {
  return libraryCall ? *libraryCall : at(expr.range);
}

mlir::Type ExprGen::typeOf(ScalarType type) const {
  switch (type) {
  case ScalarType::F64:
    return builder.getF64Type();
  case ScalarType::F32:
    return builder.getF32Type();
  case ScalarType::F16:
    return builder.getF16Type();
  case ScalarType::BF16:
    return builder.getBF16Type();
  case ScalarType::F8E4M3FN:
    return mlir::Float8E4M3FNType::get(builder.getContext());
  case ScalarType::F8E5M2:
    return mlir::Float8E5M2Type::get(builder.getContext());
  case ScalarType::I8:
  case ScalarType::I16:
  case ScalarType::I32:
  case ScalarType::I64:
    return builder.getIntegerType(widthOf(type));
  case ScalarType::U8:
  case ScalarType::U16:
  case ScalarType::U32:
  case ScalarType::U64:
    return builder.getIntegerType(widthOf(type), /*isSigned=*/false);
  case ScalarType::Bool:
    return builder.getI1Type();
  case ScalarType::Index:
    return builder.getIndexType();
  }
  llvm_unreachable("a scalar type");
}

mlir::Attribute ExprGen::extentOf(const Extent &extent) const {
  te::LinearExtent sum;
  for (auto [size, factor] : extent.terms)
    sum.terms.push_back({builder.getStringAttr(size->name.text), factor});
  sum.constant = extent.constant;
  return te::makeExtent(builder.getContext(), sum);
}

mlir::ArrayAttr ExprGen::namesOf(
    const std::vector<std::unique_ptr<IndexVariable>> &variables) const {
  llvm::SmallVector<mlir::Attribute> names;
  for (const auto &variable : variables)
    names.push_back(builder.getStringAttr(variable->name.text));
  return builder.getArrayAttr(names);
}

void ExprGen::bindIndices(
    const std::vector<std::unique_ptr<IndexVariable>> &variables,
    mlir::Block &block) {
  for (const auto &variable : variables) {
    indices[variable.get()] =
        block.addArgument(builder.getIndexType(), at(variable->name.range));
    bound.push_back(variable.get());
  }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Value ExprGen::emit(const Expr &expr) {
  if (expr.type == ScalarType::Index)
    return emitIndex(expr);
  return std::visit([&](const auto &node) { return emitNode(node, expr); },
                    expr.node);
}

Value ExprGen::emitConstant(double value, ScalarType type, Location loc) {
  // The front end has rounded: this conversion is exact.
  auto attribute = mlir::FloatAttr::get(typeOf(type), value);
  return te::ConstantOp::create(builder, loc, attribute);
}

Value ExprGen::emitInteger(uint64_t bits, mlir::Type type, Location loc) {
  llvm::APInt value(type.getIntOrFloatBitWidth(), bits, /*isSigned=*/false,
                    /*implicitTrunc=*/true);
  return te::ConstantOp::create(builder, loc,
                                mlir::IntegerAttr::get(type, value));
}

Value ExprGen::emitNode(const LiteralExpr &literal, const Expr &expr) {
  Location loc = locOf(expr);
  if (isInteger(expr.type))
    return emitInteger(literal.bits, typeOf(expr.type), loc);
  return emitConstant(literal.value, expr.type, loc);
}

Value ExprGen::emitNode(const IsNoneExpr &, const Expr &) {
  llvm_unreachable("resolved in what Sema has checked");
}

Value ExprGen::emitNode(const BoolExpr &node, const Expr &expr) {
  return te::ConstantOp::create(
      builder, locOf(expr),
      llvm::cast<mlir::IntegerAttr>(builder.getBoolAttr(node.value)));
}

Value ExprGen::emitNode(const NameExpr &name, const Expr &expr) {
  if (auto *parameter = std::get_if<const FnParam *>(&name.target))
    return parameters.lookup(*parameter);
  auto *constant = std::get<const ConstDecl *>(name.target);
  if (!isFloat(constant->type))
    return emitInteger(constant->foldedBits, typeOf(constant->type),
                       locOf(expr));
  return emitConstant(constant->folded, constant->type, locOf(expr));
}

/// Regions count indices from 0: where a range starts elsewhere, its start is
/// part of each sum.
Value ExprGen::emitSum(const IndexSum &sum, Location loc) {
  Extent offset = sum.offset;
  llvm::SmallVector<Value> operands;
  llvm::SmallVector<int64_t> factors;
  for (auto [index, factor] : sum.terms) {
    operands.push_back(indices.lookup(index));
    factors.push_back(factor);
    offset = offset + index->start * factor;
  }
  if (operands.size() == 1 && factors[0] == 1 && offset == Extent())
    return operands[0];
  if (operands.empty() && offset.isConstant())
    return te::IndexConstantOp::create(builder, loc, offset.constant);
  return te::AffineOp::create(builder, loc, builder.getIndexType(), operands,
                              factors, extentOf(offset));
}

Value ExprGen::emitIndex(const IndexSum &sum, Location loc) {
  const SizeSymbol *size = sum.offset.plainSize();
  if (sum.terms.empty() && size)
    return te::SizeOp::create(builder, loc, builder.getIndexType(),
                              size->name.text);
  return emitSum(sum, loc);
}

void ExprGen::emitDomain(const std::vector<Condition> &conditions) {
  for (const Condition &condition : conditions) {
    Extent offset = condition.sum.offset;
    llvm::SmallVector<Value> operands;
    llvm::SmallVector<int64_t> factors;
    for (auto [index, factor] : condition.sum.terms) {
      operands.push_back(indices.lookup(index));
      factors.push_back(factor);
      offset = offset + index->start * factor;
    }
    te::WhereOp::create(builder, at(condition.range), operands, factors,
                        extentOf(offset));
  }
}

Value ExprGen::emitSubscript(const Subscript &subscript, const Extent &dim) {
  Location loc = at(subscript.range);
  Value value =
      subscript.sum.values.empty()
          ? emitSum(subscript.sum, loc)
          : Value(te::ToIndexOp::create(builder, loc, builder.getIndexType(),
                                        emitComputed(subscript.sum, loc)));
  te::BoundRule rule = te::BoundRule::Clamp;
  switch (subscript.rule) {
  case AccessRule::None:
    return value;
  case AccessRule::Clamp:
  case AccessRule::Checked: // tells of what it clamps: CheckGen.cpp
    break;
  case AccessRule::Reflect:
    rule = te::BoundRule::Reflect;
    break;
  case AccessRule::Wrap:
    rule = te::BoundRule::Wrap;
    break;
  }
  return te::BoundOp::create(builder, loc, builder.getIndexType(), rule, value,
                             extentOf(dim));
}

Value ExprGen::emitInside(const AccessExpr &access, mlir::ValueRange subscripts,
                          Location loc) {
  Value inside;
  auto require = [&](Value subscript, te::CompareKind kind, Value bound) {
    // What data decide is compared as the integer that it is.
    if (auto computed = subscript.getDefiningOp<te::ToIndexOp>()) {
      subscript = computed.getValue();
      bound = emitAsInteger(bound, loc);
    }
    Value holds = te::CompareOp::create(builder, loc, builder.getI1Type(), kind,
                                        subscript, bound);
    inside = inside ? Value(te::LogicOp::create(
                          builder, loc, te::LogicKind::And, inside, holds))
                    : holds;
  };
  for (auto [d, subscript] : llvm::enumerate(access.subscripts)) {
    IndexSum end{{}, access.tensor->dims[d]};
    if (subscript.below)
      require(subscripts[d], te::CompareKind::Ge,
              te::IndexConstantOp::create(builder, loc, 0));
    if (!subscript.above)
      continue;
    require(subscripts[d], te::CompareKind::Lt, emitIndex(end, loc));
  }
  return inside;
}

Value ExprGen::emitNode(const AccessExpr &access, const Expr &expr) {
  llvm::SmallVector<Value> subscripts = emitSubscripts(access);
  Location loc = locOf(expr);
  bool guarded = access.isGuarded();
  Value value =
      te::ReadOp::create(builder, loc, typeOf(expr.type),
                         tensors.lookup(access.tensor), subscripts, guarded);
  // Without an `else` the value is not used outside.
  if (!guarded || !access.otherwise)
    return value;
  Value inside = emitInside(access, subscripts, loc);
  Value otherwise = emit(*access.otherwise);
  return te::SelectOp::create(builder, loc, inside, value, otherwise);
}

Value ExprGen::emitNode(const CastExpr &cast, const Expr &expr) {
  Value value = emit(*cast.operand);
  if (cast.operand->type == cast.to)
    return value;
  // Index arithmetic that is no sum has an i64 already.
  bool isIndex = value.getType().isIndex();
  if (isIndex && isStorageOnly(cast.to))
    value = toLong(value, locOf(expr));
  else if (isIndex && isFloat(cast.to))
    return te::ToFloatOp::create(builder, locOf(expr), typeOf(cast.to), value);
  return te::CastOp::create(builder, locOf(expr), typeOf(cast.to), value);
}

Value ExprGen::emitNode(const UnaryExpr &unary, const Expr &expr) {
  Value value = emit(*unary.operand);
  if (unary.op == UnaryOp::Not)
    return te::NotOp::create(builder, locOf(expr), value);
  if (unary.op == UnaryOp::BitNot)
    return te::BinaryOp::create(
        builder, locOf(expr), te::BinaryKind::Xor, value,
        emitInteger(~uint64_t(0), value.getType(), locOf(expr)));
  return te::UnaryOp::create(builder, locOf(expr), te::UnaryKind::Neg,
                             te::Accuracy::Unset, value);
}

static te::CompareKind compareKind(BinaryOp op) {
  switch (op) {
  case BinaryOp::Equal:
    return te::CompareKind::Eq;
  case BinaryOp::NotEqual:
    return te::CompareKind::Ne;
  case BinaryOp::Less:
    return te::CompareKind::Lt;
  case BinaryOp::LessEqual:
    return te::CompareKind::Le;
  case BinaryOp::Greater:
    return te::CompareKind::Gt;
  default:
    return te::CompareKind::Ge;
  }
}

/// Of sums as indices; where a side is what a division leaves, as i64.
Value ExprGen::emitComparison(const BinaryExpr &node, const Expr &expr) {
  Location loc = locOf(expr);
  mlir::Type i64 = builder.getI64Type();
  bool counts = node.sides[0].modulus || node.sides[1].modulus;
  llvm::SmallVector<Value, 2> sides;
  for (const IndexTerm &side : node.sides) {
    Value value = emitIndex(side.sum, loc);
    if (counts)
      value = te::CastOp::create(builder, loc, i64, value);
    if (side.modulus)
      value = te::BinaryOp::create(builder, loc, te::BinaryKind::Mod, value,
                                   emitInteger(side.modulus, i64, loc));
    sides.push_back(value);
  }
  return te::CompareOp::create(builder, loc, builder.getI1Type(),
                               compareKind(node.op), sides[0], sides[1]);
}

Value ExprGen::emitNode(const BinaryExpr &binary, const Expr &expr) {
  if (!binary.sides.empty())
    return emitComparison(binary, expr);
  Value lhs = emit(*binary.lhs), rhs = emit(*binary.rhs);
  Location loc = locOf(expr);
  if (lhs.getType() != rhs.getType()) { // of two indices, one computed
    lhs = toLong(lhs, loc);
    rhs = toLong(rhs, loc);
  }
  auto arithmetic = [&](te::BinaryKind kind) -> Value {
    return te::BinaryOp::create(builder, loc, kind, lhs, rhs);
  };
  switch (binary.op) {
  case BinaryOp::Add:
    return arithmetic(te::BinaryKind::Add);
  case BinaryOp::Sub:
    return arithmetic(te::BinaryKind::Sub);
  case BinaryOp::Mul:
    return arithmetic(te::BinaryKind::Mul);
  case BinaryOp::Div:
    return arithmetic(te::BinaryKind::Div);
  case BinaryOp::Mod:
    return arithmetic(te::BinaryKind::Mod);
  case BinaryOp::BitAnd:
    return arithmetic(te::BinaryKind::And);
  case BinaryOp::BitOr:
    return arithmetic(te::BinaryKind::Or);
  case BinaryOp::BitXor:
    return arithmetic(te::BinaryKind::Xor);
  case BinaryOp::ShiftLeft:
    return arithmetic(te::BinaryKind::Shl);
  case BinaryOp::ShiftRight:
    return arithmetic(te::BinaryKind::Shr);
  case BinaryOp::Equal:
  case BinaryOp::NotEqual:
  case BinaryOp::Less:
  case BinaryOp::LessEqual:
  case BinaryOp::Greater:
  case BinaryOp::GreaterEqual:
    return te::CompareOp::create(builder, loc, compareKind(binary.op), lhs,
                                 rhs);
  case BinaryOp::And:
    return te::LogicOp::create(builder, loc, te::LogicKind::And, lhs, rhs);
  case BinaryOp::Or:
    return te::LogicOp::create(builder, loc, te::LogicKind::Or, lhs, rhs);
  }
  llvm_unreachable("a binary operator");
}

Value ExprGen::emitNode(const IfExpr &choice, const Expr &expr) {
  // The text evaluates the chosen side only. Evaluating both and choosing has
  // the same meaning: no operation traps or has another effect, and inference
  // has put every read of either side inside its tensor.
  Value condition = emit(*choice.condition);
  path.push_back({choice.condition.get(), true});
  Value thenValue = emit(*choice.thenValue);
  path.back().second = false;
  Value elseValue = emit(*choice.elseValue);
  path.pop_back();
  return te::SelectOp::create(builder, locOf(expr), condition, thenValue,
                              elseValue);
}

} // namespace girih::mlirgen
