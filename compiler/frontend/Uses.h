//===- Uses.h - the files of a program --------------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_USES_H
#define GIRIH_COMPILER_FRONTEND_USES_H

#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Reporter.h"

namespace girih::frontend {

/// Parses one text; what could not be parsed is left out and reported. Null
/// where the text is too large.
std::unique_ptr<File> parseText(const SourceFile &source, Reporter &reporter,
                                uint32_t base);

/// Reads every file that `program` uses, also through others, once each, into
/// program.used: a file stands behind those that it uses. Their texts are
/// attached to `all`, the program's own text. Paths are relative to the folder
/// of the file that says `use`. A schedule file (or null) and what it uses are
/// attached behind them, its items become program.schedules. False after
/// errors.
bool readUses(Program &program, SourceFile &all,
              std::shared_ptr<const SourceFile> scheduleFile,
              Reporter &reporter);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_USES_H
