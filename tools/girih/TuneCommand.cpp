//===- TuneCommand.cpp - girih tune ---------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model ranks the whole space (compiler/pipeline/Search.h); what it ranks
// first is measured, each in a process of its own. A time counts if the results
// were the reference's.
//
//===----------------------------------------------------------------------===//

#include "runtime/Progress.h"
#include "runtime/Text.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Interrupt.h"
#include "tools/girih/TuneLog.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace girih;
using namespace girih::cli;

namespace {

constexpr const char *kExample = "girih tune matmul.te -D M=1024 -D K=1024 -D "
                                 "N=1024 --device=cuda";

/// What may be measured: a schedule, or (empty) what is compiled now.
struct Entry {
  std::string schedule, tiles;
  double predicted = 0; ///< microseconds, over the shapes by their weights
  bool isMeasured = false;
  double microseconds = 0;
};

/// One line on a terminal, drawn over and over.
class StatusLine {
public:
  void show(size_t done, size_t all, const std::string &best, double elapsed,
            double left) {
    if (!isTerminal)
      return;
    std::string text = "tune " + std::to_string(done) + "/" +
                       std::to_string(all) + "  " +
                       (best.empty() ? "nothing yet" : "best " + best) + "  " +
                       rt::printDuration(elapsed);
    if (done > 0)
      text += ", " + rt::printDuration(left) + " left";
    size_t width = text.size();
    if (width < shown)
      text.append(shown - width, ' ');
    shown = width;
    std::fprintf(stderr, "\r%s", text.c_str());
    std::fflush(stderr);
  }
  ~StatusLine() {
    if (shown)
      std::fprintf(stderr, "\r%s\r", std::string(shown, ' ').c_str());
  }

private:
  bool isTerminal = isatty(STDERR_FILENO);
  size_t shown = 0;
};

std::string timeText(double microseconds) {
  return llvm::formatv("{0:F2} us", microseconds).str();
}

std::string weightText(double weight) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", weight);
  return text;
}

class TuneCommand : public Command {
public:
  TuneCommand()
      : Command("tune", "measure the schedules that the model ranks first"),
        flags(*this), top(*this, "top", "N", "schedules to measure", "8"),
        budget(*this, "budget", "SECONDS", "start no run after so long", "60"),
        reps(*this, "reps", "N", "repetitions of each that are timed", "20"),
        shapeTexts(*this, "shapes", "SETS",
                   "several sets of sizes with weights, such as "
                   "\"M=1:3;M=4096\""),
        logPath(*this, "log", "FILE", "keep what is measured, and go on from"),
        lockPath(*this, "lock", "FILE",
                 "where the lock goes (default: the program's name, .lock)"),
        json(*this, "json", "print what was measured as JSON") {}

