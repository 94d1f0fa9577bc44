//===- ScalarEmitter.cpp - scalar te and arith ops as LLVM IR -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/ScalarEmitter.h"

#include "compiler/reference/Signature.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Module.h"

#include <limits>

using namespace girih;
using namespace girih::reference;
using llvm::Value;

te::Accuracy reference::accuracyOf(te::UnaryOp op) {
  if (!op.hasAccuracy())
    return te::Accuracy::Portable;
  te::Accuracy accuracy = op.getAccuracy();
  if (accuracy == te::Accuracy::Unset)
    accuracy = op->getParentOfType<te::FuncOp>().getFunctions();
  return accuracy == te::Accuracy::Unset ? te::Accuracy::Fast : accuracy;
}

//===----------------------------------------------------------------------===//
// Shapes and calls
//===----------------------------------------------------------------------===//

Tracked ScalarEmitter::splat(Tracked value, unsigned width) {
  auto widen = [&](Value *v) {
    return v && !v->getType()->isVectorTy() ? b.CreateVectorSplat(width, v) : v;
  };
  return {widen(value.value), widen(value.error)};
}

void ScalarEmitter::unify(llvm::MutableArrayRef<Tracked> values) {
  unsigned width = 0;
  for (Tracked value : values)
    if (auto *type =
            llvm::dyn_cast<llvm::FixedVectorType>(value.value->getType()))
      width = type->getNumElements();
  if (width != 0)
    for (Tracked &value : values)
      value = splat(value, width);
}

/// A buffer in the entry block, so that it is allocated once a call.
static Value *entryBuffer(llvm::IRBuilder<> &b, unsigned doubles) {
  llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> atEntry(&entry, entry.begin());
  auto *buffer =
      atEntry.CreateAlloca(llvm::ArrayType::get(b.getDoubleTy(), doubles));
  buffer->setAlignment(llvm::Align(64));
  return buffer;
}

Value *ScalarEmitter::callHost(llvm::StringRef name, Type type,
                               llvm::ArrayRef<Value *> operands) {
  constexpr unsigned kMaxOperands = 5, kMaxLanes = 16;
  assert(operands.size() <= kMaxOperands);
  if (!hostIn) {
    hostIn = entryBuffer(b, kMaxOperands * kMaxLanes);
    hostOut = entryBuffer(b, kMaxLanes);
  }
  llvm::Type *shape = operands.front()->getType();
  unsigned lanes = 1;
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(shape))
    lanes = vector->getNumElements();
  for (auto [index, operand] : llvm::enumerate(operands))
    b.CreateAlignedStore(
        operand, b.CreateConstGEP1_64(b.getDoubleTy(), hostIn, index * lanes),
        llvm::Align(8));
  llvm::Module *module = b.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee =
      module->getOrInsertFunction(name, b.getVoidTy(), b.getPtrTy(),
                                  b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty());
  b.CreateCall(callee,
               {hostOut, hostIn, b.getInt64(static_cast<uint64_t>(type)),
                b.getInt64(lanes)});
  return b.CreateAlignedLoad(shape, hostOut, llvm::Align(8));
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Tracked ScalarEmitter::add(Type type, Tracked x, Tracked y) {
  return binary(te::BinaryKind::Add, type, x, y);
}

Tracked ScalarEmitter::fma(Type type, Tracked x, Tracked y, Tracked z) {
  Tracked operands[] = {x, y, z};
  unify(operands);
  auto [a, m, c] = operands;
  Value *r = floats.fma(type, a.value, m.value, c.value);
  return {r, errors.fma(type, a, m, c, r)};
}

