//===- Check.cpp - girih check --------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves by running: two runs of the device agree bit for bit, and both agree
// with the reference. On the host there is no device to compare; what is
// checked then is that the reference does not depend on its threads.
//
//===----------------------------------------------------------------------===//

#include "runtime/SizeSolver.h"
#include "runtime/Text.h"
#include "tools/girih/CheckReport.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Job.h"
#include "tools/girih/Oracle.h"
#include "tools/girih/Prove.h"

#include <algorithm>
#include <thread>

using namespace girih;
using namespace girih::cli;

namespace {

class CheckCommand : public Command {
public:
  CheckCommand()
      : Command("check", "compare a device with the reference"), flags(*this),
        sizeSets(*this, "sizes", "SETS",
                 "several sets of sizes, such as \"M=1,N=7;M=33,N=65\""),
        json(*this, "json", "print the result as JSON"),
        demonstrate(*this, "demonstrate",
                    "run a refused schedule on the host and show what it gets "
                    "wrong"),
        prove(*this) {}

  void run(Console &console) override {
    if (prove.getNumOccurrences())
      return answer(console);
    std::vector<Sizes> sets(1);
    if (sizeSets.getNumOccurrences()) {
      std::optional<std::vector<Sizes>> parsed =
          parseSizeSets(console, sizeSets);
      if (!parsed)
        return;
      sets = std::move(*parsed);
    }
    JobExtras extras;
    extras.demonstrate = demonstrate;
    std::optional<Job> job = Job::open(
        console, flags, "girih check softmax.te -D M=33 -D N=65", extras);
    if (!job)
      return;
    CheckReport report;
    Oracle oracle;
    for (const Sizes &set : sets) {
      std::optional<CheckedSet> checked = checkSet(
          console, *job, oracle, mergeSizes(job->program().sizes(), set));
      if (!checked)
        return;
      if (report.sets.empty())
        report.begin(*job);
      report.sets.push_back(std::move(*checked));
    }
    bool printed = console.print(json ? report.json() : report.text());
    if (printed && report.failedSets())
      console.fail(codes::kMismatch,
                   "'" + job->artifact().signature.op +
                       "' fails the check at " +
                       std::to_string(report.failedSets()) + " of " +
                       rt::plural(int64_t(sets.size()), "set") + " of sizes");
  }

private:
  /// --prove: nothing runs.
  void answer(Console &console) {
    for (const llvm::cl::Option *flag :
         {static_cast<const llvm::cl::Option *>(&sizeSets),
          static_cast<const llvm::cl::Option *>(&json),
          static_cast<const llvm::cl::Option *>(&demonstrate)})
      if (flag->getNumOccurrences()) {
        console
            .usage(codes::kCommandLine,
                   "--" + flag->ArgStr.str() + " has no meaning with --prove")
            .help("--prove answers from the text, for every size, and runs "
                  "nothing");
        return;
      }
    std::optional<std::vector<std::string>> sizes = readProve(console, prove);
    std::optional<Program> program;
    if (sizes)
      program = Program::open(console, flags,
                              "girih check softmax.te --prove invariant=M");
    if (!program)
      return;
    program->prove(std::move(*sizes));
    answerProve(console, *program);
  }

  /// Poisons the outputs, restores what is written in place, runs and fetches
  /// the outputs.
  static std::optional<std::vector<rt::HostArray>>
  runPoisoned(Console &console, Job &job, TensorSet &tensors,
              unsigned threads) {
    if (Status status = tensors.restore(job.device(), job.artifact().signature);
        !status) {
      console.fail(codes::kDevice, status.message());
      return std::nullopt;
    }
    if (!job.run(console, tensors, threads))
      return std::nullopt;
    return job.outputs(console, tensors);
  }

  std::optional<CheckedSet> checkSet(Console &console, Job &job, Oracle &oracle,
                                     const Sizes &sizes) {
    std::optional<TensorSet> tensors = job.prepare(console, sizes);
    if (!tensors)
      return std::nullopt;
    // On the host the second run differs in its number of threads, too.
    unsigned many = std::max(2u, std::thread::hardware_concurrency());
    std::optional<std::vector<rt::HostArray>> first, second, third;
    first = runPoisoned(console, job, *tensors, job.onHost() ? 1 : 0);
    if (first)
      second = runPoisoned(console, job, *tensors, job.onHost() ? many : 0);
    if (second && job.onHost())
      third = runPoisoned(console, job, *tensors, many);
    if (!second || (job.onHost() && !third))
      return std::nullopt;

    CheckedSet checked;
    if (job.wantsCounters())
      checked.counters = job.loaded().counters(json);
    checked.sizes = tensors->sizes;
    checked.variant = job.variantFor(*tensors);
    std::optional<Expected> expected;
    if (!job.onHost() &&
        !(expected = oracle.run(console, job.artifact(), *tensors)))
      return std::nullopt;
    // One memory for an output and the input that it aliases, at last.
    std::optional<std::vector<rt::HostArray>> shared;
    if (tensors->alias(job.artifact().signature)) {
      shared = runPoisoned(console, job, *tensors, job.onHost() ? many : 0);
      if (!shared)
        return std::nullopt;
    }
    const auto &params = job.artifact().signature.params;
    for (size_t o = 0; o < first->size(); ++o) {
      const artifact::TensorParam &param = params[tensors->inputs.size() + o];
      CheckedOutput output;
      output.name = param.name;
      output.type = param.type;
      output.shape = (*first)[o].shape();
      Status status = compareRuns((*first)[o], (*second)[o], output);
      if (status && third && output.runs.equal())
        status = compareRuns((*second)[o], (*third)[o], output);
      if (status && shared && output.runs.equal()) {
        output.isAliased = true;
        status = compareRuns((*second)[o], (*shared)[o], output);
      }
      if (status && expected) {
        Result<Verdict> verdict =
            judge((*first)[o].tensor(), expected->outputs[o].tensor(),
                  expected->bounds[o]);
        if (verdict)
          output.verdict = std::move(*verdict);
        else
          status = Failure{verdict.message()};
      }
      if (!status) {
        console.fail(codes::kReference, param.name + ": " + status.message());
        return std::nullopt;
      }
      checked.outputs.push_back(std::move(output));
    }
    return checked;
  }

  static Status compareRuns(const rt::HostArray &first,
                            const rt::HostArray &second,
                            CheckedOutput &output) {
    Result<rt::CompareResult> result =
        rt::compareBits(second.tensor(), first.tensor());
    if (!result)
      return Failure{result.message()};
    output.runs = std::move(*result);
    return {};
  }

  JobFlags flags;
  Setting sizeSets;
  Switch json, demonstrate;
  ProveFlag prove;
};

} // namespace

std::unique_ptr<Command> cli::makeCheckCommand() {
  return std::make_unique<CheckCommand>();
}
