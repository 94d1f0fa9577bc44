//===- DiffCommand.cpp - girih diff ---------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Diff.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Files.h"
#include "tools/girih/Program.h"

using namespace girih;
using namespace girih::cli;
using pipeline::Phase;

namespace {

class DiffCommand : public Command {
public:
  DiffCommand()
      : Command("diff", "say what differs between two programs or schedules"),
        files(llvm::cl::Positional, llvm::cl::desc("A B"),
              llvm::cl::sub(subcommand), llvm::cl::cat(category)),
        op(*this, "op", "NAME",
           "operator to compare, where a file has several"),
        target(*this, "target", "SM", "GPU to compile for (default: sm_90a)"),
        functions(
            *this, "functions", "HOW",
            "fast or portable exp, tanh, ...; as the text says if absent"),
        scheduleA(*this, "schedule-a", "FILE",
                  "schedules for A, which go before its own"),
        scheduleB(*this, "schedule-b", "FILE",
                  "schedules for B, which go before its own"),
        define(*this, "D", "NAME=VALUE", "fix a size or a parameter of both"),
        json(*this, "json", "as JSON") {
    define.setFormattingFlag(llvm::cl::Prefix);
  }

  /// As diff does: 0 no difference, 1 a difference, 2 anything else.
  void run(Console &console) override {
    std::optional<pipeline::DiffResult> result = compare(console);
    if (!result) {
      console.endWith(kExitUsage);
      return;
    }
    if (!console.print(json ? pipeline::printDiffAsJson(*result)
                            : pipeline::printDiff(*result)))
      console.endWith(kExitUsage);
    else if (!result->equal())
      console.endWith(kExitFailed);
  }

private:
  struct Side {
    std::shared_ptr<const SourceFile> file, schedule;
    bool isSource = true;
  };

  std::optional<pipeline::DiffResult> compare(Console &console) {
    bool hasSchedule =
        scheduleA.getNumOccurrences() || scheduleB.getNumOccurrences();
    // One program under two schedules need not be named twice.
    size_t least = hasSchedule ? 1 : 2;
    if (files.size() < least || files.size() > 2) {
      console
          .usage(codes::kCommandLine, files.empty() ? "no input file"
                                      : files.size() == 1
                                          ? "one file alone has no difference"
                                          : "two files are compared, not " +
                                                std::to_string(files.size()))
          .help("for example: girih diff ffn.te --schedule-b ffn.sched");
      return std::nullopt;
    }
    ParamValues params;
    std::optional<Sizes> given = parseDefines(console, define, params);
    if (!given || !checkNames(console))
      return std::nullopt;
    std::optional<Side> sides[2];
    std::optional<pipeline::DiffSide> seen[2];
    for (int i = 0; i < 2; ++i)
      if (!(sides[i] = read(console, files[i == 0 ? 0 : files.size() - 1],
                            i == 0 ? scheduleA : scheduleB)))
        return std::nullopt;
    bool anySource = sides[0]->isSource || sides[1]->isSource;
    for (int i = 0; i < 2; ++i) {
      pipeline::CompileOptions options;
      options.isSource = sides[i]->isSource;
      options.from = options.isSource ? Phase::Ast : Phase::Schedule;
      if (!target.empty())
        options.target = target;
      options.card = card;
      options.scheduleFile = sides[i]->schedule;
      // The text of a form says these itself.
      if (options.isSource || !anySource) {
        if (options.isSource)
          options.op = op;
        options.functions = functions;
        options.given = *given;
        options.settings = params;
      }
      seen[i] = pipeline::lookAtSide(sides[i]->file, options,
                                     console.startCompile(sides[i]->file));
      if (!seen[i])
        return std::nullopt;
    }
    if (seen[0]->op != seen[1]->op) {
      console
          .usage(codes::kDifferentOps, "A computes '" + seen[0]->op +
                                           "' and B '" + seen[1]->op +
                                           "': two of one name are compared")
          .help("--op says which operator of a file is meant");
      return std::nullopt;
    }
    return pipeline::compareSides(*seen[0], *seen[1]);
  }

  bool checkNames(Console &console) {
    return (!target.getNumOccurrences() ||
            checkTarget(console, target, card)) &&
           checkFunctions(console, functions);
  }

  static std::optional<Side> read(Console &console, const std::string &path,
                                  const Setting &schedule) {
    std::optional<std::string> text = readFile(console, path);
    if (!text)
      return std::nullopt;
    if (text->substr(0, 8) == "GIRIHART") {
      console.usage(codes::kArtifact,
                    "'" + path +
                        "' is compiled already: what is compared are programs "
                        "and texts of --emit=schedule");
      return std::nullopt;
    }
    Side side;
    side.isSource = text->substr(0, 4) != "=== ";
    side.file = std::make_shared<SourceFile>(path == "-" ? "<stdin>" : path,
                                             std::move(*text));
    if (!schedule.getNumOccurrences())
      return side;
    if (!side.isSource) {
      console.usage(codes::kCommandLine, "--" + schedule.ArgStr.str() +
                                             " has no meaning for '" + path +
                                             "', whose schedule is made "
                                             "already");
      return std::nullopt;
    }
    std::optional<std::string> more = readFile(console, schedule);
    if (!more)
      return std::nullopt;
    side.schedule = std::make_shared<SourceFile>(schedule, std::move(*more));
    return side;
  }

  llvm::cl::list<std::string> files;
  Setting op, target, functions, scheduleA, scheduleB;
  std::optional<target::GpuTarget> card;
  Settings define;
  Switch json;
};

} // namespace

std::unique_ptr<Command> girih::cli::makeDiffCommand() {
  return std::make_unique<DiffCommand>();
}
