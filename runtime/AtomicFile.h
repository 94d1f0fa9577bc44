//===- AtomicFile.h - files that appear complete or not at all --*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_ATOMICFILE_H
#define GIRIH_RUNTIME_ATOMICFILE_H

#include "compiler/artifact/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace girih::rt {

/// Writes the pieces one after another to a temporary file in the same folder
/// and renames it to `path`. On failure nothing is left behind and a file that
/// was there stays as it was.
Status writeFileAtomically(const std::string &path,
                           const std::vector<std::string_view> &pieces);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_ATOMICFILE_H
