//===- ArtifactFormat.h - the saved form of an artifact ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this room: what the writer (ArtifactBytes.cpp) and the reader
// (ArtifactReader.cpp) share. All integers are little endian.
//
//   bytes 0..7    "GIRIHART"
//   u32           format version
//   u64           length of the body
//   body          the fields in the order of Artifact.h; strings and lists
//                 start with their u32 length, enums and bools are one byte, a
//                 SizeExpr is its kind, then its value, its size, or its list
//                 of operands; only an argument of kind Value has a value
//   u64           FNV-1a over everything before it
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARTIFACT_ARTIFACTFORMAT_H
#define GIRIH_COMPILER_ARTIFACT_ARTIFACTFORMAT_H

#include <cstdint>
#include <string_view>

namespace girih::artifact {

constexpr std::string_view kMagic = "GIRIHART";
constexpr uint32_t kFormatVersion = 5;
constexpr size_t kHeaderBytes = 8 + 4 + 8;
constexpr size_t kChecksumBytes = 8;

/// FNV-1a, 64 bits. Each step is a bijection of the state, so that no change
/// of a single byte goes unnoticed. It is no protection against intent.
inline uint64_t fnv1a(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

} // namespace girih::artifact

#endif // GIRIH_COMPILER_ARTIFACT_ARTIFACTFORMAT_H
