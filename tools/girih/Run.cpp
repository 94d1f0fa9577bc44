//===- Run.cpp - girih run ------------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/support/Suggest.h"
#include "runtime/Npy.h"
#include "runtime/SizeSolver.h"
#include "runtime/Text.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Files.h"
#include "tools/girih/Job.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

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
        flags(*this),
        out(*this, "out", "NAME=y.npy", "write an output to a file"),
        verbose(*this, "verbose", "say what was chosen") {}

  void run(Console &console) override {
    std::vector<TensorFile> files;
    for (const std::string &text : out) {
      std::optional<TensorFile> file = parseTensorFile(console, text);
      if (!file)
        return;
      files.push_back(std::move(*file));
    }
    std::optional<Job> job =
        Job::open(console, flags, "girih run softmax.te X:bf16=x.npy");
    if (!job)
      return;
    std::optional<TensorSet> tensors =
        job->prepare(console, job->program().sizes());
    if (!tensors || !checkOutputs(console, job->artifact().signature, files))
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
    for (size_t o = 0; o < outputs->size(); ++o) {
      const std::string &name = params[tensors->inputs.size() + o].name;
      for (const TensorFile &file : files)
        if (file.name == name &&
            !writeFile(console, file.path, rt::formatNpy((*outputs)[o])))
          return;
      console.remark(summary(name, (*outputs)[o]));
    }
    if (std::string counted = job->counters(); !counted.empty())
      console.print(counted.back() == '\n' ? counted : counted + "\n");
  }

private:
  /// Before anything runs: --out names outputs, of the type they have.
  static bool checkOutputs(Console &console,
                           const artifact::Signature &signature,
                           const std::vector<TensorFile> &files) {
    for (const TensorFile &file : files) {
      std::vector<std::string> names;
      const artifact::TensorParam *found = nullptr;
      for (const artifact::TensorParam &param : signature.params)
        if (param.isOutput) {
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
  Settings out;
  Switch verbose;
};

} // namespace

std::unique_ptr<Command> cli::makeRunCommand() {
  return std::make_unique<RunCommand>();
}
