//===- Run.cpp - girih run ------------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/support/Suggest.h"
#include "runtime/SizeSolver.h"
#include "runtime/Text.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Files.h"
#include "tools/girih/Job.h"
#include "tools/girih/Tolerance.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace girih;
using namespace girih::cli;

/// FNV-1a over the bits of the elements, row-major.
static uint64_t checksum(const rt::HostArray &array) {
  uint64_t hash = 0xcbf29ce484222325u;
  const auto *bytes = reinterpret_cast<const unsigned char *>(array.data());
  for (uint64_t at = 0; at < array.bytes(); ++at)
    hash = (hash ^ bytes[at]) * 0x100000001b3u;
  return hash;
}

/// `Y: bf16[2, 3] = 0.1, 0.2, 0.3, 0.4, ... (checksum 0x...)`
static std::string summary(const std::string &name,
                           const rt::HostArray &array) {
  constexpr int64_t kShown = 4;
  std::string text = name + ": " + std::string(artifact::nameOf(array.type()));
  if (!array.shape().empty())
    text += rt::printShape(array.shape());
  text += " =";
  for (int64_t at = 0; at < std::min(array.elements(), kShown); ++at) {
    // A NaN has no sign worth showing.
    bool isNan = std::isnan(rt::loadElement(array.tensor(), at));
    text += (at ? ", " : " ") +
            (isNan ? "nan"
                   : rt::printElement(array.type(),
                                      rt::loadBits(array.tensor(), at), 6));
  }
  if (array.elements() == 0)
    text += " nothing";
  if (array.elements() > kShown)
    text += ", ...";
  return text + " (checksum " + rt::hex(checksum(array), 16) + ")";
}

namespace {

class RunCommand : public Command {
public:
  RunCommand()
      : Command("run", "run an operator on files or random inputs"),
        flags(*this), out(*this, "out", "NAME=y.npy",
                          "write an output to a file, .npy or .safetensors"),
        expect(*this, "expect", "NAME=y.npy", "compare an output with a file"),
        probe(*this, "probe", "NAME", "make a temporary an output too"),
        ulp(*this, "ulp", "N", "near enough: N steps of the type apart"),
        abs(*this, "abs", "E", "near enough: |difference| at most E"),
        rel(*this, "rel", "E", "near enough: at most E times |expected|"),
        keep(*this, "keep", "DIR", "write the text of every phase to a folder"),
        firstNan(*this, "first-nan",
                 "say which value became NaN first, temporaries included"),
        verbose(*this, "verbose", "say what was chosen") {}

  void run(Console &console) override {
    std::vector<TensorFile> files, references;
    std::optional<Tolerance> tolerance = parseTolerance(console);
    if (!parseFiles(console, out, files) ||
        !parseFiles(console, expect, references) || !tolerance ||
        !checkDistinct(console, files) || !checkFlags(console))
      return;
    for (const TensorFile &file : references)
      if (!checkExists(console, file.path))
        return;
    JobExtras extras;
    extras.keep = keep;
    extras.probes.assign(probe.begin(), probe.end());
    if (firstNan)
      extras.probes = {"*"};
    std::optional<Job> job = Job::open(
        console, flags, "girih run softmax.te X:bf16=x.npy", std::move(extras));
    if (!job || !checkSource(console, *job))
      return;
    std::optional<TensorSet> tensors =
        job->prepare(console, job->program().sizes());
    if (!tensors || !checkOutputs(console, job->artifact().signature, files) ||
        !checkOutputs(console, job->artifact().signature, references))
      return;
    if (verbose)
      describe(console, *job, *tensors);
    if (!job->run(console, *tensors))
      return;
    std::optional<std::vector<rt::HostArray>> outputs =
        job->outputs(console, *tensors);
    if (!outputs)
      return;
    const auto &params = job->artifact().signature.params;
    if (firstNan) {
      findNan(console, *job, *tensors, *outputs);
      return;
    }
    TensorsToWrite written;
    for (size_t o = 0; o < outputs->size(); ++o) {
      if (job->artifact().signature.isHidden(tensors->inputs.size() + o))
        continue;
      const std::string &name = params[tensors->inputs.size() + o].name;
      for (const TensorFile &file : references)
        if (file.name == name &&
            !compareWith(console, file, (*outputs)[o], *tolerance))
          return;
      for (const TensorFile &file : files)
        if (file.name == name)
          written.emplace_back(&file, &(*outputs)[o]);
      console.remark(summary(name, (*outputs)[o]));
    }
    if (!writeTensorFiles(console, written))
      return;
    if (std::string counted = job->counters(); !counted.empty())
      console.print(counted.back() == '\n' ? counted : counted + "\n");
  }

private:
  static bool parseFiles(Console &console, const Settings &texts,
                         std::vector<TensorFile> &files) {
    for (const std::string &text : texts) {
      std::optional<TensorFile> file = parseTensorFile(console, text);
      if (!file)
        return false;
      files.push_back(std::move(*file));
    }
    return true;
  }

