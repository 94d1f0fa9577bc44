//===- SafetensorsHeader.h - the header of a safetensors file ---*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   u64    length of the header, little endian
//   header a JSON object, maybe with spaces behind it:
//          {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
//           "__metadata__": {"key": "text"}}
//   data   the tensors, without gaps; offsets count from its begin
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SAFETENSORSHEADER_H
#define GIRIH_RUNTIME_SAFETENSORSHEADER_H

#include "compiler/artifact/Artifact.h"

#include <optional>

namespace girih::rt {

struct SafetensorsEntry {
  std::string name;
  std::string dtype; ///< "BF16"; also types that the language lacks
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0; ///< bytes of the data
};

/// Longer headers are refused, as by the format's own library.
constexpr uint64_t kLongestSafetensorsHeader = 100'000'000;
constexpr size_t kMostSafetensorsDimensions = 64;

/// Reads the header's text (untrusted); the file has `dataBytes` bytes behind
/// it. Every name and every key at most once; the tensors, in the order of
/// their data, fill it without gaps and without sharing a byte; each has as
/// many bytes as its type (where known) and shape say.
Result<std::vector<SafetensorsEntry>>
parseSafetensorsHeader(std::string_view text, uint64_t dataBytes);

/// The element type of "BF16" and the like; nothing for one that the language
/// lacks.
std::optional<artifact::ScalarType> safetensorsType(std::string_view dtype);
std::string_view safetensorsName(artifact::ScalarType type);

/// A JSON string with its quotes. Bytes that are no UTF-8 are refused.
Result<std::string> quoteJson(std::string_view text);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_SAFETENSORSHEADER_H
