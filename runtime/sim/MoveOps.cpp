//===- MoveOps.cpp - moves and selections ---------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.9 (mov) and 9.7.6 (selp, slct).
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneOps.h"

using namespace girih;
using namespace girih::sim;

namespace {

// mov ------------------------------------------------------------------------

template <typename W>
Outcome move(Context &context, const Instruction &instruction, uint32_t mask) {
  const W *in = laneWords<W>(context, instruction.sources[0]);
  W *out = laneWords<W>(context, instruction.results[0]);
  if (mask == kAllLanes)
    std::memmove(out, in, kLanes * sizeof(W));
  else
    writeLanes(out, mask, [&](unsigned lane) { return in[lane]; });
  return Outcome::Next;
}

Outcome move128(Context &context, const Instruction &instruction,
                uint32_t mask) {
  const uint64_t *in = context.lanes64(instruction.sources[0]);
  uint64_t *out = context.lanes64(instruction.results[0]);
  forLanes(mask, [&](unsigned lane) {
    out[2 * lane] = in[2 * lane];
    out[2 * lane + 1] = in[2 * lane + 1];
  });
  return Outcome::Next;
}

/// Instruction::variant is 1 where the source is negated.
Outcome movePredicate(Context &context, const Instruction &instruction,
                      uint32_t mask) {
  uint32_t word = context.predicate(instruction.sources[0]);
  writePredicate(context, instruction.results[0], mask,
                 instruction.variant ? ~word : word);
  return Outcome::Next;
}

// Vectors. Element i of a pack or unpack is bits [i * w, (i + 1) * w) of the
// whole, with w the elements' width.

/// Two halves of a word of 32 or 64 bits, the usual cases.
template <typename W>
Outcome packTwo(Context &context, const Instruction &instruction,
                uint32_t mask) {
  constexpr unsigned width = 4 * sizeof(W);
  const uint32_t *low = context.lanes32(instruction.sources[0]);
  const uint32_t *high = context.lanes32(instruction.sources[1]);
  writeLanes(
      laneWords<W>(context, instruction.results[0]), mask,
      [&](unsigned lane) { return W(low[lane]) | W(high[lane]) << width; });
  return Outcome::Next;
}

template <typename W>
Outcome unpackTwo(Context &context, const Instruction &instruction,
                  uint32_t mask) {
  constexpr unsigned width = 4 * sizeof(W);
  const W *in = laneWords<W>(context, instruction.sources[0]);
  writeLanes(context.lanes32(instruction.results[0]), mask, [&](unsigned lane) {
    return uint32_t(in[lane]) & uint32_t((uint64_t(1) << width) - 1);
  });
  writeLanes(context.lanes32(instruction.results[1]), mask,
             [&](unsigned lane) { return uint32_t(in[lane] >> width); });
  return Outcome::Next;
}

Outcome pack(Context &context, const Instruction &instruction, uint32_t mask) {
  const Slot &whole = instruction.results[0];
  unsigned width = instruction.sources[0].bits;
  forLanes(mask, [&](unsigned lane) {
    uint64_t words[2] = {0, 0};
    unsigned at = 0;
    for (const Slot &element : instruction.sources) {
      words[at / 64] |= context.get(element, lane) << (at % 64);
      at += width;
    }
    if (whole.bits == 128)
      std::memcpy(context.lanes64(whole) + 2 * lane, words, 16);
    else
      context.set(whole, lane, words[0]);
  });
  return Outcome::Next;
}

/// Instruction::variant is the elements' width.
Outcome unpack(Context &context, const Instruction &instruction,
               uint32_t mask) {
  const Slot &whole = instruction.sources[0];
  unsigned width = instruction.variant;
  forLanes(mask, [&](unsigned lane) {
    uint64_t words[2] = {0, 0};
    if (whole.bits == 128)
      std::memcpy(words, context.lanes64(whole) + 2 * lane, 16);
    else
      words[0] = context.get(whole, lane);
    unsigned at = 0;
    for (const Slot &element : instruction.results) {
      context.set(element, lane, words[at / 64] >> (at % 64));
      at += width;
    }
  });
  return Outcome::Next;
}

/// The type of `count` elements that make up a vector of `type`.
Result<Type> elementType(Decoder &d, Type type, size_t count) {
  unsigned bits = bitsOf(type);
  if ((count == 2 || count == 4 || count == 8) && bits / count >= 8)
    switch (bits / count) {
    case 8:
      return Type::B8;
    case 16:
      return Type::B16;
    case 32:
      return Type::B32;
    default:
      return Type::B64;
    }
  return d.fail("a vector of " + std::to_string(count) +
                " elements does not make up type ." +
                std::string(nameOf(type)));
}

bool holdsVector(Type type) { return isBits(type) || type == Type::B128; }

Status decodePack(Decoder &d, Type type) {
  const std::vector<SyntaxOperand> &elements =
      d.statement().operands[1].elements;
  Result<Type> element = elementType(d, type, elements.size());
  if (!element)
    return Failure{element.message()};
  if (Status status = realResult(d, 0, type); !status)
    return status;
  for (const SyntaxOperand &operand : elements)
    if (Result<unsigned> source = d.source(operand, *element); !source)
      return Failure{source.message()};
  bool isTwo = elements.size() == 2;
  d.instruction().execute = isTwo && type == Type::B32   ? packTwo<uint32_t>
                            : isTwo && type == Type::B64 ? packTwo<uint64_t>
                                                         : pack;
  return {};
}

Status decodeUnpack(Decoder &d, Type type) {
  const std::vector<SyntaxOperand> &elements =
      d.statement().operands[0].elements;
  Result<Type> element = elementType(d, type, elements.size());
  if (!element)
    return Failure{element.message()};
  bool hasSink = false, hasRegister = false;
  for (const SyntaxOperand &operand : elements) {
    bool isSink = operand.kind == SyntaxOperand::Kind::Sink;
    (isSink ? hasSink : hasRegister) = true;
    if (Result<unsigned> result = d.result(operand, *element); !result)
      return Failure{result.message()};
  }
  if (!hasRegister)
    return d.fail("at least one element must be a register");
  if (Result<unsigned> source = d.source(1, type); !source)
    return Failure{source.message()};
  bool isTwo = elements.size() == 2 && !hasSink;
  d.instruction().variant = bitsOf(*element);
  d.instruction().execute = isTwo && type == Type::B32   ? unpackTwo<uint32_t>
                            : isTwo && type == Type::B64 ? unpackTwo<uint64_t>
                                                         : unpack;
  return {};
}

Status decodeMovePredicate(Decoder &d) {
  bool negated = false;
  if (Status status = realResult(d, 0, Type::Pred); !status)
    return status;
  if (Result<unsigned> source = d.predicateSource(1, &negated); !source)
    return Failure{source.message()};
  d.instruction().variant = negated;
  d.instruction().execute = movePredicate;
  return {};
}

Status decodeMov(Decoder &d) {
  std::optional<Type> type = d.takeType();
  if (!type || !(isInteger(*type) || holdsVector(*type) || *type == Type::F32 ||
                 *type == Type::F64 || *type == Type::Pred))
    return d.fail("needs a type: .pred, .b16 to .b128, .u16 to .u64, .s16 to "
                  ".s64, .f32 or .f64");
  d.instruction().category = Category::Move;
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(2); !status)
    return status;
  auto isVector = [&](size_t index) {
    return d.statement().operands[index].kind == SyntaxOperand::Kind::Vector;
  };
  if ((isVector(0) || isVector(1)) && !holdsVector(*type))
    return d.fail("vectors go with types .b16, .b32, .b64 and .b128 only");
  if (isVector(0))
    return decodeUnpack(d, *type);
  if (isVector(1))
    return decodePack(d, *type);
  if (*type == Type::Pred)
    return decodeMovePredicate(d);
  unsigned bits = bitsOf(*type);
  d.instruction().execute = bits == 128  ? move128
                            : bits == 64 ? move<uint64_t>
                                         : move<uint32_t>;
  return plainOperands(d, *type, {*type});
}

