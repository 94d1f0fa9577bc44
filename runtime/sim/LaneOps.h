//===- LaneOps.h - instructions that work lane by lane -------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the families of integers, moves and comparisons have in common: loops
// over lanes that a compiler can vectorise, from functions on one lane's
// values; and decoding of the plain form `op d, a, b, ...`.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_LANEOPS_H
#define GIRIH_RUNTIME_SIM_LANEOPS_H

#include "runtime/sim/Machine.h"

#include <array>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace girih::sim {

/// Bit l, for loops over lanes l that test or put together a predicate's word.
constexpr auto kLaneBit = [] {
  std::array<uint32_t, kLanes> bits{};
  for (unsigned lane = 0; lane < kLanes; ++lane)
    bits[lane] = 1u << lane;
  return bits;
}();

/// What a lane of a slot is stored in.
template <typename T>
using LaneWord = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T>
LaneWord<T> *laneWords(const Context &context, const Slot &slot) {
  return reinterpret_cast<LaneWord<T> *>(context.bank(slot));
}
template <typename T> inline T fromWord(LaneWord<T> word) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<T>(word);
  else
    return T(word);
}
/// Bits above the type's width are zero.
template <typename T> inline LaneWord<T> toWord(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<LaneWord<T>>(value);
  else
    return LaneWord<T>(std::make_unsigned_t<T>(value));
}

/// out[lane] = f(lane) for the lanes of the mask. `f` may read what `out`
/// points to, its own lane only.
template <typename W, typename F>
inline void writeLanes(W *out, uint32_t mask, F &&f) {
  if (mask == kAllLanes) {
    // By way of a copy, so that the loop need not fear that `out` overlaps.
    W values[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      values[lane] = f(lane);
    std::memcpy(out, values, sizeof(values));
    return;
  }
  for (; mask; mask &= mask - 1) {
    unsigned lane = unsigned(__builtin_ctz(mask));
    out[lane] = f(lane);
  }
}

/// Writes the lanes of the mask of a predicate; a slot that does not exist is
/// left alone.
inline void writePredicate(const Context &context, const Slot &slot,
                           uint32_t mask, uint32_t word) {
  if (!slot.exists())
    return;
  uint32_t &target = context.predicate(slot);
  target = (target & ~mask) | (word & mask);
}

template <typename Op, typename D, typename... S, size_t... index>
inline void lanewiseAt(Context &context, const Instruction &instruction,
                       uint32_t mask, std::index_sequence<index...>) {
  auto *out = laneWords<D>(context, instruction.results[0]);
  auto run = [&](const LaneWord<S> *...in) {
    writeLanes(out, mask, [&](unsigned lane) {
      return toWord<D>(D(Op::apply(fromWord<S>(in[lane])...)));
    });
  };
  run(laneWords<S>(context, instruction.sources[index])...);
}

/// results[0] = Op::apply(sources[0], sources[1], ...): values of types S, a
/// value of type D.
template <typename Op, typename D, typename... S>
Outcome lanewise(Context &context, const Instruction &instruction,
                 uint32_t mask) {
  lanewiseAt<Op, D, S...>(context, instruction, mask,
                          std::index_sequence_for<S...>());
  return Outcome::Next;
}

/// f(T()) with T the C++ type of an integer or bit type of 16 to 64 bits; null
/// for other types.
template <typename F> Execute withInteger(Type type, F &&f) {
  switch (type) {
  case Type::U16:
  case Type::B16:
    return f(uint16_t());
  case Type::S16:
    return f(int16_t());
  case Type::U32:
  case Type::B32:
    return f(uint32_t());
  case Type::S32:
    return f(int32_t());
  case Type::U64:
  case Type::B64:
    return f(uint64_t());
  case Type::S64:
    return f(int64_t());
  default:
    return nullptr;
  }
}

/// U16 .. S64, without the bit types.
bool isInteger(Type type);
bool isBits(Type type); ///< B16, B32, B64

/// Fails: the statement needs one of these types.
Failure needsType(const Decoder &decoder, const char *types);

/// `opcode d, a, b, ...` with exactly these operands, all modifiers taken.
/// Sources may not be sinks, nor may the result.
Status plainOperands(Decoder &decoder, Type result,
                     std::initializer_list<Type> sources);
/// Operand `index` is a register that is written: no sink.
Status realResult(Decoder &decoder, size_t index, Type type);
/// `d|p` or `d`: both results; where there is no `p`, the second slot does not
/// exist. `d` is a predicate where its type is Pred. It may be a sink, as part
/// of a pair, where `dMaySink`.
Status pairResult(Decoder &decoder, size_t index, Type type, bool dMaySink);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_LANEOPS_H
