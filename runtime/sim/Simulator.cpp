//===- Simulator.cpp - run PTX on the CPU ---------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Simulator.h"
#include "runtime/sim/Checker.h"
#include "runtime/sim/LaunchRules.h"
#include "runtime/sim/MemorySystem.h"
#include "runtime/sim/Scheduler.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <thread>

using namespace girih;
using namespace girih::sim;

struct Simulator::State {
  SimulatorOptions options;
  std::shared_ptr<GlobalMemory> memory = std::make_shared<GlobalMemory>();
  std::atomic<uint64_t> launches{0};
};

Simulator::Simulator(SimulatorOptions options)
    : state(std::make_unique<State>()) {
  state->options = options;
}

Simulator::~Simulator() = default;

GlobalMemory &Simulator::memory() { return *state->memory; }

const SimulatorOptions &Simulator::options() const { return state->options; }

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Room for one .global or .const variable, with its initial values; such
/// variables are zero where none are given (PTX ISA 9.0, 5.4.4).
static Result<uint64_t> placeVariable(GlobalMemory &memory,
                                      const SyntaxVariable &variable) {
  Result<uint64_t> address =
      memory.allocate(std::max<uint64_t>(variable.bytes, 1));
  if (!address)
    return address;
  Status status =
      variable.initializer.empty()
          ? memory.fill(*address, 0, std::max<uint64_t>(variable.bytes, 1))
          : memory.write(*address, variable.initializer.data(),
                         variable.initializer.size());
  if (!status)
    return Failure{status.message()};
  GlobalBuffer *buffer = memory.find(*address);
  buffer->isConstant = variable.space == Space::Const;
  buffer->view.name = variable.name;
  buffer->view.typeName = std::string(nameOf(variable.type));
  buffer->view.elementBytes = std::max(1u, bitsOf(variable.type) / 8);
  return address;
}

/// A module with its variables in global memory, which go when the last kernel
/// of it does.
struct LoadedModule {
  SyntaxModule syntax;
  VariableAddresses addresses;
  std::shared_ptr<GlobalMemory> memory;
  ~LoadedModule() {
    for (uint64_t address : addresses)
      if (address != 0)
        memory->release(address);
  }
};

static Result<std::shared_ptr<LoadedModule>>
loadModule(std::string_view ptx, const SimulatorOptions &options,
           const std::shared_ptr<GlobalMemory> &memory) {
  Result<SyntaxModule> parsed = parsePtx(ptx);
  if (!parsed)
    return Failure{parsed.message()};
  auto module = std::make_shared<LoadedModule>();
  module->syntax = std::move(*parsed);
  module->memory = memory;
  if (Status status = checkTarget(module->syntax, options.capability); !status)
    return Failure{status.message()};
  module->addresses.resize(module->syntax.variables.size());
  for (size_t i = 0; i < module->addresses.size(); ++i) {
    const SyntaxVariable &variable = module->syntax.variables[i];
    if (variable.space != Space::Global && variable.space != Space::Const)
      continue;
    Result<uint64_t> address = placeVariable(*memory, variable);
    if (!address)
      return Failure{"variable '" + variable.name + "': " + address.message()};
    module->addresses[i] = *address;
  }
  return module;
}

Result<std::vector<Kernel>> Simulator::loadAll(std::string_view ptx) {
  Result<std::shared_ptr<LoadedModule>> module =
      loadModule(ptx, state->options, state->memory);
  if (!module)
    return Failure{module.message()};
  std::vector<Kernel> kernels;
  for (const SyntaxKernel &syntax : (*module)->syntax.kernels) {
    Result<Kernel> kernel =
        decode(*module, &(*module)->syntax, syntax, (*module)->addresses);
    if (!kernel)
      return Failure{kernel.message()};
    kernels.push_back(std::move(*kernel));
  }
  return kernels;
}

Result<Kernel> Simulator::decode(const std::shared_ptr<void> &owner,
                                 const SyntaxModule *module,
                                 const SyntaxKernel &syntax,
                                 const std::vector<uint64_t> &addresses) {
  Result<std::shared_ptr<KernelCode>> code =
      decodeKernel(*module, syntax, addresses);
  if (!code)
    return Failure{code.message()};
  Kernel kernel;
  kernel.module = std::shared_ptr<const SyntaxModule>(owner, module);
  kernel.decoded = std::move(*code);
  kernel.program = std::make_shared<const Program>(*kernel.decoded);
  return kernel;
}

static std::string kernelNames(const SyntaxModule &module) {
  std::string names;
  for (const SyntaxKernel &kernel : module.kernels)
    names += (names.empty() ? "" : ", ") + kernel.name;
  return names.empty() ? "none" : names;
}

