//===- Measurement.cpp - how long a schedule takes, if it is right --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Measurement.h"

#include "compiler/target/GpuTarget.h"
#include "runtime/Bench.h"
#include "runtime/Text.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Oracle.h"
#include "tools/girih/Verdict.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace girih;
using namespace girih::cli;
namespace js = llvm::json;

std::optional<DeviceFacts>
cli::askDevice(Console &console, const JobFlags &flags, const char *example) {
  ChildResult asked = runInChild(
      [&](Console &inside) -> std::optional<js::Object> {
        std::optional<Job> job = Job::open(inside, flags, example);
        if (!job)
          return std::nullopt;
        std::optional<target::GpuTarget> own = job->device().target();
        return js::Object{
            {"name", job->device().name()},
            {"description", js::fixUTF8(job->device().description())},
            {"target", own ? own->name : ""}};
      },
      60, {});
  if (!asked.given) {
    console.fail(codes::kDevice, "the device cannot be used: " + asked.why);
    return std::nullopt;
  }
  DeviceFacts facts;
  facts.name = asked.given->getString("name").value_or("").str();
  facts.description = asked.given->getString("description").value_or("").str();
  facts.target = asked.given->getString("target").value_or("").str();
  return facts;
}

//===----------------------------------------------------------------------===//
// The reference's results, in a file that processes share
//===----------------------------------------------------------------------===//

static bool put(int file, const void *bytes, size_t count) {
  const char *at = static_cast<const char *>(bytes);
  while (count > 0) {
    ssize_t done = write(file, at, count);
    if (done <= 0)
      return false;
    at += done;
    count -= size_t(done);
  }
  return true;
}

static bool get(int file, void *bytes, size_t count) {
  char *at = static_cast<char *>(bytes);
  while (count > 0) {
    ssize_t done = read(file, at, count);
    if (done <= 0)
      return false;
    at += done;
    count -= size_t(done);
  }
  return true;
}

/// False, and an empty file, where there is no room.
static bool keep(int file, const Expected &expected) {
  bool good = lseek(file, 0, SEEK_SET) == 0;
  for (size_t o = 0; o < expected.outputs.size(); ++o) {
    const rt::HostArray &array = expected.outputs[o];
    const std::vector<double> &bounds = expected.bounds[o];
    good = good && put(file, array.data(), array.bytes()) &&
           put(file, bounds.data(), bounds.size() * sizeof(double));
  }
  if (!good && ftruncate(file, 0) != 0)
    return false;
  return good;
}

/// What was kept, for outputs like those of the tensors; nothing where it is
/// not all there.
static std::optional<Expected>
recall(int file, const artifact::Artifact &artifact, const TensorSet &tensors) {
  struct stat facts = {};
  if (fstat(file, &facts) != 0 || facts.st_size == 0 ||
      lseek(file, 0, SEEK_SET) != 0)
    return std::nullopt;
  Expected expected;
  for (size_t index = tensors.inputs.size(); index < tensors.shapes.size();
       ++index) {
    Result<rt::HostArray> array = rt::HostArray::create(
        artifact.signature.params[index].type, tensors.shapes[index]);
    if (!array || !get(file, array->data(), array->bytes()))
      return std::nullopt;
    std::vector<double> bounds(size_t(array->elements()));
    if (!get(file, bounds.data(), bounds.size() * sizeof(double)))
      return std::nullopt;
    expected.outputs.push_back(std::move(*array));
    expected.bounds.push_back(std::move(bounds));
  }
  return expected;
}

//===----------------------------------------------------------------------===//
// One measurement
//===----------------------------------------------------------------------===//

Measurer::~Measurer() {
  for (const auto &[sizes, file] : references)
    close(file);
}

