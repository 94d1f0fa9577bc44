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
  if (op.getKind() < te::UnaryKind::Exp)
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
  }
  llvm_unreachable("unknown binary operation");
}

Tracked ScalarEmitter::combine(te::ReduceKind kind, Type type, Tracked x,
                               Tracked y) {
  switch (kind) {
  case te::ReduceKind::Sum:
    return binary(te::BinaryKind::Add, type, x, y);
  case te::ReduceKind::Prod:
    return binary(te::BinaryKind::Mul, type, x, y);
  case te::ReduceKind::Max:
    return binary(te::BinaryKind::Max, type, x, y);
  case te::ReduceKind::Min:
    return binary(te::BinaryKind::Min, type, x, y);
  }
  llvm_unreachable("unknown reduction");
}

Tracked ScalarEmitter::identity(te::ReduceKind kind, Type type) {
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
  switch (op.getKind()) {
  case te::UnaryKind::Neg:
    return {b.CreateFNeg(x.value), x.error};
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
      .Case([&](te::CastOp cast) -> Tracked {
        Type from = scalarTypeOf(cast.getValue().getType());
        Type to = scalarTypeOf(cast.getType());
        Tracked x = operands[0];
        Value *r = floats.cast(from, to, x.value);
        if (!x.error)
          return {r};
        return {
            r, callHost("error_cast", to, {floats.toDouble(x.value), x.error})};
      })
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