Tracked ScalarEmitter::binary(te::BinaryKind kind, Type type, Tracked x,
                              Tracked y) {
  Tracked operands[] = {x, y};
  unify(operands);
  auto [p, q] = operands;
  if (!artifact::isFloat(type))
    return integerBinary(kind, artifact::isUnsigned(type), p, q);
  switch (kind) {
  case te::BinaryKind::Add: {
    Value *r = floats.add(type, p.value, q.value);
    return {r, errors.sum(type, p, q, r)};
  }
  case te::BinaryKind::Sub: {
    Value *r = floats.sub(type, p.value, q.value);
    return {r, errors.sum(type, p, q, r)};
  }
  case te::BinaryKind::Mul: {
    Value *r = floats.mul(type, p.value, q.value);
    return {r, errors.product(type, p, q, r)};
  }
  case te::BinaryKind::Div: {
    Value *r = floats.div(type, p.value, q.value);
    if (!p.error && !q.error)
      return {r};
    Value *dr = floats.toDouble(r);
    Value *zero = llvm::ConstantFP::get(dr->getType(), 0.0);
    return {r, callHost("error_div", type,
                        {dr, floats.toDouble(p.value), p.error ? p.error : zero,
                         floats.toDouble(q.value), q.error ? q.error : zero})};
  }
  case te::BinaryKind::Min:
    return {floats.minimum(p.value, q.value), errors.minMax(p, q)};
  case te::BinaryKind::Max:
    return {floats.maximum(p.value, q.value), errors.minMax(p, q)};
  default:
    break; // the verifier keeps the others to integers
  }
  llvm_unreachable("unknown binary operation");
}

namespace {
struct Division {
  Value *quotient, *remainder;
};
} // namespace

/// By zero the quotient is 0 and the remainder x; INT_MIN / -1 wraps. What LLVM
/// leaves undefined is divided by 1 instead.
static Division divide(llvm::IRBuilder<> &b, bool isUnsigned, bool floor,
                       Value *x, Value *y) {
  llvm::Type *type = x->getType();
  Value *zero = llvm::Constant::getNullValue(type);
  Value *one = llvm::ConstantInt::get(type, 1);
  Value *byZero = b.CreateICmpEQ(y, zero);
  if (isUnsigned) {
    Value *divisor = b.CreateSelect(byZero, one, y);
    return {b.CreateSelect(byZero, zero, b.CreateUDiv(x, divisor)),
            b.CreateSelect(byZero, x, b.CreateURem(x, divisor))};
  }
  Value *minusOne = llvm::Constant::getAllOnesValue(type);
  Value *byMinusOne = b.CreateICmpEQ(y, minusOne);
  Value *divisor = b.CreateSelect(b.CreateOr(byZero, byMinusOne), one, y);
  Value *quotient = b.CreateSDiv(x, divisor);
  quotient = b.CreateSelect(byMinusOne, b.CreateNeg(x), quotient);
  quotient = b.CreateSelect(byZero, zero, quotient);
  if (floor) {
    // One less where the product lies above x (below, for a negative y).
    Value *product = b.CreateMul(quotient, y);
    Value *inexact = b.CreateICmpNE(product, x);
    Value *signsDiffer =
        b.CreateICmpNE(b.CreateICmpSLT(x, zero), b.CreateICmpSLT(y, zero));
    Value *down =
        b.CreateAnd(b.CreateAnd(inexact, signsDiffer), b.CreateNot(byZero));
    quotient = b.CreateSelect(down, b.CreateSub(quotient, one), quotient);
  }
  return {quotient, b.CreateSub(x, b.CreateMul(quotient, y))};
}

