//===- Program.cpp - the program on the command line ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Program.h"

#include "compiler/pipeline/TargetFile.h"
#include "compiler/support/Suggest.h"
#include "compiler/target/GpuTarget.h"
#include "runtime/Text.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Files.h"

using namespace girih;
using namespace girih::cli;
using pipeline::Phase;

ProgramFlags::ProgramFlags(Command &command, const char *positionalNames)
    : positional(llvm::cl::Positional, llvm::cl::desc(positionalNames),
                 llvm::cl::sub(command.subcommand),
                 llvm::cl::cat(command.category)),
      op(command, "op", "NAME",
         "operator to compile, where a file has several"),
      target(command, "target", "SM",
             "GPU to compile for: sm_90a (the default), h100 ... or FILE.json"),
      functions(command, "functions", "HOW",
                "fast or portable exp, tanh, ...; as the text says if absent"),
      from(command, "from", "PHASE", "FILE is the text of this phase"),
      schedule(command, "schedule", "FILE",
               "schedules for the program, which go before its own"),
      define(command, "D", "NAME=VALUE", "fix a size or a parameter"),
      knob(command, "knob", "LABEL=VALUE",
           "the value of a schedule's knob ?{...}, by its directive's label") {
  define.setFormattingFlag(llvm::cl::Prefix);
}

std::optional<Phase> cli::findPhase(Console &console, const std::string &name,
                                    const char *flag) {
  if (std::optional<Phase> phase = pipeline::findPhase(name))
    return phase;
  std::vector<std::string> known;
  for (const pipeline::PhaseInfo &info : pipeline::kPhases)
    known.emplace_back(info.name);
  console
      .usage(codes::kUnknownName, std::string(flag) + ": there is no phase '" +
                                      name + "'" + didYouMean(name, known))
      .note("the phases, in order: " + rt::joinNames(known));
  return std::nullopt;
}

bool cli::checkTarget(Console &console, const std::string &name,
                      std::optional<target::GpuTarget> &card) {
  if (target::findTarget(name))
    return true;
  if (llvm::StringRef(name).ends_with(".json")) {
    std::optional<std::string> text = readFile(console, name);
    if (!text)
      return false;
    auto file = std::make_shared<SourceFile>(name, std::move(*text));
    card = pipeline::readTarget(*file, console.startCompile(file));
    return card.has_value();
  }
  Diagnostic &error =
      console.usage(codes::kUnknownName, "unknown target '" + name + "'");
  std::string near = target::nearestTarget(name);
  if (!near.empty())
    error.help("did you mean '" + near + "'?");
  error.note("known: " + rt::joinNames(target::knownTargets()) + "; " +
             rt::joinNames(target::knownCards()) +
             "; or a file that describes one, FILE.json");
  return false;
}

bool cli::checkFunctions(Console &console, const std::string &how) {
  if (how.empty() || how == "fast" || how == "portable")
    return true;
  console.usage(codes::kUnknownName,
                "functions are 'fast' or 'portable', not '" + how + "'" +
                    didYouMean(how, {"fast", "portable"}));
  return false;
}

/// `3-assoc.mlir`: in a listing the phases stand in their order.
static std::string fileNameOf(Phase phase) {
  static constexpr const char *kEndings[] = {
      ".te", ".mlir", ".mlir", ".scop", ".sched", ".mlir", ".mlir", ".ptx"};
  auto number = size_t(phase) - size_t(Phase::Ast);
  return std::to_string(number + 1) + "-" +
         std::string(pipeline::infoOf(phase).name) + kEndings[number];
}

static bool isArtifactText(std::string_view bytes) {
  return bytes.substr(0, 8) == "GIRIHART";
}

