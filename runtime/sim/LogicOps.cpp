//===- LogicOps.cpp - logic and shifts ------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.8.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneOps.h"

#include <algorithm>

using namespace girih;
using namespace girih::sim;

namespace {

template <typename T> constexpr unsigned kBits = 8 * sizeof(T);

// Logic ----------------------------------------------------------------------

struct And {
  template <typename T> static T apply(T a, T b) { return T(a & b); }
};
struct Or {
  template <typename T> static T apply(T a, T b) { return T(a | b); }
};
struct Xor {
  template <typename T> static T apply(T a, T b) { return T(a ^ b); }
};
struct Not {
  template <typename T> static T apply(T a) { return T(~a); }
};
/// C's `!`.
struct LogicalNot {
  template <typename T> static T apply(T a) { return a == 0; }
};

// Bits of Instruction::variant: a predicate operand that is negated.
constexpr uint32_t kNegatedA = 1;
constexpr uint32_t kNegatedB = 2;

template <typename Op>
Outcome predicateLogic(Context &context, const Instruction &instruction,
                       uint32_t mask) {
  uint32_t a = context.predicate(instruction.sources[0]);
  uint32_t b = context.predicate(instruction.sources[1]);
  a = instruction.variant & kNegatedA ? ~a : a;
  b = instruction.variant & kNegatedB ? ~b : b;
  writePredicate(context, instruction.results[0], mask, Op::apply(a, b));
  return Outcome::Next;
}

Outcome predicateNot(Context &context, const Instruction &instruction,
                     uint32_t mask) {
  uint32_t a = context.predicate(instruction.sources[0]);
  a = instruction.variant & kNegatedA ? a : ~a;
  writePredicate(context, instruction.results[0], mask, a);
  return Outcome::Next;
}

/// Result and sources that are predicates, each of which may be negated.
Status predicateOperands(Decoder &d, size_t sources) {
  d.instruction().category = Category::Move;
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(1 + sources); !status)
    return status;
  if (Status status = realResult(d, 0, Type::Pred); !status)
    return status;
  for (size_t i = 0; i < sources; ++i) {
    bool negated = false;
    Result<unsigned> source = d.predicateSource(1 + i, &negated);
    if (!source)
      return Failure{source.message()};
    if (negated)
      d.instruction().variant |= i ? kNegatedB : kNegatedA;
  }
  return {};
}

template <typename Op> Status decodeLogic(Decoder &d) {
  std::optional<Type> type = d.takeType();
  Instruction &made = d.instruction();
  if (type == Type::Pred) {
    made.execute = predicateLogic<Op>;
    return predicateOperands(d, 2);
  }
  if (!type || !isBits(*type))
    return needsType(d, ".pred, .b16, .b32 or .b64");
  made.category = Category::Integer;
  made.execute = withInteger(*type, [](auto value) -> Execute {
    using T = decltype(value);
    return lanewise<Op, T, T, T>;
  });
  return plainOperands(d, *type, {*type, *type});
}

template <typename Op> Status decodeNot(Decoder &d) {
  std::optional<Type> type = d.takeType();
  Instruction &made = d.instruction();
  if (type == Type::Pred && std::is_same_v<Op, Not>) {
    made.execute = predicateNot;
    return predicateOperands(d, 1);
  }
  if (!type || !isBits(*type))
    return needsType(d, ".b16, .b32 or .b64");
  made.category = Category::Integer;
  made.execute = withInteger(*type, [](auto value) -> Execute {
    using T = decltype(value);
    return lanewise<Op, T, T>;
  });
  return plainOperands(d, *type, {*type});
}

// Shifts ---------------------------------------------------------------------

/// Amounts from the width on shift everything out.
struct ShiftLeft {
  template <typename T> static T apply(T a, uint32_t amount) {
    LaneWord<T> word = LaneWord<T>(a);
    return amount < kBits<T> ? T(word << amount) : T(0);
  }
};
struct ShiftRight {
  template <typename T> static T apply(T a, uint32_t amount) {
    if constexpr (std::is_signed_v<T>)
      return T(a >> std::min<uint32_t>(amount, kBits<T> - 1));
    else
      return amount < kBits<T> ? T(LaneWord<T>(a) >> amount) : T(0);
  }
};

/// With an amount that is the same for all lanes, which vectorises.
template <typename Op, typename T>
Outcome shiftByConstant(Context &context, const Instruction &instruction,
                        uint32_t mask) {
  const LaneWord<T> *in = laneWords<T>(context, instruction.sources[0]);
  uint32_t amount = context.lanes32(instruction.sources[1])[0];
  writeLanes(laneWords<T>(context, instruction.results[0]), mask,
             [&](unsigned lane) {
               return toWord<T>(Op::apply(fromWord<T>(in[lane]), amount));
             });
  return Outcome::Next;
}

template <typename Op> Status decodeShift(Decoder &d) {
  std::optional<Type> type = d.takeType();
  bool isLeft = std::is_same_v<Op, ShiftLeft>;
  if (!type || !(isBits(*type) || (!isLeft && isInteger(*type))))
    return needsType(d, isLeft ? ".b16, .b32 or .b64"
                               : ".b16 to .b64, .u16 to .u64 or .s16 to .s64");
  Instruction &made = d.instruction();
  made.category = Category::Integer;
  if (Status status = plainOperands(d, *type, {*type, Type::U32}); !status)
    return status;
  bool isConstant = d.sourceSlot(1).constant;
  made.execute = withInteger(*type, [&](auto value) -> Execute {
    using T = decltype(value);
    return isConstant ? shiftByConstant<Op, T> : lanewise<Op, T, T, uint32_t>;
  });
  return {};
}

