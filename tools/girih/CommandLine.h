//===- CommandLine.h - from argv to a command that is ready -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_COMMANDLINE_H
#define GIRIH_TOOLS_GIRIH_COMMANDLINE_H

#include "tools/girih/Command.h"

namespace girih::cli {

using Commands = std::vector<std::unique_ptr<Command>>;

/// Parses the arguments and returns the command to run. Without one there is
/// nothing left to do: help was printed or a mistake reported.
Command *parseCommandLine(Console &console, const Commands &commands, int argc,
                          char **argv);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_COMMANDLINE_H
