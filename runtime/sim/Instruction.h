//===- Instruction.h - an instruction made ready to run ------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoding turns a statement into an Instruction: a function and the slots it
// reads and writes. A slot is a place in a warp's register file, or in the
// kernel's constants, that holds one value for each of 32 lanes; immediates and
// special registers are slots too, so that a function has one way to read.
//
// What a slot holds, by its width:
//   predicate   one uint32_t, a bit a lane
//   8 .. 32     uint32_t[32]; bits above the register's width are zero
//   64          uint64_t[32]
//   128         uint64_t[64]: lane i has [2 * i] (low) and [2 * i + 1]
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_INSTRUCTION_H
#define GIRIH_RUNTIME_SIM_INSTRUCTION_H

#include "runtime/sim/Types.h"

#include <span>
#include <string>

namespace girih::sim {

struct Context;
struct Instruction;

constexpr unsigned kLanes = 32;
constexpr uint32_t kAllLanes = 0xffffffff;

struct Slot {
  uint32_t offset = 0;   ///< bytes from the start of its bank
  bool constant = false; ///< in the kernel's constants, not in the warp's file
  uint8_t bits = 0;      ///< 1 (predicate), 8, 16, 32, 64, 128; 0: no operand
  int32_t reg = -1;      ///< the register's number; -1 for constants, specials
  bool exists() const { return bits != 0; }
};

/// What became of an instruction.
enum class Outcome : uint8_t {
  Next,     ///< done; go on behind it
  Branched, ///< Fragment::pc has been set (or fragments were split)
  Waits,    ///< issued; go on behind it once Fragment::wait is over
  Exited,   ///< the lanes of the fragment are gone
  Faulted   ///< a fatal fault was reported: the launch stops
};

/// `mask`: the lanes that carry it out; never 0. Others must not be touched.
using Execute = Outcome (*)(Context &context, const Instruction &instruction,
                            uint32_t mask);

/// Which lanes have to come to an instruction together.
enum class Convergence : uint8_t {
  None,
  Warp,  ///< .aligned: every lane of the warp that has not exited
  Member ///< the lanes named by the member mask in `memberMask`
};

/// For the instruction mix.
enum class Category : uint8_t {
  Integer, ///< and logic
  Float32,
  Float64,
  Half,    ///< f16 and bf16
  Special, ///< ex2, sin, rcp, sqrt, ...
  Convert,
  Move, ///< selections, comparisons and predicates too
  Control,
  Load,
  Store,
  Atomic,
  Warp,    ///< shuffles, votes
  Barrier, ///< barriers, fences, mbarriers
  Async,
  Matrix,
  Other
};
constexpr unsigned kCategories = unsigned(Category::Other) + 1;
std::string_view nameOf(Category category); ///< `integer`, `float32`

struct Instruction {
  Execute execute = nullptr;
  std::span<const Slot> results; ///< registers it writes, in order of operands
  std::span<const Slot> sources; ///< what it reads, in order of operands,
                                 ///< bases of addresses too; not the guard
  Slot guard;                    ///< a predicate, if there is one
  bool guardNegated = false;
  Convergence convergence = Convergence::None;
  Slot memberMask;
  Category category = Category::Other;

  // What families use as they like; the names say what for.
  Type type = Type::None, fromType = Type::None;
  Space space = Space::Generic;
  Order order = Order::Weak;
  Scope scope = Scope::Gpu;
  uint8_t elements = 1;     ///< of a vector access
  uint8_t elementBytes = 0; ///< of a memory access
  uint32_t variant = 0;     ///< a family's own: rounding, comparison, table
  uint32_t target = 0;      ///< a branch's pc
  int64_t offset = 0;       ///< of an address
  /// Sources that must have been written for every lane; false for
  /// instructions that look at other lanes and check by themselves.
  bool checksSources = true;

  uint32_t statement = 0; ///< in the kernel's syntax; equals its pc
};

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_INSTRUCTION_H
