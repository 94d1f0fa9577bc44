//===- Program.h - a random kernel and what it leaves behind --- -*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every kernel has two parameters, perhaps more: `in`, which it reads, and
// `out`, which it writes (and may read). Both begin with columns: one value for
// each thread of the launch. The results of every instruction are stored in
// columns of their own, so that the first one to differ is known.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_GPU_SIM_SILICON_PROGRAM_H
#define GIRIH_TEST_GPU_SIM_SILICON_PROGRAM_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace girih::silicon {

/// How bits of silicon and simulator have to agree.
enum class Agreement : uint8_t {
  Exact,
  AnyNan,     ///< f64: NaNs that differ are counted, and no mismatch
  Approximate ///< the distance in units in the last place is measured
};

/// An operand, for messages: where its value of a thread is found.
struct Operand {
  enum class Kind : uint8_t { Immediate, Input, Result };
  std::string text; ///< as written in the instruction
  Kind kind = Kind::Immediate;
  size_t index = 0; ///< of Program::inputs or Program::results
};

/// Threads whose wrong values may have made a result wrong.
enum class Reach : uint8_t { Thread, Warp, Program };

struct Instruction {
  std::string label; ///< opcode with modifiers
  std::string text;  ///< the PTX
  std::vector<Operand> operands;
  Reach reach = Reach::Thread;
};

/// A column of `in` or `out`, or a region of it that is no column.
struct Column {
  size_t offset = 0; ///< bytes from the buffer's start
  unsigned bytes = 4;
  size_t count = 0;
  size_t instruction = 0; ///< that wrote it
  Agreement agreement = Agreement::Exact;
  std::string type; ///< of a value, for messages and distances
};

struct Program {
  std::string family;
  std::string name; ///< the kernel's
  std::string ptx;  ///< module variables and the entry, no header
  uint32_t grid = 1, block = 128;
  std::vector<uint8_t> in, out; ///< before the launch
  /// Parameters behind `in` and `out`: types and values.
  std::vector<std::string> argumentTypes;
  std::vector<uint64_t> arguments;
  std::vector<Column> inputs, results;
  std::vector<Instruction> instructions;
  size_t threads() const { return size_t(grid) * block; }
};

/// What stands before the kernels of a module.
std::string moduleHeader();
/// Header and programs.
std::string moduleText(const std::vector<const Program *> &programs);

} // namespace girih::silicon

#endif // GIRIH_TEST_GPU_SIM_SILICON_PROGRAM_H
