//===- Decode.h - from syntax to instructions ----------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each family of instructions is a file of its own with a table of opcodes:
//
//   static Status decodeAdd(Decoder &d) { ... }
//   const OpcodeRow girih::sim::kIntegerRows[] = {{"add", decodeAdd}, ...};
//
// Several families may have a row for one opcode (`add` for integers, floats,
// halves): each looks at the type and says `notMine()` if it is not its own.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_DECODE_H
#define GIRIH_RUNTIME_SIM_DECODE_H

#include "compiler/artifact/Result.h"
#include "runtime/sim/Instruction.h"
#include "runtime/sim/PtxSyntax.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace girih::sim {

/// A kernel ready to run.
struct KernelCode {
  const SyntaxModule *module = nullptr;
  const SyntaxKernel *syntax = nullptr;
  std::vector<Instruction> instructions; ///< parallel to syntax->statements
  std::vector<Slot> registerSlots;       ///< by number
  uint32_t registerBytes = 0;            ///< a warp's file, specials included
  std::vector<uint8_t> constants;        ///< aligned to 64 by its users
  /// Shared variables: module's and body's, by their offset in the window.
  struct Placed {
    const SyntaxVariable *variable;
    uint32_t offset;
  };
  std::vector<Placed> shared;
  uint32_t staticSharedBytes = 0;
  uint32_t dynamicSharedOffset = 0; ///< where dynamic shared memory begins
  std::vector<Placed> local;        ///< offsets in a thread's local memory
  uint32_t localBytes = 0;          ///< a thread
  std::vector<uint32_t> parameterOffsets;
  uint32_t parameterBytes = 0;
  /// Special registers that differ between warps or lanes live in the file:
  /// the offset of each, by name (`%tid.x`), filled when a warp starts.
  std::map<std::string, Slot> specials;
  /// Narrowest element that an instruction reads or writes in shared memory
  /// (any block's), in global memory: the granule of race checking. 1, 2, 4, 8
  /// or 16; 16 where nothing does.
  uint8_t sharedGranule = 16, globalGranule = 16;
  /// True if something other than whole-block barriers orders its threads:
  /// mbarriers, named or partial barriers, warp barriers, atomics, fences,
  /// clusters. Race checking then keeps whole sets of readers.
  bool hasFineSync = false;
  /// True if blocks may talk to each other through global memory (atomics,
  /// accesses that are not weak): they then run interleaved on one worker.
  bool blocksCommunicate = false;

  std::deque<std::vector<Slot>> slotLists; ///< what the spans point to
};

/// Addresses of the module's .global and .const variables, parallel to
/// SyntaxModule::variables (0 for others).
using VariableAddresses = std::vector<uint64_t>;

class Decoder {
public:
  Decoder(KernelCode &code, const VariableAddresses &addresses)
      : code(code), addresses(addresses) {}

  /// Decodes every statement. Fails with `line 12: ...`.
  Status decodeAll();

  // For families ------------------------------------------------------------

  const SyntaxStatement &statement() const { return *current; }
  Instruction &instruction() { return *made; }
  KernelCode &kernel() { return code; }

  /// True, once, for the next modifier in order if it is `name`; the cursor
  /// then moves on. A family reads modifiers from left to right.
  bool take(std::string_view name);
  /// The next modifier if it is one of the names: its index.
  std::optional<unsigned> takeOneOf(std::initializer_list<const char *> names);
  /// The next modifier as a type.
  std::optional<Type> takeType();
  /// The next modifier without taking it; empty at the end.
  std::string_view peek() const;
  /// True if any modifier, taken or not, has this name.
  bool has(std::string_view name) const;
  /// The last modifier as a type, taken or not: how most families tell whether
  /// an opcode is theirs.
  std::optional<Type> lastType() const;
  /// Fails if modifiers are left: `modifier '.foo' is not supported`.
  Status finishModifiers() const;

  /// Fails with `line 12: 'mul.hi.f32 ...': WHAT`.
  Failure fail(const std::string &what) const;
  /// This row does not know the statement; the next one is tried.
  Failure notMine();

  Status expectOperands(size_t count) const;
  Status expectOperands(size_t least, size_t most) const;

