//===- Prove.cpp - what is asked to be proved -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Prove.h"

#include "compiler/support/Suggest.h"
#include "tools/girih/Codes.h"

#include "llvm/ADT/StringRef.h"

using namespace girih;
using namespace girih::cli;

ProveFlag::ProveFlag(Command &command)
    : Settings(command, "prove", "invariant=M,N",
               "prove from the text that no result depends on the size M") {}

std::optional<std::vector<std::string>> cli::readProve(Console &console,
                                                       const ProveFlag &flag) {
  std::vector<std::string> sizes;
  for (const std::string &text : flag) {
    auto [what, list] = llvm::StringRef(text).split('=');
    if (what != "invariant") {
      console
          .usage(codes::kUnknownName, "--prove knows no '" + what.str() + "'" +
                                          didYouMean(what.str(), {"invariant"}))
          .help("for example --prove invariant=M");
      return std::nullopt;
    }
    llvm::SmallVector<llvm::StringRef> names;
    list.split(names, ',');
    for (llvm::StringRef name : names) {
      if (name.trim().empty()) {
        console
            .usage(codes::kCommandLine,
                   "a size is missing in '--prove " + text + "'")
            .help("for example --prove invariant=M");
        return std::nullopt;
      }
      sizes.push_back(name.trim().str());
    }
  }
  return sizes;
}

void cli::answerProve(Console &console, const Program &program) {
  std::string text;
  pipeline::CompileOptions options = program.options();
  options.given = program.sizes();
  if (!program.target().empty())
    options.target = program.target();
  options.onProved = [&](const std::string &sentence) {
    text += "proved: " + sentence + "\n";
  };
  options.last = std::max(options.from, pipeline::Phase::Assoc);
  if (program.isArtifact())
    program.compileTe(console, options);
  else
    program.compile(console, options);
  if (!text.empty())
    console.print(text);
}
