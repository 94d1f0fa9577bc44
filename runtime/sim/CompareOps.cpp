//===- CompareOps.cpp - comparisons ---------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.6 and 9.7.7: set and setp, of integers and floating point.
// A table has, by what is compared and how, a function that compares all 32
// lanes and gives a bit for each; lanes that do not take part are left out when
// the bits are written.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneOps.h"

using namespace girih;
using namespace girih::sim;

namespace {

// One comparison -------------------------------------------------------------

enum class Compare : uint8_t { // as takeCompare lists them
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ, // the unordered ones: true of a NaN
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};
constexpr unsigned kIntegerCompares = unsigned(Compare::Ge) + 1;
constexpr unsigned kCompares = unsigned(Compare::Nan) + 1;

template <Compare how, typename T> bool holds(T a, T b) {
  switch (how) {
  case Compare::Eq:
    return a == b;
  case Compare::Ne: // false of a NaN, unlike C's
    return std::is_integral_v<T> ? a != b : a < b || a > b;
  case Compare::Lt:
    return a < b;
  case Compare::Le:
    return a <= b;
  case Compare::Gt:
    return a > b;
  case Compare::Ge:
    return a >= b;
  case Compare::Equ:
    return !(a < b || a > b);
  case Compare::Neu:
    return a != b;
  case Compare::Ltu:
    return !(a >= b);
  case Compare::Leu:
    return !(a > b);
  case Compare::Gtu:
    return !(a <= b);
  case Compare::Geu:
    return !(a < b);
  case Compare::Num:
    return a == a && b == b;
  case Compare::Nan:
    return a != a || b != b;
  }
}

// How a lane's word becomes something to compare. Halves become floats of the
// same order: f16's bits behind a float's sign, exponents one for one. That
// makes each number smaller by a power of two and infinity finite, which no
// comparison sees.

template <typename T> struct Plain {
  using Word = LaneWord<T>;
  static T load(Word word) { return fromWord<T>(word); }
};
struct Flushed {
  using Word = uint32_t;
  static float load(uint32_t word) {
    return std::bit_cast<float>(word & 0x7f800000 ? word : word & 0x80000000);
  }
};
template <bool flushes> struct F16Order {
  using Word = uint32_t;
  static float load(uint32_t word) {
    uint32_t magnitude = word & 0x7fff;
    if (flushes)
      magnitude = magnitude < 0x0400 ? 0 : magnitude;
    uint32_t bits = magnitude > 0x7c00 ? 0x7fc00000 : magnitude << 13;
    return std::bit_cast<float>(bits | (word & 0x8000) << 16);
  }
};
struct Bf16Order {
  using Word = uint32_t;
  static float load(uint32_t word) { return std::bit_cast<float>(word << 16); }
};
template <typename Load> struct HighHalf {
  using Word = uint32_t;
  static float load(uint32_t word) { return Load::load(word >> 16); }
};

template <typename Load, Compare how>
uint32_t compareLanes(const void *first, const void *second) {
  const auto *a = static_cast<const typename Load::Word *>(first);
  const auto *b = static_cast<const typename Load::Word *>(second);
  uint32_t word = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    word |= holds<how>(Load::load(a[lane]), Load::load(b[lane]))
                ? kLaneBit[lane]
                : 0;
  return word;
}

using CompareFunction = uint32_t (*)(const void *, const void *);
using CompareRow = std::array<CompareFunction, kCompares>;

template <typename Load, size_t... how>
constexpr CompareRow rowOf(std::index_sequence<how...>) {
  return {compareLanes<Load, Compare(how)>...};
}
template <typename T> constexpr CompareRow integerRow() {
  return rowOf<Plain<T>>(std::make_index_sequence<kIntegerCompares>());
}
template <typename Load> constexpr CompareRow floatRow() {
  return rowOf<Load>(std::make_index_sequence<kCompares>());
}

enum class Operand : uint8_t { // as kTable has them
  U16,
  S16,
  U32,
  S32,
  U64,
  S64,
  F32,
  F32Flushed,
  F64,
  F16,
  F16Flushed,
  Bf16,
  // The upper halves, each three behind the lower one.
  HighF16,
  HighF16Flushed,
  HighBf16
};

constexpr CompareRow kTable[] = {
    integerRow<uint16_t>(),
    integerRow<int16_t>(),
    integerRow<uint32_t>(),
    integerRow<int32_t>(),
    integerRow<uint64_t>(),
    integerRow<int64_t>(),
    floatRow<Plain<float>>(),
    floatRow<Flushed>(),
    floatRow<Plain<double>>(),
    floatRow<F16Order<false>>(),
    floatRow<F16Order<true>>(),
    floatRow<Bf16Order>(),
    floatRow<HighHalf<F16Order<false>>>(),
    floatRow<HighHalf<F16Order<true>>>(),
    floatRow<HighHalf<Bf16Order>>(),
};

// Instructions ---------------------------------------------------------------

// Instruction::variant: Compare in bits 0 to 7, Operand in 8 to 15, Combine in
// 16 and 17, then:
constexpr uint32_t kNegated = 1 << 18; ///< the predicate operand
enum class Combine : uint8_t { None, And, Or, Xor };

uint32_t combined(Context &context, const Instruction &instruction,
                  uint32_t word) {
  Combine combine = Combine(instruction.variant >> 16 & 3);
  if (combine == Combine::None)
    return word;
  uint32_t c = context.predicate(instruction.sources[2]);
  c = instruction.variant & kNegated ? ~c : c;
  return combine == Combine::And  ? word & c
         : combine == Combine::Or ? word | c
                                  : word ^ c;
}

/// What the lanes' comparison comes to; `high` for that of the upper halves.
uint32_t compared(Context &context, const Instruction &instruction,
                  bool high = false) {
  unsigned operand = (instruction.variant >> 8 & 0xff) + (high ? 3 : 0);
  return kTable[operand][instruction.variant & 0xff](
      context.bank(instruction.sources[0]),
      context.bank(instruction.sources[1]));
}

/// `setp.cmp.type p, a, b`, what nearly all are.
Outcome setpPlain(Context &context, const Instruction &instruction,
                  uint32_t mask) {
  uint32_t word = compared(context, instruction);
  uint32_t &target = context.predicate(instruction.results[0]);
  target = (target & ~mask) | (word & mask);
  return Outcome::Next;
}

Outcome setp(Context &context, const Instruction &instruction, uint32_t mask) {
  uint32_t word = compared(context, instruction);
  uint32_t p = combined(context, instruction, word);
  uint32_t q = combined(context, instruction, ~word);
  writePredicate(context, instruction.results[0], mask, p);
  writePredicate(context, instruction.results[1], mask, q);
  return Outcome::Next;
}

Outcome setpPacked(Context &context, const Instruction &instruction,
                   uint32_t mask) {
  uint32_t p = combined(context, instruction, compared(context, instruction));
  uint32_t q =
      combined(context, instruction, compared(context, instruction, true));
  writePredicate(context, instruction.results[0], mask, p);
  writePredicate(context, instruction.results[1], mask, q);
  return Outcome::Next;
}

/// What stands for true in a half, or the whole, of a result.
uint32_t trueOf(Type type) {
  switch (type) {
  case Type::F32:
    return 0x3f800000;
  case Type::F16:
  case Type::F16x2:
    return 0x3c00;
  case Type::BF16:
  case Type::BF16x2:
    return 0x3f80;
  default:
    return ~0u;
  }
}

/// Instruction::target is what stands for true.
Outcome set(Context &context, const Instruction &instruction, uint32_t mask) {
  uint32_t word =
      combined(context, instruction, compared(context, instruction));
  writeLanes(context.lanes32(instruction.results[0]), mask, [&](unsigned lane) {
    return word & kLaneBit[lane] ? instruction.target : 0;
  });
  return Outcome::Next;
}

Outcome setPacked(Context &context, const Instruction &instruction,
                  uint32_t mask) {
  uint32_t low = combined(context, instruction, compared(context, instruction));
  uint32_t high =
      combined(context, instruction, compared(context, instruction, true));
  uint32_t isTrue = instruction.target & 0xffff;
  writeLanes(context.lanes32(instruction.results[0]), mask, [&](unsigned lane) {
    return (low & kLaneBit[lane] ? isTrue : 0) |
           (high & kLaneBit[lane] ? isTrue << 16 : 0);
  });
  return Outcome::Next;
}

// Decoding -------------------------------------------------------------------

bool isHalf(Type type) { return type == Type::F16 || type == Type::BF16; }
bool isHalfPair(Type type) {
  return type == Type::F16x2 || type == Type::BF16x2;
}

std::optional<Operand> operandOf(Type type, bool flushes) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return Operand::U16;
  case Type::S16:
    return Operand::S16;
  case Type::B32:
  case Type::U32:
    return Operand::U32;
  case Type::S32:
    return Operand::S32;
  case Type::B64:
  case Type::U64:
    return Operand::U64;
  case Type::S64:
    return Operand::S64;
  case Type::F32:
    return flushes ? Operand::F32Flushed : Operand::F32;
  case Type::F64:
    return Operand::F64;
  case Type::F16:
  case Type::F16x2:
    return flushes ? Operand::F16Flushed : Operand::F16;
  case Type::BF16:
  case Type::BF16x2:
    return Operand::Bf16;
  default:
    return std::nullopt;
  }
}