Tracked ScalarEmitter::integerBinary(te::BinaryKind kind, bool isUnsigned,
                                     Tracked x, Tracked y) {
  Value *p = x.value, *q = y.value;
  llvm::Type *type = p->getType();
  unsigned width = type->getScalarSizeInBits();
  auto select = [&](llvm::CmpInst::Predicate isSigned,
                    llvm::CmpInst::Predicate without) {
    return b.CreateSelect(b.CreateICmp(isUnsigned ? without : isSigned, p, q),
                          p, q);
  };
  // Amounts from the width on shift everything out.
  Value *most = llvm::ConstantInt::get(type, width - 1);
  auto shifted = [&](Value *amount) {
    switch (kind) {
    case te::BinaryKind::Shl:
      return b.CreateShl(p, amount);
    default:
      return isUnsigned ? b.CreateLShr(p, amount) : b.CreateAShr(p, amount);
    }
  };
  Value *result = nullptr;
  switch (kind) {
  case te::BinaryKind::Add:
    result = b.CreateAdd(p, q);
    break;
  case te::BinaryKind::Sub:
    result = b.CreateSub(p, q);
    break;
  case te::BinaryKind::Mul:
    result = b.CreateMul(p, q);
    break;
  case te::BinaryKind::Min:
    result = select(llvm::CmpInst::ICMP_SLT, llvm::CmpInst::ICMP_ULT);
    break;
  case te::BinaryKind::Max:
    result = select(llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_UGT);
    break;
  case te::BinaryKind::FloorDiv:
    result = divide(b, isUnsigned, true, p, q).quotient;
    break;
  case te::BinaryKind::Mod:
    result = divide(b, isUnsigned, true, p, q).remainder;
    break;
  case te::BinaryKind::TDiv:
    result = divide(b, isUnsigned, false, p, q).quotient;
    break;
  case te::BinaryKind::TMod:
    result = divide(b, isUnsigned, false, p, q).remainder;
    break;
  case te::BinaryKind::And:
    result = b.CreateAnd(p, q);
    break;
  case te::BinaryKind::Or:
    result = b.CreateOr(p, q);
    break;
  case te::BinaryKind::Xor:
    result = b.CreateXor(p, q);
    break;
  case te::BinaryKind::Shl:
  case te::BinaryKind::Shr: {
    Value *held = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, q, most);
    result = shifted(held);
    if (kind == te::BinaryKind::Shl || isUnsigned)
      result = b.CreateSelect(b.CreateICmpUGT(q, most),
                              llvm::Constant::getNullValue(type), result);
    break;
  }
  case te::BinaryKind::Div:
    break; // the verifier keeps it to floats
  }
  return {result, errors.either(x.error, y.error)};
}

Tracked ScalarEmitter::cast(te::CastOp op, Tracked x) {
  Type from = scalarTypeOf(op.getValue().getType());
  Type to = scalarTypeOf(op.getType());
  Value *r = floats.cast(from, to, x.value);
  if (!x.error)
    return {r};
  if (!artifact::isFloat(from)) // a flag
    return {r, artifact::isFloat(to) ? errors.errorOf(x.error) : x.error};
  if (artifact::isFloat(to))
    return {r, callHost("error_cast", to, {floats.toDouble(x.value), x.error})};
  // Uncertain where the interval's ends become different integers.
  Value *middle = floats.toDouble(x.value);
  auto real = [&](double value) {
    return llvm::ConstantFP::get(middle->getType(), value);
  };
  Value *error = b.CreateFMul(x.error, real(1 + 0x1p-40));
  Value *differs = nullptr;
  if (to == Type::Bool) {
    Value *magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, middle);
    differs = b.CreateNot(b.CreateFCmpOGT(magnitude, error));
  } else {
    differs = b.CreateICmpNE(floats.toInteger(to, b.CreateFSub(middle, error)),
                             floats.toInteger(to, b.CreateFAdd(middle, error)));
    // A NaN of which nothing is known.
    differs = b.CreateOr(
        differs,
        b.CreateFCmpUEQ(error, real(std::numeric_limits<double>::infinity())));
  }
  return {r, b.CreateAnd(differs, errors.flagOf(x.error))};
}

Tracked ScalarEmitter::choose(Value *condition, Tracked x, Tracked y) {
  Tracked values[] = {x, y, {condition}};
  unify(values);
  Value *error = nullptr;
  if (x.error || y.error) {
    for (Tracked *value : {&values[0], &values[1]})
      if (!value->error)
        value->error = llvm::Constant::getNullValue(
            (value == values ? values[1] : values[0]).error->getType());
    error = b.CreateSelect(values[2].value, values[0].error, values[1].error);
  }
  return {b.CreateSelect(values[2].value, values[0].value, values[1].value),
          error};
}

