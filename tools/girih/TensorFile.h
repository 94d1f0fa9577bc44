//===- TensorFile.h - tensors in files, by the flags ------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_TENSORFILE_H
#define GIRIH_TOOLS_GIRIH_TENSORFILE_H

#include "runtime/HostArray.h"
#include "tools/girih/Console.h"

namespace girih::cli {

/// `X=x.npy`, `X:bf16=x.npy` or `X=w.safetensors:layer.0.weight`
struct TensorFile {
  std::string name; ///< of the operator's tensor
  std::optional<artifact::ScalarType> type;
  std::string path;
  std::string entry; ///< the tensor's name in a safetensors file; may be empty

  bool isSafetensors() const;
};

/// Reports what is wrong.
std::optional<TensorFile> parseTensorFile(Console &console,
                                          const std::string &text);

/// Reads the tensor. Reports what is wrong.
std::optional<rt::HostArray> readTensorFile(Console &console,
                                            const TensorFile &file);

/// False, reported, where two of them would be written over each other.
bool checkDistinct(Console &console, const std::vector<TensorFile> &files);

/// What goes where. All of one safetensors file are written together.
using TensorsToWrite =
    std::vector<std::pair<const TensorFile *, const rt::HostArray *>>;

/// Each file is written whole or not at all. Reports failures.
bool writeTensorFiles(Console &console, const TensorsToWrite &tensors);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_TENSORFILE_H
