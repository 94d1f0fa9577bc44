//===- Fmt.cpp - girih fmt ------------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Frontend.h"
#include "runtime/Text.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Command.h"
#include "tools/girih/Files.h"

using namespace girih;
using namespace girih::cli;

namespace {

class FmtCommand : public Command {
public:
  FmtCommand()
      : Command("fmt", "print a program in the one style"),
        files(llvm::cl::Positional, llvm::cl::desc("FILE..."),
              llvm::cl::sub(subcommand), llvm::cl::cat(category)),
        check(*this, "check", "say which files are not in the style"),
        inPlace(*this, "in-place", "write the files anew") {}

  void run(Console &console) override {
    if (files.empty()) {
      console.usage(codes::kCommandLine, "no input file")
          .help("for example: girih fmt softmax.te");
      return;
    }
    if (check && inPlace) {
      console.usage(codes::kCommandLine,
                    "--check changes nothing and --in-place does: give one");
      return;
    }
    if (files.size() > 1 && !check && !inPlace) {
      console.usage(codes::kCommandLine, "one file is printed at a time")
          .help("several go with --check or --in-place");
      return;
    }
    int64_t others = 0;
    for (const std::string &path : files)
      format(console, path, others);
    if (others)
      console
          .fail(codes::kNotFormatted, rt::plural(others, "file") +
                                          (others == 1 ? " is" : " are") +
                                          " not in the one style")
          .help("girih fmt --in-place mends it");
  }

private:
  void format(Console &console, const std::string &path, int64_t &others) {
    std::optional<std::string> text = readFile(console, path);
    if (!text)
      return;
    auto source = std::make_shared<const SourceFile>(
        path == "-" ? "<stdin>" : path, *text);
    Diagnostics &diags = console.startCompile(source);
    std::optional<std::string> formatted = frontend::formatText(*source, diags);
    if (!formatted || !isSame(console, *source, *formatted))
      return;
    if (check) {
      if (*formatted == *text)
        return;
      ++others;
      console.print(path + "\n");
    } else if (!inPlace || path == "-") {
      console.print(*formatted);
    } else if (*formatted != *text) {
      writeFile(console, path, *formatted);
    }
  }

  /// Nobody may lose a program to its formatter: what was made must mean the
  /// same and stay as it is.
  static bool isSame(Console &console, const SourceFile &source,
                     const std::string &formatted) {
    Diagnostics diags;
    SourceFile made(source.name(), formatted);
    std::unique_ptr<frontend::File> before = frontend::parseFile(source, diags);
    std::unique_ptr<frontend::File> after = frontend::parseFile(made, diags);
    std::optional<std::string> again = frontend::formatText(made, diags);
    if (before && after && again == formatted &&
        frontend::printAst(*before) == frontend::printAst(*after))
      return true;
    console.fail(codes::kInternal,
                 "a fault of the compiler: '" + source.name() +
                     "' would change its meaning; it is left as it is");
    return false;
  }

  llvm::cl::list<std::string> files;
  Switch check, inPlace;
};

} // namespace

std::unique_ptr<Command> cli::makeFmtCommand() {
  return std::make_unique<FmtCommand>();
}