Tracked ScalarEmitter::combine(te::ReduceKind kind, Type type, Tracked x,
                               Tracked y) {
  switch (kind) {
  case te::ReduceKind::Sum:
    return binary(te::BinaryKind::Add, type, x, y);
  case te::ReduceKind::Prod:
    return binary(te::BinaryKind::Mul, type, x, y);
  case te::ReduceKind::Max:
    return binary(type == Type::Bool ? te::BinaryKind::Or : te::BinaryKind::Max,
                  type, x, y);
  case te::ReduceKind::Min:
    return binary(type == Type::Bool ? te::BinaryKind::And
                                     : te::BinaryKind::Min,
                  type, x, y);
  }
  llvm_unreachable("unknown reduction");
}

Tracked ScalarEmitter::identity(te::ReduceKind kind, Type type) {
  if (!artifact::isFloat(type)) {
    llvm::Type *carrier = floats.carrier(type);
    unsigned width = carrier->getIntegerBitWidth();
    bool isUnsigned = artifact::isUnsigned(type) || type == Type::Bool;
    llvm::APInt value(width, kind == te::ReduceKind::Prod);
    if (kind == te::ReduceKind::Max && !isUnsigned)
      value = llvm::APInt::getSignedMinValue(width);
    if (kind == te::ReduceKind::Min)
      value = isUnsigned ? llvm::APInt::getMaxValue(width)
                         : llvm::APInt::getSignedMaxValue(width);
    return {llvm::ConstantInt::get(carrier, value)};
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double value = 0;
  switch (kind) {
  case te::ReduceKind::Sum:
    break;
  case te::ReduceKind::Prod:
    value = 1;
    break;
  case te::ReduceKind::Max:
    value = -kInfinity;
    break;
  case te::ReduceKind::Min:
    value = kInfinity;
    break;
  }
  return {llvm::ConstantFP::get(floats.carrier(type), value)};
}

Tracked ScalarEmitter::unary(te::UnaryOp op, Type type, Tracked x) {
  auto step = [&](llvm::Intrinsic::ID id, const char *error) -> Tracked {
    // The result has no more digits than the operand: exact in every type.
    Value *r = b.CreateUnaryIntrinsic(id, x.value);
    if (!x.error)
      return {r};
    return {r, callHost(error, type, {floats.toDouble(x.value), x.error})};
  };
  if (!artifact::isFloat(type)) {
    Value *negative = b.CreateNeg(x.value);
    if (op.getKind() == te::UnaryKind::Neg)
      return {negative, x.error};
    if (artifact::isUnsigned(type))
      return x;
    Value *isNegative = b.CreateICmpSLT(
        x.value, llvm::Constant::getNullValue(x.value->getType()));
    return {b.CreateSelect(isNegative, negative, x.value), x.error};
  }
  switch (op.getKind()) {
  case te::UnaryKind::Neg:
    return {b.CreateFNeg(x.value), x.error};
  case te::UnaryKind::Tf32: {
    Value *argument = floats.toDouble(x.value);
    Value *r = floats.fromDouble(type, callHost("value_tf32", type, argument));
    if (!x.error)
      return {r};
    return {r, callHost("error_tf32", type, {argument, x.error})};
  }
  case te::UnaryKind::Abs:
    return {b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x.value), x.error};
  case te::UnaryKind::Sqrt: {
    Value *r = floats.sqrt(type, x.value);
    if (!x.error)
      return {r};
    return {r,
            callHost("error_sqrt", type,
                     {floats.toDouble(r), floats.toDouble(x.value), x.error})};
  }
  case te::UnaryKind::Floor:
    return step(llvm::Intrinsic::floor, "error_floor");
  case te::UnaryKind::Ceil:
    return step(llvm::Intrinsic::ceil, "error_ceil");
  case te::UnaryKind::Round:
    return step(llvm::Intrinsic::roundeven, "error_round");
  case te::UnaryKind::Trunc:
    return step(llvm::Intrinsic::trunc, "error_trunc");
  default:
    break;
  }
  // A fast function: the replay's value is f64's, rounded once.
  std::string name = te::stringifyUnaryKind(op.getKind()).str();
  Value *argument = floats.toDouble(x.value);
  Value *r = floats.fromDouble(type, callHost("value_" + name, type, argument));
  if (!bounds)
    return {r};
  Value *error =
      x.error ? x.error : llvm::ConstantFP::get(argument->getType(), 0.0);
  return {r, callHost("error_" + name, type, {argument, error})};
}