std::optional<Program> Program::open(Console &console,
                                     const ProgramFlags &flags,
                                     const char *example) {
  if (flags.positional.empty()) {
    console.usage(codes::kCommandLine, "no input file")
        .help("for example: " + std::string(example));
    return std::nullopt;
  }
  Program program;
  program.op = flags.op;
  program.wantedTarget = flags.target;
  program.functions = flags.functions;
  std::optional<Sizes> given =
      parseDefines(console, flags.define, program.params);
  if (!given || !checkFunctions(console, program.functions) ||
      (flags.target.getNumOccurrences() &&
       !checkTarget(console, flags.target, program.card)))
    return std::nullopt;
  program.given = std::move(*given);
  for (const std::string &text : flags.knob) {
    size_t equals = text.find('=');
    std::optional<int64_t> value = equals == std::string::npos || equals == 0
                                       ? std::nullopt
                                       : parseInteger(text.substr(equals + 1));
    if (!value) {
      console
          .usage(codes::kCommandLine,
                 "--knob takes LABEL=VALUE, not '" + text + "'")
          .help("for example --knob t=32 for 't: split C.k by ?{16, 32}'");
      return std::nullopt;
    }
    program.knobs.emplace_back(text.substr(0, equals), *value);
  }
  if (flags.from.getNumOccurrences() &&
      !(program.from = cli::findPhase(console, flags.from, "--from")))
    return std::nullopt;
  if (program.from > Phase::Ast && flags.op.getNumOccurrences()) {
    console.usage(codes::kCommandLine,
                  "--op has no meaning with --from=" + flags.from +
                      ": its text holds one operator");
    return std::nullopt;
  }

  const std::string &path = flags.positional[0];
  std::optional<std::string> text = readFile(console, path);
  if (!text)
    return std::nullopt;
  if (isArtifactText(*text)) {
    for (const Setting *flag :
         {&flags.op, &flags.target, &flags.functions, &flags.from})
      if (flag->getNumOccurrences()) {
        console.usage(codes::kArtifact, "--" + flag->ArgStr.str() +
                                            " has no meaning for '" + path +
                                            "', which is compiled already");
        return std::nullopt;
      }
    if (!program.params.empty()) {
      console.usage(codes::kArtifact,
                    "-D " + program.params[0].first + "=" +
                        program.params[0].second + " has no meaning for '" +
                        path + "': its parameters are compiled already");
      return std::nullopt;
    }
    Result<artifact::Artifact> loaded = artifact::deserialize(*text);
    if (!loaded) {
      console.fail(codes::kArtifact,
                   "'" + path + "' cannot be used: " + loaded.message());
      return std::nullopt;
    }
    program.loaded = std::move(*loaded);
    text->clear();
  }
  program.file = std::make_shared<SourceFile>(path == "-" ? "<stdin>" : path,
                                              std::move(*text));
  if (!program.knobs.empty() &&
      (program.isArtifact() || program.from > Phase::Ast)) {
    console.usage(codes::kCommandLine, "--knob has no meaning for '" +
                                           program.path() +
                                           "', whose schedule is made already");
    return std::nullopt;
  }
  if (flags.schedule.getNumOccurrences() &&
      !program.readSchedule(console, flags))
    return std::nullopt;
  return program;
}

std::optional<pipeline::CompileResult>
Program::compile(Console &console, Phase last, const Sizes &fixed,
                 std::string target) const {
  pipeline::CompileOptions wanted = options();
  wanted.target = std::move(target);
  wanted.given = fixed;
  wanted.last = last;
  return compile(console, wanted);
}

/// What a command proves besides its work.
static std::function<void(const std::string &)> sayProved(Console &console) {
  return [&](const std::string &text) { console.say("proved: " + text); };
}

pipeline::CompileOptions Program::options() const {
  pipeline::CompileOptions options;
  options.op = op;
  options.card = card;
  options.functions = functions;
  options.settings = params;
  options.tensors = tensors;
  options.probes = probes;
  options.invariant = invariant;
  options.scheduleFile = scheduleFile;
  options.knobs = knobs;
  options.isSource = !from;
  options.from = from.value_or(Phase::Ast);
  return options;
}

std::optional<pipeline::CompileResult>
Program::compile(Console &console,
                 const pipeline::CompileOptions &wanted) const {
  pipeline::CompileOptions options = wanted;
  if (!options.onProved)
    options.onProved = sayProved(console);
  if (!keep.empty() && !makeFolder(console, keep))
    return std::nullopt;
  if (!keep.empty())
    options.onForm = [&](Phase phase, const std::string &text) {
      writeFile(console, keep + "/" + fileNameOf(phase), text);
    };
  if (shown)
    options.onRefusedSchedule = [&](pipeline::RefusedSchedule &refused) {
      demonstrateRefusal(refused, options.given, *shown);
    };
  return pipeline::compile(file, options, console.startCompile(file));
}

std::optional<pipeline::CompileResult>
Program::compileTe(Console &console,
                   const pipeline::CompileOptions &wanted) const {
  pipeline::CompileOptions options = wanted;
  options.isSource = false;
  options.from = options.last = Phase::Assoc;
  auto text = std::make_shared<SourceFile>("the te module of " + path(),
                                           loaded->teModule);
  return pipeline::compile(text, options, console.startCompile(text));
}

std::optional<std::string>
Program::explain(Console &console, const pipeline::CompileOptions &wanted,
                 const pipeline::ExplainOptions &what) const {
  pipeline::CompileOptions options = wanted;
  options.onProved = sayProved(console);
  return pipeline::explain(file, options, what, console.startCompile(file));
}

std::optional<std::vector<pipeline::RankedSchedule>>
Program::rank(Console &console, const Sizes &sizes, const std::string &target,
              size_t most) const {
  pipeline::CompileOptions wanted = options();
  wanted.given = sizes;
  wanted.target = target;
  wanted.onProved = sayProved(console);
  return pipeline::rankSchedules(file, wanted, most,
                                 console.startCompile(file));
}

void Program::useSchedule(std::string name, std::string text) {
  scheduleFile = std::make_shared<SourceFile>(std::move(name), std::move(text));
}

bool Program::readSchedule(Console &console, const ProgramFlags &flags) {
  if (isArtifact() || from > Phase::Ast) {
    console.usage(codes::kCommandLine, "--schedule has no meaning for '" +
                                           path() +
                                           "', whose schedule is made already");
    return false;
  }
  std::optional<std::string> text = readFile(console, flags.schedule);
  if (!text)
    return false;
  scheduleFile = std::make_shared<SourceFile>(flags.schedule, std::move(*text));
  return true;
}
