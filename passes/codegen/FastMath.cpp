//===- FastMath.cpp - functions by the hardware's own units ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/FastMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace girih::codegen {

namespace {

/// log2(e) and ln(2): the nearest f32, and the rest of log2(e) in f32.
constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLog2ERest = 0x1.4ae0cp-26f;
constexpr float kLn2 = 0x1.62e43p-1f;

/// Emits f32 ops at one place.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(float value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getF32Type(),
                                    builder.getF32FloatAttr(value));
  }
  Value mul(Value a, Value b) {
    return LLVM::FMulOp::create(builder, loc, a, b);
  }
  Value fma(Value a, Value b, Value c) {
    return LLVM::FMAOp::create(builder, loc, a, b, c);
  }
  Value neg(Value a) { return LLVM::FNegOp::create(builder, loc, a); }

  Value intrinsic(StringRef name, Value x) {
    return LLVM::CallIntrinsicOp::create(builder, loc, builder.getF32Type(),
                                         builder.getStringAttr(name),
                                         ValueRange{x})
        .getResult(0);
  }

  /// An instruction LLVM would only select for a fast-math flag. The flag
  /// would also let LLVM merge neighbours (1 / sqrt(x) into rsqrt.approx) and
  /// fold constants by the host's libm, giving bits the device would not.
  Value instruction(const std::string &name, Value x) {
    return LLVM::InlineAsmOp::create(
               builder, loc, builder.getF32Type(), ValueRange{x},
               StringRef(name + " $0, $1;"), StringRef("=f,f"),
               /*has_side_effects=*/false, /*is_align_stack=*/false,
               LLVM::tailcallkind::TailCallKind::None,
               /*asm_dialect=*/LLVM::AsmDialectAttr(),
               /*operand_attrs=*/ArrayAttr())
        .getResult(0);
  }

  Value exp(Value x);

private:
  OpBuilder &builder;
  Location loc;
};

} // namespace

/// ex2 of a rounded x * log2(e) alone loses up to 64 ulp at -87, since the
/// product's rounding error becomes a relative error of the result. So the
/// error is kept: x * log2(e) = hi + lo, |lo| < 2^-16 where ex2(hi) is finite
/// and not zero, and 2^lo = 1 + lo * ln(2) up to 2^-34. What is left: the error
/// of ex2 (2.2 ulp), one rounding of the last fma, and less than 2^-9 ulp from
/// lo's own roundings and the dropped square.
///
/// The argument is brought between -104, where ex2 gives 0 already, and the
/// smallest number whose exp is no f32. There hi is 128, ex2(hi) inf and lo
/// more than 0, so that inf + inf * lo is inf; all smaller ones have hi < 128.
/// A NaN passes both. Results below 2^-126 are 0, which the bound allows.
Value Emitter::exp(Value x) {
  Value log2e = constant(kLog2E);
  x = LLVM::MaximumOp::create(builder, loc, x, constant(-104.0f));
  x = LLVM::MinimumOp::create(builder, loc, x, constant(0x1.62e430p6f));
  Value hi = mul(x, log2e);
  Value lo = fma(x, log2e, neg(hi));
  lo = fma(x, constant(kLog2ERest), lo);
  Value power = intrinsic("llvm.nvvm.ex2.approx.ftz.f32", hi);
  return fma(power, mul(lo, constant(kLn2)), power);
}

Value emitFast(OpBuilder &builder, FastFunction function, Value x,
               Location loc) {
  Emitter emit(builder, loc);
  switch (function) {
  case FastFunction::Exp:
    return emit.exp(x);
  case FastFunction::Exp2:
    return emit.intrinsic("llvm.nvvm.ex2.approx.f32", x);
  case FastFunction::Log:
    return emit.mul(emit.intrinsic("llvm.nvvm.lg2.approx.f", x),
                    emit.constant(kLn2));
  case FastFunction::Log2:
    return emit.intrinsic("llvm.nvvm.lg2.approx.f", x);
  case FastFunction::Tanh:
    return emit.instruction("tanh.approx.f32", x);
  case FastFunction::Rsqrt:
    return emit.intrinsic("llvm.nvvm.rsqrt.approx.f", x);
  case FastFunction::Rcp:
    return emit.instruction("rcp.approx.f32", x);
  }
  llvm_unreachable("no such function");
}

} // namespace girih::codegen