  /// Operand `index` as something to read as `type`: a register, an immediate
  /// (converted to the type: a decimal literal rounds to f32 where that is
  /// asked for, an integer is cut to the width), a special register, the
  /// address of a variable. Appends to the instruction's sources and returns
  /// its position there. Registers wider than the type are allowed where
  /// `mayBeWider`; narrower ones never.
  Result<unsigned> source(size_t index, Type type, bool mayBeWider = false);
  Result<unsigned> source(const SyntaxOperand &operand, Type type,
                          bool mayBeWider = false);
  /// A predicate to read; `!%p` is refused unless `negated` is given, which
  /// then says whether it stood there.
  Result<unsigned> predicateSource(size_t index, bool *negated = nullptr);
  /// Operand `index` as a register to write. A sink `_` gives a slot that does
  /// not exist.
  Result<unsigned> result(size_t index, Type type, bool mayBeWider = false);
  Result<unsigned> result(const SyntaxOperand &operand, Type type,
                          bool mayBeWider = false);
  Result<unsigned> predicateResult(const SyntaxOperand &operand);
  /// `[base + offset]`: the base becomes a source (u32 or u64 by its register;
  /// a constant 0 where it is a number), `offset` goes into the instruction.
  Result<unsigned> addressSource(size_t index);
  /// An operand that must be a number known now.
  Result<int64_t> immediate(size_t index);
  Result<uint32_t> label(size_t index);

  /// A source that was asked for, by its position.
  const Slot &sourceSlot(unsigned position) const { return sources[position]; }
  /// A constant for all lanes: a source that no operand stands for.
  Slot constantSlot(uint64_t bits, unsigned width);
  /// Notes a memory access for granules, see KernelCode.
  void noteAccess(Space space, unsigned elementBytes);

private:
  friend class DecoderAccess;
  Status decodeOne(uint32_t index);
  Status decodeGuard();
  Result<Slot> readSlot(const SyntaxOperand &operand, Type type,
                        bool mayBeWider);
  Result<Slot> immediateSlot(const SyntaxOperand &operand, Type type);
  Result<Slot> variableSlot(const SyntaxOperand &operand, Type type);
  Result<uint64_t> variableAddress(const SyntaxOperand &operand);
  Result<Slot> specialSlot(const std::string &name, Type type);
  Result<Slot> registerSlot(const SyntaxOperand &operand, Type type,
                            bool mayBeWider);
  unsigned addSource(Slot slot);

  KernelCode &code;
  const VariableAddresses &addresses;
  const SyntaxStatement *current = nullptr;
  Instruction *made = nullptr;
  size_t cursor = 0; ///< next modifier
  std::vector<Slot> results, sources;
  bool isNotMine = false;
  std::map<std::pair<uint64_t, unsigned>, uint32_t> pool; ///< of constants
};

/// Lays out registers, variables and parameters, and decodes all statements.
/// `module`, which `kernel` belongs to, has to live as long as the result.
Result<std::shared_ptr<KernelCode>>
decodeKernel(const SyntaxModule &module, const SyntaxKernel &kernel,
             const VariableAddresses &addresses);

/// A statement as the text has it, from the opcode to the semicolon, spaces
/// made single: `add.s32 %r1, %r2, 1;`.
std::string textOf(const SyntaxModule &module,
                   const SyntaxStatement &statement);

struct OpcodeRow {
  std::string_view opcode; ///< without modifiers
  Status (*decode)(Decoder &decoder);
};

// The families; Decode.cpp lists them.
extern const std::span<const OpcodeRow> kControlRows;  // bra exit ret trap
extern const std::span<const OpcodeRow> kIntegerRows;  // add mad div min dp4a
extern const std::span<const OpcodeRow> kCarryRows;    // add.cc addc madc
extern const std::span<const OpcodeRow> kLogicRows;    // and lop3 shl shf
extern const std::span<const OpcodeRow> kBitRows;      // popc bfe prmt
extern const std::span<const OpcodeRow> kMoveRows;     // mov selp slct
extern const std::span<const OpcodeRow> kCompareRows;  // setp set
extern const std::span<const OpcodeRow> kFloatRows;    // f32, f64
extern const std::span<const OpcodeRow> kHalfRows;     // f16, bf16, packed
extern const std::span<const OpcodeRow> kSpecialRows;  // ex2 sin rcp
extern const std::span<const OpcodeRow> kConvertRows;  // cvt
extern const std::span<const OpcodeRow> kWarpRows;     // shfl vote redux
extern const std::span<const OpcodeRow> kMiscRows;     // nanosleep setmaxnreg
extern const std::span<const OpcodeRow> kMemoryRows;   // ld st cvta prefetch
extern const std::span<const OpcodeRow> kAtomicRows;   // atom red
extern const std::span<const OpcodeRow> kBarrierRows;  // bar barrier fence
extern const std::span<const OpcodeRow> kMbarrierRows; // mbarrier
extern const std::span<const OpcodeRow> kAsyncRows;    // cp.async bulk
extern const std::span<const OpcodeRow> kClusterRows;  // mapa getctarank
extern const std::span<const OpcodeRow> kMatrixRows;   // mma ldmatrix stmatrix

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_DECODE_H
