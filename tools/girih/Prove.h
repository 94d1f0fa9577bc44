//===- Prove.h - what is asked to be proved ---------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_PROVE_H
#define GIRIH_TOOLS_GIRIH_PROVE_H

#include "tools/girih/Program.h"

namespace girih::cli {

/// --prove invariant=M,N.
struct ProveFlag : Settings {
  explicit ProveFlag(Command &command);
};

/// The sizes that the flag names, none without it. Reports what is wrong.
std::optional<std::vector<std::string>> readProve(Console &console,
                                                  const ProveFlag &flag);

/// Proves what the program was asked to prove, or reports why not, and prints
/// it. Compiles no further than that needs.
void answerProve(Console &console, const Program &program);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_PROVE_H
