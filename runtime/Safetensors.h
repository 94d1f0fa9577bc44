//===- Safetensors.h - tensors in safetensors files -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SAFETENSORS_H
#define GIRIH_RUNTIME_SAFETENSORS_H

#include "runtime/HostArray.h"

namespace girih::rt {

/// What is read of a file.
struct SafetensorsWish {
  std::string tensor; ///< its name in the file
  /// Where `tensor` is empty: this name, or the only tensor there is.
  std::string otherwise;
  /// Must be the tensor's type, or one whose bits 16- or 8-bit unsigned
  /// integers hold (bf16, f8).
  std::optional<artifact::ScalarType> type;
};

/// Reads one tensor from the bytes of a file (untrusted). `name` stands for
/// the file in messages.
Result<HostArray> parseSafetensors(std::string_view bytes,
                                   const std::string &name,
                                   const SafetensorsWish &wish);

/// The same from a file, of which only the header and the tensor are read.
Result<HostArray> readSafetensors(const std::string &path,
                                  const SafetensorsWish &wish);

/// A tensor and its name in a file.
struct NamedArray {
  std::string name;
  const HostArray *array;
};

/// The bytes of a file with these tensors, in C order, wider types first.
/// Refuses a name that is given twice, no UTF-8, or __metadata__.
Result<std::string> formatSafetensors(const std::vector<NamedArray> &tensors);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_SAFETENSORS_H
