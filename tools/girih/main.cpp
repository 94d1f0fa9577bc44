//===- main.cpp - girih, the command line ---------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Codes.h"
#include "tools/girih/CommandLine.h"

#include "llvm/Support/CommandLine.h"

#include <new>

using namespace girih;
using namespace girih::cli;

int main(int argc, char **argv) {
  Commands commands = makeCommands();
  Console console;
  try {
    if (Command *command = parseCommandLine(console, commands, argc, argv))
      command->run(console);
  } catch (const std::bad_alloc &) {
    console.fail(codes::kInternal, "not enough memory");
  } catch (const std::exception &error) {
    console.fail(codes::kInternal,
                 std::string("a fault of the compiler: ") + error.what());
  }
  return console.finish();
}
