//===- AtomicOps.cpp - atom and red ---------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.13.5 (atom) and 9.7.13.6 (red). The lanes of a warp go one
// after the other, lane 0 first: a card may take another order, which only
// floating-point sums and returned values can tell.
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/Formats.h"
#include "runtime/sim/MemoryDecode.h"

#include <cstring>

using namespace girih;
using namespace girih::sim;

namespace {

enum class Operation : uint8_t {
  Add,
  Min,
  Max,
  Inc,
  Dec,
  And,
  Or,
  Xor,
  Exchange,
  Compare
};

/// The new value of an element from the old one and the operands.
using Combine = uint64_t (*)(uint64_t old, uint64_t b, uint64_t c);

// Integers --------------------------------------------------------------------

template <typename T> uint64_t add(uint64_t old, uint64_t b, uint64_t) {
  return T(old + b);
}
template <typename T> uint64_t least(uint64_t old, uint64_t b, uint64_t) {
  return uint64_t(T(b) < T(old) ? T(b) : T(old));
}
template <typename T> uint64_t most(uint64_t old, uint64_t b, uint64_t) {
  return uint64_t(T(b) > T(old) ? T(b) : T(old));
}
uint64_t increment(uint64_t old, uint64_t b, uint64_t) {
  return old >= b ? 0 : old + 1;
}
uint64_t decrement(uint64_t old, uint64_t b, uint64_t) {
  return old == 0 || old > b ? b : old - 1;
}
uint64_t bitAnd(uint64_t old, uint64_t b, uint64_t) { return old & b; }
uint64_t bitOr(uint64_t old, uint64_t b, uint64_t) { return old | b; }
uint64_t bitXor(uint64_t old, uint64_t b, uint64_t) { return old ^ b; }
uint64_t exchange(uint64_t, uint64_t b, uint64_t) { return b; }
uint64_t compare(uint64_t old, uint64_t b, uint64_t c) {
  return old == b ? c : old;
}

// Floats ----------------------------------------------------------------------

uint32_t bits(float value) {
  return value != value ? arith::kCanonicalNanF32 : arith::bitsOf(value);
}
uint64_t addF32(uint64_t old, uint64_t b, uint64_t) {
  return bits(arith::floatFromBits(uint32_t(old)) +
              arith::floatFromBits(uint32_t(b)));
}
uint32_t flush(uint32_t value) {
  return value & 0x7f800000 ? value : value & 0x80000000;
}
/// In global memory denormals count as zeros of their sign; those in shared
/// memory do not ("atom" in the ISA).
uint64_t addF32Flushed(uint64_t old, uint64_t b, uint64_t) {
  return flush(uint32_t(addF32(flush(uint32_t(old)), flush(uint32_t(b)), 0)));
}
uint64_t addF64(uint64_t old, uint64_t b, uint64_t) {
  double sum = arith::doubleFromBits(old) + arith::doubleFromBits(b);
  return sum != sum ? 0x7ff8000000000000 : arith::bitsOf(sum);
}

struct F16 {
  static double load(uint16_t value) { return arith::fromF16(value); }
  static uint16_t store(double value) { return arith::toF16(value); }
  static constexpr uint16_t kInfinity = 0x7c00;
};
struct Bf16 {
  static double load(uint16_t value) { return arith::fromBf16(value); }
  static uint16_t store(double value) { return arith::toBf16(value); }
  static constexpr uint16_t kInfinity = 0x7f80;
};

/// Two roundings, to f64 and to 16 bits, come to the same as one: f64 has more
/// than twice the digits.
template <typename F> uint16_t addHalf(uint16_t a, uint16_t b) {
  return F::store(F::load(a) + F::load(b));
}
/// Of a NaN and a number the number; -0 is less than +0.
template <typename F, bool wantsLess>
uint16_t pickHalf(uint16_t a, uint16_t b) {
  bool aIsNan = (a & 0x7fff) > F::kInfinity;
  bool bIsNan = (b & 0x7fff) > F::kInfinity;
  if (aIsNan)
    return bIsNan ? uint16_t(0x7fff) : b;
  if (bIsNan)
    return a;
  auto order = [](uint16_t value) {
    return value & 0x8000 ? -int(value & 0x7fff) - 1 : int(value);
  };
  return (order(b) < order(a)) == wantsLess ? b : a;
}

template <uint16_t apply(uint16_t, uint16_t)>
uint64_t half(uint64_t old, uint64_t b, uint64_t) {
  return apply(uint16_t(old), uint16_t(b));
}
template <uint16_t apply(uint16_t, uint16_t)>
uint64_t halves(uint64_t old, uint64_t b, uint64_t) {
  return apply(uint16_t(old), uint16_t(b)) |
         uint32_t(apply(uint16_t(old >> 16), uint16_t(b >> 16))) << 16;
}

struct Row {
  Operation operation;
  Type type;
  Combine combine;
};

constexpr Row kCombines[] = {
    {Operation::Add, Type::U32, add<uint32_t>},
    {Operation::Add, Type::S32, add<uint32_t>},
    {Operation::Add, Type::U64, add<uint64_t>},
    {Operation::Add, Type::F32, addF32},
    {Operation::Add, Type::F64, addF64},
    {Operation::Add, Type::F16, half<addHalf<F16>>},
    {Operation::Add, Type::BF16, half<addHalf<Bf16>>},
    {Operation::Add, Type::F16x2, halves<addHalf<F16>>},
    {Operation::Add, Type::BF16x2, halves<addHalf<Bf16>>},
    {Operation::Min, Type::U32, least<uint32_t>},
    {Operation::Min, Type::S32, least<int32_t>},
    {Operation::Min, Type::U64, least<uint64_t>},
    {Operation::Min, Type::S64, least<int64_t>},
    {Operation::Min, Type::F16, half<pickHalf<F16, true>>},
    {Operation::Min, Type::BF16, half<pickHalf<Bf16, true>>},
    {Operation::Min, Type::F16x2, halves<pickHalf<F16, true>>},
    {Operation::Min, Type::BF16x2, halves<pickHalf<Bf16, true>>},
    {Operation::Max, Type::U32, most<uint32_t>},
    {Operation::Max, Type::S32, most<int32_t>},
    {Operation::Max, Type::U64, most<uint64_t>},
    {Operation::Max, Type::S64, most<int64_t>},
    {Operation::Max, Type::F16, half<pickHalf<F16, false>>},
    {Operation::Max, Type::BF16, half<pickHalf<Bf16, false>>},
    {Operation::Max, Type::F16x2, halves<pickHalf<F16, false>>},
    {Operation::Max, Type::BF16x2, halves<pickHalf<Bf16, false>>},
    {Operation::Inc, Type::U32, increment},
    {Operation::Dec, Type::U32, decrement},
    {Operation::And, Type::B32, bitAnd},
    {Operation::And, Type::B64, bitAnd},
    {Operation::Or, Type::B32, bitOr},
    {Operation::Or, Type::B64, bitOr},
    {Operation::Xor, Type::B32, bitXor},
    {Operation::Xor, Type::B64, bitXor},
    {Operation::Exchange, Type::B32, exchange},
    {Operation::Exchange, Type::B64, exchange},
    {Operation::Exchange, Type::B128, nullptr},
    {Operation::Compare, Type::B16, compare},
    {Operation::Compare, Type::B32, compare},
    {Operation::Compare, Type::B64, compare},
    {Operation::Compare, Type::B128, nullptr},
};

// Execution -------------------------------------------------------------------

/// Holds the mutex of global memory from one lane to the next where they need
/// the same one; blocks that share no worker may be at the same bytes.
class GlobalLock {
public:
  explicit GlobalLock(MemorySystem &system) : system(system) {}
  void hold(const uint8_t *data) {
    std::mutex &wanted = system.atomicMutex(data);
    if (lock.mutex() != &wanted)
      lock = {}, lock = std::unique_lock(wanted);
  }
  void drop() { lock = {}; }

private:
  MemorySystem &system;
  std::unique_lock<std::mutex> lock;
};

bool isGlobal(const WarpAccess &access, unsigned lane) {
  return access.space == Space::Global ||
         (access.space == Space::Generic &&
          access.address[lane] >> kBufferShift != 0);
}

/// Sources: the address, `elements` values, the third operand of cas.
Outcome atomic(Context &context, const Instruction &instruction,
               uint32_t mask) {
  WarpAccess access =
      makeWarpAccess(context, instruction, mask, AccessKind::Atomic);
  uint32_t good = context.launch.memorySystem->resolve(context, access);
  const Row &row = kCombines[instruction.variant];
  unsigned elements = instruction.elements;
  unsigned bytes = instruction.elementBytes;
  bool hasResult = !instruction.results.empty();
  GlobalLock lock(*context.launch.memorySystem);
  forLanes(good, [&](unsigned lane) {
    Combine combine = row.combine;
    if (isGlobal(access, lane)) {
      lock.hold(access.data[lane]);
      if (row.type == Type::F32)
        combine = addF32Flushed;
    } else {
      lock.drop();
    }
    uint64_t third = row.operation == Operation::Compare
                         ? context.get(instruction.sources[2], lane)
                         : 0;
    for (unsigned i = 0; i < elements; ++i) {
      uint8_t *data = access.data[lane] + i * bytes;
      uint64_t old = 0;
      std::memcpy(&old, data, bytes);
      uint64_t made =
          combine(old, context.get(instruction.sources[1 + i], lane), third);
      std::memcpy(data, &made, bytes);
      if (hasResult)
        context.set(instruction.results[i], lane, old);
    }
  });
  if (hasResult && good != mask)
    for (const Slot &slot : instruction.results)
      forLanes(mask & ~good,
               [&](unsigned lane) { context.set(slot, lane, 0); });
  return Outcome::Next;
}

/// exch and cas of 128 bits.
Outcome atomic128(Context &context, const Instruction &instruction,
                  uint32_t mask) {
  WarpAccess access =
      makeWarpAccess(context, instruction, mask, AccessKind::Atomic);
  uint32_t good = context.launch.memorySystem->resolve(context, access);
  bool compares =
      kCombines[instruction.variant].operation == Operation::Compare;
  const uint64_t *first = context.lanes64(instruction.sources[1]);
  const uint64_t *made =
      compares ? context.lanes64(instruction.sources[2]) : first;
  const Slot &result = instruction.results[0];
  GlobalLock lock(*context.launch.memorySystem);
  forLanes(mask, [&](unsigned lane) {
    uint64_t old[2] = {0, 0};
    if (good >> lane & 1) {
      if (isGlobal(access, lane))
        lock.hold(access.data[lane]);
      std::memcpy(old, access.data[lane], 16);
      if (!compares || std::memcmp(old, first + 2 * lane, 16) == 0)
        std::memcpy(access.data[lane], made + 2 * lane, 16);
    }
    if (result.exists())
      std::memcpy(context.lanes64(result) + 2 * lane, old, 16);
  });
  return Outcome::Next;
}

// Decoding --------------------------------------------------------------------

struct Form {
  AccessModifiers modifiers;
  std::optional<unsigned> operation;
  std::optional<Type> type;
  bool noFlush = false;
};

Form takeForm(Decoder &d) {
  Form form;
  for (bool more = true; more;) {
    more = form.modifiers.takeOne(d);
    if (!more && !form.operation) {
      form.operation = d.takeOneOf({"add", "min", "max", "inc", "dec", "and",
                                    "or", "xor", "exch", "cas"});
      more = form.operation.has_value();
    }
    if (!more && !form.noFlush)
      more = form.noFlush = d.take("noftz");
    if (!more && !form.type) {
      form.type = d.takeType();
      more = form.type.has_value();
    }
  }
  return form;
}

bool isHalf(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F16x2 ||
         type == Type::BF16x2;
}

/// What ptxas lets be a vector.
Status checkVector(Decoder &d, const Form &form) {
  unsigned elements = form.modifiers.vector.value_or(1);
  bool isPacked = *form.type == Type::F16x2 || *form.type == Type::BF16x2;
  if (elements == 1) {
    if (isHalf(*form.type) && Operation(*form.operation) != Operation::Add)
      return d.fail("minimum and maximum of " +
                    std::string(nameOf(*form.type)) +
                    " have to be vectors: '.v2', '.v4'");
    return {};
  }
  if (!isHalf(*form.type) && *form.type != Type::F32)
    return d.fail("there is no vector of " + std::string(nameOf(*form.type)) +
                  " atomics");
  if (elements == 8 && (isPacked || *form.type == Type::F32))
    return d.fail("a vector of this type has two or four elements");
  Space space = d.instruction().space;
  if (space != Space::Global && space != Space::Generic)
    return d.fail("a vector has to be one of global memory");
  return {};
}

Status checkForm(Decoder &d, const Form &form, bool isReduction) {
  if (!form.operation)
    return d.fail("an operation has to be given, such as '.add'");
  if (!form.type)
    return d.fail("a type has to be given");
  Order order = d.instruction().order;
  if (form.modifiers.isVolatile || form.modifiers.isWeak ||
      form.modifiers.isMmio)
    return d.fail("atomics are neither weak nor volatile");
  if (isReduction && Operation(*form.operation) >= Operation::Exchange)
    return d.fail("red returns nothing, so it cannot exchange; use atom");
  if (isReduction &&
      (order == Order::Acquire || order == Order::AcquireRelease))
    return d.fail("red cannot acquire; use atom");
  if (isHalf(*form.type) != form.noFlush)
    return d.fail(form.noFlush ? "'.noftz' is only for f16 and bf16"
                               : "f16 and bf16 need '.noftz'");
  for (const Row &row : kCombines)
    if (row.operation == Operation(*form.operation) && row.type == *form.type)
      d.instruction().variant = uint32_t(&row - kCombines);
  const Row &row = kCombines[d.instruction().variant];
  if (row.operation != Operation(*form.operation) || row.type != *form.type)
    return d.fail("there is no such operation on type " +
                  std::string(nameOf(*form.type)));
  return {};
}

/// Which type a register has to have: halves live in untyped ones.
Type operandType(Type type) {
  if (type == Type::F16 || type == Type::BF16)
    return Type::B16;
  return type == Type::F16x2 || type == Type::BF16x2 ? Type::B32 : type;
}

Status decodeOperands(Decoder &d, const Form &form, bool isReduction) {
  Instruction &instruction = d.instruction();
  bool compares = Operation(*form.operation) == Operation::Compare;
  size_t first = isReduction ? 0 : 1;
  size_t count = first + 2 + compares;
  if (Status status = d.expectOperands(count + form.modifiers.hasPolicy);
      !status)
    return status;
  Type type = operandType(*form.type);
  auto source = [&](const SyntaxOperand &operand) -> Status {
    auto found = d.source(operand, type);
    return found ? Status() : Failure{found.message()};
  };
  auto result = [&](const SyntaxOperand &operand) -> Status {
    auto found = d.result(operand, type);
    return found ? Status() : Failure{found.message()};
  };
  const SyntaxOperand &into = d.statement().operands[0];
  if (!isReduction && into.kind == SyntaxOperand::Kind::Sink) {
    for (unsigned i = 0; i < instruction.elements; ++i)
      if (Status status = result(into); !status)
        return status;
  } else if (!isReduction) {
    if (Status status = forElements(d, 0, result); !status)
      return status;
  }
  if (auto address = addressIn(d, first, instruction.space); !address)
    return Failure{address.message()};
  if (Status status = forElements(d, first + 1, source); !status)
    return status;
  if (compares)
    if (Status status = source(d.statement().operands[first + 2]); !status)
      return status;
  return form.modifiers.hasPolicy ? policyOperand(d, count) : Status();
}

Status decodeAtomic(Decoder &d) {
  bool isReduction = d.statement().opcode == "red";
  if (d.has("async"))
    return d.fail("'red.async' is not supported");
  Form form = takeForm(d);
  if (Status status = applyModifiers(d, form.modifiers); !status)
    return status;
  Instruction &instruction = d.instruction();
  if (!form.modifiers.order)
    instruction.order = Order::Relaxed;
  if (Status status = checkForm(d, form, isReduction); !status)
    return status;
  if (Status status = d.finishModifiers(); !status)
    return status;
  instruction.type = *form.type;
  instruction.elements = uint8_t(form.modifiers.vector.value_or(1));
  instruction.elementBytes = uint8_t(bitsOf(*form.type) / 8);
  if (Status status = decodeOperands(d, form, isReduction); !status)
    return status;
  Space space = instruction.space;
  if (space == Space::Local || space == Space::Const || space == Space::Param)
    return d.fail("atomics are for global and shared memory, not " +
                  std::string(nameOf(space)));
  if (Status status = checkVector(d, form); !status)
    return status;
  d.noteAccess(space, instruction.elementBytes);
  noteCommunication(d, space);
  instruction.execute = *form.type == Type::B128 ? atomic128 : atomic;
  instruction.category = Category::Atomic;
  return {};
}

constexpr OpcodeRow kRows[] = {{"atom", decodeAtomic}, {"red", decodeAtomic}};

} // namespace

const std::span<const OpcodeRow> sim::kAtomicRows = kRows;
