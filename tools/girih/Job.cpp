//===- Job.cpp - a program on a device ------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Job.h"

#include "runtime/Plan.h"
#include "runtime/Promise.h"
#include "runtime/Text.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Devices.h"
#include "tools/girih/Interrupt.h"

#include <algorithm>

using namespace girih;
using namespace girih::cli;

JobFlags::JobFlags(Command &command)
    : ProgramFlags(command, "FILE [NAME=x.npy | NAME:TYPE=x.npy]..."),
      device(command, "device", "NAME",
             "cuda, cuda:1, ..., sim or host (default: cuda where there is "
             "one, else host)"),
      arch(command, "arch", "SM", "the card that sim plays, such as sm_80"),
      counters(command, "counters", "FORM",
               "print what sim counts, as text or json"),
      limit(command, "limit", "N",
            "sim gives a kernel up after N instructions of warps"),
      dynamic(command, "dynamic",
              "-D says how large inputs are; the program is compiled for any "
              "size"),
      tensors(command) {}

/// What the flags that only the simulator knows ask for. Reports them where
/// they stand beside another device.
static std::optional<sim::SimDeviceOptions> simOptions(Console &console,
                                                       const JobFlags &flags) {
  sim::SimDeviceOptions options;
  options.arch = flags.arch;
  options.counters = !flags.counters.empty();
  bool isSim = flags.device.substr(0, flags.device.find(':')) == "sim";
  for (const Setting *flag : {&flags.arch, &flags.counters, &flags.limit})
    if (!isSim && !flag->empty()) {
      console
          .usage(codes::kCommandLine,
                 "--" + flag->ArgStr.str() + " is for the simulator alone")
          .help("add --device=sim");
      return std::nullopt;
    }
  if (options.counters && flags.counters != "text" &&
      flags.counters != "json") {
    console.usage(codes::kCommandLine, "counters are 'text' or 'json', not '" +
                                           flags.counters + "'");
    return std::nullopt;
  }
  if (!flags.limit.empty()) {
    std::optional<int64_t> limit = parseInteger(flags.limit.getValue());
    if (!limit || *limit < 1) {
      console.usage(codes::kCommandLine,
                    "--limit is a positive number of instructions, not '" +
                        flags.limit + "'");
      return std::nullopt;
    }
    options.instructionLimit = uint64_t(*limit);
  }
  return options;
}

std::optional<Job> Job::open(Console &console, const JobFlags &flags,
                             const char *example, JobExtras extras) {
  std::optional<Program> program = Program::open(console, flags, example);
  if (!program)
    return std::nullopt;
  Job job(std::move(*program));
  std::optional<TensorPlan> plan =
      planTensors(console, flags.tensors,
                  llvm::ArrayRef<std::string>(flags.positional).drop_front());
  if (!plan)
    return std::nullopt;
  std::vector<std::string> given;
  for (const TensorFile &file : plan->files)
    given.push_back(file.name);
  job.source.willGive(std::move(given));
  job.source.probe(std::move(extras.probes));
  job.source.keepForms(std::move(extras.keep));
  if (!extras.schedule.empty())
    job.source.useSchedule("the schedule", std::move(extras.schedule));
  if (extras.demonstrate) {
    DemonstrationInputs::Files files;
    for (const TensorFile &file : plan->files) {
      std::optional<rt::HostArray> array = readTensorFile(console, file);
      if (!array)
        return std::nullopt;
      files.emplace_back(file.name, std::move(*array));
    }
    job.source.demonstrate(
        {plan->kind, plan->seed,
         std::make_shared<const DemonstrationInputs::Files>(std::move(files))});
  }
  job.plan = std::move(*plan);
  job.isDynamic = flags.dynamic;
  std::optional<sim::SimDeviceOptions> options = simOptions(console, flags);
  if (!options)
    return std::nullopt;
  job.counterForm = flags.counters;
  job.opened = openDevice(console, flags.device, *options, job.whyHost);
  if (!job.opened)
    return std::nullopt;
  return job;
}

