//===- Builder.h - writes a random kernel ---------------------- -*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_GPU_SIM_SILICON_BUILDER_H
#define GIRIH_TEST_GPU_SIM_SILICON_BUILDER_H

#include "test/gpu/sim_silicon/Program.h"
#include "test/gpu/sim_silicon/Random.h"

#include <map>

namespace girih::silicon {

/// A row of a family's table of instructions.
struct Row {
  const char *opcode; ///< `$`: the type; `{a|b}`: one of them
  const char *types;  ///< to choose from
  /// Results, `:`, sources. A type's name; `$`: the type; `$$`: the integer
  /// type of twice the width; `shift` `lane` `offset`: 32-bit numbers of that
  /// sort; `pred`; `npred`: may be negated; `imm:LOW:HIGH`; `b32|pred` is a
  /// pair.
  const char *operands;
  unsigned flags = 0;
};
enum RowFlags : unsigned {
  kApproximate = 1,  ///< distances are measured
  kFresh = 2,        ///< only inputs as sources, the result is not used again
  kNoImmediates = 4, ///< registers only
  kWarpWide = 8,     ///< lanes see each other's values
  kUnused = 16       ///< the result is not used again
};

class Builder {
public:
  Builder(Program &program, Rng &rng);

  Rng &rng;
  Program &program;

  // Text ---------------------------------------------------------------

  void line(const std::string &text) { body += "  " + text + "\n"; }
  void label(const std::string &name) { body += name + ":\n"; }
  /// Before the entry: a variable of the module.
  void moduleLine(const std::string &text) { before += text + "\n"; }
  /// In the entry's head: `.reqnctapercluster 2`.
  void directive(const std::string &text) { directives += text + " "; }
  std::string reg(unsigned bits);
  std::string reg(std::string_view type) { return reg(registerBits(type)); }
  std::string uniqueName(const std::string &stem);

  // Operands -----------------------------------------------------------

  /// A new column of `in`, loaded.
  Operand input(std::string_view type, Spread spread = Spread::Natural);
  /// A column of `in` with these values.
  Operand inputOf(std::string_view type, const std::vector<uint64_t> &values);
  /// A predicate, as random as its input.
  Operand predicate();
  Operand immediate(std::string_view type, Spread spread = Spread::Natural);
  /// An input, or an earlier result of the width.
  Operand source(std::string_view type, Spread spread = Spread::Natural);

  // Results ------------------------------------------------------------

  /// False within a branch: what is made there is unknown outside.
  bool keepsLive = true;

  /// Begins an instruction that is stored by result().
  void begin(const std::string &label, const std::string &text,
             std::vector<Operand> operands, Reach reach = Reach::Thread);
  /// begin() and the line itself.
  void instruction(const std::string &label, const std::string &text,
                   std::vector<Operand> operands, Reach reach = Reach::Thread);
  /// Stores a register as a column; `live`: later instructions may use it.
  void result(const std::string &reg, std::string_view type,
              Agreement agreement = Agreement::Exact, bool live = true);
  /// Raw bytes of `in` and `out`; offsets from their beginnings. What `out`
  /// holds there in the end is compared in elements of `elementBytes`.
  size_t inBytes(const std::vector<uint8_t> &bytes);
  size_t outBytes(const std::vector<uint8_t> &bytes, unsigned elementBytes,
                  const std::string &type);
  std::vector<uint8_t> randomBytes(size_t count);

  /// A parameter of the kernel with a random value: its name.
  std::string parameter(const std::string &type);

  void row(const Row &row);
  /// `count` random rows of a table.
  template <typename Rows> void rows(const Rows &table, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      row(rng.pick(table));
  }

  /// Registers of every kernel: linear thread of the launch and of the block,
  /// the two buffers.
  static constexpr const char *kThread = "%gtid", *kTid = "%ltid", *kIn = "%in",
                              *kOut = "%out";

  /// Puts the text together.
  void finish();

private:
  /// The same register twice would be simplified (`max x, x`).
  bool isUsed(const std::vector<Operand> &operands, const Operand &made) const;
  Operand rowSource(const std::string &token, const std::string &type,
                    bool fresh, bool mayBeImmediate);

  std::string before, directives, body;
  std::map<unsigned, unsigned> registers;           ///< by width
  std::map<std::string, std::vector<Operand>> live; ///< by class
};

} // namespace girih::silicon

#endif // GIRIH_TEST_GPU_SIM_SILICON_BUILDER_H
