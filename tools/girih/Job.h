//===- Job.h - a program on a device ----------------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What run, check and bench have in common.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_JOB_H
#define GIRIH_TOOLS_GIRIH_JOB_H

#include "tools/girih/Program.h"
#include "tools/girih/TensorSet.h"

namespace girih::cli {

struct JobFlags : ProgramFlags {
  explicit JobFlags(Command &command);
  Setting device, arch, counters, limit;
  Switch dynamic;
  TensorFlags tensors;
};

/// What a command wants besides what the flags say.
struct JobExtras {
  std::vector<std::string> probes = {}; ///< CompileOptions::probes
  std::string keep = {};                ///< Program::keepForms
  bool demonstrate = false;             ///< Program::demonstrate
  std::string schedule = {};            ///< Program::useSchedule
};

class Job {
public:
  /// Reads the program, opens the device. Reports what is wrong.
  static std::optional<Job> open(Console &console, const JobFlags &flags,
                                 const char *example, JobExtras extras = {});

  /// Compiles for `sizes` and loads the result, or keeps what is loaded if it
  /// serves them too; then makes the tensors.
  std::optional<TensorSet> prepare(Console &console, const Sizes &sizes);

  const Program &program() const { return source; }
  rt::Device &device() const { return *opened; }
  bool onHost() const { return opened->name() == "host"; }
  bool onSim() const { return opened->name() == "sim"; }
  /// Why the host was taken where no device was named; else empty.
  const std::string &fallback() const { return whyHost; }

  // After prepare.
  const artifact::Artifact &artifact() const { return executable->artifact(); }
  rt::Executable &loaded() const { return *executable; }
  /// What the compiler chose; empty for an artifact that was read.
  const std::vector<std::string> &report() const { return choices; }
  /// Temporaries that are outputs too, with their statements.
  const std::vector<std::pair<std::string, std::string>> &probes() const {
    return probed;
  }
  /// The name of the variant that these tensors get; empty on the host.
  std::string variantFor(const TensorSet &tensors) const;

  /// Runs once and waits. Reports failures.
  bool run(Console &console, const TensorSet &tensors, unsigned threads = 0);
  /// What the device counted in the run before, as --counters asks for it;
  /// empty without that flag.
  std::string counters() const;
  bool wantsCounters() const { return !counterForm.empty(); }
  /// The outputs, row-major. Reports failures.
  std::optional<std::vector<rt::HostArray>> outputs(Console &console,
                                                    const TensorSet &tensors);

private:
  explicit Job(Program program) : source(std::move(program)) {}
  bool load(Console &console, const artifact::Artifact &artifact);

  Program source;
  std::unique_ptr<rt::Device> opened;
  std::string whyHost;
  bool isDynamic = false;
  std::string counterForm;             ///< "text", "json" or empty
  std::vector<std::string> parameters; ///< given names that are no sizes
  std::vector<std::pair<std::string, std::string>> probed;
  TensorPlan plan;
  std::unique_ptr<rt::Executable> executable;
  Sizes compiledFor;
  std::vector<std::string> choices;
};

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_JOB_H
