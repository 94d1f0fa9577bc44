//===- ExpandFunctions.cpp - accuracies, and portable functions -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f32 and f64 are expanded in their own type. f16 and bf16 are computed in f32
// and cast: within 0.501 ulp of the exact value. Numbers on a grid are exact in
// either; Philox is integer arithmetic.
//
//===----------------------------------------------------------------------===//

#include "passes/te/Passes.h"
#include "passes/te/PortablePower.h"
#include "passes/te/PortableRandom.h"
#include "passes/te/PortableTrig.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace girih::te;

namespace girih::te {
#define GEN_PASS_DEF_EXPANDFUNCTIONS
#include "passes/te/Passes.h.inc"
} // namespace girih::te

namespace {

/// Builds te ops for the sequences of PortableFunctions.h.
template <typename FormatT> struct TeOps {
  using Format = FormatT;
  using Float = Value;
  using Int = Value;
  using Long = Value;
  using Bool = Value;

  OpBuilder builder;
  Location loc;
  Type floatType;
  Type intType;
  Type longType;

  explicit TeOps(Operation *at, Type floatType)
      : builder(at), loc(at->getLoc()), floatType(floatType),
        intType(builder.getIntegerType(floatType.getIntOrFloatBitWidth())),
        longType(builder.getI64Type()) {}

  Float constant(double value) {
    return ConstantOp::create(builder, loc,
                              TypedAttr(FloatAttr::get(floatType, value)));
  }
  Int integer(int64_t value) {
    return arith::ConstantOp::create(
        builder, loc, TypedAttr(IntegerAttr::get(intType, value)));
  }

  Float binary(BinaryKind kind, Float a, Float b) {
    return BinaryOp::create(builder, loc, kind, a, b);
  }
  Float add(Float a, Float b) { return binary(BinaryKind::Add, a, b); }
  Float sub(Float a, Float b) { return binary(BinaryKind::Sub, a, b); }
  Float mul(Float a, Float b) { return binary(BinaryKind::Mul, a, b); }
  Float div(Float a, Float b) { return binary(BinaryKind::Div, a, b); }
  Float min(Float a, Float b) { return binary(BinaryKind::Min, a, b); }
  Float max(Float a, Float b) { return binary(BinaryKind::Max, a, b); }
  Float fma(Float a, Float b, Float c) {
    return FmaOp::create(builder, loc, a, b, c);
  }
  Float unary(UnaryKind kind, Float a) {
    return UnaryOp::create(builder, loc, kind, Accuracy::Unset, a);
  }
  Float sqrt(Float a) { return unary(UnaryKind::Sqrt, a); }
  Float trunc(Float a) { return unary(UnaryKind::Trunc, a); }
  Float round(Float a) { return unary(UnaryKind::Round, a); }
  Float abs(Float a) { return unary(UnaryKind::Abs, a); }

  Bool less(Float a, Float b) {
    return CompareOp::create(builder, loc, CompareKind::Lt, a, b);
  }
  Bool equal(Float a, Float b) {
    return CompareOp::create(builder, loc, CompareKind::Eq, a, b);
  }
  Bool lessLong(Long a, Long b) { return less(a, b); }
  Bool logicAnd(Bool a, Bool b) {
    return LogicOp::create(builder, loc, LogicKind::And, a, b);
  }
  Value select(Bool condition, Value a, Value b) {
    return SelectOp::create(builder, loc, condition, a, b);
  }

  Int toIntBits(Float a) { return BitsOp::create(builder, loc, intType, a); }
  Float toFloatBits(Int a) {
    return BitsOp::create(builder, loc, floatType, a);
  }
  Float convertInt(Int a) {
    return ToFloatOp::create(builder, loc, floatType, a);
  }
  Int addInt(Int a, Int b) { return arith::AddIOp::create(builder, loc, a, b); }
  Int subInt(Int a, Int b) { return arith::SubIOp::create(builder, loc, a, b); }
  Int andInt(Int a, Int b) { return arith::AndIOp::create(builder, loc, a, b); }
  Int orInt(Int a, Int b) { return arith::OrIOp::create(builder, loc, a, b); }
  Int shiftLeft(Int a, Int b) {
    return arith::ShLIOp::create(builder, loc, a, b);
  }
  Int shiftRight(Int a, Int b) {
    return arith::ShRSIOp::create(builder, loc, a, b);
  }
  Int xorInt(Int a, Int b) { return binary(BinaryKind::Xor, a, b); }

  Long longInteger(int64_t value) {
    return arith::ConstantOp::create(
        builder, loc, TypedAttr(IntegerAttr::get(longType, value)));
  }
  Value cast(Value a, Type type) {
    if (a.getType() == type)
      return a;
    return CastOp::create(builder, loc, type, a);
  }
  Type unsignedOf(Type type) {
    return builder.getIntegerType(type.getIntOrFloatBitWidth(),
                                  /*isSigned=*/false);
  }
  Long widen(Int a) {
    if (a.getType() == longType)
      return a;
    return cast(cast(a, unsignedOf(a.getType())), longType);
  }
  Int narrow(Long a) { return cast(a, intType); }
  Long truncate(Float a) { return cast(a, longType); }
  Float convertLong(Long a) {
    return ToFloatOp::create(builder, loc, floatType, a);
  }
  Long addLong(Long a, Long b) { return addInt(a, b); }
  Long subLong(Long a, Long b) { return subInt(a, b); }
  Long mulLong(Long a, Long b) { return binary(BinaryKind::Mul, a, b); }
  Long andLong(Long a, Long b) { return andInt(a, b); }
  Long orLong(Long a, Long b) { return orInt(a, b); }
  Long xorLong(Long a, Long b) { return xorInt(a, b); }
  Long shiftLeftLong(Long a, Long b) { return binary(BinaryKind::Shl, a, b); }
  Long shiftRightLong(Long a, Long b) {
    Type type = unsignedOf(longType);
    return cast(binary(BinaryKind::Shr, cast(a, type), cast(b, type)),
                longType);
  }
};

} // namespace

