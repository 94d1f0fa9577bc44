//===- ExplainCommand.cpp - girih explain ---------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Explain.h"
#include "compiler/pipeline/SearchView.h"
#include "compiler/pipeline/SideBySide.h"
#include "compiler/support/Suggest.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Files.h"
#include "tools/girih/Program.h"
#include "tools/girih/Prove.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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
             "given traffic, budget, roofline, bound, tiles, plans; or all; or "
             "domain alone",
             "loops"),
        statement(*this, "statement", "S",
                  "statement whose instances --view=domain draws"),
        out(*this, "o", "OUT", "where it goes (default: standard output)"),
        steps(*this, "steps",
              "tree and loop nest after each directive of the schedule"),
        json(*this, "json", "as JSON"),
        csv(*this, "csv", "one view as comma-separated values"),
        svg(*this, "svg", "a picture of --view=roofline or --view=tiles"),
        against(*this, "against", "FILE|TARGET",
                "figures beside those of another schedule or target"),
        timePhases(*this, "time-phases", "say how long the search took"),
        prove(*this) {}

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
    what.csv = csv;
    what.svg = svg;
    if (timePhases)
      what.onSearched = [&](double milliseconds) {
        console.say(llvm::formatv("search {0:f2} ms", milliseconds));
      };
    what.statement = statement;
    std::optional<std::vector<std::string>> proved = readProve(console, prove);
    if (!readViews(console, what) || !checkPicture(console, what) ||
        !checkList(console, what) || !checkAgainst(console, what) || !proved)
      return;
    program->prove(*proved);
    pipeline::CompileOptions options = program->options();
    options.given = program->sizes();
    // The text of a form has its sizes; -D says then how large the picture is.
    options.anySize = what.domain && flags.from.getNumOccurrences();
    if (!program->target().empty())
      options.target = program->target();
    std::optional<std::string> said =
        against.getNumOccurrences() ? compare(console, *program, options, what)
                                    : program->explain(console, options, what);
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

  /// --csv and --svg are of one view, and of some views only.
  bool checkList(Console &console, const pipeline::ExplainOptions &what) {
    if (!csv && !svg)
      return true;
    std::vector<std::string> known = {"roofline", "tiles"};
    if (csv)
      known = pipeline::csvViews();
    const char *flag = csv ? "--csv" : "--svg";
    const char *other = csv && svg ? "--svg"
                        : json     ? "--json"
                        : steps    ? "--steps"
                                   : nullptr;
    if (other) {
      console.usage(codes::kCommandLine,
                    std::string(flag) + " does not go together with " + other);
      return false;
    }
    if (what.views.size() == 1 && llvm::is_contained(known, what.views.front()))
      return true;
    console
        .usage(codes::kCommandLine,
               std::string(flag) + " is for one view, and not for every one")
        .help("--view=" + llvm::join(known, ", --view="));
    return false;
  }

  bool checkAgainst(Console &console, const pipeline::ExplainOptions &what) {
    if (!against.getNumOccurrences())
      return true;
    const std::vector<std::string> known = {"traffic", "budget", "roofline",
                                            "bound"};
    bool hasFigures = !what.views.empty();
    for (const std::string &name : what.views)
      hasFigures &= llvm::is_contained(known, name);
    if (hasFigures && !csv && !svg && !steps)
      return true;
    console
        .usage(codes::kCommandLine,
               "--against compares the figures of " + llvm::join(known, ", "))
        .help("for example --view=traffic,roofline --against h100");
    return false;
  }

  /// The views of the program as it is, and of what --against says.
  std::optional<std::string> compare(Console &console, Program &program,
                                     const pipeline::CompileOptions &options,
                                     pipeline::ExplainOptions what) {
    what.json = true;
    auto side = [&](const std::string &name,
                    const pipeline::CompileOptions &own)
        -> std::optional<pipeline::Side> {
      std::optional<std::string> text = program.explain(console, own, what);
      if (!text)
        return std::nullopt;
      llvm::Expected<llvm::json::Value> value = llvm::json::parse(*text);
      if (!value) {
        console.fail(codes::kInternal, llvm::toString(value.takeError()));
        return std::nullopt;
      }
      return pipeline::Side{name, std::move(*value)};
    };
    pipeline::CompileOptions other = options;
    bool isTarget = target::findTarget(against) ||
                    llvm::StringRef(against).ends_with(".json");
    if (isTarget) {
      other.card.reset();
      if (!checkTarget(console, against, other.card))
        return std::nullopt;
      other.target = against;
    } else {
      std::optional<std::string> text = readFile(console, against);
      if (!text)
        return std::nullopt;
      other.scheduleFile =
          std::make_shared<SourceFile>(against, std::move(*text));
    }
    std::string first = isTarget               ? options.target
                        : options.scheduleFile ? options.scheduleFile->name()
                                               : "the program's own schedule";
    std::optional<pipeline::Side> a = side(first, options), b;
    if (!a || !(b = side(against, other)))
      return std::nullopt;
    if (!json)
      return pipeline::sideBySideText(*a, *b);
    return llvm::formatv("{0:2}\n", pipeline::sideBySideJson(*a, *b)).str();
  }

  bool readViews(Console &console, pipeline::ExplainOptions &what) {
    std::vector<std::string> &views = what.views;
    std::vector<std::string> known = pipeline::explainViews();
    constexpr const char *kPicture = "domain";
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(view).split(names, ',');
    for (llvm::StringRef name : names) {
      if (name == "all") {
        // What a search goes through is long: it is shown where it is named.
        views = known;
        llvm::erase_if(views, [](const std::string &view) {
          return llvm::is_contained(pipeline::searchViews(), view);
        });
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
  Switch steps, json, csv, svg;
  Setting against;
  Switch timePhases;
  ProveFlag prove;
};

} // namespace

std::unique_ptr<Command> girih::cli::makeExplainCommand() {
  return std::make_unique<ExplainCommand>();
}
