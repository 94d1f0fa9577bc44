//===- CommandLine.cpp - from argv to a command that is ready -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/CommandLine.h"

#include "compiler/support/Suggest.h"
#include "tools/girih/Codes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace girih;
using namespace girih::cli;

namespace {

/// Collects what is written to standard error while it lives: llvm::cl prints
/// some of its messages there whatever stream it is given.
class CapturedStderr {
public:
  CapturedStderr() : file(memfd_create("girih", MFD_CLOEXEC)) {
    if (file < 0)
      return;
    saved = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
  }
  ~CapturedStderr() { take(); }

  /// Ends the capture and returns the text.
  std::string take() {
    std::string text;
    if (file < 0)
      return text;
    dup2(saved, STDERR_FILENO);
    close(saved);
    lseek(file, 0, SEEK_SET);
    char bytes[4096];
    for (ssize_t count; (count = read(file, bytes, sizeof(bytes))) > 0;)
      text.append(bytes, size_t(count));
    close(file);
    file = -1;
    return text;
  }

private:
  int file;
  int saved = -1;
};

/// llvm::cl prints a command's help and ends the process, so what could not be
/// written is reported on the way out.
class HelpWatch {
public:
  HelpWatch(Console &console, CapturedStderr &captured)
      : console(console), captured(captured) {
    llvm::outs(); // lives longer than what is registered behind it
    if (!current)
      std::atexit([] {
        if (current)
          current->reportLoss();
      });
    current = this;
  }
  ~HelpWatch() { current = nullptr; }

private:
  void reportLoss() {
    llvm::raw_fd_ostream &out = llvm::outs();
    out.flush();
    if (!out.has_error())
      return;
    std::string why = out.error().message();
    out.clear_error();
    captured.take();
    console.fail(codes::kCannotWrite,
                 "cannot write to standard output: " + why);
    std::_Exit(console.finish());
  }

  static HelpWatch *current;
  Console &console;
  CapturedStderr &captured;
};
HelpWatch *HelpWatch::current = nullptr;

} // namespace

std::vector<std::unique_ptr<Command>> cli::makeCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(makeCompileCommand());
  commands.push_back(makeRunCommand());
  commands.push_back(makeCheckCommand());
  commands.push_back(makeBenchCommand());
  commands.push_back(makeTestCommand());
  commands.push_back(makeListCommand());
  commands.push_back(makeFmtCommand());
  commands.push_back(makeErrorCommand());
  commands.push_back(makeExplainCommand());
  commands.push_back(makeDiffCommand());
  commands.push_back(makeTuneCommand());
  commands.push_back(makeDoctorCommand());
  return commands;
}

static std::string overview(const Commands &commands) {
  std::string text = "girih: a polyhedral tensor compiler\n\n"
                     "usage: girih COMMAND [FILE] [flags]\n\n";
  for (const auto &command : commands) {
    std::string name = command->subcommand.getName().str();
    text += "  " + name + std::string(10 - name.size(), ' ') +
            command->subcommand.getDescription().str() + "\n";
  }
  return text +
         "\n`girih COMMAND --help` lists the flags of a command. Exit "
         "codes: 0 done, 1 refused\nor failed, 2 the command is wrong.\n";
}

/// Whether the texts differ by one letter, more, less or another, or by two
/// neighbours that changed places.
static bool isOneSlip(llvm::StringRef a, llvm::StringRef b) {
  if (a.edit_distance(b) <= 1)
    return true;
  if (a.size() != b.size())
    return false;
  size_t at = 0;
  while (at < a.size() && a[at] == b[at])
    ++at;
  return at + 1 < a.size() && a[at] == b[at + 1] && a[at + 1] == b[at] &&
         a.substr(at + 2) == b.substr(at + 2);
}

