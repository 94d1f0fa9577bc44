//===- ErrorCommand.cpp - girih error -------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/support/Suggest.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Command.h"
#include "tools/girih/ErrorPages.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <optional>

using namespace girih;
using namespace girih::cli;

/// `text` in lines of at most 76 columns behind an indentation.
static std::string wrapped(const std::string &text) {
  constexpr size_t kWidth = 76;
  std::string out = "   ", word;
  size_t column = 3;
  auto flush = [&] {
    if (word.empty())
      return;
    if (column + 1 + word.size() > kWidth) {
      out += "\n   ";
      column = 3;
    }
    out += " " + word;
    column += 1 + word.size();
    word.clear();
  };
  for (char c : text)
    if (c == ' ')
      flush();
    else
      word += c;
  flush();
  return out + "\n";
}

static std::string printPage(const ErrorPage &page) {
  std::string text =
      page.code + ": " + page.meaning + "\n\n  " + page.family + "\n";
  if (!page.example.empty()) {
    text += "\nExample:\n\n";
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(page.example).rtrim().split(lines, '\n');
    for (llvm::StringRef line : lines)
      text += line.empty() ? "\n" : "    " + line.str() + "\n";
  }
  return text + "\nWhat to do:\n\n" + wrapped(page.mend);
}

/// The code that these digits are, whatever stands before them.
static std::optional<std::string>
pageOfDigits(const std::string &name, const std::vector<std::string> &codes) {
  size_t begin = name.find_first_of("0123456789");
  if (begin == std::string::npos || begin > 2)
    return std::nullopt;
  std::string digits = name.substr(begin);
  if (digits.size() < 4)
    digits.insert(0, 4 - digits.size(), '0');
  std::string code = "G" + digits;
  if (std::find(codes.begin(), codes.end(), code) == codes.end())
    return std::nullopt;
  return code;
}

namespace {

class ErrorCommand : public Command {
public:
  ErrorCommand()
      : Command("error", "explain an error code"),
        names(llvm::cl::Positional, llvm::cl::desc("CODE"),
              llvm::cl::sub(subcommand), llvm::cl::cat(category)) {}

  void run(Console &console) override {
    std::vector<ErrorPage> pages = errorPages();
    if (names.empty()) {
      std::string text;
      for (const ErrorPage &page : pages)
        text += page.code + "  " + page.meaning + "\n";
      console.print(text);
      return;
    }
    for (size_t i = 0; i < names.size(); ++i) {
      std::string name = llvm::StringRef(names[i]).upper();
      const ErrorPage *found = nullptr;
      std::vector<std::string> all;
      for (const ErrorPage &page : pages) {
        all.push_back(page.code);
        if (page.code == name)
          found = &page;
      }
      if (!found && pageOfDigits(name, all)) {
        console
            .usage(codes::kUnknownName, "there is no error code '" + names[i] +
                                            "'; did you mean '" +
                                            *pageOfDigits(name, all) + "'?")
            .help("girih error lists them all");
        return;
      }
      if (!found) {
        console
            .usage(codes::kUnknownName, "there is no error code '" + names[i] +
                                            "'" + didYouMean(name, all))
            .help("girih error lists them all");
        return;
      }
      if (!console.print((i ? "\n" : "") + printPage(*found)))
        return;
    }
  }

private:
  llvm::cl::list<std::string> names;
};

} // namespace

std::unique_ptr<Command> cli::makeErrorCommand() {
  return std::make_unique<ErrorCommand>();
}