  std::optional<Tolerance> parseTolerance(Console &console) const {
    Tolerance tolerance;
    auto refuse = [&](const Setting &flag) {
      console.usage(codes::kCommandLine,
                    "--" + flag.ArgStr.str() +
                        " takes a number from 0 on, not '" + flag.getValue() +
                        "'");
      return std::nullopt;
    };
    for (const Setting *flag : {&ulp, &abs, &rel})
      if (flag->getNumOccurrences() && expect.empty()) {
        console.usage(codes::kCommandLine,
                      "--" + flag->ArgStr.str() + " needs --expect");
        return std::nullopt;
      }
    if (ulp.getNumOccurrences()) {
      std::optional<int64_t> steps = parseInteger(ulp.getValue());
      if (!steps || *steps < 0)
        return refuse(ulp);
      tolerance.ulp = uint64_t(*steps);
    }
    for (auto [flag, place] :
         {std::pair(&abs, &tolerance.abs), std::pair(&rel, &tolerance.rel)}) {
      if (!flag->getNumOccurrences())
        continue;
      char *end = nullptr;
      double value = std::strtod(flag->c_str(), &end);
      if (flag->empty() || *end || !(value >= 0))
        return refuse(*flag);
      *place = value;
    }
    return tolerance;
  }

  bool checkFlags(Console &console) {
    if (keep.getNumOccurrences() && keep.empty()) {
      console.usage(codes::kCommandLine, "--keep needs the name of a folder");
      return false;
    }
    if (!firstNan)
      return true;
    for (auto [flag, isGiven] :
         {std::pair("out", !out.empty()), std::pair("expect", !expect.empty()),
          std::pair("probe", !probe.empty())})
      if (isGiven) {
        console.usage(codes::kCommandLine,
                      "--first-nan only looks for a NaN: leave out --" +
                          std::string(flag));
        return false;
      }
    return isForHost(console);
  }

  /// The host is the device where --first-nan says no other one.
  bool isForHost(Console &console) {
    if (!flags.device.getNumOccurrences())
      flags.device.setValue("host");
    if (flags.device == "host")
      return true;
    console.usage(codes::kCommandLine,
                  "--first-nan looks at the reference: it runs on the host");
    return false;
  }

  bool checkSource(Console &console, const Job &job) const {
    bool needsText = firstNan || !probe.empty() || !keep.empty();
    if (!needsText || !job.program().isArtifact())
      return true;
    console.usage(codes::kArtifact,
                  "--first-nan, --probe and --keep need a program: '" +
                      job.program().path() + "' is compiled already");
    return false;
  }

  static bool compareWith(Console &console, const TensorFile &file,
                          const rt::HostArray &actual,
                          const Tolerance &tolerance) {
    std::optional<rt::HostArray> expected = readTensorFile(console, file);
    if (!expected)
      return false;
    if (expected->type() != actual.type() ||
        expected->shape() != actual.shape()) {
      auto what = [](const rt::HostArray &array) {
        return std::string(artifact::nameOf(array.type())) +
               rt::printShape(array.shape());
      };
      console.fail(codes::kTensors, file.name + " is " + what(actual) + ", '" +
                                        file.path + "' holds " +
                                        what(*expected));
      return false;
    }
    ToleranceResult result =
        compare(actual.tensor(), expected->tensor(), tolerance);
    if (!result.faults) {
      console.remark(file.name + ": all " +
                     rt::plural(result.elements, "element") +
                     " are as expected");
      return true;
    }
    Diagnostic &error = console.fail(
        codes::kExpected, file.name + ": " + std::to_string(result.faults) +
                              " of " + rt::plural(result.elements, "element") +
                              (result.faults == 1 ? " is" : " are") +
                              " not what '" + file.path + "' says");
    for (const ElementFault &fault : result.first)
      error.note(printFault(file.name, actual.type(), fault));
    return true; // the other outputs are worth a look too
  }

