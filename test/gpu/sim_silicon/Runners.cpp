//===- Runners.cpp - the two machines that run a kernel -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Runners.h"

#include "runtime/sim/Memory.h"
#include "runtime/sim/Simulator.h"

#include <thread>

using namespace girih;
using namespace girih::silicon;
using namespace girih::rt::cuda;

void girih::silicon::parallelFor(size_t count,
                                 const std::function<void(size_t)> &f) {
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next++) < count;)
      f(i);
  };
  std::vector<std::thread> threads;
  size_t wanted = std::min<size_t>(count, std::thread::hardware_concurrency());
  for (size_t i = 1; i < wanted; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

static Ran simulateOne(sim::Simulator &card, const sim::Kernel &kernel,
                       const Program &program) {
  Ran ran;
  auto upload = [&](const std::vector<uint8_t> &bytes) -> Result<uint64_t> {
    // A buffer without bytes has no address.
    return card.upload(bytes.empty() ? std::vector<uint8_t>(16) : bytes);
  };
  Result<uint64_t> in = upload(program.in), out = upload(program.out);
  if (!in || !out) {
    ran.failure = in ? out.message() : in.message();
    return ran;
  }
  sim::LaunchShape shape;
  shape.grid = {program.grid, 1, 1};
  shape.block = {program.block, 1, 1};
  std::vector<uint64_t> arguments = {*in, *out};
  arguments.insert(arguments.end(), program.arguments.begin(),
                   program.arguments.end());
  sim::Report report = card.run(kernel, shape, arguments);
  if (!report.ok())
    ran.failure = report.text();
  Result<std::vector<uint8_t>> bytes =
      card.download<uint8_t>(*out, program.out.size());
  if (!bytes)
    ran.failure += bytes.message();
  else
    ran.out = std::move(*bytes);
  card.memory().release(*in);
  card.memory().release(*out);
  return ran;
}

std::vector<Ran>
girih::silicon::simulate(const std::vector<const Program *> &programs,
                         unsigned threads, bool checks) {
  sim::SimulatorOptions options;
  options.threads = threads;
  options.checks = checks;
  options.counters = false;
  options.instructionLimit = 1u << 28;
  sim::Simulator card(options);
  std::vector<Ran> all(programs.size());
  Result<std::vector<sim::Kernel>> kernels = card.loadAll(moduleText(programs));
  for (size_t i = 0; i < programs.size(); ++i) {
    if (kernels) {
      all[i] = simulateOne(card, (*kernels)[i], *programs[i]);
      continue;
    }
    // One of them is refused: find out which.
    Result<std::vector<sim::Kernel>> single =
        card.loadAll(moduleText({programs[i]}));
    if (single)
      all[i] = simulateOne(card, (*single)[0], *programs[i]);
    else
      all[i].failure = "refused: " + single.message();
  }
  return all;
}

Result<std::unique_ptr<Silicon>> Silicon::open() {
  Result<std::shared_ptr<const Driver>> driver = Driver::open("libcuda.so.1");
  if (!driver)
    return Failure{driver.message()};
  Result<std::shared_ptr<Context>> context = Context::open(*driver, 0);
  if (!context)
    return Failure{context.message()};
  std::unique_ptr<Silicon> silicon(new Silicon);
  silicon->context = *context;
  return silicon;
}

Silicon::~Silicon() {
  if (!context)
    return;
  Current current(*context);
  if (!current.status())
    return;
  if (in)
    context->driver()->memFree(in);
  if (out)
    context->driver()->memFree(out);
}

std::string Silicon::description() const {
  return context->product() + ", capability " +
         std::to_string(context->capability()) + ", driver for CUDA " +
         context->driver().version();
}

Silicon::Module Silicon::load(const std::string &ptx) {
  Module module;
  Current current(*context);
  if (!current.status()) {
    module.failure = current.status().message();
    return module;
  }
  constexpr size_t kLogBytes = 16 * 1024;
  std::string log(kLogBytes, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // The size goes in as the value itself; one byte ends the text.
  void *values[] = {log.data(), reinterpret_cast<void *>(kLogBytes - 1)};
  CUresult result = context->driver()->moduleLoadDataEx(
      &module.handle, ptx.c_str(), 2, options, values);
  if (result != CUDA_SUCCESS) {
    module.handle = nullptr;
    module.failure = context->driver().describe(result) + "\n" + log.c_str();
  }
  return module;
}

void Silicon::unload(Module &module) {
  Current current(*context);
  if (current.status() && module.handle)
    context->driver()->moduleUnload(module.handle);
  module.handle = nullptr;
}

Status Silicon::reserve(size_t inBytes, size_t outBytes) {
  const Driver &driver = context->driver();
  auto grow = [&](CUdeviceptr &buffer, size_t &capacity,
                  size_t bytes) -> Status {
    if (bytes <= capacity)
      return {};
    if (buffer)
      driver->memFree(buffer);
    buffer = 0;
    capacity = std::max<size_t>(bytes, 1 << 24);
    return driver.check(driver->memAlloc(&buffer, capacity), "cuMemAlloc");
  };
  if (Status status = grow(in, inCapacity, inBytes); !status)
    return status;
  return grow(out, outCapacity, outBytes);
}

Status Silicon::launch(const Module &module, const Program &program,
                       std::vector<uint8_t> &bytes) {
  const Driver &driver = context->driver();
  CUstream stream = context->stream();
  CUfunction function = nullptr;
  if (Status s = reserve(program.in.size(), program.out.size()); !s)
    return s;
  if (Status s =
          driver.check(driver->moduleGetFunction(&function, module.handle,
                                                 program.name.c_str()),
                       "cuModuleGetFunction");
      !s)
    return s;
  auto copyIn = [&](CUdeviceptr to, const std::vector<uint8_t> &from) {
    return from.empty()
               ? CUDA_SUCCESS
               : driver->memcpyHtoDAsync(to, from.data(), from.size(), stream);
  };
  if (Status s = driver.check(copyIn(in, program.in), "cuMemcpyHtoD"); !s)
    return s;
  if (Status s = driver.check(copyIn(out, program.out), "cuMemcpyHtoD"); !s)
    return s;
  // Narrow parameters are the low bytes of their words.
  std::vector<uint64_t> words = program.arguments;
  std::vector<void *> parameters = {&in, &out};
  for (uint64_t &word : words)
    parameters.push_back(&word);
  if (Status s = driver.check(
          driver->launchKernel(function, program.grid, 1, 1, program.block, 1,
                               1, 0, stream, parameters.data(), nullptr),
          "cuLaunchKernel");
      !s)
    return s;
  bytes.resize(program.out.size());
  if (!bytes.empty())
    if (Status s = driver.check(
            driver->memcpyDtoHAsync(bytes.data(), out, bytes.size(), stream),
            "cuMemcpyDtoH");
        !s)
      return s;
  return driver.check(driver->streamSynchronize(stream), "cuStreamSynchronize");
}

Ran Silicon::run(const Module &module, const Program &program) {
  Ran ran;
  Current current(*context);
  Status status = current.status();
  if (status)
    status = launch(module, program, ran.out);
  if (!status)
    ran.failure = status.message();
  return ran;
}

bool Silicon::isUsable() {
  Current current(*context);
  return current.status() &&
         context->driver()->ctxSynchronize() == CUDA_SUCCESS;
}