// selp, slct -----------------------------------------------------------------

/// Instruction::variant is 1 where the predicate is negated.
template <typename W>
Outcome select(Context &context, const Instruction &instruction,
               uint32_t mask) {
  const W *a = laneWords<W>(context, instruction.sources[0]);
  const W *b = laneWords<W>(context, instruction.sources[1]);
  uint32_t chosen = context.predicate(instruction.sources[2]);
  chosen = instruction.variant ? ~chosen : chosen;
  writeLanes(laneWords<W>(context, instruction.results[0]), mask,
             [&](unsigned lane) {
               W first = a[lane], second = b[lane];
               return chosen & kLaneBit[lane] ? first : second;
             });
  return Outcome::Next;
}

/// Any that selp and slct can choose between.
bool isSelectable(Type type) {
  return isInteger(type) || isBits(type) || type == Type::F32 ||
         type == Type::F64;
}

Status decodeSelp(Decoder &d) {
  std::optional<Type> type = d.takeType();
  if (!type || !isSelectable(*type))
    return d.fail("needs a type: .b16 to .b64, .u16 to .u64, .s16 to .s64, "
                  ".f32 or .f64");
  Instruction &made = d.instruction();
  made.category = Category::Move;
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(4); !status)
    return status;
  if (Status status = realResult(d, 0, *type); !status)
    return status;
  for (size_t index : {1, 2})
    if (Result<unsigned> source = d.source(index, *type); !source)
      return Failure{source.message()};
  bool negated = false;
  if (Result<unsigned> source = d.predicateSource(3, &negated); !source)
    return Failure{source.message()};
  made.variant = negated;
  made.execute = bitsOf(*type) == 64 ? select<uint64_t> : select<uint32_t>;
  return {};
}