  static std::optional<std::string> nanIn(const std::string &name,
                                          const rt::HostArray &array) {
    if (!artifact::isFloat(array.type()))
      return std::nullopt;
    for (int64_t at = 0; at < array.elements(); ++at)
      if (std::isnan(rt::loadElement(array.tensor(), at)))
        return array.shape().empty()
                   ? name
                   : name + rt::printShape(rt::unflatten(array.shape(), at));
    return std::nullopt;
  }

  /// Statements run in the order of the text, so the first of them whose tensor
  /// holds a NaN made it.
  static void findNan(Console &console, const Job &job,
                      const TensorSet &tensors,
                      const std::vector<rt::HostArray> &outputs) {
    const auto &params = job.artifact().signature.params;
    for (const auto &[name, statement] : job.probes())
      for (size_t o = 0; o < outputs.size(); ++o) {
        if (params[tensors.inputs.size() + o].name != name)
          continue;
        std::optional<std::string> found = nanIn(name, outputs[o]);
        if (!found)
          continue;
        Diagnostic &error = console.fail(
            codes::kFoundNan, *found + " is the first value that became NaN");
        error.note("it is computed by " + statement);
        for (size_t i = 0; i < tensors.inputs.size(); ++i)
          if (auto input = nanIn(params[i].name, tensors.inputs[i]))
            error.note("the input " + *input + " is NaN already");
        return;
      }
    console.remark("no value is NaN");
  }

  /// Before anything runs: --out names outputs, of the type they have.
  static bool checkOutputs(Console &console,
                           const artifact::Signature &signature,
                           const std::vector<TensorFile> &files) {
    for (const TensorFile &file : files) {
      std::vector<std::string> names;
      const artifact::TensorParam *found = nullptr;
      for (size_t at = 0; at < signature.params.size(); ++at)
        if (const artifact::TensorParam &param = signature.params[at];
            param.isOutput && !signature.isHidden(at)) {
          names.push_back(param.name);
          found = param.name == file.name ? &param : found;
        }
      if (!found) {
        console
            .usage(codes::kUnknownName, "'" + signature.op +
                                            "' has no output '" + file.name +
                                            "'" + didYouMean(file.name, names))
            .note("it has " + rt::joinNames(names));
        return false;
      }
      if (file.type && *file.type != found->type) {
        console.usage(codes::kTensors,
                      "the output " + found->name + " is " +
                          rt::printType(signature, *found) +
                          " and is written as it is, not as " +
                          std::string(artifact::nameOf(*file.type)));
        return false;
      }
    }
    return true;
  }

  static void describe(Console &console, const Job &job,
                       const TensorSet &tensors) {
    if (!job.fallback().empty())
      console.say(job.fallback());
    console.say("device   " + job.device().name() + ": " +
                job.device().description());
    console.say("sizes    " +
                printSizes(job.artifact().signature, tensors.sizes));
    for (const std::string &line : job.report())
      console.say(line);
    std::string variant = job.variantFor(tensors);
    if (!variant.empty())
      console.say("chosen   " + variant);
    for (const rt::KernelInfo &kernel : job.loaded().kernels())
      console.say(
          "loaded   " + kernel.variant + " " + kernel.kernel + ": " +
          rt::plural(kernel.registers, "register") + ", " +
          rt::plural(kernel.staticSharedBytes + kernel.dynamicSharedBytes,
                     "shared byte") +
          ", " + rt::plural(kernel.localBytes, "local byte"));
  }

  JobFlags flags;
  Settings out, expect, probe;
  Setting ulp, abs, rel, keep;
  Switch firstNan, verbose;
};

} // namespace

std::unique_ptr<Command> cli::makeRunCommand() {
  return std::make_unique<RunCommand>();
}
