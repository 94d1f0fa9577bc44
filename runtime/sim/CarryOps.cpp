//===- CarryOps.cpp - extended-precision integer arithmetic ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.2: sums and differences with the carry flag CC.CF, one for
// each thread (Warp::carry). After a difference the flag is a borrow.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneOps.h"

using namespace girih;
using namespace girih::sim;

namespace {

// Bits of Instruction::variant.
constexpr uint32_t kReadsCarry = 1;
constexpr uint32_t kWritesCarry = 2;

struct Sum {
  static constexpr bool isMad = false, isSub = false;
};
struct Difference {
  static constexpr bool isMad = false, isSub = true;
};
struct ProductLow {
  static constexpr bool isMad = true, isSub = false;
};
/// The upper half of the product, which depends on signs, and an addend.
struct ProductHigh {
  static constexpr bool isMad = true, isSub = false;
};

template <typename Op, typename T> T product(T a, T b) {
  if constexpr (std::is_same_v<Op, ProductLow>)
    return T(LaneWord<T>(a) * LaneWord<T>(b));
  using Wide =
      std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return T(Wide(a) * Wide(b) >> (8 * sizeof(T)));
}

template <typename Op, typename T>
Outcome withCarry(Context &context, const Instruction &instruction,
                  uint32_t mask) {
  using Word = LaneWord<T>;
  Word *out = laneWords<T>(context, instruction.results[0]);
  const Word *a = laneWords<T>(context, instruction.sources[0]);
  const Word *b = laneWords<T>(context, instruction.sources[1]);
  const Word *c = Op::isMad ? laneWords<T>(context, instruction.sources[2]) : b;
  uint32_t carryIn = instruction.variant & kReadsCarry ? context.warp.carry : 0;
  uint32_t carryOut = 0;
  forLanes(mask, [&](unsigned lane) {
    Word x = a[lane], y = c[lane];
    if constexpr (Op::isMad)
      x = Word(product<Op, T>(T(a[lane]), T(b[lane])));
    Word in = carryIn >> lane & 1;
    Word value = Op::isSub ? x - y - in : x + y + in;
    // With a carry that comes in, equality overflows too.
    bool overflows =
        Op::isSub ? x < y || (in && x == y) : value < x || (in && value == x);
    carryOut |= uint32_t(overflows) << lane;
    out[lane] = value;
  });
  if (instruction.variant & kWritesCarry)
    context.warp.carry = (context.warp.carry & ~mask) | carryOut;
  return Outcome::Next;
}

template <typename Op> Execute carryOf(Type type) {
  switch (type) {
  case Type::U32:
    return withCarry<Op, uint32_t>;
  case Type::S32:
    return withCarry<Op, int32_t>;
  case Type::U64:
    return withCarry<Op, uint64_t>;
  default:
    return withCarry<Op, int64_t>;
  }
}

/// Takes `.cc` and the type. The opcodes without a `c` at their end are this
/// family's only if there is a `.cc`.
Result<Type> takeCarryType(Decoder &d, bool readsCarry) {
  d.instruction().category = Category::Integer;
  bool writesCarry = d.take("cc");
  d.instruction().variant =
      (readsCarry ? kReadsCarry : 0) | (writesCarry ? kWritesCarry : 0);
  std::optional<Type> type = d.takeType();
  if (!type || !isInteger(*type) || bitsOf(*type) == 16)
    return needsType(d, ".u32, .s32, .u64 or .s64");
  return *type;
}

template <typename Op, bool readsCarry> Status decodeSum(Decoder &d) {
  if (!readsCarry && !d.has("cc"))
    return d.notMine();
  Result<Type> type = takeCarryType(d, readsCarry);
  if (!type)
    return Failure{type.message()};
  d.instruction().execute = carryOf<Op>(*type);
  return plainOperands(d, *type, {*type, *type});
}

template <bool readsCarry> Status decodeMad(Decoder &d) {
  if (!readsCarry && !d.has("cc"))
    return d.notMine();
  std::optional<unsigned> mode = d.takeOneOf({"lo", "hi"});
  if (!mode)
    return d.fail("needs .lo or .hi in front of its type");
  Result<Type> type = takeCarryType(d, readsCarry);
  if (!type)
    return Failure{type.message()};
  d.instruction().execute =
      *mode ? carryOf<ProductHigh>(*type) : carryOf<ProductLow>(*type);
  return plainOperands(d, *type, {*type, *type, *type});
}

const OpcodeRow kRows[] = {
    {"add", decodeSum<Sum, false>},
    {"addc", decodeSum<Sum, true>},
    {"sub", decodeSum<Difference, false>},
    {"subc", decodeSum<Difference, true>},
    {"mad", decodeMad<false>},
    {"madc", decodeMad<true>},
};

} // namespace

const std::span<const OpcodeRow> sim::kCarryRows = kRows;
