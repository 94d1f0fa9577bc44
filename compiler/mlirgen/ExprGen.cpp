//===- ExprGen.cpp - one expression to te ops -----------------------------===//
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

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Value ExprGen::emitNode(const CallExpr &call, const Expr &expr) {
  auto outer = inherited;
  if (call.inherited)
    inherited = call.inherited;
  Value result =
      call.fn ? inlineCall(call, locOf(expr)) : emitBuiltin(call, locOf(expr));
  inherited = outer;
  return result;
}

Value ExprGen::inlineCall(const CallExpr &call, Location loc) {
  // All arguments first: one of them may call the same function.
  llvm::SmallVector<Value, 4> arguments;
  for (const ExprPtr &argument : call.arguments)
    arguments.push_back(emit(*argument));
  for (size_t i = 0; i < arguments.size(); ++i)
    parameters[&call.fn->params[i]] = arguments[i];
  auto outer = libraryCall;
  if (call.fn->library && !libraryCall)
    libraryCall = loc;
  Value result = emit(*call.fn->body);
  libraryCall = outer;
  return result;
}

static te::UnaryKind unaryKind(Builtin builtin) {
  switch (builtin) {
  case Builtin::Abs:
    return te::UnaryKind::Abs;
  case Builtin::Neg:
    return te::UnaryKind::Neg;
  case Builtin::Sqrt:
    return te::UnaryKind::Sqrt;
  case Builtin::Rsqrt:
    return te::UnaryKind::Rsqrt;
  case Builtin::Rcp:
    return te::UnaryKind::Rcp;
  case Builtin::Exp:
    return te::UnaryKind::Exp;
  case Builtin::Exp2:
    return te::UnaryKind::Exp2;
  case Builtin::Log:
    return te::UnaryKind::Log;
  case Builtin::Log2:
    return te::UnaryKind::Log2;
  case Builtin::Tanh:
    return te::UnaryKind::Tanh;
  case Builtin::Floor:
    return te::UnaryKind::Floor;
  case Builtin::Ceil:
    return te::UnaryKind::Ceil;
  case Builtin::Round:
    return te::UnaryKind::Round;
  case Builtin::Trunc:
    return te::UnaryKind::Trunc;
  case Builtin::Tf32:
    return te::UnaryKind::Tf32;
  case Builtin::Sin:
    return te::UnaryKind::Sin;
  case Builtin::Cos:
    return te::UnaryKind::Cos;
  case Builtin::Erf:
    return te::UnaryKind::Erf;
  default:
    break;
  }
  llvm_unreachable("a function of one value");
}

te::Accuracy ExprGen::accuracyOf(const CallExpr &call) const {
  std::optional<Accuracy> accuracy = call.accuracy;
  if (!accuracy && !oneAccuracy)
    accuracy = inherited;
  if (!accuracy)
    return te::Accuracy::Unset;
  return *accuracy == Accuracy::Fast ? te::Accuracy::Fast
                                     : te::Accuracy::Portable;
}

Value ExprGen::emitBuiltin(const CallExpr &call, Location loc) {
  switch (*call.builtin) {
  case Builtin::Bits:
  case Builtin::SBits:
    return emitBits(call, loc);
  case Builtin::OnGrid:
    return te::OnGridOp::create(builder, loc, emit(*call.arguments[0]),
                                call.number);
  case Builtin::Philox:
  case Builtin::Uniform:
    return emitRandom(call, loc);
  default:
    break;
  }
  llvm::SmallVector<Value, 3> values;
  for (const ExprPtr &argument : call.arguments)
    values.push_back(argument->type == ScalarType::Index
                         ? toLong(emit(*argument), loc)
                         : emit(*argument));
  auto binary = [&](te::BinaryKind kind) -> Value {
    return te::BinaryOp::create(builder, loc, kind, values[0], values[1]);
  };
  switch (*call.builtin) {
  case Builtin::Fma:
    return te::FmaOp::create(builder, loc, values[0], values[1], values[2]);
  case Builtin::Pow:
    return te::PowOp::create(builder, loc, values[0], values[1]);
  case Builtin::Min:
    return binary(te::BinaryKind::Min);
  case Builtin::Max:
    return binary(te::BinaryKind::Max);
  case Builtin::FloorDiv:
    return binary(te::BinaryKind::FloorDiv);
  case Builtin::TDiv:
    return binary(te::BinaryKind::TDiv);
  case Builtin::TMod:
    return binary(te::BinaryKind::TMod);
  default:
    return te::UnaryOp::create(builder, loc, unaryKind(*call.builtin),
                               accuracyOf(call), values[0]);
  }
}

/// bits(x, lo, n): shifted down as an unsigned number, so that what lies above
/// the top bit is 0, and masked; sbits: moved to the top and shifted down with
/// its sign.
Value ExprGen::emitBits(const CallExpr &call, Location loc) {
  Value value = emit(*call.arguments[0]), lowest = emit(*call.arguments[1]);
  uint64_t count = call.arguments[2]->as<LiteralExpr>()->bits;
  unsigned width = value.getType().getIntOrFloatBitWidth();
  mlir::Type type = value.getType();
  mlir::Type unsignedType = builder.getIntegerType(width, /*isSigned=*/false);
  auto cast = [&](Value x, mlir::Type to) -> Value {
    if (x.getType() == to)
      return x;
    return te::CastOp::create(builder, loc, to, x);
  };
  auto apply = [&](te::BinaryKind kind, Value x, uint64_t y) -> Value {
    return te::BinaryOp::create(builder, loc, kind, x,
                                emitInteger(y, x.getType(), loc));
  };
  Value shifted = te::BinaryOp::create(builder, loc, te::BinaryKind::Shr,
                                       cast(value, unsignedType),
                                       cast(lowest, unsignedType));
  if (call.builtin == Builtin::Bits) {
    uint64_t mask = ~uint64_t(0) >> (64 - count);
    return cast(apply(te::BinaryKind::And, shifted, mask), type);
  }
  Value field = cast(shifted, builder.getIntegerType(width));
  field = apply(te::BinaryKind::Shl, field, width - count);
  return apply(te::BinaryKind::Shr, field, width - count);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

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
      te::Leaf::Plain);
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
