//===- Compile.cpp - girih compile ----------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/Ptxas.h"
#include "runtime/Text.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Files.h"
#include "tools/girih/LockFile.h"
#include "tools/girih/Prove.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace girih;
using namespace girih::cli;
using pipeline::CompileResult;
using pipeline::Phase;

static void sayTimes(Console &console, const CompileResult &result) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  double total = 0;
  stream << "phase           ms\n";
  for (const pipeline::PhaseTime &time : result.times) {
    std::string name(infoOf(time.phase).name);
    stream << llvm::format("%-9s %8.2f\n", name.c_str(), time.milliseconds);
    total += time.milliseconds;
  }
  stream << llvm::format("%-9s %8.2f", "total", total);
  console.say(text);
}

/// Assembles every variant and says what each kernel takes. False on a spill.
static bool sayResources(Console &console, const artifact::Artifact &artifact) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool good = true;
  stream << llvm::format("%-10s %-28s %9s %12s %12s", "variant", "kernel",
                         "registers", "shared bytes", "spill bytes");
  for (const artifact::Variant &variant : artifact.variants) {
    std::string error;
    std::optional<codegen::PtxasReport> report =
        codegen::assemble(variant.ptx, artifact.target, error);
    if (!report) {
      console.fail(codes::kPtxas, error);
      return false;
    }
    for (const artifact::Launch &launch : variant.launches) {
      const codegen::PtxasKernel *kernel = report->find(launch.kernel);
      if (!kernel) {
        console.fail(codes::kPtxas,
                     "ptxas says nothing about kernel '" + launch.kernel + "'");
        return false;
      }
      unsigned spills = kernel->spillStoreBytes + kernel->spillLoadBytes;
      stream << llvm::format("\n%-10s %-28s %9u %12u %12u",
                             variant.name.c_str(), kernel->name.c_str(),
                             kernel->registers,
                             kernel->sharedBytes + launch.sharedBytes, spills);
      if (!spills)
        continue;
      good = false;
      console.fail(
          codes::kSpill,
          "kernel '" + launch.kernel + "' of variant '" + variant.name +
              "' spills: " + rt::plural(kernel->spillStoreBytes, "byte") +
              " stored, " + rt::plural(kernel->spillLoadBytes, "byte") +
              " loaded");
    }
    for (const std::string &note : report->notes)
      console.warn(codes::kPtxas, "ptxas: " + note);
  }
  console.say(text);
  return good;
}

namespace {

class CompileCommand : public Command {
public:
  CompileCommand()
      : Command("compile", "compile an operator to an artifact or a form"),
        flags(*this, "FILE"),
        emit(*this, "emit", "PHASE",
             "print the text of ast, te, assoc, scop, schedule, tile, llvm or "
             "ptx; or the schedule as directives"),
        output(*this, "o", "OUT", "where the artifact or the text goes"),
        timePhases(*this, "time-phases", "say how long each phase took"),
        report(*this, "report", "say what was chosen and why"),
        keep(*this, "keep", "DIR", "write the text of every phase to a folder"),
        ptxas(*this, "ptxas",
              "assemble and say what each kernel takes; a spill is an error"),
        locked(*this, "locked", "LOCK",
               "take the schedule of a lock that girih tune wrote, if it is "
               "of this program, target and sizes"),
        prove(*this) {
    output.setFormattingFlag(llvm::cl::Prefix);
  }

  void run(Console &console) override {
    bool emits = emit.getNumOccurrences();
    if (flags.positional.size() > 1) {
      console.usage(codes::kCommandLine, "one file is compiled at a time; '" +
                                             flags.positional[1] +
                                             "' is one more");
      return;
    }
    std::optional<Phase> last = Phase::Ptx;
    bool asDirectives = emit == "directives";
    if (asDirectives)
      last = Phase::Schedule;
    else if (emits && !(last = cli::findPhase(console, emit, "--emit")))
      return;
    std::optional<std::vector<std::string>> proved = readProve(console, prove);
    std::optional<Program> program;
    if (proved)
      program = Program::open(console, flags,
                              "girih compile softmax.te -o softmax.girih");
    if (!program)
      return;
    if (program->isArtifact()) {
      console
          .usage(codes::kArtifact,
                 "'" + program->path() + "' is compiled already")
          .help("girih run, check and bench take it as it is");
      return;
    }
    if (ptxas && last != Phase::Ptx) {
      console.usage(codes::kCommandLine, "--ptxas needs PTX, which --emit=" +
                                             emit + " stops before");
      return;
    }
    program->keepForms(keep);
    program->prove(*proved);
    if (locked.getNumOccurrences() && !takeLock(console, *program))
      return;
    bool saysOnly = report || ptxas || timePhases || !proved->empty();
    if (!emits && output.empty() && !saysOnly && keep.empty()) {
      console
          .usage(codes::kCommandLine,
                 "an artifact is no text: say with -o where it goes")
          .help("for example -o out.girih; or print a form with --emit=PHASE");
      return;
    }
    std::string target = targetOf(*program);
    if (asDirectives)
      return printDirectives(console, *program, target);
    std::optional<CompileResult> result =
        program->compile(console, *last, program->sizes(), target);
    if (!result)
      return;
    if (timePhases)
      sayTimes(console, *result);
    if (report)
      for (const std::string &line : result->report)
        console.say(line);
    if (ptxas && !sayResources(console, *result->artifact))
      return;
    std::string bytes = emits ? std::move(result->text)
                              : artifact::serialize(*result->artifact);
    if (!output.empty())
      writeFile(console, output, bytes);
    else if (emits)
      console.print(bytes);
  }

private:
  static std::string targetOf(const Program &program) {
    return program.target().empty() ? pipeline::CompileOptions().target
                                    : program.target();
  }

  bool takeLock(Console &console, Program &program) {
    if (flags.schedule.getNumOccurrences() || flags.from.getNumOccurrences()) {
      console.usage(codes::kCommandLine,
                    std::string("--locked says the schedule: leave out --") +
                        (flags.from.getNumOccurrences() ? "from" : "schedule"));
      return false;
    }
    std::optional<Lock> lock = readLock(console, locked);
    if (!lock || !checkLock(console, locked, *lock, program, targetOf(program)))
      return false;
    if (!lock->schedule.empty())
      program.useSchedule(locked, lock->schedule);
    return true;
  }

  void printDirectives(Console &console, const Program &program,
                       const std::string &target) {
    pipeline::CompileOptions options = program.options();
    options.given = program.sizes();
    options.target = target;
    pipeline::ExplainOptions what;
    what.views = {"directives"};
    std::optional<std::string> text = program.explain(console, options, what);
    if (text && !output.empty())
      writeFile(console, output, *text);
    else if (text)
      console.print(*text);
  }

  ProgramFlags flags;
  Setting emit, output;
  Switch timePhases, report;
  Setting keep;
  Switch ptxas;
  Setting locked;
  ProveFlag prove;
};

} // namespace

std::unique_ptr<Command> cli::makeCompileCommand() {
  return std::make_unique<CompileCommand>();
}