bool Job::load(Console &console, const artifact::Artifact &artifact) {
  Result<std::unique_ptr<rt::Executable>> result = opened->load(artifact);
  if (!result) {
    console.fail(codes::kDevice, result.message());
    return false;
  }
  executable = std::move(*result);
  return true;
}

std::optional<TensorSet> Job::prepare(Console &console, const Sizes &sizes) {
  if (source.isArtifact()) {
    if (!executable && !load(console, source.artifact()))
      return std::nullopt;
  } else {
    if (!executable || (!isDynamic && sizes != compiledFor)) {
      std::string target = source.target();
      if (target.empty()) {
        std::optional<target::GpuTarget> own = opened->target();
        target = own ? own->name : pipeline::CompileOptions().target;
        if (target.empty()) {
          console
              .fail(codes::kDevice,
                    "no target fits this GPU (" + opened->description() + ")")
              .note("the targets: " + rt::joinNames(target::knownTargets()));
          return std::nullopt;
        }
      }
      pipeline::CompileOptions options = source.options();
      options.target = target;
      options.given = sizes;
      options.anySize = isDynamic;
      std::optional<pipeline::CompileResult> result =
          source.compile(console, options);
      if (!result || !load(console, *result->artifact))
        return std::nullopt;
      choices = std::move(result->report);
      parameters = std::move(result->parameters);
      probed = std::move(result->probes);
      compiledFor = sizes;
    }
  }
  Sizes own;
  for (const auto &size : sizes)
    if (std::find(parameters.begin(), parameters.end(), size.first) ==
        parameters.end())
      own.push_back(size);
  return makeTensors(console, *opened, artifact().signature, plan, own);
}

std::string Job::variantFor(const TensorSet &tensors) const {
  if (onHost())
    return "";
  Result<rt::BoundPlan> bound = rt::bindPlan(artifact(), tensors.params());
  return bound ? artifact().variants[bound->variant].name : "";
}

bool Job::run(Console &console, const TensorSet &tensors, unsigned threads) {
  rt::ProgressBar bar(console.progress(artifact().signature.op));
  rt::RunOptions options;
  options.synchronize = true;
  options.threads = threads;
  options.progress = [&](double fraction) { bar.update(fraction); };
  std::optional<Interrupt> interrupt;
  if (onSim()) {
    interrupt.emplace();
    options.cancelled = [&] { return interrupt->seen(); };
  }
  Status status = executable->run(tensors.params(), options);
  bar.finish();
  if (!status)
    console.fail(onSim() ? codes::kKernelFault : codes::kDevice,
                 status.message());
  return status.ok();
}

std::string Job::counters() const {
  return wantsCounters() ? executable->counters(counterForm == "json") : "";
}

std::optional<std::vector<rt::HostArray>>
Job::outputs(Console &console, const TensorSet &tensors) {
  std::vector<rt::HostArray> arrays;
  for (size_t index = tensors.inputs.size(); index < tensors.placed.size();
       ++index) {
    Result<rt::HostArray> array = tensors.placed[index].download(*opened);
    if (!array) {
      console.fail(codes::kDevice, "output " +
                                       artifact().signature.params[index].name +
                                       ": " + array.message());
      return std::nullopt;
    }
    arrays.push_back(std::move(*array));
  }
  const artifact::Signature &signature = artifact().signature;
  auto wordOf = [&](unsigned param) {
    return int64_t(
        rt::loadBits(arrays[param - tensors.inputs.size()].tensor(), 0));
  };
  for (const artifact::CheckWord &word : signature.checks)
    if (Status status = rt::checkWord(signature, word, tensors.sizes,
                                      wordOf(word.where), wordOf(word.value));
        !status) {
      bool isSubscript = word.kind == artifact::CheckWord::Kind::Subscript;
      console.fail(isSubscript ? codes::kOutside : codes::kInexactPass,
                   status.message());
      return std::nullopt;
    }
  return arrays;
}
