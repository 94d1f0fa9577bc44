//===- Interrupt.h - Ctrl-C while something runs -------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_INTERRUPT_H
#define GIRIH_TOOLS_GIRIH_INTERRUPT_H

#include <csignal>

namespace girih::cli {

/// While one lives, the first Ctrl-C is noted instead of ending the process;
/// the second ends it. For work that asks `seen` often enough. One at a time.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;
  bool seen() const;

private:
  struct sigaction before;
};

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_INTERRUPT_H
