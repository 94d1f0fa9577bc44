//===- Command.h - one subcommand of girih ----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_COMMAND_H
#define GIRIH_TOOLS_GIRIH_COMMAND_H

#include "tools/girih/Console.h"

#include "llvm/Support/CommandLine.h"

#include <memory>

namespace girih::cli {

/// A subcommand with its flags, which are members of the classes derived from
/// it. Commands must live until the process ends: llvm::cl keeps their
/// addresses.
class Command {
public:
  Command(const char *name, const char *summary)
      : title("Options of girih " + std::string(name)),
        subcommand(name, summary), category(title),
        diagnostics("diagnostics", llvm::cl::desc("text (default) or json"),
                    llvm::cl::value_desc("FORM"), llvm::cl::init("text"),
                    llvm::cl::sub(subcommand), llvm::cl::cat(category)) {}
  virtual ~Command() = default;
  Command(const Command &) = delete;
  Command &operator=(const Command &) = delete;

  /// Does the work; everything that goes wrong is reported to the console.
  virtual void run(Console &console) = 0;

private:
  std::string title; ///< llvm::cl refers to it

public:
  llvm::cl::SubCommand subcommand;
  llvm::cl::OptionCategory category;
  llvm::cl::opt<std::string> diagnostics;
};

/// A flag that stands alone, off by default.
struct Switch : llvm::cl::opt<bool> {
  Switch(Command &command, llvm::StringRef name, const char *description)
      : opt(name, llvm::cl::desc(description),
            llvm::cl::sub(command.subcommand),
            llvm::cl::cat(command.category)) {}
};

/// A flag with a value. Values are checked by the commands, which can say what
/// is allowed.
struct Setting : llvm::cl::opt<std::string> {
  Setting(Command &command, llvm::StringRef name, const char *value,
          const char *description, const char *initial = "")
      : opt(name, llvm::cl::desc(description), llvm::cl::value_desc(value),
            llvm::cl::init(initial), llvm::cl::sub(command.subcommand),
            llvm::cl::cat(command.category)) {}
};

/// A flag with a value that may be given several times.
struct Settings : llvm::cl::list<std::string> {
  Settings(Command &command, llvm::StringRef name, const char *value,
           const char *description)
      : list(name, llvm::cl::desc(description), llvm::cl::value_desc(value),
             llvm::cl::sub(command.subcommand),
             llvm::cl::cat(command.category)) {}
};

/// Every command, in the order of the help text.
std::vector<std::unique_ptr<Command>> makeCommands();
std::unique_ptr<Command> makeCompileCommand();
std::unique_ptr<Command> makeRunCommand();
std::unique_ptr<Command> makeCheckCommand();
std::unique_ptr<Command> makeBenchCommand();
std::unique_ptr<Command> makeTestCommand();
std::unique_ptr<Command> makeListCommand();
std::unique_ptr<Command> makeFmtCommand();
std::unique_ptr<Command> makeErrorCommand();
std::unique_ptr<Command> makeDoctorCommand();
std::unique_ptr<Command> makeExplainCommand();
std::unique_ptr<Command> makeDiffCommand();
std::unique_ptr<Command> makeTuneCommand();

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_COMMAND_H
