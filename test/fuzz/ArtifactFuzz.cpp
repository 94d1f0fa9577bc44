//===- ArtifactFuzz.cpp - any bytes as an artifact ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/Artifact.h"
#include "compiler/artifact/ArtifactFormat.h"

#include <cstdlib>

using namespace girih;
using namespace girih::artifact;

static std::string littleEndian(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += char(value >> 8 * i & 0xFF);
  return text;
}

/// The bytes are refused with a message, or what was read is saved as the same
/// bytes.
static void feed(const std::string &bytes) {
  Result<Artifact> artifact = deserialize(bytes);
  if (!artifact) {
    if (artifact.message().empty())
      std::abort();
    return;
  }
  if (serialize(*artifact) != bytes || printJson(*artifact).empty())
    std::abort();
}

/// Tried as a whole file, and as a file's body behind a right header and
/// before a right checksum.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  feed(bytes);
  std::string sealed = std::string(kMagic) + littleEndian(kFormatVersion, 4) +
                       littleEndian(bytes.size(), 8) + bytes;
  feed(sealed + littleEndian(fnv1a(sealed), 8));
  return 0;
}