template <typename Format>
static Value expandIn(UnaryOp op, Type type, Value value) {
  TeOps<Format> ops(op, type);
  switch (op.getKind()) {
  case UnaryKind::Exp:
    return portable::exp(ops, value);
  case UnaryKind::Exp2:
    return portable::exp2(ops, value);
  case UnaryKind::Log:
    return portable::log(ops, value);
  case UnaryKind::Log2:
    return portable::log2(ops, value);
  case UnaryKind::Tanh:
    return portable::tanh(ops, value);
  case UnaryKind::Rsqrt:
    return portable::rsqrt(ops, value);
  case UnaryKind::Rcp:
    return portable::rcp(ops, value);
  case UnaryKind::Sin:
    return portable::sin(ops, value);
  case UnaryKind::Cos:
    return portable::cos(ops, value);
  case UnaryKind::Erf:
    return portable::erf(ops, value);
  case UnaryKind::Neg:
  case UnaryKind::Abs:
  case UnaryKind::Sqrt:
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::Round:
  case UnaryKind::Trunc:
  case UnaryKind::Tf32:
    break;
  }
  llvm_unreachable("exact everywhere: nothing to expand");
}

template <typename Format>
static Value expandIn(PowOp op, Type type, Value base, Value exponent) {
  TeOps<Format> ops(op, type);
  return portable::pow(ops, base, exponent);
}

/// value * 2^exponent in two steps, since the power may lie outside the format;
/// exact where the result is.
template <typename Ops>
static Value scaled(Ops &ops, Value value, int exponent) {
  int half = exponent / 2;
  if (half != 0)
    value = ops.mul(value, ops.constant(std::ldexp(1.0, half)));
  return ops.mul(value, ops.constant(std::ldexp(1.0, exponent - half)));
}

/// From 2^(m - digits) on, m the fraction bits of the format, every number is a
/// multiple of 2^-digits. Below, value * 2^digits is exact unless it is so
/// small that it rounds to 0 either way.
template <typename Format>
static Value expandIn(OnGridOp op, Type type, Value value) {
  TeOps<Format> ops(op, type);
  const int digits = op.getDigits();
  Value rounded = scaled(ops, ops.round(scaled(ops, value, digits)), -digits);
  Value coarse =
      ops.less(ops.abs(value),
               ops.constant(std::ldexp(1.0, Format::kMantissaBits - digits)));
  return ops.select(coarse, rounded, value);
}

/// Puts the expansion of `op` in its place: f64 in f64, else in f32.
template <typename OpT> static void expand(OpT op) {
  OpBuilder builder(op);
  Type type = op.getType();
  Type computed = type.isF64() ? type : builder.getF32Type();
  SmallVector<Value, 2> operands;
  for (Value operand : op->getOperands()) {
    if (type != computed)
      operand = CastOp::create(builder, op.getLoc(), computed, operand);
    operands.push_back(operand);
  }
  auto in = [&](auto format) -> Value {
    using Format = decltype(format);
    if constexpr (std::is_same_v<OpT, PowOp>)
      return expandIn<Format>(op, computed, operands[0], operands[1]);
    else
      return expandIn<Format>(op, computed, operands[0]);
  };
  Value value =
      type.isF64() ? in(portable::PortableF64()) : in(portable::PortableF32());
  if (type != computed)
    value = CastOp::create(builder, op.getLoc(), type, value);
  op.getResult().replaceAllUsesWith(value);
  op.erase();
}

static void expandPhilox(PhiloxOp op) {
  OpBuilder builder(op);
  TeOps<portable::PortableF64> ops(op, builder.getF64Type());
  Value word =
      portable::philoxWord(ops, op.getSeed(), op.getCounter(), op.getWord());
  op.getResult().replaceAllUsesWith(ops.cast(word, op.getType()));
  op.erase();
}

namespace {
struct ExpandFunctionsPass
    : girih::te::impl::ExpandFunctionsBase<ExpandFunctionsPass> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    Accuracy byDefault = func.getFunctions() == Accuracy::Unset
                             ? Accuracy::Fast
                             : func.getFunctions();
    SmallVector<UnaryOp> functions;
    func.walk([&](UnaryOp op) {
      if (op.hasAccuracy())
        functions.push_back(op);
    });
    for (UnaryOp op : functions) {
      if (op.getAccuracy() == Accuracy::Unset)
        op.setAccuracy(byDefault);
      // No unit of the hardware is as wide as f64: portable is all there is.
      if (op.getAccuracy() == Accuracy::Portable || op.getType().isF64() ||
          op.isAlwaysPortable())
        expand(op);
    }
    SmallVector<Operation *> others;
    func.walk([&](Operation *op) {
      if (isa<PowOp, OnGridOp, PhiloxOp>(op))
        others.push_back(op);
    });
    for (Operation *op : others)
      TypeSwitch<Operation *>(op)
          .Case([](PowOp pow) { expand(pow); })
          .Case([](OnGridOp onGrid) { expand(onGrid); })
          .Case([](PhiloxOp philox) { expandPhilox(philox); });
  }
};
} // namespace