  void run(Console &console) override {
    if (!readNumbers(console))
      return;
    std::optional<Program> program = Program::open(console, flags, kExample);
    std::optional<std::vector<Shape>> given;
    if (!program || !isSource(console, *program) ||
        !(given = readShapes(console, program->sizes())))
      return;
    shapes = std::move(*given);
    std::optional<DeviceFacts> device = askDevice(console, flags, kExample);
    std::optional<ProgramIdentity> identity;
    if (!device || !(identity = identityOf(console, *program)))
      return;
    target = !program->target().empty() ? program->target()
             : !device->target.empty()  ? device->target
                                        : pipeline::CompileOptions().target;
    if (!rank(console, *program))
      return;
    TuneLog::Subject subject{
        GIRIH_VERSION,
        identity->op,
        identity->hash,
        target,
        device->name,
        device->description,
        flags.tensors.seed.empty() ? "0" : flags.tensors.seed.getValue(),
        repetitions,
        shapes};
    std::optional<TuneLog> log = TuneLog::open(console, logPath, subject);
    if (!log || !measureAll(console, *log))
      return;
    report(console, *program, subject);
  }

private:
  bool readNumbers(Console &console) {
    auto number = [&](const Setting &flag, int64_t most, int64_t &to) {
      std::optional<int64_t> value = parseInteger(flag.getValue());
      if (value && *value >= 1 && *value <= most) {
        to = *value;
        return true;
      }
      console.usage(codes::kCommandLine, "--" + flag.ArgStr.str() +
                                             " is a number from 1 to " +
                                             std::to_string(most) + ", not '" +
                                             flag.getValue() + "'");
      return false;
    };
    return number(top, 10'000, wanted) && number(budget, 10'000'000, seconds) &&
           number(reps, 1'000'000, repetitions);
  }

  bool isSource(Console &console, const Program &program) {
    if (!program.isArtifact() && !flags.from.getNumOccurrences() &&
        !flags.dynamic)
      return true;
    console
        .usage(codes::kArtifact,
               flags.dynamic
                   ? "--dynamic has no meaning here: schedules are ranked at "
                     "their sizes"
                   : "'" + program.path() +
                         "' has a schedule already: only a program is tuned")
        .help(kExample);
    return false;
  }

  /// `M=1,N=4:3;M=4096`: sets with their weights, each beside -D.
  std::optional<std::vector<Shape>> readShapes(Console &console,
                                               const Sizes &base) {
    std::vector<Shape> read;
    if (!shapeTexts.getNumOccurrences()) {
      read.push_back({base, 1});
      return read;
    }
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(shapeTexts).split(parts, ';', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef part : parts) {
      auto [sizesText, weightText] = part.split(':');
      Shape shape;
      if (part.contains(':')) {
        std::string text = weightText.trim().str();
        char *end = nullptr;
        shape.weight = std::strtod(text.c_str(), &end);
        if (text.empty() || *end || !(shape.weight > 0) ||
            !std::isfinite(shape.weight)) {
          console
              .usage(codes::kCommandLine,
                     "a weight is a number above 0, not '" + text + "'")
              .help("for example --shapes \"M=1:3;M=4096\"");
          return std::nullopt;
        }
      }
      std::optional<Sizes> sizes = parseSizes(console, sizesText.trim().str());
      if (!sizes)
        return std::nullopt;
      shape.sizes = mergeSizes(base, *sizes);
      read.push_back(std::move(shape));
    }
    if (read.empty()) {
      console.usage(codes::kCommandLine, "--shapes names no sizes");
      return std::nullopt;
    }
    return read;
  }

  /// What is compiled now, and the best of each shape.
  bool rank(Console &console, const Program &program) {
    entries.push_back({"", "as it is compiled now", 0});
    for (const Shape &shape : shapes) {
      std::optional<std::vector<pipeline::RankedSchedule>> best =
          program.rank(console, shape.sizes, target, size_t(wanted));
      if (!best)
        return false;
      for (pipeline::RankedSchedule &ranked : *best) {
        bool isKnown = false;
        for (const Entry &entry : entries)
          isKnown |= entry.schedule == ranked.schedule;
        if (!isKnown)
          entries.push_back({std::move(ranked.schedule),
                             std::move(ranked.tiles), ranked.time * 1e6});
      }
    }
    return true;
  }

  double elapsed() const {
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin;
    return spent.count();
  }

  const Entry *best() const {
    const Entry *found = nullptr;
    for (const Entry &entry : entries)
      if (entry.isMeasured &&
          (!found || entry.microseconds < found->microseconds))
        found = &entry;
    return found;
  }

  bool measureAll(Console &console, TuneLog &log) {
    Measurer measurer(flags, kExample, unsigned(repetitions));
    if (flags.target.empty())
      flags.target.setValue(target);
    Interrupt interrupt;
    StatusLine line;
    begin = std::chrono::steady_clock::now();
    size_t done = 0;
    for (Entry &entry : entries) {
      double total = 0, weights = 0;
      bool isRight = true;
      for (size_t s = 0; s < shapes.size() && isRight; ++s) {
        std::optional<Measured> measured = log.find(entry.schedule, s);
        if (!measured) {
          if (interrupt.seen() || (elapsed() > double(seconds) && best())) {
            isStopped = true;
            isInterrupted = interrupt.seen();
            return true;
          }
          const Entry *leader = best();
          double each = done ? elapsed() / double(done) : 0;
          line.show(
              done, entries.size() * shapes.size(),
              leader ? timeText(leader->microseconds) : "", elapsed(),
              std::max(
                  0.0,
                  std::min(each * double(entries.size() * shapes.size() - done),
                           double(seconds) - elapsed())));
          // A run that hangs ends with the budget; the first may take longer.
          double limit = best() ? std::max(10.0, double(seconds) - elapsed())
                                : std::max(600.0, double(seconds));
          measured = measurer.measure(entry.schedule, shapes[s].sizes, limit,
                                      [&] { return interrupt.seen(); });
          if (measured->isInterrupted) {
            isStopped = isInterrupted = true;
            return true;
          }
          if (!log.add(console, entry.schedule, entry.tiles, s, entry.predicted,
                       *measured))
            return false;
          ++measuredNow;
        } else {
          ++fromLog;
        }
        ++done;
        isRight = measured->isRight;
        if (!isRight)
          failures.push_back(entry.tiles + ": " + measured->why);
        total += measured->microseconds * shapes[s].weight;
        weights += shapes[s].weight;
      }
      entry.isMeasured = isRight;
      entry.microseconds = total / weights;
    }
    return true;
  }

  /// The block to paste, and the lock.
  void report(Console &console, Program &program,
              const TuneLog::Subject &subject) {
    for (const std::string &failure : failures)
      console.remark("not counted: " + failure);
    const Entry *winner = best();
    if (!winner) {
      console
          .fail(codes::kTune, isInterrupted
                                  ? "stopped before anything was measured"
                                  : "no schedule could be measured")
          .help("girih check with the same flags says what is wrong");
      return;
    }
    if (isStopped)
      console.remark(
          (isInterrupted
               ? "stopped"
               : "the budget of " + std::to_string(seconds) + " s is spent") +
          std::string(": ") + std::to_string(counted()) + " of " +
          rt::plural(int64_t(entries.size()), "schedule") + " measured");
    std::string stand = subject.device == "cuda" ? ""
                        : subject.device == "sim"
                            ? ", counts of the simulator in place of a time"
                            : ", the reference on the host in place of a GPU";
    std::string schedule = winner->schedule;
    const Entry &before = entries.front();
    if (schedule.empty())
      schedule = ownSchedule(program);
    std::string text = "// " + subject.op + " on " + subject.device + " (" +
                       subject.description +
                       "): " + timeText(winner->microseconds);
    if (before.isMeasured)
      text += winner == &before ? ", as it was"
                                : ", before " + timeText(before.microseconds);
    text += stand + "\n";
    for (const Shape &shape : shapes) {
      text += "// at " + shapeText(shape);
      if (shapes.size() > 1)
        text += ", weight " + weightText(shape.weight);
      text += "\n";
    }
    if (!console.print(json ? jsonText(subject, *winner, schedule)
                            : text + schedule))
      return;
    Lock lock{GIRIH_VERSION,  subject.op,          subject.program,
              subject.target, subject.device,      schedule,
              shapes,         winner->microseconds};
    std::string path = lockPath;
    if (path.empty()) {
      llvm::StringRef name = program.path();
      name.consume_back(".te");
      path = name.str() + ".lock";
    }
    if (writeLock(console, path, lock))
      console.remark("lock written to '" + path + "'; girih compile --locked " +
                     path + " takes it");
  }

  size_t counted() const {
    size_t count = 0;
    for (const Entry &entry : entries)
      count += entry.isMeasured;
    return count;
  }

  /// The directives of what is compiled now; empty where none say it.
  std::string ownSchedule(const Program &program) {
    Console quiet; // what cannot be said is no error here
    pipeline::CompileOptions options = program.options();
    options.given = shapes.front().sizes;
    options.target = target;
    pipeline::ExplainOptions what;
    what.views = {"directives"};
    return program.explain(quiet, options, what).value_or("");
  }

  std::string jsonText(const TuneLog::Subject &subject, const Entry &winner,
                       const std::string &schedule) const {
    llvm::json::Array runs;
    for (const Entry &entry : entries) {
      llvm::json::Object run{{"tiles", entry.tiles},
                             {"schedule", entry.schedule},
                             {"measured", entry.isMeasured}};
      if (entry.predicted > 0)
        run["predicted_us"] = entry.predicted;
      if (entry.isMeasured)
        run["us"] = entry.microseconds;
      runs.push_back(std::move(run));
    }
    llvm::json::Object object{{"op", subject.op},
                              {"device", subject.device},
                              {"description", subject.description},
                              {"target", subject.target},
                              {"shapes", jsonOf(shapes)},
                              {"us", winner.microseconds},
                              {"schedule", schedule},
                              {"complete", !isStopped},
                              {"from_log", int64_t(fromLog)},
                              {"measured_now", int64_t(measuredNow)},
                              {"runs", std::move(runs)}};
    return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
  }

  JobFlags flags;
  Setting top, budget, reps, shapeTexts, logPath, lockPath;
  Switch json;

  int64_t wanted = 0, seconds = 0, repetitions = 0;
  std::vector<Shape> shapes;
  std::string target;
  std::vector<Entry> entries;
  std::vector<std::string> failures;
  std::chrono::steady_clock::time_point begin;
  size_t fromLog = 0, measuredNow = 0;
  bool isStopped = false, isInterrupted = false;
};

} // namespace

std::unique_ptr<Command> cli::makeTuneCommand() {
  return std::make_unique<TuneCommand>();
}
