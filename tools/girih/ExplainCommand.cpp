//===- ExplainCommand.cpp - girih explain ---------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Explain.h"
#include "compiler/support/Suggest.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Files.h"
#include "tools/girih/Program.h"
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
             "tree, loops, deps, ranges, fusion, directives; with all sizes "
             "given traffic, budget, roofline, bound; or all; or domain alone",
             "loops"),
        statement(*this, "statement", "S",
                  "statement whose instances --view=domain draws"),
        out(*this, "o", "OUT", "where it goes (default: standard output)"),
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
    what.statement = statement;
    std::optional<std::vector<std::string>> proved = readProve(console, prove);
    if (!readViews(console, what) || !checkPicture(console, what) || !proved)
      return;
    program->prove(*proved);
    pipeline::CompileOptions options = program->options();
    options.given = program->sizes();
    // The text of a form has its sizes; -D says then how large the picture is.
    options.anySize = what.domain && flags.from.getNumOccurrences();
    if (!program->target().empty())
      options.target = program->target();
    std::optional<std::string> said = program->explain(console, options, what);
    if (!said)
      return;
    if (out.getNumOccurrences())
      writeFile(console, out, *said);
    else
      console.print(*said);
  }

private:
  /// The picture stands alone, and has flags that nothing else has.
  bool checkPicture(Console &console, const pipeline::ExplainOptions &what) {
    if (!what.domain && statement.getNumOccurrences()) {
      console
          .usage(codes::kCommandLine, "--statement says what a picture shows")
          .help("add --view=domain");
      return false;
    }
    const char *other = !what.views.empty() ? "other views"
                        : json              ? "--json"
                        : steps             ? "--steps"
                                            : nullptr;
    if (!what.domain || !other)
      return true;
    console.usage(codes::kCommandLine,
                  std::string("--view=domain is a picture: it does not go "
                              "together with ") +
                      other);
    return false;
  }

  bool readViews(Console &console, pipeline::ExplainOptions &what) {
    std::vector<std::string> &views = what.views;
    std::vector<std::string> known = pipeline::explainViews();
    constexpr const char *kPicture = "domain";
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(view).split(names, ',');
    for (llvm::StringRef name : names) {
      if (name == "all") {
        views = known;
        what.all = true;
        return true;
      }
      if (name == kPicture) {
        what.domain = true;
        continue;
      }
      if (!llvm::is_contained(known, name)) {
        std::string list = llvm::join(known, ", ");
        known.push_back(kPicture);
        console
            .usage(codes::kUnknownName,
                   "no view '" + name.str() + "'" + didYouMean(name, known))
            .help("the views are " + list + ", or all; or domain");
        return false;
      }
      views.push_back(name.str());
    }
    return true;
  }

  ProgramFlags flags;
  Setting view, statement, out;
  Switch steps, json;
  ProveFlag prove;
};

} // namespace

std::unique_ptr<Command> girih::cli::makeExplainCommand() {
  return std::make_unique<ExplainCommand>();
}