/// The flag of the command that an unknown one most likely means: its first
/// letters, or one slip away. Empty where there is none.
static std::string nearestFlag(Command &command, llvm::StringRef flag) {
  constexpr size_t kFewest = 3; // of shorter ones there are too many
  std::string near;
  unsigned beginnings = 0;
  if (flag.size() < kFewest)
    return near;
  for (auto &entry : llvm::cl::getRegisteredOptions(command.subcommand)) {
    llvm::StringRef name = entry.first;
    if (name.size() >= kFewest && isOneSlip(flag, name))
      return name.str();
    if (name.starts_with(flag) && ++beginnings == 1)
      near = name.str();
  }
  return beginnings == 1 ? near : "";
}

/// What stands between the first quotes: `--flag=value`; parted at '='.
static std::pair<llvm::StringRef, llvm::StringRef>
quotedFlag(llvm::StringRef line) {
  llvm::StringRef flag = line.split('\'').second.split('\'').first.ltrim('-');
  size_t equal = flag.find('=');
  return {flag.substr(0, equal),
          equal == llvm::StringRef::npos ? "" : flag.substr(equal)};
}

/// Turns llvm::cl's lines ("girih: Unknown ...", "girih: Did you mean ...")
/// into diagnostics. What it proposes is often far-fetched, so that is left
/// out for what is near.
static void reportMistakes(Console &console, const std::string &text,
                           Command &command) {
  Diagnostic *last = nullptr;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    line.consume_front("girih: ");
    // The command that shows the right flags is said below.
    line = line.substr(0, line.find("  Try: ")).rtrim(" .!");
    if (line.starts_with("Did you mean"))
      continue;
    std::string message = line.str();
    message[0] = llvm::toLower(message[0]);
    last = &console.usage(codes::kCommandLine, message);
    if (!llvm::StringRef(message).starts_with("unknown command line argument"))
      continue;
    auto [flag, value] = quotedFlag(line);
    std::string near = nearestFlag(command, flag);
    if (!near.empty())
      last->help("did you mean '--" + near + value.str() + "'?");
  }
  if (!last)
    last = &console.usage(codes::kCommandLine, "the command is wrong");
  last->help("girih " + command.subcommand.getName().str() +
             " --help lists its flags");
}

Command *cli::parseCommandLine(Console &console, const Commands &commands,
                               int argc, char **argv) {
  std::string name = argc > 1 ? argv[1] : "";
  if (name == "--version" || name == "version") {
    console.print("girih " GIRIH_VERSION "\n");
    return nullptr;
  }
  std::vector<const char *> arguments(argv, argv + argc);
  bool wantsHelp = name == "help" || name == "--help" || name == "-h";
  if (wantsHelp && argc > 2) {
    name = argv[2];
    arguments = {argv[0], argv[2], "--help"};
  } else if (wantsHelp) {
    console.print(overview(commands));
    return nullptr;
  }
  if (name.empty()) {
    std::fputs(overview(commands).c_str(), stderr);
    console.usage(codes::kCommandLine, "no command");
    return nullptr;
  }

  Command *command = nullptr;
  std::vector<std::string> names;
  for (const auto &candidate : commands) {
    names.push_back(candidate->subcommand.getName().str());
    if (names.back() == name)
      command = candidate.get();
  }
  if (!command) {
    console
        .usage(codes::kCommandLine,
               "girih has no command '" + name + "'" + didYouMean(name, names))
        .help("girih --help lists the commands");
    return nullptr;
  }

  arguments[0] = "girih"; // begins llvm::cl's lines, whatever the file's name
  llvm::cl::HideUnrelatedOptions(command->category, command->subcommand);
  std::string mistakes;
  llvm::raw_string_ostream stream(mistakes);
  CapturedStderr captured;
  HelpWatch watch(console, captured);
  bool parsed = llvm::cl::ParseCommandLineOptions(
      int(arguments.size()), arguments.data(), "", &stream, nullptr, nullptr,
      /*LongOptionsUseDoubleDash=*/true);
  mistakes += captured.take();
  std::string form = command->diagnostics;
  if (form == "json")
    console.useJson();
  if (!parsed || !mistakes.empty()) {
    reportMistakes(console, mistakes, *command);
    return nullptr;
  }
  if (form != "text" && form != "json") {
    console.usage(codes::kCommandLine,
                  "diagnostics are 'text' or 'json', not '" + form + "'");
    return nullptr;
  }
  return command;
}
