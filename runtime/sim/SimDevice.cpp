//===- SimDevice.cpp - the simulator as a device --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/SimDevice.h"

#include "runtime/HostMemory.h"
#include "runtime/Plan.h"
#include "runtime/Ptx.h"
#include "runtime/TargetFit.h"
#include "runtime/Text.h"

#include <map>
#include <thread>

using namespace girih;
using namespace girih::sim;
using artifact::Artifact;
using artifact::Variant;

namespace {

/// The simulator and its lock: launches and memory are for one at a time.
struct Card {
  Card(const SimulatorOptions &options, target::GpuTarget target)
      : simulator(options), target(std::move(target)) {}
  Simulator simulator;
  target::GpuTarget target;
  std::mutex mutex;
};

uint64_t addressOf(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}
void *pointerTo(uint64_t address) {
  return reinterpret_cast<void *>(uintptr_t(address));
}

class SimExecutable : public rt::Executable {
public:
  static Result<std::unique_ptr<rt::Executable>>
  load(std::shared_ptr<Card> card, const Artifact &artifact);

  const Artifact &artifact() const override { return plan; }
  Status run(const std::vector<rt::Tensor> &params,
             const rt::RunOptions &options) override;
  std::vector<rt::KernelInfo> kernels() const override;
  std::string counters(bool json) const override;

private:
  SimExecutable(std::shared_ptr<Card> card, const Artifact &artifact)
      : card(std::move(card)), plan(artifact) {}
  Status launchAll(rt::BoundPlan &bound, const std::vector<rt::Tensor> &params,
                   const std::vector<uint64_t> &workspace,
                   const rt::RunOptions &options);
  void nameBuffers(const artifact::Launch &launch,
                   const std::vector<rt::Tensor> &params);

  std::shared_ptr<Card> card;
  Artifact plan;
  std::vector<std::map<std::string, Kernel>> variants;
  std::vector<CounterReport> counted; ///< of the run before
};

class SimDevice : public rt::Device {
public:
  explicit SimDevice(std::shared_ptr<Card> card) : card(std::move(card)) {}

  std::string name() const override { return "sim"; }
  std::string description() const override {
    return "simulated " + card->target.product + ", on " +
           rt::plural(std::max(1u, std::thread::hardware_concurrency()),
                      "thread");
  }
  std::optional<target::GpuTarget> target() const override {
    return card->target;
  }
  Result<std::unique_ptr<rt::Executable>>
  load(const Artifact &artifact) override {
    return SimExecutable::load(card, artifact);
  }

  Result<rt::Buffer> allocate(uint64_t bytes) override {
    std::lock_guard lock(card->mutex);
    Result<uint64_t> address = card->simulator.memory().allocate(bytes);
    if (!address)
      return Failure{address.message()};
    return rt::Buffer(pointerTo(*address), bytes, [card = card](void *memory) {
      if (!memory)
        return;
      std::lock_guard lock(card->mutex);
      card->simulator.memory().release(addressOf(memory));
    });
  }
  Status copyIn(void *destination, const void *hostSource,
                uint64_t bytes) override {
    std::lock_guard lock(card->mutex);
    return card->simulator.memory().write(addressOf(destination), hostSource,
                                          bytes);
  }
  Status copyOut(void *hostDestination, const void *source,
                 uint64_t bytes) override {
    std::lock_guard lock(card->mutex);
    return card->simulator.memory().read(hostDestination, addressOf(source),
                                         bytes);
  }
  Status fill(void *destination, uint8_t byte, uint64_t bytes) override {
    std::lock_guard lock(card->mutex);
    return card->simulator.memory().fill(addressOf(destination), byte, bytes);
  }
  Status poison(void *destination, uint64_t bytes) override {
    std::lock_guard lock(card->mutex);
    return card->simulator.memory().poison(addressOf(destination),
                                           rt::kPoisonByte, bytes);
  }
  Status synchronize() override { return {}; }
  Result<std::unique_ptr<rt::Stopwatch>> createStopwatch() override {
    return rt::makeSteadyStopwatch();
  }

private:
  std::shared_ptr<Card> card;
};

} // namespace

