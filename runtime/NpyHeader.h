//===- NpyHeader.h - the header of a NumPy file -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_NPYHEADER_H
#define GIRIH_RUNTIME_NPYHEADER_H

#include "compiler/artifact/Artifact.h"

namespace girih::rt {

struct NpyHeader {
  std::string descr; ///< "<f4"
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Magic, version and header length.
constexpr size_t kNpyLongestPrefix = 12;
/// Longer headers are refused: a plain array needs far less.
constexpr size_t kNpyLongestHeader = 65536;

/// Where the header's text lies, from the first kNpyLongestPrefix bytes of a
/// file (or all of a shorter one).
struct NpyPrefix {
  size_t headerBegin = 0;
  size_t dataBegin = 0;
};
Result<NpyPrefix> parseNpyPrefix(std::string_view bytes);

/// The dictionary between the prefix and the data. Every key exactly once.
Result<NpyHeader> parseNpyHeader(std::string_view text);

/// The element type, or why it cannot be used.
Result<artifact::ScalarType>
npyElementType(const NpyHeader &header,
               std::optional<artifact::ScalarType> expected);

/// Prefix and header of format 1.0, padded so that data starts at a multiple
/// of 64.
std::string printNpyHeader(const NpyHeader &header);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_NPYHEADER_H
