//===- ByteSource.h - bytes of memory or of a file --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this room: what the readers of tensor files share.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_BYTESOURCE_H
#define GIRIH_RUNTIME_BYTESOURCE_H

#include "compiler/artifact/Result.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace girih::rt {

/// A source of bytes whose length is known.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  virtual uint64_t size() const = 0;
  /// Reads from the current place on; false on an input error.
  virtual bool read(void *destination, uint64_t count) = 0;
  /// Passes over bytes that exist.
  virtual bool skip(uint64_t count) = 0;
};

class MemorySource : public ByteSource {
public:
  explicit MemorySource(std::string_view bytes) : bytes(bytes) {}
  uint64_t size() const override { return bytes.size(); }
  bool read(void *destination, uint64_t count) override {
    if (count > bytes.size() - at)
      return false;
    if (count)
      std::memcpy(destination, bytes.data() + at, count);
    at += count;
    return true;
  }
  bool skip(uint64_t count) override {
    if (count > bytes.size() - at)
      return false;
    at += count;
    return true;
  }

private:
  std::string_view bytes;
  size_t at = 0;
};

class FileSource : public ByteSource {
public:
  /// Refuses what is no regular file, with the name of the file.
  static Result<std::unique_ptr<FileSource>> open(const std::string &path) {
    std::error_code error; // what is wrong with a path, opening will say
    if (std::filesystem::exists(path, error) &&
        !std::filesystem::is_regular_file(path, error))
      return Failure{"cannot read " + path + ": it is not a regular file"};
    std::FILE *file = std::fopen(path.c_str(), "rb");
    if (!file)
      return Failure{"cannot open " + path + ": " +
                     std::generic_category().message(errno)};
    std::unique_ptr<FileSource> source(new FileSource(file));
    if (!source->measure())
      return Failure{"cannot read " + path + ": its length cannot be known"};
    return source;
  }
  ~FileSource() override { std::fclose(file); }
  uint64_t size() const override { return length; }
  bool read(void *destination, uint64_t count) override {
    return std::fread(destination, 1, count, file) == count;
  }
  bool skip(uint64_t count) override {
    return std::fseek(file, long(count), SEEK_CUR) == 0;
  }

private:
  explicit FileSource(std::FILE *file) : file(file) {}
  bool measure() {
    if (std::fseek(file, 0, SEEK_END) != 0)
      return false;
    long end = std::ftell(file);
    if (end < 0 || std::fseek(file, 0, SEEK_SET) != 0)
      return false;
    length = uint64_t(end);
    return true;
  }

  std::FILE *file;
  uint64_t length = 0;
};

} // namespace girih::rt

#endif // GIRIH_RUNTIME_BYTESOURCE_H
