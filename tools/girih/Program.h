//===- Program.h - the program on the command line --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_PROGRAM_H
#define GIRIH_TOOLS_GIRIH_PROGRAM_H

#include "compiler/pipeline/Explain.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/pipeline/Search.h"
#include "tools/girih/Command.h"
#include "tools/girih/Demonstration.h"
#include "tools/girih/Sizes.h"

namespace girih::cli {

/// The flags that say what is compiled and how.
struct ProgramFlags {
  ProgramFlags(Command &command, const char *positionalNames);

  /// FILE, then what else the command takes.
  llvm::cl::list<std::string> positional;
  Setting op, target, functions, from, schedule;
  Settings define, knob;
};

/// A source text, the text of a phase, or an artifact.
class Program {
public:
  /// Reads the first positional argument and checks the flags; reports what is
  /// wrong. `example` shows a right command.
  static std::optional<Program>
  open(Console &console, const ProgramFlags &flags, const char *example);

  const std::string &path() const { return file->name(); }
  /// True where nothing is left to compile.
  bool isArtifact() const { return loaded.has_value(); }
  /// -D, in order.
  const Sizes &sizes() const { return given; }
  /// --target, or empty.
  const std::string &target() const { return wantedTarget; }

  /// Compiles to `last` with sizes fixed. Must not be an artifact.
  std::optional<pipeline::CompileResult> compile(Console &console,
                                                 pipeline::Phase last,
                                                 const Sizes &fixed,
                                                 std::string target) const;
  /// Everything that this program's compiles have in common.
  pipeline::CompileOptions options() const;
  std::optional<pipeline::CompileResult>
  compile(Console &console, const pipeline::CompileOptions &options) const;
  /// The same of the te module of an artifact, no further than to `assoc`.
  std::optional<pipeline::CompileResult>
  compileTe(Console &console, const pipeline::CompileOptions &options) const;
  /// What pipeline::explain says of it.
  std::optional<std::string>
  explain(Console &console, const pipeline::CompileOptions &options,
          const pipeline::ExplainOptions &what) const;
  /// The `most` schedules that the model ranks first at these sizes.
  std::optional<std::vector<pipeline::RankedSchedule>>
  rank(Console &console, const Sizes &sizes, const std::string &target,
       size_t most) const;
  /// Takes this text in the place of --schedule.
  void useSchedule(std::string name, std::string text);
  /// Tensors that will be given: optional ones among them are there.
  void probe(std::vector<std::string> names) { probes = std::move(names); }
  void willGive(std::vector<std::string> names) { tensors = std::move(names); }
  /// Sizes on which no result may depend.
  void prove(std::vector<std::string> sizes) { invariant = std::move(sizes); }
  /// The artifact that was read.
  const artifact::Artifact &artifact() const { return *loaded; }
  /// Shows on the host what a refused schedule would compute (Demonstration.h).
  void demonstrate(DemonstrationInputs inputs) { shown = inputs; }
  /// Writes the text of every phase of the first compile to this folder.
  void keepForms(std::string folder) { keep = std::move(folder); }

private:
  /// --schedule.
  bool readSchedule(Console &console, const ProgramFlags &flags);

  std::shared_ptr<const SourceFile> file, scheduleFile;
  std::optional<artifact::Artifact> loaded;
  std::string op, wantedTarget, functions;
  std::optional<target::GpuTarget> card;
  std::optional<pipeline::Phase> from;
  Sizes given;
  ParamValues params;
  Sizes knobs; ///< --knob
  std::vector<std::string> tensors, probes, invariant;
  std::string keep;
  std::optional<DemonstrationInputs> shown;
};

/// A phase by name. Reports an unknown one, which stood behind `flag`.
std::optional<pipeline::Phase>
findPhase(Console &console, const std::string &name, const char *flag);
/// Values of --target and --functions; report what is wrong. A target that a
/// file (.json) describes goes to `card`.
bool checkTarget(Console &console, const std::string &name,
                 std::optional<target::GpuTarget> &card);
bool checkFunctions(Console &console, const std::string &how);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_PROGRAM_H