/// The simulator knows no time. What stands for it: the launches, and the
/// longest of instructions, passes of shared memory and sectors of global
/// memory at the target's rates. It orders schedules; it predicts nothing.
static double standIn(const std::string &counters,
                      const target::GpuTarget &target) {
  llvm::Expected<js::Value> value = js::parse(counters);
  if (!value) {
    llvm::consumeError(value.takeError());
    return 0;
  }
  double total = 0;
  auto add = [&](const js::Object &kernel) {
    auto number = [](const js::Object &object, const char *name) {
      return object.getNumber(name).value_or(0);
    };
    double sectors = 0;
    if (const js::Array *tensors = kernel.getArray("tensors"))
      for (const js::Value &tensor : *tensors)
        if (const js::Object *own = tensor.getAsObject())
          sectors += number(*own, "readSectors") +
                     number(*own, "writtenSectors") +
                     number(*own, "atomicSectors");
    double clocks = target.clock * target.multiprocessors;
    constexpr double kPerClock = 4, kSectorBytes = 32;
    total += target.launchTime +
             std::max({number(kernel, "warpInstructions") / kPerClock / clocks,
                       number(kernel, "sharedWavefronts") / clocks,
                       sectors * kSectorBytes / target.dramBandwidth});
  };
  if (const js::Array *kernels = value->getAsArray())
    for (const js::Value &kernel : *kernels)
      if (const js::Object *own = kernel.getAsObject())
        add(*own);
  return total * 1e6;
}

std::optional<js::Object> Measurer::work(Console &console,
                                         const std::string &schedule,
                                         const Sizes &sizes, int expected) {
  JobExtras extras;
  extras.schedule = schedule;
  if (flags.device.substr(0, flags.device.find(':')) == "sim")
    flags.counters.setValue("json");
  std::optional<Job> job = Job::open(console, flags, example, extras);
  std::optional<TensorSet> tensors;
  if (!job || !(tensors = job->prepare(console, sizes)))
    return std::nullopt;
  const artifact::Artifact &artifact = job->artifact();
  // Right first, then fast. On the host the reference itself runs.
  if (Status status = tensors->restore(job->device(), artifact.signature);
      !status) {
    console.fail(codes::kDevice, status.message());
    return std::nullopt;
  }
  if (!job->run(console, *tensors))
    return std::nullopt;
  std::optional<std::vector<rt::HostArray>> outputs =
      job->outputs(console, *tensors);
  if (!outputs)
    return std::nullopt;
  std::string counters = job->counters();
  if (!job->onHost()) {
    std::optional<Expected> right = recall(expected, artifact, *tensors);
    if (!right) {
      Oracle oracle;
      if (!(right = oracle.run(console, artifact, *tensors)))
        return std::nullopt;
      keep(expected, *right);
    }
    for (size_t o = 0; o < outputs->size(); ++o) {
      const artifact::TensorParam &param =
          artifact.signature.params[tensors->inputs.size() + o];
      Result<Verdict> verdict = judge(
          (*outputs)[o].tensor(), right->outputs[o].tensor(), right->bounds[o]);
      if (!verdict || !verdict->compared.equal()) {
        console.fail(codes::kMismatch,
                     verdict ? printVerdict(param.name, param.type, *verdict)
                             : verdict.message());
        return std::nullopt;
      }
    }
  }
  js::Object result;
  if (job->onSim()) {
    std::optional<target::GpuTarget> target =
        target::findTarget(artifact.target);
    result["us"] = target ? standIn(counters, *target) : 0;
  } else {
    rt::BenchOptions options;
    options.repetitions = repetitions;
    Result<rt::BenchResult> times =
        rt::bench(job->device(), job->loaded(), tensors->params(), options);
    if (!times) {
      console.fail(codes::kDevice, times.message());
      return std::nullopt;
    }
    result["us"] = times->median;
  }
  int64_t registers = 0, spills = 0;
  for (const rt::KernelInfo &kernel : job->loaded().kernels()) {
    registers = std::max<int64_t>(registers, kernel.registers);
    spills = std::max<int64_t>(spills, kernel.localBytes);
  }
  result["registers"] = registers;
  result["spillBytes"] = spills;
  return result;
}

Measured Measurer::measure(const std::string &schedule, const Sizes &sizes,
                           double seconds, const std::function<bool()> &stop) {
  auto reference =
      std::find_if(references.begin(), references.end(),
                   [&](const auto &r) { return r.first == sizes; });
  if (reference == references.end()) {
    references.emplace_back(sizes, memfd_create("girih", MFD_CLOEXEC));
    reference = references.end() - 1;
  }
  ChildResult ended = runInChild(
      [&](Console &console) {
        return work(console, schedule, sizes, reference->second);
      },
      seconds, stop);
  Measured measured;
  measured.isInterrupted = ended.isInterrupted;
  measured.why = ended.why;
  if (!ended.given)
    return measured;
  measured.isRight = true;
  measured.microseconds = ended.given->getNumber("us").value_or(0);
  measured.registers = ended.given->getInteger("registers").value_or(0);
  measured.spillBytes = ended.given->getInteger("spillBytes").value_or(0);
  return measured;
}