Tracked ScalarEmitter::compare(te::CompareOp op, Tracked x, Tracked y) {
  Tracked operands[] = {x, y};
  unify(operands);
  auto [p, q] = operands;
  using llvm::CmpInst;
  bool isFloat = p.value->getType()->isFPOrFPVectorTy();
  bool isUnsigned = op.getLhs().getType().isUnsignedInteger();
  CmpInst::Predicate predicate = CmpInst::FCMP_FALSE;
  switch (op.getKind()) {
  case te::CompareKind::Lt:
    predicate = isFloat ? CmpInst::FCMP_OLT : CmpInst::ICMP_SLT;
    break;
  case te::CompareKind::Le:
    predicate = isFloat ? CmpInst::FCMP_OLE : CmpInst::ICMP_SLE;
    break;
  case te::CompareKind::Gt:
    predicate = isFloat ? CmpInst::FCMP_OGT : CmpInst::ICMP_SGT;
    break;
  case te::CompareKind::Ge:
    predicate = isFloat ? CmpInst::FCMP_OGE : CmpInst::ICMP_SGE;
    break;
  case te::CompareKind::Eq:
    predicate = isFloat ? CmpInst::FCMP_OEQ : CmpInst::ICMP_EQ;
    break;
  case te::CompareKind::Ne:
    predicate = isFloat ? CmpInst::FCMP_UNE : CmpInst::ICMP_NE;
    break;
  }
  if (isUnsigned)
    predicate = CmpInst::isEquality(predicate)
                    ? predicate
                    : llvm::ICmpInst::getUnsignedPredicate(predicate);
  return {b.CreateCmp(predicate, p.value, q.value),
          isFloat ? errors.uncertain(p, q) : errors.either(p.error, q.error)};
}

Tracked ScalarEmitter::select(Tracked condition, Tracked x, Tracked y) {
  Tracked operands[] = {condition, x, y};
  unify(operands);
  auto [c, p, q] = operands;
  Value *r = b.CreateSelect(c.value, p.value, q.value);
  if (p.value->getType()->isFPOrFPVectorTy())
    return {r, errors.select(c, p, q)};
  return {r, errors.either(c.error, errors.either(p.error, q.error))};
}

Tracked ScalarEmitter::bitsOf(te::BitsOp op, Tracked x) {
  Tracked r;
  llvm::Type *element = nullptr;
  if (op.getType().isF32())
    element = b.getFloatTy();
  else if (op.getType().isF64())
    element = b.getDoubleTy();
  else
    element = b.getIntNTy(op.getType().getIntOrFloatBitWidth());
  r.value =
      b.CreateBitCast(x.value, x.value->getType()->getWithNewType(element));
  r.error =
      element->isIntegerTy() ? errors.flagOf(x.error) : errors.errorOf(x.error);
  return r;
}

Tracked ScalarEmitter::constant(mlir::TypedAttr value) {
  if (auto real = mlir::dyn_cast<mlir::FloatAttr>(value)) {
    llvm::APFloat number = real.getValue();
    bool lost = false;
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &lost);
    llvm::Type *carrier = floats.carrier(scalarTypeOf(real.getType()));
    return {llvm::ConstantFP::get(carrier, number.convertToDouble())};
  }
  auto number = mlir::cast<mlir::IntegerAttr>(value);
  unsigned width = number.getType().isIndex()
                       ? 64
                       : number.getType().getIntOrFloatBitWidth();
  return {llvm::ConstantInt::get(b.getContext(),
                                 number.getValue().sextOrTrunc(width))};
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static llvm::CmpInst::Predicate predicateOf(mlir::arith::CmpIPredicate kind) {
  using From = mlir::arith::CmpIPredicate;
  using llvm::CmpInst;
  switch (kind) {
  case From::eq:
    return CmpInst::ICMP_EQ;
  case From::ne:
    return CmpInst::ICMP_NE;
  case From::slt:
    return CmpInst::ICMP_SLT;
  case From::sle:
    return CmpInst::ICMP_SLE;
  case From::sgt:
    return CmpInst::ICMP_SGT;
  case From::sge:
    return CmpInst::ICMP_SGE;
  case From::ult:
    return CmpInst::ICMP_ULT;
  case From::ule:
    return CmpInst::ICMP_ULE;
  case From::ugt:
    return CmpInst::ICMP_UGT;
  case From::uge:
    return CmpInst::ICMP_UGE;
  }
  llvm_unreachable("unknown comparison");
}

