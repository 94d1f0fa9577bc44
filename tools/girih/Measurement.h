//===- Measurement.h - how long a schedule takes, if it is right -*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_MEASUREMENT_H
#define GIRIH_TOOLS_GIRIH_MEASUREMENT_H

#include "tools/girih/ChildProcess.h"
#include "tools/girih/Job.h"

namespace girih::cli {

/// What the device is, asked in a process of its own.
struct DeviceFacts {
  std::string name, description;
  std::string target; ///< to compile for where the flags do not say
};
std::optional<DeviceFacts> askDevice(Console &console, const JobFlags &flags,
                                     const char *example);

/// One schedule at one set of sizes.
struct Measured {
  bool isRight = false; ///< ran, and its results are the reference's
  std::string why;      ///< else
  double microseconds = 0;
  int64_t registers = 0, spillBytes = 0; ///< the most of its kernels
  bool isInterrupted = false;
};

/// Measures schedules of one program, each in a process of its own. The
/// reference's results are computed once for each set of sizes.
class Measurer {
public:
  Measurer(JobFlags &flags, const char *example, unsigned repetitions)
      : flags(flags), example(example), repetitions(repetitions) {}
  ~Measurer();

  /// An empty schedule is what is compiled without one more.
  Measured measure(const std::string &schedule, const Sizes &sizes,
                   double seconds, const std::function<bool()> &stop);

private:
  std::optional<llvm::json::Object> work(Console &console,
                                         const std::string &schedule,
                                         const Sizes &sizes, int expected);

  JobFlags &flags;
  const char *example;
  unsigned repetitions;
  /// By sizes: a file in memory that a child fills and later ones read.
  std::vector<std::pair<Sizes, int>> references;
};

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_MEASUREMENT_H