/// What stands in front of the types.
struct Modifiers {
  std::string name;
  Compare compare = Compare::Eq;
  Combine combine = Combine::None;
  bool flushes = false;
};

Result<Modifiers> takeModifiers(Decoder &d) {
  Modifiers taken;
  taken.name = d.peek();
  std::optional<unsigned> how =
      d.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu",
                   "leu", "gtu", "geu", "num", "nan", "lo", "ls", "hi", "hs"});
  if (!how)
    return d.fail("needs a comparison, such as .lt, behind its name");
  // The names for unsigned integers.
  taken.compare = *how < kCompares
                      ? Compare(*how)
                      : Compare(unsigned(Compare::Lt) + *how - kCompares);
  taken.flushes = d.take("ftz");
  if (std::optional<unsigned> combine = d.takeOneOf({"and", "or", "xor"}))
    taken.combine = Combine(1 + *combine);
  taken.flushes |= d.take("ftz");
  return taken;
}

/// Not every comparison goes with every type.
Status checkCompare(Decoder &d, const Modifiers &taken, Type type) {
  std::string_view name = taken.name;
  bool isForUnsigned =
      name == "lo" || name == "ls" || name == "hi" || name == "hs";
  bool isForFloat = unsigned(taken.compare) >= kIntegerCompares;
  bool isForAll = name == "eq" || name == "ne";
  bool fits = isFloat(type)    ? !isForUnsigned
              : isBits(type)   ? isForAll
              : isSigned(type) ? !isForUnsigned && !isForFloat
                               : !isForFloat;
  if (!fits)
    return d.fail("comparison ." + taken.name + " does not go with type ." +
                  std::string(nameOf(type)));
  bool mayFlush = type == Type::F32 || type == Type::F16 || type == Type::F16x2;
  if (taken.flushes && !mayFlush)
    return d.fail(".ftz does not go with type ." + std::string(nameOf(type)));
  return {};
}

