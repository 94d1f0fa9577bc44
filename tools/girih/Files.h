//===- Files.h - reading and writing whole files ----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_FILES_H
#define GIRIH_TOOLS_GIRIH_FILES_H

#include "tools/girih/Console.h"

#include <optional>

namespace girih::cli {

/// The bytes of a file, or of standard input for "-". Reports what is wrong,
/// with the nearest name in the same folder for one that does not exist.
std::optional<std::string> readFile(Console &console, const std::string &path);

/// False, reported, where there is no such file.
bool checkExists(Console &console, const std::string &path);

/// Makes a folder, and those that it lies in, unless it exists. Reports
/// failures.
bool makeFolder(Console &console, const std::string &path);

/// Writes a file whole or not at all. What is no ordinary file (a pipe, a
/// terminal) is written to as it stands. Reports failures.
bool writeFile(Console &console, const std::string &path,
               std::string_view bytes);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_FILES_H
