//===- ExpandFunctions.cpp - accuracies, and portable functions -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f32 and f64 are expanded in their own type. f16 and bf16 are computed in f32
// and cast: within 0.501 ulp of the exact value.
//
//===----------------------------------------------------------------------===//

#include "passes/te/Passes.h"
#include "passes/te/PortableFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
  using Bool = Value;

  OpBuilder builder;
  Location loc;
  Type floatType;
  Type intType;

  explicit TeOps(UnaryOp at, Type floatType)
      : builder(at), loc(at.getLoc()), floatType(floatType),
        intType(builder.getIntegerType(floatType.getIntOrFloatBitWidth())) {}

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
  Float sqrt(Float a) {
    return UnaryOp::create(builder, loc, UnaryKind::Sqrt, Accuracy::Unset, a);
  }

  Bool less(Float a, Float b) {
    return CompareOp::create(builder, loc, CompareKind::Lt, a, b);
  }
  Bool equal(Float a, Float b) {
    return CompareOp::create(builder, loc, CompareKind::Eq, a, b);
  }
  Float select(Bool condition, Float a, Float b) {
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

static void expand(UnaryOp op) {
  OpBuilder builder(op);
  Value value = op.getValue();
  Type type = op.getType();
  if (type.isF64()) {
    value = expandIn<portable::PortableF64>(op, type, value);
  } else if (type.isF32()) {
    value = expandIn<portable::PortableF32>(op, type, value);
  } else {
    Type f32 = builder.getF32Type();
    value = CastOp::create(builder, op.getLoc(), f32, value);
    value = expandIn<portable::PortableF32>(op, f32, value);
    value = CastOp::create(builder, op.getLoc(), type, value);
  }
  op.getResult().replaceAllUsesWith(value);
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
      if (op.getAccuracy() == Accuracy::Portable || op.getType().isF64())
        expand(op);
    }
  }
};
} // namespace