Tracked ScalarEmitter::integerOp(mlir::Operation &op,
                                 llvm::ArrayRef<Tracked> operands) {
  llvm::SmallVector<Tracked, 2> unified(operands);
  unify(unified);
  Tracked x = unified[0], y = unified[1];
  Value *r = llvm::TypeSwitch<mlir::Operation *, Value *>(&op)
                 .Case([&](mlir::arith::AddIOp) {
                   return b.CreateAdd(x.value, y.value);
                 })
                 .Case([&](mlir::arith::SubIOp) {
                   return b.CreateSub(x.value, y.value);
                 })
                 .Case([&](mlir::arith::ShLIOp) {
                   return b.CreateShl(x.value, y.value);
                 })
                 .Case([&](mlir::arith::ShRSIOp) {
                   return b.CreateAShr(x.value, y.value);
                 })
                 .Case([&](mlir::arith::AndIOp) {
                   return b.CreateAnd(x.value, y.value);
                 })
                 .Case([&](mlir::arith::OrIOp) {
                   return b.CreateOr(x.value, y.value);
                 })
                 .Case([&](mlir::arith::CmpIOp compare) {
                   return b.CreateICmp(predicateOf(compare.getPredicate()),
                                       x.value, y.value);
                 });
  return {r, errors.either(x.error, y.error)};
}

Tracked ScalarEmitter::emit(mlir::Operation &op,
                            llvm::ArrayRef<Tracked> operands) {
  return llvm::TypeSwitch<mlir::Operation *, Tracked>(&op)
      .Case([&](te::ConstantOp constantOp) {
        return constant(mlir::cast<mlir::TypedAttr>(constantOp.getValue()));
      })
      .Case([&](mlir::arith::ConstantOp constantOp) {
        return constant(constantOp.getValue());
      })
      .Case([&](te::ToFloatOp toFloat) -> Tracked {
        return {floats.fromInteger(scalarTypeOf(toFloat.getType()),
                                   operands[0].value),
                errors.errorOf(operands[0].error)};
      })
      .Case([&](te::CastOp castOp) { return cast(castOp, operands[0]); })
      .Case([&](te::BitsOp bits) { return bitsOf(bits, operands[0]); })
      .Case([&](te::UnaryOp unaryOp) {
        return unary(unaryOp, scalarTypeOf(unaryOp.getType()), operands[0]);
      })
      .Case([&](te::BinaryOp binaryOp) {
        return binary(binaryOp.getKind(), scalarTypeOf(binaryOp.getType()),
                      operands[0], operands[1]);
      })
      .Case([&](te::FmaOp fmaOp) {
        return fma(scalarTypeOf(fmaOp.getType()), operands[0], operands[1],
                   operands[2]);
      })
      .Case([&](te::CompareOp compareOp) {
        return compare(compareOp, operands[0], operands[1]);
      })
      .Case([&](te::LogicOp logic) -> Tracked {
        llvm::SmallVector<Tracked, 2> unified(operands);
        unify(unified);
        Value *x = unified[0].value, *y = unified[1].value;
        return {logic.getKind() == te::LogicKind::And ? b.CreateAnd(x, y)
                                                      : b.CreateOr(x, y),
                errors.either(unified[0].error, unified[1].error)};
      })
      .Case([&](te::NotOp) -> Tracked {
        return {b.CreateNot(operands[0].value), operands[0].error};
      })
      .Case([&](te::SelectOp) {
        return select(operands[0], operands[1], operands[2]);
      })
      .Case([&](mlir::arith::SelectOp) {
        return select(operands[0], operands[1], operands[2]);
      })
      .Default([&](mlir::Operation *) { return integerOp(op, operands); });
}
