//===- WarpOps.cpp - lanes of a warp together -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0: shfl.sync (9.7.9.6), vote, match, redux, activemask and elect
// (9.7.13). The scheduler has brought the lanes of a member mask together: the
// lanes that carry out a .sync instruction are those of one mask.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneOps.h"

#include <algorithm>
#include <cmath>

using namespace girih;
using namespace girih::sim;

namespace {

std::string laneName(unsigned lane) { return "lane " + std::to_string(lane); }

/// Operand `index` as the member mask.
Status takeMemberMask(Decoder &d, size_t index) {
  Result<unsigned> mask = d.source(index, Type::B32);
  if (!mask)
    return Failure{mask.message()};
  d.instruction().convergence = Convergence::Member;
  d.instruction().memberMask = d.sourceSlot(*mask);
  d.instruction().category = Category::Warp;
  return {};
}

Failure needsSync(Decoder &d) {
  return d.fail("without .sync it is gone since sm_70; write " +
                d.statement().opcode + ".sync with a member mask");
}

// shfl -----------------------------------------------------------------------

enum Shuffle : uint32_t { Up, Down, Butterfly, Index };

/// The lane that `lane` reads from, and whether that is in range; its own where
/// it is not.
unsigned sourceLane(uint32_t mode, unsigned lane, uint32_t b, uint32_t c,
                    bool &inRange) {
  int offset = int(b & 31), clamp = int(c & 31), segment = int(c >> 8 & 31);
  int own = int(lane), least = own & segment;
  int most = least | (clamp & ~segment);
  int from = own;
  switch (mode) {
  case Up:
    from = own - offset;
    inRange = from >= most;
    break;
  case Down:
    from = own + offset;
    inRange = from <= most;
    break;
  case Butterfly:
    from = own ^ offset;
    inRange = from <= most;
    break;
  case Index:
    from = least | (offset & ~segment);
    inRange = from <= most;
    break;
  }
  return inRange ? unsigned(from) : lane;
}

const std::string &registerName(const Context &context, const Slot &slot) {
  return context.code().syntax->registers[size_t(slot.reg)].name;
}

/// Lanes that have written a slot.
uint32_t writtenLanes(const Context &context, const Slot &slot) {
  if (slot.reg < 0 || !context.launch.checks)
    return kAllLanes;
  return context.warp.written[size_t(slot.reg)];
}

/// An operand that each lane reads for itself.
void checkOwn(const Context &context, const Slot &slot, uint32_t mask) {
  uint32_t lanes = mask & ~writtenLanes(context, slot);
  if (lanes == 0)
    return;
  const std::string &name = registerName(context, slot);
  context.fault(FaultKind::Uninitialized, unsigned(__builtin_ctz(lanes)),
                "reads register " + name, "register " + name,
                "this thread has not written it before");
}

/// `lane` cannot read a register of lane `from`: that lane does not take part,
/// or has not written it.
void reportSource(const Context &context, const Slot &slot, unsigned lane,
                  unsigned from, bool takesPart) {
  std::string name = slot.reg < 0 ? "the value" : registerName(context, slot);
  std::string of = name + " of " + laneName(from);
  context.fault(takesPart ? FaultKind::Uninitialized : FaultKind::IllegalValue,
                lane, "reads " + of, slot.reg < 0 ? name : "register " + name,
                laneName(lane) + " reads " + of +
                    (takesPart ? ", which has not written it"
                               : ", which does not take part; lanes that are "
                                 "read must be in the member mask"));
}

/// Instruction::variant is the Shuffle.
Outcome shuffle(Context &context, const Instruction &instruction,
                uint32_t mask) {
  const Slot &value = instruction.sources[0];
  const uint32_t *b = context.lanes32(instruction.sources[1]);
  const uint32_t *c = context.lanes32(instruction.sources[2]);
  uint32_t *out = context.lanes32(instruction.results[0]);
  for (size_t i = 1; i < instruction.sources.size(); ++i)
    checkOwn(context, instruction.sources[i], mask);
  uint32_t written = writtenLanes(context, value), inRange = 0;
  uint32_t in[kLanes]; // the result may be the source
  std::memcpy(in, context.lanes32(value), sizeof in);
  forLanes(mask, [&](unsigned lane) {
    bool isIn = false;
    unsigned from =
        sourceLane(instruction.variant, lane, b[lane], c[lane], isIn);
    inRange |= uint32_t(isIn) << lane;
    bool readable = (mask & written) >> from & 1;
    if (!readable)
      reportSource(context, value, lane, from, mask >> from & 1);
    out[lane] = readable ? in[from] : 0;
  });
  writePredicate(context, instruction.results[1], mask, inRange);
  return Outcome::Next;
}

Status decodeShfl(Decoder &d) {
  if (!d.take("sync"))
    return needsSync(d);
  std::optional<unsigned> mode = d.takeOneOf({"up", "down", "bfly", "idx"});
  if (!mode || d.takeType() != Type::B32)
    return d.fail("needs .up, .down, .bfly or .idx, then type .b32");
  if (Status status = d.expectOperands(5); !status)
    return status;
  if (Status status = pairResult(d, 0, Type::B32, false); !status)
    return status;
  for (size_t index : {1, 2, 3})
    if (Result<unsigned> source = d.source(index, Type::B32); !source)
      return Failure{source.message()};
  d.instruction().checksSources = false;
  d.instruction().variant = *mode;
  d.instruction().execute = shuffle;
  return takeMemberMask(d, 4);
}

// vote -----------------------------------------------------------------------

enum Vote : uint32_t { All, Any, Uniform, Ballot };
constexpr uint32_t kVoteNegated = 4; ///< in Instruction::variant, with a Vote

Outcome vote(Context &context, const Instruction &instruction, uint32_t mask) {
  uint32_t word = context.predicate(instruction.sources[0]);
  word = instruction.variant & kVoteNegated ? ~word : word;
  uint32_t votes = word & mask;
  bool all = votes == mask, any = votes != 0;
  bool holds = false;
  switch (instruction.variant & 3) {
  case Ballot:
    writeLanes(context.lanes32(instruction.results[0]), mask,
               [&](unsigned) { return votes; });
    return Outcome::Next;
  case All:
    holds = all;
    break;
  case Any:
    holds = any;
    break;
  case Uniform:
    holds = all || !any;
    break;
  }
  writePredicate(context, instruction.results[0], mask, holds ? mask : 0);
  return Outcome::Next;
}

Status decodeVote(Decoder &d) {
  if (!d.take("sync"))
    return needsSync(d);
  std::optional<unsigned> mode = d.takeOneOf({"all", "any", "uni", "ballot"});
  if (!mode)
    return d.fail("needs .all, .any, .uni or .ballot");
  Type type = *mode == Ballot ? Type::B32 : Type::Pred;
  if (d.takeType() != type)
    return needsType(d, *mode == Ballot ? ".b32" : ".pred");
  if (Status status = d.expectOperands(3); !status)
    return status;
  if (Status status = realResult(d, 0, type); !status)
    return status;
  bool negated = false;
  if (Result<unsigned> source = d.predicateSource(1, &negated); !source)
    return Failure{source.message()};
  d.instruction().variant = *mode | (negated ? kVoteNegated : 0);
  d.instruction().execute = vote;
  return takeMemberMask(d, 2);
}

// match ----------------------------------------------------------------------

template <typename W>
Outcome matchAny(Context &context, const Instruction &instruction,
                 uint32_t mask) {
  W in[kLanes]; // the result may be the source
  std::memcpy(in, laneWords<W>(context, instruction.sources[0]), sizeof in);
  for (uint32_t rest = mask; rest;) {
    W value = in[__builtin_ctz(rest)];
    uint32_t same = 0;
    forLanes(rest, [&](unsigned lane) {
      same |= uint32_t(in[lane] == value) << lane;
    });
    writeLanes(context.lanes32(instruction.results[0]), same,
               [&](unsigned) { return same; });
    rest &= ~same;
  }
  return Outcome::Next;
}

template <typename W>
Outcome matchAll(Context &context, const Instruction &instruction,
                 uint32_t mask) {
  const W *in = laneWords<W>(context, instruction.sources[0]);
  bool same = true;
  W value = in[__builtin_ctz(mask)];
  forLanes(mask, [&](unsigned lane) { same &= in[lane] == value; });
  uint32_t result = same ? mask : 0;
  if (instruction.results[0].exists())
    writeLanes(context.lanes32(instruction.results[0]), mask,
               [&](unsigned) { return result; });
  writePredicate(context, instruction.results[1], mask, result);
  return Outcome::Next;
}

Status decodeMatch(Decoder &d) {
  // Compilers write either order.
  bool isSync = d.take("sync");
  std::optional<unsigned> mode = d.takeOneOf({"any", "all"});
  isSync |= d.take("sync");
  std::optional<Type> type = d.takeType();
  if (!mode || !isSync || (type != Type::B32 && type != Type::B64))
    return d.fail("needs .any or .all, .sync, then type .b32 or .b64");
  if (Status status = d.expectOperands(3); !status)
    return status;
  bool isAll = *mode == 1;
  if (Status status = isAll ? pairResult(d, 0, Type::B32, true)
                            : realResult(d, 0, Type::B32);
      !status)
    return status;
  if (Result<unsigned> source = d.source(1, *type); !source)
    return Failure{source.message()};
  bool isWide = type == Type::B64;
  d.instruction().execute =
      isAll ? (isWide ? matchAll<uint64_t> : matchAll<uint32_t>)
            : (isWide ? matchAny<uint64_t> : matchAny<uint32_t>);
  return takeMemberMask(d, 2);
}

// redux ----------------------------------------------------------------------

template <typename T, typename F>
void reduce(Context &context, const Instruction &instruction, uint32_t mask,
            F combine) {
  const uint32_t *in = context.lanes32(instruction.sources[0]);
  T value = fromWord<T>(in[__builtin_ctz(mask)]);
  forLanes(mask & (mask - 1), [&](unsigned lane) {
    value = combine(value, fromWord<T>(in[lane]));
  });
  writeLanes(context.lanes32(instruction.results[0]), mask,
             [&](unsigned) { return toWord<T>(value); });
}

enum Reduction : uint32_t { Add, Min, Max, And, Or, Xor };

/// Of sums and logic, on which signs have no influence, and extrema of T.
template <typename T>
Outcome reduceInteger(Context &context, const Instruction &instruction,
                      uint32_t mask) {
  using U = uint32_t;
  auto run = [&](auto combine) {
    reduce<T>(context, instruction, mask, combine);
  };
  switch (instruction.variant) {
  case Add:
    run([](T a, T b) { return T(U(a) + U(b)); });
    break;
  case Min:
    run([](T a, T b) { return std::min(a, b); });
    break;
  case Max:
    run([](T a, T b) { return std::max(a, b); });
    break;
  case And:
    run([](T a, T b) { return T(a & b); });
    break;
  case Or:
    run([](T a, T b) { return T(a | b); });
    break;
  default:
    run([](T a, T b) { return T(a ^ b); });
    break;
  }
  return Outcome::Next;
}

// Flags beside a Reduction in Instruction::variant.
constexpr uint32_t kReduceAbsolute = 8;
constexpr uint32_t kReduceNan = 16; ///< one NaN makes the result one

/// -0 counts as less than +0.
bool isLess(float a, float b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

Outcome reduceFloat(Context &context, const Instruction &instruction,
                    uint32_t mask) {
  const uint32_t *in = context.lanes32(instruction.sources[0]);
  uint32_t flags = instruction.variant;
  bool isMin = (flags & 7) == Min, hasNan = false;
  std::optional<float> best;
  forLanes(mask, [&](unsigned lane) {
    float value = std::bit_cast<float>(in[lane]);
    value = flags & kReduceAbsolute ? std::fabs(value) : value;
    if (std::isnan(value))
      hasNan = true;
    else if (!best || (isMin ? isLess(value, *best) : isLess(*best, value)))
      best = value;
  });
  bool isNan = !best || (hasNan && flags & kReduceNan);
  uint32_t word = isNan ? 0x7fffffff : std::bit_cast<uint32_t>(*best);
  writeLanes(context.lanes32(instruction.results[0]), mask,
             [&](unsigned) { return word; });
  return Outcome::Next;
}

/// The number of `sm_90a`.
unsigned targetNumber(Decoder &d) {
  const std::string &target = d.kernel().module->target;
  unsigned number = 0;
  for (char c : target)
    if (c >= '0' && c <= '9')
      number = number * 10 + unsigned(c - '0');
  return number;
}

Status checkReduction(Decoder &d, uint32_t operation, Type type) {
  bool isLogic = operation >= And;
  bool isExtremum = operation == Min || operation == Max;
  bool fits = isLogic ? type == Type::B32
                      : type == Type::U32 || type == Type::S32 ||
                            (isExtremum && type == Type::F32);
  if (!fits)
    return d.fail(isLogic ? "takes type .b32"
                          : "takes type .u32 or .s32 (for .min and .max also "
                            ".f32)");
  if (type == Type::F32 && targetNumber(d) < 100)
    return d.fail("type .f32 needs sm_100a; the module's target is " +
                  d.kernel().module->target);
  return {};
}

Status decodeRedux(Decoder &d) {
  if (!d.take("sync"))
    return d.fail("needs .sync behind its name");
  std::optional<unsigned> operation =
      d.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  if (!operation)
    return d.fail("needs .add, .min, .max, .and, .or or .xor");
  uint32_t flags = *operation;
  flags |= d.take("abs") ? kReduceAbsolute : 0;
  flags |= d.take("NaN") ? kReduceNan : 0;
  std::optional<Type> type = d.takeType();
  if (Status status = checkReduction(d, *operation, type.value_or(Type::None));
      !status)
    return status;
  if (flags != *operation && type != Type::F32)
    return d.fail(".abs and .NaN go with type .f32 only");
  if (Status status = d.expectOperands(3); !status)
    return status;
  if (Status status = realResult(d, 0, *type); !status)
    return status;
  if (Result<unsigned> source = d.source(1, *type); !source)
    return Failure{source.message()};
  d.instruction().variant = flags;
  d.instruction().execute = type == Type::F32   ? reduceFloat
                            : type == Type::S32 ? reduceInteger<int32_t>
                                                : reduceInteger<uint32_t>;
  return takeMemberMask(d, 2);
}

// activemask, elect ----------------------------------------------------------

Outcome activeMask(Context &context, const Instruction &instruction,
                   uint32_t mask) {
  writeLanes(context.lanes32(instruction.results[0]), mask,
             [&](unsigned) { return mask; });
  return Outcome::Next;
}

Status decodeActiveMask(Decoder &d) {
  if (d.takeType() != Type::B32)
    return needsType(d, ".b32");
  d.instruction().category = Category::Warp;
  d.instruction().execute = activeMask;
  return plainOperands(d, Type::B32, {});
}

/// The lowest lane is the leader.
Outcome elect(Context &context, const Instruction &instruction, uint32_t mask) {
  uint32_t leader = uint32_t(__builtin_ctz(mask));
  if (instruction.results[0].exists())
    writeLanes(context.lanes32(instruction.results[0]), mask,
               [&](unsigned) { return leader; });
  writePredicate(context, instruction.results[1], mask, 1u << leader);
  return Outcome::Next;
}

Status decodeElect(Decoder &d) {
  if (!d.take("sync"))
    return d.fail("needs .sync behind its name");
  if (Status status = d.expectOperands(2); !status)
    return status;
  const SyntaxOperand &first = d.statement().operands[0];
  if (first.kind != SyntaxOperand::Kind::Pair ||
      first.elements[1].kind == SyntaxOperand::Kind::Sink)
    return d.fail("needs two results: a register or '_', then a predicate: "
                  "%r1|%p1");
  if (Status status = pairResult(d, 0, Type::B32, true); !status)
    return status;
  d.instruction().execute = elect;
  return takeMemberMask(d, 1);
}

const OpcodeRow kRows[] = {
    {"shfl", decodeShfl},   {"vote", decodeVote},
    {"match", decodeMatch}, {"redux", decodeRedux},
    {"elect", decodeElect}, {"activemask", decodeActiveMask},
};

} // namespace

const std::span<const OpcodeRow> sim::kWarpRows = kRows;
