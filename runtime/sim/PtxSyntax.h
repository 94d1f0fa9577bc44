//===- PtxSyntax.h - a PTX module as it is written ------------ -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are resolved (registers, variables, labels), scopes are gone; what an
// instruction means is left to Decode.h. Registers of nested scopes get numbers
// of their own, so duplicate names and labels in `{ }` do no harm.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_PTXSYNTAX_H
#define GIRIH_RUNTIME_SIM_PTXSYNTAX_H

#include "compiler/artifact/Result.h"
#include "runtime/sim/Types.h"

#include <array>
#include <string>
#include <vector>

namespace girih::sim {

/// Where something stands: the line in the PTX text (from 1) and, where a
/// `.loc` is in force, the place in the program that it came from.
struct Location {
  uint32_t line = 0;
  uint32_t file = 0;         ///< number of a `.file`; 0: no `.loc`
  uint32_t sourceLine = 0;   ///< from 1
  uint32_t sourceColumn = 0; ///< from 1
};

struct SyntaxOperand {
  enum class Kind : uint8_t {
    Register, ///< index into SyntaxKernel::registers; `negated` for !%p
    Integer,  ///< bits: two's complement, 64 bits wide
    Float32,  ///< 0f3F800000: bits are those of the f32
    Float64,  ///< 0d... or a decimal literal: bits are those of the f64
    Special,  ///< name: `%tid.x`, `%laneid`, `WARP_SZ`
    Variable, ///< the address of a variable plus `offset`: index into the
              ///< kernel's variables unless isGlobal or isParameter
    Label,    ///< index into SyntaxKernel::statements (one past the end is
              ///< possible)
    Table,    ///< a .branchtargets list: index into SyntaxKernel::tables
    Vector,   ///< {a, b}: elements
    Address,  ///< [base + offset]: elements[0] is the base: a Register, a
              ///< Variable or an Integer; further elements as written, such
              ///< as coordinates
    Pair,     ///< `%r1|%p1`: two elements
    Sink,     ///< `_`
    Name      ///< anything else that is a bare word
  };
  Kind kind = Kind::Sink;
  bool negated = false;
  bool isGlobal = false; ///< Variable: index into SyntaxModule::variables
  /// Variable: index into SyntaxKernel::parameters. Neither of the two: into
  /// SyntaxKernel::variables.
  bool isParameter = false;
  uint32_t index = 0;
  uint64_t bits = 0;
  int64_t offset = 0;
  std::string name; ///< as written, of Special, Variable, Label, Table, Name
  std::vector<SyntaxOperand> elements;
};

struct SyntaxStatement {
  std::string opcode;                 ///< `ld`
  std::vector<std::string> modifiers; ///< `global`, `v4`, `b32`, in order; a
                                      ///< `::` stays inside its modifier
  std::optional<uint32_t> guard;      ///< register of `@%p`
  bool guardNegated = false;
  std::vector<SyntaxOperand> operands;
  Location location;
};

struct SyntaxRegister {
  std::string name; ///< with its percent sign, if it has one
  Type type = Type::B32;
};

/// A .global, .const, .shared, .local or .param variable.
struct SyntaxVariable {
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8; ///< of one element
  uint32_t alignment = 1;
  uint64_t bytes = 0;
  /// `.extern .shared x[]`: the launch's dynamic shared memory.
  bool isDynamic = false;
  std::vector<uint8_t> initializer; ///< empty: none; else `bytes` long
  Location location;
};

struct SyntaxKernel {
  std::string name;
  std::vector<SyntaxVariable> parameters;
  std::vector<SyntaxRegister> registers;
  std::vector<SyntaxVariable> variables; ///< .shared and .local of the body
  std::vector<SyntaxStatement> statements;
  std::vector<std::vector<uint32_t>> tables; ///< .branchtargets: statements
  /// 0 where not given.
  std::array<uint32_t, 3> requiredThreads = {0, 0, 0}; ///< .reqntid
  std::array<uint32_t, 3> maximalThreads = {0, 0, 0};  ///< .maxntid
  std::array<uint32_t, 3> requiredCluster = {0, 0, 0}; ///< .reqnctapercluster
  bool explicitCluster = false;
  bool blocksAreClusters = false; ///< .blocksareclusters: the grid is given
                                  ///< in clusters
  Location location;
};

struct SyntaxModule {
  unsigned versionMajor = 0, versionMinor = 0;
  std::string target;                    ///< `sm_90a`
  std::vector<SyntaxVariable> variables; ///< of the module, every space
  std::vector<SyntaxKernel> kernels;     ///< .entry
  std::vector<std::string> files;        ///< by number; [0] is empty
  std::vector<std::string> lines;        ///< the text; lines[0] is line 1
};

/// Fails with `line 12: ...` at the first thing that is no PTX or that the
/// simulator's subset leaves out (.func bodies, textures). Knows no opcodes.
Result<SyntaxModule> parsePtx(std::string_view text);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_PTXSYNTAX_H