/// The type, checked, and the variant from it. Results and operands follow.
Result<Type> takeOperandType(Decoder &d, const Modifiers &taken) {
  std::optional<Type> type = d.takeType();
  std::optional<Operand> operand;
  if (type)
    operand = operandOf(*type, taken.flushes);
  if (!operand)
    return d.fail("needs a type that can be compared, .b16 to .b64, .u16 to "
                  ".u64, .s16 to .s64, or of floating point");
  if (Status status = checkCompare(d, taken, *type); !status)
    return Failure{status.message()};
  if (Status status = d.finishModifiers(); !status)
    return Failure{status.message()};
  d.instruction().category = Category::Move;
  d.instruction().variant = uint32_t(taken.compare) | uint32_t(*operand) << 8 |
                            uint32_t(taken.combine) << 16;
  bool combines = taken.combine != Combine::None;
  size_t have = d.statement().operands.size();
  if (have == 4 && !combines)
    return d.fail("a fourth operand needs .and, .or or .xor");
  if (Status status = d.expectOperands(combines ? 4 : 3); !status)
    return Failure{status.message()};
  return *type;
}

Status takeSources(Decoder &d, const Modifiers &taken, Type type) {
  for (size_t index : {1, 2})
    if (Result<unsigned> source = d.source(index, type); !source)
      return Failure{source.message()};
  if (taken.combine == Combine::None)
    return {};
  bool negated = false;
  if (Result<unsigned> source = d.predicateSource(3, &negated); !source)
    return Failure{source.message()};
  if (negated)
    d.instruction().variant |= kNegated;
  return {};
}

Status decodeSetp(Decoder &d) {
  Result<Modifiers> taken = takeModifiers(d);
  if (!taken)
    return Failure{taken.message()};
  Result<Type> type = takeOperandType(d, *taken);
  if (!type)
    return Failure{type.message()};
  const SyntaxOperand &first = d.statement().operands[0];
  bool isPair = first.kind == SyntaxOperand::Kind::Pair;
  if (isPair && isHalf(*type))
    return d.fail("type ." + std::string(nameOf(*type)) +
                  " has one result only");
  bool isPlain =
      !isPair && !isHalfPair(*type) && taken->combine == Combine::None;
  if (Status status = isPlain ? realResult(d, 0, Type::Pred)
                              : pairResult(d, 0, Type::Pred, true);
      !status)
    return status;
  d.instruction().execute = isHalfPair(*type) ? setpPacked
                            : isPlain         ? setpPlain
                                              : setp;
  return takeSources(d, *taken, *type);
}

/// Which types a set of `from` may result in.
bool setGoesTo(Type to, Type from) {
  if (to == Type::U32 || to == Type::S32)
    return true;
  if (isHalfPair(from))
    return to == from;
  if (isHalf(from))
    return to == from || to == Type::U16 || to == Type::S16;
  return to == Type::F32 || isHalf(to);
}

Status decodeSet(Decoder &d) {
  Result<Modifiers> taken = takeModifiers(d);
  if (!taken)
    return Failure{taken.message()};
  std::optional<Type> to = d.takeType();
  if (!to)
    return d.fail("needs the result's type in front of the operands'");
  Result<Type> from = takeOperandType(d, *taken);
  if (!from)
    return Failure{from.message()};
  if (!setGoesTo(*to, *from))
    return d.fail("a comparison of type ." + std::string(nameOf(*from)) +
                  " cannot result in type ." + std::string(nameOf(*to)));
  if (Status status = realResult(d, 0, *to); !status)
    return status;
  Instruction &made = d.instruction();
  made.target = trueOf(*to);
  if (bitsOf(*to) == 16)
    made.target &= 0xffff;
  made.execute = isHalfPair(*from) ? setPacked : set;
  return takeSources(d, *taken, *from);
}

const OpcodeRow kRows[] = {
    {"set", decodeSet},
    {"setp", decodeSetp},
};

} // namespace

const std::span<const OpcodeRow> sim::kCompareRows = kRows;