Result<std::unique_ptr<rt::Executable>>
SimExecutable::load(std::shared_ptr<Card> card, const Artifact &artifact) {
  if (Status status =
          rt::checkTargetFits(artifact.target, card->target.capability,
                              "the simulated " + card->target.product + " (" +
                                  card->target.name + ")");
      !status)
    return Failure{status.message()};
  std::unique_ptr<SimExecutable> executable(
      new SimExecutable(std::move(card), artifact));
  std::lock_guard lock(executable->card->mutex);
  for (const Variant &variant : executable->plan.variants) {
    std::string failed = "cannot load '" + artifact.signature.op +
                         "': variant '" + variant.name + "': ";
    if (Status status = rt::checkPtxEntries(variant); !status)
      return Failure{failed + status.message()};
    auto &kernels = executable->variants.emplace_back();
    for (const artifact::Launch &launch : variant.launches) {
      if (kernels.count(launch.kernel))
        continue;
      Result<Kernel> kernel =
          executable->card->simulator.load(variant.ptx, launch.kernel);
      if (!kernel)
        return Failure{failed + kernel.message()};
      kernels.emplace(launch.kernel, std::move(*kernel));
    }
  }
  return std::unique_ptr<rt::Executable>(std::move(executable));
}

std::vector<rt::KernelInfo> SimExecutable::kernels() const {
  std::vector<rt::KernelInfo> infos;
  for (size_t v = 0; v < plan.variants.size(); ++v)
    for (const artifact::Launch &launch : plan.variants[v].launches) {
      const KernelCode &code = variants[v].at(launch.kernel).code();
      rt::KernelInfo info;
      info.variant = plan.variants[v].name;
      info.kernel = launch.kernel;
      info.threads = launch.threads;
      info.staticSharedBytes = code.staticSharedBytes;
      info.dynamicSharedBytes = launch.sharedBytes;
      info.localBytes = code.localBytes;
      infos.push_back(std::move(info));
    }
  return infos;
}

std::string SimExecutable::counters(bool json) const {
  std::string text;
  for (const CounterReport &report : counted) {
    if (json)
      text += (text.empty() ? "[" : ", ") + printJson(report);
    else
      text += printText(report);
  }
  return json && !text.empty() ? text + "]" : text;
}

/// Gives the buffers of a launch the names of the program's tensors.
void SimExecutable::nameBuffers(const artifact::Launch &launch,
                                const std::vector<rt::Tensor> &params) {
  for (const artifact::Argument &argument : launch.arguments) {
    if (argument.kind != artifact::Argument::Kind::Pointer)
      continue;
    const rt::Tensor &tensor = params[argument.index];
    uint64_t address = addressOf(tensor.data);
    GlobalBuffer *buffer = card->simulator.memory().find(address);
    if (!buffer)
      continue;
    buffer->view = {plan.signature.params[argument.index].name,
                    std::string(artifact::nameOf(tensor.type)),
                    artifact::bytesOf(tensor.type),
                    tensor.shape,
                    tensor.strides,
                    int64_t(address - buffer->address)};
  }
}

