//===- TuneLog.h - what was measured, to go on from --------------*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One JSON object: what is tuned (`girih op program target device description
// repetitions seed shapes`), and `runs`: `schedule tiles shape predictedUs
// right us registers spillBytes why`. It is written anew after each run, whole
// or not at all.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_TUNELOG_H
#define GIRIH_TOOLS_GIRIH_TUNELOG_H

#include "tools/girih/LockFile.h"
#include "tools/girih/Measurement.h"

namespace girih::cli {

class TuneLog {
public:
  /// What is tuned: two logs of one subject are of the same measurements.
  struct Subject {
    std::string version, op, program, target, device, description, seed;
    int64_t repetitions = 0;
    std::vector<Shape> shapes;
  };
  /// Reads the file if there is one; reports one that is no log, or one of
  /// another subject (G1026). An empty path: nothing is kept.
  static std::optional<TuneLog> open(Console &console, std::string path,
                                     Subject subject);

  /// A run that was measured before.
  std::optional<Measured> find(const std::string &schedule, size_t shape) const;
  bool add(Console &console, const std::string &schedule,
           const std::string &tiles, size_t shape, double predicted,
           const Measured &measured);
  size_t size() const { return runs.size(); }

private:
  TuneLog(std::string path, Subject subject)
      : path(std::move(path)), subject(std::move(subject)) {}
  llvm::json::Object head() const;

  std::string path;
  Subject subject;
  llvm::json::Array runs;
};

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_TUNELOG_H
