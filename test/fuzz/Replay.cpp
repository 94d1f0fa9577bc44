//===- Replay.cpp - feeds files to a fuzz target --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main function of a fuzz target where libFuzzer is not there: every file
// of the folders named is one input, and so is each of its beginnings up to 64
// bytes, and each with one byte changed at a few places.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace fs = std::filesystem;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void feed(const std::string &bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()),
                         bytes.size());
}

static void feedFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::fprintf(stderr, "%s\n", path.c_str()); // the last one is at fault
  feed(bytes);
  for (size_t length = 0; length < bytes.size() && length < 64; ++length)
    feed(bytes.substr(0, length));
  constexpr size_t kPlaces = 40;
  for (size_t place = 0; place < kPlaces && !bytes.empty(); ++place) {
    std::string changed = bytes;
    changed[place * bytes.size() / kPlaces] ^= char(1 + place % 255);
    feed(changed);
  }
}

int main(int argc, char **argv) {
  unsigned count = 0;
  for (int i = 1; i < argc; ++i)
    for (const auto &entry : fs::recursive_directory_iterator(argv[i]))
      if (entry.is_regular_file()) {
        feedFile(entry.path());
        ++count;
      }
  std::printf("%u files\n", count);
  return count ? 0 : 1; // a wrong folder is no success
}