Result<Kernel> Simulator::load(std::string_view ptx,
                               const std::string &kernel) {
  Result<std::shared_ptr<LoadedModule>> module =
      loadModule(ptx, state->options, state->memory);
  if (!module)
    return Failure{module.message()};
  for (const SyntaxKernel &syntax : (*module)->syntax.kernels)
    if (syntax.name == kernel)
      return decode(*module, &(*module)->syntax, syntax, (*module)->addresses);
  return Failure{"the module has no kernel '" + kernel +
                 "'; its kernels: " + kernelNames((*module)->syntax)};
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

/// The workers of a launch and the thread that called.
class Crew {
public:
  Crew(Launch &launch, const Program &program, LaunchProgress &progress)
      : launch(launch), program(program), progress(progress) {}

  /// False if the caller cancelled.
  bool run(unsigned workers, const LaunchShape &shape) {
    bool isWatched = shape.progress || shape.cancelled;
    if (workers == 1 && !isWatched) {
      work();
      return true;
    }
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < workers; ++i)
      threads.emplace_back([this] {
        work();
        std::lock_guard<std::mutex> lock(mutex);
        ++finished;
        wake.notify_one();
      });
    bool wentOn = watch(workers, shape);
    for (std::thread &thread : threads)
      thread.join();
    return wentOn;
  }

private:
  void work() {
    std::optional<Counters> counters;
    if (launch.counters)
      counters.emplace(*launch.code);
    Worker worker(launch, program, progress, counters ? &*counters : nullptr);
    worker.run();
    if (!counters)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    launch.counters->add(*counters);
  }

  bool watch(unsigned workers, const LaunchShape &shape) {
    bool wentOn = true;
    std::unique_lock<std::mutex> lock(mutex);
    while (finished < workers) {
      wake.wait_for(lock, std::chrono::milliseconds(20));
      if (finished == workers)
        break;
      lock.unlock();
      tell(shape);
      if (wentOn && shape.cancelled && shape.cancelled()) {
        wentOn = false;
        progress.stop = true;
      }
      lock.lock();
    }
    tell(shape);
    return wentOn;
  }

  void tell(const LaunchShape &shape) {
    if (shape.progress)
      shape.progress(double(progress.doneClusters.load()) /
                     double(progress.clusters));
  }

  Launch &launch;
  const Program &program;
  LaunchProgress &progress;
  std::mutex mutex;
  std::condition_variable wake;
  unsigned finished = 0;
};

std::vector<uint8_t> packParameters(const KernelCode &code,
                                    const std::vector<uint64_t> &arguments) {
  std::vector<uint8_t> bytes(code.parameterBytes);
  for (size_t i = 0; i < arguments.size(); ++i) {
    uint64_t size = std::min<uint64_t>(8, code.syntax->parameters[i].bytes);
    for (uint64_t k = 0; k < size; ++k)
      bytes[code.parameterOffsets[i] + k] = uint8_t(arguments[i] >> 8 * k);
  }
  return bytes;
}

unsigned countWorkers(const SimulatorOptions &options, const KernelCode &code,
                      uint64_t clusters) {
  if (code.blocksCommunicate)
    return 1;
  unsigned most =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  return unsigned(std::clamp<uint64_t>(clusters, 1, std::max(1u, most)));
}

} // namespace

Report Simulator::run(const Kernel &kernel, const LaunchShape &shape,
                      const std::vector<uint64_t> &arguments) {
  const KernelCode &code = kernel.code();
  const SimulatorOptions &options = state->options;
  Report report;
  report.kernel = code.syntax->name;
  report.module = kernel.module;
  report.syntax = code.syntax;
  Launch launch;
  launch.code = &code;
  launch.capability = options.capability;
  launch.checks = options.checks;
  if (Status status = shapeLaunch(launch, shape, arguments.size()); !status) {
    report.refusal = status.message();
    return report;
  }
  launch.parameters = packParameters(code, arguments);
  launch.memory = state->memory.get();
  launch.number = ++state->launches;
  FaultLog faults(options.faultLimit);
  launch.faults = &faults;
  Counters counters(code);
  launch.counters = options.counters ? &counters : nullptr;
  Checker checker(launch, options.checks);
  launch.checker = &checker;
  MemorySystem memorySystem(launch);
  launch.memorySystem = &memorySystem;

  LaunchProgress progress;
  progress.clusters = uint64_t(launch.grid[0] / launch.cluster[0]) *
                      (launch.grid[1] / launch.cluster[1]) *
                      (launch.grid[2] / launch.cluster[2]);
  progress.instructionLimit = options.instructionLimit;
  Crew crew(launch, *kernel.program, progress);
  if (!crew.run(countWorkers(options, code, progress.clusters), shape))
    report.refusal = "interrupted";
  else if (progress.gaveUp)
    report.refusal =
        "gave up after " + std::to_string(progress.instructions.load()) +
        " warp instructions, the limit is " +
        std::to_string(options.instructionLimit) + "; " +
        std::to_string(progress.doneClusters.load()) + " of " +
        std::to_string(progress.clusters) + " clusters of blocks were done";
  report.faults = faults.entries();
  if (options.counters)
    report.counters = makeReport(counters, launch);
  return report;
}
