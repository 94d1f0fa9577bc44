//===- LockFile.h - a schedule that was tuned, and for what ------*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One JSON object: `girih` (version), `op`, `program` (a hash of what is
// computed), `target`, `device`, `shapes` (each with `sizes` and `weight`),
// `us`, `schedule` and `scheduleHash`. It says what `girih compile --locked`
// compiles, and refuses everything that has changed since.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_LOCKFILE_H
#define GIRIH_TOOLS_GIRIH_LOCKFILE_H

#include "tools/girih/Program.h"

#include "llvm/Support/JSON.h"

namespace girih::cli {

/// Sizes, and how often they occur beside the others.
struct Shape {
  Sizes sizes;
  double weight = 1;
};
llvm::json::Array jsonOf(const std::vector<Shape> &shapes);
/// `M = 1024, K = 4096`; several with their weights.
std::string shapeText(const Shape &shape);
/// Whether both name the same sizes with the same values, in any order.
bool isSame(Sizes a, Sizes b);

struct Lock {
  std::string version, op, program, target, device, schedule;
  std::vector<Shape> shapes;
  double microseconds = 0;
};

/// SHA-256, in hexadecimal digits.
std::string hashOf(llvm::StringRef text);
/// The hash of what a program computes, at no sizes in particular, and the
/// operator's name: of the text of `te`, so that comments and schedules do not
/// count. Reports what is wrong with it.
struct ProgramIdentity {
  std::string op, hash;
};
std::optional<ProgramIdentity> identityOf(Console &console,
                                          const Program &program);

bool writeLock(Console &console, const std::string &path, const Lock &lock);
/// Reports a file that is none, or whose schedule was changed.
std::optional<Lock> readLock(Console &console, const std::string &path);

/// Whether the lock is of this program, target and sizes; reports what differs
/// (G1027).
bool checkLock(Console &console, const std::string &path, const Lock &lock,
               const Program &program, const std::string &target);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_LOCKFILE_H
