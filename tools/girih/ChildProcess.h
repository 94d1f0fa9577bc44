//===- ChildProcess.h - work that may die ------------------------*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_CHILDPROCESS_H
#define GIRIH_TOOLS_GIRIH_CHILDPROCESS_H

#include "tools/girih/Console.h"

#include "llvm/Support/JSON.h"

namespace girih::cli {

/// How a child process ended.
struct ChildResult {
  /// What the work gave; nothing where it failed or did not come to its end.
  std::optional<llvm::json::Object> given;
  /// Why not: its first error, the signal that ended it, the time that is up.
  std::string why;
  bool isInterrupted = false; ///< by `stop`
};

/// Runs `work` in a process of its own, which holds everything that it opens:
/// a fault of a device ends that process and nothing else. What it reports and
/// prints is kept from the terminal. `stop` is asked now and then, and ends the
/// process when it says so, as does the end of `seconds`. The caller must have
/// no other threads, and no device open.
ChildResult runInChild(
    const std::function<std::optional<llvm::json::Object>(Console &)> &work,
    double seconds, const std::function<bool()> &stop);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_CHILDPROCESS_H