Status SimExecutable::launchAll(rt::BoundPlan &bound,
                                const std::vector<rt::Tensor> &params,
                                const std::vector<uint64_t> &workspace,
                                const rt::RunOptions &options) {
  const Variant &variant = plan.variants[bound.variant];
  double done = 0, all = bound.launchCount();
  // Every turn of a loop counts the same: the counters are of the last one.
  std::map<unsigned, CounterReport> reports;
  Status status = bound.forEachLaunch([&](rt::BoundLaunch &launch) -> Status {
    const artifact::Launch &description = variant.launches[launch.launch];
    nameBuffers(description, params);
    for (const rt::BoundLaunch::WorkspaceUse &use : launch.workspaceUses)
      launch.arguments[use.argument] = workspace[use.buffer];
    LaunchShape shape;
    shape.grid = {launch.grid, 1, 1};
    shape.block = {description.threads, 1, 1};
    shape.dynamicSharedBytes = description.sharedBytes;
    if (options.progress)
      shape.progress = [&](double fraction) {
        options.progress((done + fraction) / all);
      };
    shape.cancelled = options.cancelled;
    const Kernel &kernel = variants[bound.variant].at(description.kernel);
    Report report = card->simulator.run(kernel, shape, launch.arguments);
    if (!report.ok())
      return Failure{report.refusal.empty() ? report.text()
                                            : "kernel '" + description.kernel +
                                                  "': " + report.refusal};
    reports.insert_or_assign(launch.launch, std::move(report.counters));
    ++done;
    return {};
  });
  for (auto &[number, report] : reports)
    counted.push_back(std::move(report));
  return status;
}

Status SimExecutable::run(const std::vector<rt::Tensor> &params,
                          const rt::RunOptions &options) {
  Result<rt::BoundPlan> bound = rt::bindPlan(plan, params);
  if (!bound)
    return Failure{bound.message()};
  std::lock_guard lock(card->mutex);
  counted.clear();
  // A buffer of its own for each, so that each has bounds of its own.
  GlobalMemory &memory = card->simulator.memory();
  std::vector<uint64_t> workspace;
  Status status;
  for (const artifact::WorkspaceBuffer &buffer :
       plan.variants[bound->variant].workspace) {
    Result<int64_t> bytes = artifact::evaluate(buffer.bytes, bound->sizes);
    Result<uint64_t> address =
        bytes ? memory.allocate(uint64_t(std::max<int64_t>(*bytes, 0)))
              : Result<uint64_t>(Failure{bytes.message()});
    if (!address) {
      status = Failure{"workspace '" + buffer.name + "': " + address.message()};
      break;
    }
    memory.find(*address)->view.name = buffer.name;
    workspace.push_back(*address);
  }
  for (const rt::BoundCopy &copy : bound->copies) {
    std::string bytes(copy.bytes, '\0');
    if (status)
      status = memory.read(bytes.data(), addressOf(copy.from), copy.bytes);
    if (status)
      status = memory.write(addressOf(copy.to), bytes.data(), copy.bytes);
  }
  // Kernels know an output that is apart as the input in whose place it is.
  std::vector<rt::Tensor> known = params;
  for (size_t at = 0; at < params.size(); ++at)
    if (const artifact::TensorParam &param = plan.signature.params[at];
        param.apart)
      known[size_t(param.inPlace)] = params[at];
  if (status)
    status = launchAll(*bound, known, workspace, options);
  for (uint64_t address : workspace)
    memory.release(address);
  return status;
}

Result<std::unique_ptr<rt::Device>>
sim::openSim(const SimDeviceOptions &options) {
  std::string arch = options.arch.empty() ? "sm_90a" : options.arch;
  std::optional<target::GpuTarget> target = target::findTarget(arch);
  if (!target) {
    std::string nearest = target::nearestTarget(arch);
    return Failure{"the simulator plays no '" + arch + "'" +
                   (nearest.empty() ? "" : "; did you mean " + nearest + "?") +
                   " (it knows " + rt::joinNames(target::knownTargets()) + ")"};
  }
  SimulatorOptions simulator;
  simulator.capability = target->capability;
  simulator.checks = options.checks;
  simulator.counters = options.counters;
  simulator.instructionLimit = options.instructionLimit;
  return std::unique_ptr<rt::Device>(std::make_unique<SimDevice>(
      std::make_shared<Card>(simulator, std::move(*target))));
}

void sim::registerSim(rt::DeviceRegistry &registry,
                      const SimDeviceOptions &options) {
  registry.registerDevice(
      "sim", [options](unsigned index) -> Result<std::unique_ptr<rt::Device>> {
        if (index != 0)
          return Failure{"there is no sim:" + std::to_string(index) +
                         ": the simulated card is sim:0"};
        return openSim(options);
      });
}
