//===- FloatSoft.cpp - instructions by arithmetic in integers -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/FloatSoft.h"

#include "runtime/sim/FloatMath.h"

using namespace girih;
using namespace girih::sim;

using arith::floatFromBits;

namespace {

/// Instruction::variant of `soft`.
struct SoftVariant {
  Operation operation;
  Rounding rounding;
  uint8_t flags; ///< FloatFlag
  uint8_t unused = 0;
};

uint64_t evaluate(const FloatFormat &format, SoftVariant how,
                  const uint64_t *in) {
  bool ftz = how.flags & kFtz;
  uint64_t one = uint64_t(format.bias()) << format.fractionBits;
  switch (how.operation) {
  case Operation::Add:
    return softAdd(format, in[0], in[1], how.rounding, ftz);
  case Operation::Sub:
    return softAdd(format, in[0], in[1] ^ format.sign(), how.rounding, ftz);
  case Operation::Mul:
    return softMul(format, in[0], in[1], how.rounding, ftz);
  case Operation::Fma:
    return softFma(format, in[0], in[1], in[2], how.rounding, ftz);
  case Operation::Div:
    return softDiv(format, in[0], in[1], how.rounding, ftz);
  case Operation::Rcp:
    return softDiv(format, one, in[0], how.rounding, ftz);
  case Operation::Sqrt:
    return softSqrt(format, in[0], how.rounding, ftz);
  }
  return format.nan;
}

/// The NaN of an operation of f64 that gives one: which operand's, FloatOps.cpp
/// says.
uint64_t nanOfF64(Operation operation, const uint64_t *in) {
  auto first = [](std::initializer_list<uint64_t> operands) {
    for (uint64_t operand : operands)
      if (kFormatF64.isNan(operand))
        return operand | kQuietF64;
    return kFormatF64.nan;
  };
  switch (operation) {
  case Operation::Add:
  case Operation::Sub:
  case Operation::Mul:
    return first({in[1], in[0]});
  case Operation::Fma:
    return first({in[1], in[2], in[0]});
  case Operation::Div:
    return first({in[0], in[1]});
  default: // one operand
    return first({in[0]});
  }
}

} // namespace

Outcome sim::soft(Context &context, const Instruction &instruction,
                  uint32_t mask) {
  SoftVariant how = std::bit_cast<SoftVariant>(instruction.variant);
  bool isF64 = instruction.type == Type::F64;
  bool isPair = instruction.type == Type::F32x2;
  const FloatFormat &format = isF64 ? kFormatF64 : kFormatF32;
  forLanes(mask, [&](unsigned lane) {
    uint64_t in[3], low[3], high[3];
    for (size_t i = 0; i < instruction.sources.size() && i < 3; ++i) {
      in[i] = context.get(instruction.sources[i], lane);
      low[i] = uint32_t(in[i]);
      high[i] = in[i] >> 32;
    }
    uint64_t value = evaluate(format, how, isPair ? low : in);
    if (isF64 && format.isNan(value))
      value = nanOfF64(how.operation, in);
    if (isPair)
      value |= evaluate(format, how, high) << 32;
    if (how.flags & kSat)
      value = arith::bitsOf(saturated(floatFromBits(uint32_t(value))));
    context.set(instruction.results[0], lane, value);
  });
  return Outcome::Next;
}

void sim::setSoft(Instruction &made, Operation operation, Type type,
                  const FloatModifiers &modifiers) {
  made.type = type;
  made.execute = soft;
  made.variant = std::bit_cast<uint32_t>(SoftVariant{
      operation, modifiers.rounding, uint8_t(modifiers.flags & (kFtz | kSat))});
}
