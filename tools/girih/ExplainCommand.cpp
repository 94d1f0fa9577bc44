//===- ExplainCommand.cpp - girih explain ---------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Explain.h"
#include "compiler/support/Suggest.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Prove.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace girih;
using namespace girih::cli;

namespace {

class ExplainCommand : public Command {
public:
  ExplainCommand()
      : Command("explain", "say how a program is scheduled, and why"),
        flags(*this, "FILE"),
        view(*this, "view", "VIEW,...",
             "tree, loops, deps, ranges, fusion, directives; or all", "loops"),
        steps(*this, "steps",
              "tree and loop nest after each directive of the schedule"),
        json(*this, "json", "as JSON"), prove(*this) {}

  void run(Console &console) override {
    std::optional<Program> program =
        Program::open(console, flags, "girih explain softmax.te --view=fusion");
    if (!program)
      return;
    if (program->isArtifact()) {
      console.usage(codes::kArtifact,
                    "'" + program->path() +
                        "' is compiled already: there is nothing left to "
                        "explain");
      return;
    }
    if (flags.positional.size() > 1) {
      console.usage(codes::kCommandLine, "one file at a time; '" +
                                             flags.positional[1] +
                                             "' is another one");
      return;
    }
    pipeline::ExplainOptions what;
    what.steps = steps;
    what.json = json;
    std::optional<std::vector<std::string>> proved = readProve(console, prove);
    if (!readViews(console, what.views) || !proved)
      return;
    program->prove(*proved);
    pipeline::CompileOptions options = program->options();
    options.given = program->sizes();
    if (!program->target().empty())
      options.target = program->target();
    std::optional<std::string> said = program->explain(console, options, what);
    if (said)
      console.print(*said);
  }

private:
  bool readViews(Console &console, std::vector<std::string> &views) {
    const std::vector<std::string> &known = pipeline::explainViews();
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(view).split(names, ',');
    for (llvm::StringRef name : names) {
      if (name == "all") {
        views = known;
        return true;
      }
      if (!llvm::is_contained(known, name)) {
        console
            .usage(codes::kUnknownName,
                   "no view '" + name.str() + "'" + didYouMean(name, known))
            .help("the views are " + llvm::join(known, ", ") + ", or all");
        return false;
      }
      views.push_back(name.str());
    }
    return true;
  }

  ProgramFlags flags;
  Setting view;
  Switch steps, json;
  ProveFlag prove;
};

} // namespace

std::unique_ptr<Command> girih::cli::makeExplainCommand() {
  return std::make_unique<ExplainCommand>();
}
