//===- Simulator.h - run PTX on the CPU ----------------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator by itself, for PTX from anywhere:
//
//   Simulator card;
//   uint64_t x = *card.upload(values);            // std::vector<float>
//   Result<Kernel> scale = card.load(ptxText, "scale");
//   Report report = card.run(*scale, {.grid = {4}, .block = {256}}, {x, 1024});
//   if (!report.ok()) puts(report.text().c_str());
//
// SimDevice.h makes a runtime device of it.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_SIMULATOR_H
#define GIRIH_RUNTIME_SIM_SIMULATOR_H

#include "runtime/sim/Counters.h"
#include "runtime/sim/Fault.h"

#include <functional>

namespace girih::sim {

struct SimulatorOptions {
  unsigned capability = 90; ///< the card that is played: picks tensor cores
  unsigned threads = 0;     ///< of the host; 0: all
  bool checks = true;       ///< races, uninitialised memory and registers
  bool counters = true;
  unsigned faultLimit = 10; ///< different faults after which a launch ends
  /// Warp instructions after which a launch is given up; 0: never.
  uint64_t instructionLimit = 0;
};

struct LaunchShape {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<uint32_t, 3> cluster{0, 0, 0}; ///< 0: as the kernel declares
  uint32_t dynamicSharedBytes = 0;
  std::function<void(double)> progress; ///< from the calling thread, 0..1
  std::function<bool()> cancelled;      ///< polled from the calling thread
};

struct Program; // Scheduler.h

/// A kernel of a module that the simulator loaded.
class Kernel {
public:
  const KernelCode &code() const { return *decoded; }

private:
  friend class Simulator;
  std::shared_ptr<const SyntaxModule> module;
  std::shared_ptr<const KernelCode> decoded;
  std::shared_ptr<const Program> program;
};

/// What came of a launch.
struct Report {
  std::string kernel;
  /// Why it did not run or was given up; empty if it ran to its end (with
  /// faults or not).
  std::string refusal;
  std::vector<FaultLog::Entry> faults;
  CounterReport counters;
  bool ok() const { return refusal.empty() && faults.empty(); }
  /// Every fault with the PTX line, the program's line, both threads and the
  /// element; `kernel 'scale': no fault` where there is none.
  std::string text() const;

  std::shared_ptr<const SyntaxModule> module; ///< for text()
  const SyntaxKernel *syntax = nullptr;
};

class Simulator {
public:
  explicit Simulator(SimulatorOptions options = {});
  ~Simulator();

  GlobalMemory &memory();
  const SimulatorOptions &options() const;
  template <typename T> Result<uint64_t> upload(const std::vector<T> &values) {
    Result<uint64_t> address = memory().allocate(values.size() * sizeof(T));
    if (address)
      if (Status status = memory().write(*address, values.data(),
                                         values.size() * sizeof(T));
          !status)
        return Failure{status.message()};
    return address;
  }
  template <typename T>
  Result<std::vector<T>> download(uint64_t address, size_t count) {
    std::vector<T> values(count);
    if (Status status =
            memory().read(values.data(), address, count * sizeof(T));
        !status)
      return Failure{status.message()};
    return values;
  }

  /// Parses and decodes. Fails with the PTX line of what is not PTX, not known
  /// or not supported.
  Result<Kernel> load(std::string_view ptx, const std::string &kernel);
  /// All kernels of a module, in order.
  Result<std::vector<Kernel>> loadAll(std::string_view ptx);

  /// Runs to the end. `arguments`: one 64-bit word a parameter; narrower
  /// parameters take its low bytes.
  Report run(const Kernel &kernel, const LaunchShape &shape,
             const std::vector<uint64_t> &arguments);

private:
  /// `owner` keeps the module and its variables.
  Result<Kernel> decode(const std::shared_ptr<void> &owner,
                        const SyntaxModule *module, const SyntaxKernel &syntax,
                        const std::vector<uint64_t> &addresses);

  struct State;
  std::unique_ptr<State> state;
};

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_SIMULATOR_H