/// Of the 64 bits [b, a]: the upper or lower word after the shift.
template <bool isLeft, bool wraps> struct FunnelShift {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t n = wraps ? c & 31 : std::min(c, 32u);
    uint64_t both = uint64_t(b) << 32 | a;
    return isLeft ? uint32_t(both << n >> 32) : uint32_t(both >> n);
  }
};

Status decodeShf(Decoder &d) {
  std::optional<unsigned> direction = d.takeOneOf({"l", "r"});
  std::optional<unsigned> mode = d.takeOneOf({"clamp", "wrap"});
  if (!direction || !mode)
    return d.fail("needs .l or .r, then .clamp or .wrap");
  if (d.takeType() != Type::B32)
    return needsType(d, ".b32");
  using T = uint32_t;
  static constexpr Execute kExecute[] = {
      lanewise<FunnelShift<true, false>, T, T, T, T>,
      lanewise<FunnelShift<true, true>, T, T, T, T>,
      lanewise<FunnelShift<false, false>, T, T, T, T>,
      lanewise<FunnelShift<false, true>, T, T, T, T>};
  d.instruction().category = Category::Integer;
  d.instruction().execute = kExecute[*direction * 2 + *mode];
  return plainOperands(d, Type::B32, {Type::B32, Type::B32, Type::U32});
}

// lop3 -----------------------------------------------------------------------

/// The table's eight bits as words, of the lines with c clear and c set for
/// each of a and b.
struct Lut {
  explicit Lut(uint32_t bits) {
    for (unsigned i = 0; i < 4; ++i) {
      clear[i] = bits >> (2 * i) & 1 ? ~0u : 0;
      set[i] = bits >> (2 * i + 1) & 1 ? ~0u : 0;
    }
  }
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    auto line = [&](unsigned i) { return (set[i] & c) | (clear[i] & ~c); };
    uint32_t low = (line(1) & b) | (line(0) & ~b);
    uint32_t high = (line(3) & b) | (line(2) & ~b);
    return (high & a) | (low & ~a);
  }
  uint32_t clear[4], set[4];
};

// Instruction::variant: the table, then these.
constexpr uint32_t kLopAnd = 1 << 8;     ///< .and, else .or
constexpr uint32_t kLopNegated = 1 << 9; ///< the predicate operand

Outcome lop3(Context &context, const Instruction &instruction, uint32_t mask) {
  const uint32_t *a = context.lanes32(instruction.sources[0]);
  const uint32_t *b = context.lanes32(instruction.sources[1]);
  const uint32_t *c = context.lanes32(instruction.sources[2]);
  Lut lut(instruction.variant);
  writeLanes(context.lanes32(instruction.results[0]), mask,
             [&](unsigned lane) { return lut(a[lane], b[lane], c[lane]); });
  return Outcome::Next;
}

Outcome lop3Predicate(Context &context, const Instruction &instruction,
                      uint32_t mask) {
  const uint32_t *a = context.lanes32(instruction.sources[0]);
  const uint32_t *b = context.lanes32(instruction.sources[1]);
  const uint32_t *c = context.lanes32(instruction.sources[2]);
  Lut lut(instruction.variant);
  uint32_t nonZero = 0;
  forLanes(mask, [&](unsigned lane) {
    uint32_t value = lut(a[lane], b[lane], c[lane]);
    nonZero |= uint32_t(value != 0) << lane;
    context.set(instruction.results[0], lane, value);
  });
  uint32_t q = context.predicate(instruction.sources[3]);
  q = instruction.variant & kLopNegated ? ~q : q;
  writePredicate(context, instruction.results[1], mask,
                 instruction.variant & kLopAnd ? nonZero & q : nonZero | q);
  return Outcome::Next;
}

Status decodeLop3(Decoder &d) {
  std::optional<unsigned> combine = d.takeOneOf({"or", "and"});
  if (d.takeType() != Type::B32)
    return needsType(d, ".b32");
  Instruction &made = d.instruction();
  made.category = Category::Integer;
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(combine ? 6 : 5); !status)
    return status;
  const SyntaxOperand &first = d.statement().operands[0];
  bool isPair = first.kind == SyntaxOperand::Kind::Pair;
  if (isPair != combine.has_value())
    return d.fail("a result 'd|p' goes with .or and .and, and they with it");
  if (isPair && first.elements[1].kind == SyntaxOperand::Kind::Sink)
    return d.fail("the second result cannot be '_'");
  if (Status status = combine ? pairResult(d, 0, Type::B32, true)
                              : realResult(d, 0, Type::B32);
      !status)
    return status;
  for (size_t i = 1; i < 4; ++i)
    if (Result<unsigned> source = d.source(i, Type::B32); !source)
      return Failure{source.message()};
  Result<int64_t> table = d.immediate(4);
  if (!table)
    return Failure{table.message()};
  if (*table < 0 || *table > 255)
    return d.fail("the table must be 0 to 255, not " + std::to_string(*table));
  made.variant = uint32_t(*table);
  made.execute = combine ? lop3Predicate : lop3;
  if (!combine)
    return {};
  bool negated = false;
  if (Result<unsigned> q = d.predicateSource(5, &negated); !q)
    return Failure{q.message()};
  made.variant |= (*combine ? kLopAnd : 0) | (negated ? kLopNegated : 0);
  return {};
}

const OpcodeRow kRows[] = {
    {"and", decodeLogic<And>},
    {"or", decodeLogic<Or>},
    {"xor", decodeLogic<Xor>},
    {"not", decodeNot<Not>},
    {"cnot", decodeNot<LogicalNot>},
    {"lop3", decodeLop3},
    {"shl", decodeShift<ShiftLeft>},
    {"shr", decodeShift<ShiftRight>},
    {"shf", decodeShf},
};

} // namespace

const std::span<const OpcodeRow> sim::kLogicRows = kRows;