/// a where c >= 0; b where it is not, or no number.
template <bool flushes> struct ChooseBySign {
  template <typename T, typename C> static T apply(T a, T b, C c) {
    if constexpr (std::is_same_v<C, float>)
      // A negative subnormal that is flushed counts as zero.
      return c >= 0 || (flushes && c > -0x1p-126f) ? a : b;
    else
      return c >= 0 ? a : b;
  }
};

template <bool flushes, typename C> Execute chooseBySign(Type type) {
  if (bitsOf(type) == 64)
    return lanewise<ChooseBySign<flushes>, uint64_t, uint64_t, uint64_t, C>;
  return lanewise<ChooseBySign<flushes>, uint32_t, uint32_t, uint32_t, C>;
}

Status decodeSlct(Decoder &d) {
  bool flushes = d.take("ftz");
  std::optional<Type> type = d.takeType(), by = d.takeType();
  if (!type || !isSelectable(*type) || (by != Type::S32 && by != Type::F32))
    return d.fail("needs two types: what it selects, then .s32 or .f32");
  if (flushes && by != Type::F32)
    return d.fail(".ftz goes with .f32 as the second type only");
  Instruction &made = d.instruction();
  made.category = Category::Move;
  made.execute = by == Type::S32 ? chooseBySign<false, int32_t>(*type)
                 : flushes       ? chooseBySign<true, float>(*type)
                                 : chooseBySign<false, float>(*type);
  return plainOperands(d, *type, {*type, *type, *by});
}

const OpcodeRow kRows[] = {
    {"mov", decodeMov},
    {"selp", decodeSelp},
    {"slct", decodeSlct},
};

} // namespace

const std::span<const OpcodeRow> sim::kMoveRows = kRows;
