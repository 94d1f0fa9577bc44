//===- Npy.cpp - NumPy files ----------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Npy.h"

#include "runtime/AtomicFile.h"
#include "runtime/NpyHeader.h"
#include "runtime/Text.h"

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

static_assert(std::endian::native == std::endian::little,
              ".npy data is copied as it is");

namespace {
/// A source of bytes whose length is known: memory or a file.
class Source {
public:
  virtual ~Source() = default;
  virtual uint64_t size() const = 0;
  /// Reads from the current place on; false on an input error.
  virtual bool read(void *destination, uint64_t count) = 0;
};

class MemorySource : public Source {
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

private:
  std::string_view bytes;
  size_t at = 0;
};

class FileSource : public Source {
public:
  explicit FileSource(std::FILE *file) : file(file) {
    if (std::fseek(file, 0, SEEK_END) != 0)
      return;
    long end = std::ftell(file);
    if (end < 0 || std::fseek(file, 0, SEEK_SET) != 0)
      return;
    length = uint64_t(end);
    seekable = true;
  }
  bool usable() const { return seekable; }
  uint64_t size() const override { return length; }
  bool read(void *destination, uint64_t count) override {
    return std::fread(destination, 1, count, file) == count;
  }

private:
  std::FILE *file;
  uint64_t length = 0;
  bool seekable = false;
};
} // namespace

/// Fails without the name of the file.
static Result<HostArray> parse(Source &source,
                               std::optional<ScalarType> expected) {
  const Failure readError{"reading failed"};
  char prefixBytes[kNpyLongestPrefix];
  size_t prefixSize = std::min<uint64_t>(source.size(), kNpyLongestPrefix);
  if (!source.read(prefixBytes, prefixSize))
    return readError;
  std::string_view prefixText(prefixBytes, prefixSize);
  Result<NpyPrefix> prefix = parseNpyPrefix(prefixText);
  if (!prefix)
    return Failure{prefix.message()};
  if (prefix->dataBegin > source.size())
    return Failure{"the file ends within its header"};
  // The prefix may have reached into the header's text, or past a short one.
  if (prefix->dataBegin < prefixSize)
    return Failure{"its header is empty"};
  std::string text(prefixText.substr(prefix->headerBegin));
  size_t already = text.size();
  text.resize(prefix->dataBegin - prefix->headerBegin);
  if (!source.read(text.data() + already, text.size() - already))
    return readError;

  Result<NpyHeader> header = parseNpyHeader(text);
  if (!header)
    return Failure{header.message()};
  Result<ScalarType> type = npyElementType(*header, expected);
  if (!type)
    return Failure{type.message()};
  std::optional<int64_t> count = elementCount(header->shape);
  int64_t bytes = 0;
  if (!count ||
      __builtin_mul_overflow(*count, int64_t(artifact::bytesOf(*type)), &bytes))
    return Failure{"its shape " + printShape(header->shape) +
                   " has more bytes than 64 bits can count"};
  // Compared before memory is taken: a short file cannot ask for much.
  uint64_t available = source.size() - prefix->dataBegin;
  if (uint64_t(bytes) > available)
    return Failure{"the file is cut short: shape " + printShape(header->shape) +
                   " needs " + std::to_string(bytes) +
                   " bytes of data, it has " + std::to_string(available)};
  if (uint64_t(bytes) < available)
    return Failure{"the file has " +
                   plural(int64_t(available - uint64_t(bytes)), "byte") +
                   " after the data of its shape " + printShape(header->shape)};
  Result<HostArray> array =
      header->fortranOrder
          ? HostArray::createColumnMajor(*type, std::move(header->shape))
          : HostArray::create(*type, std::move(header->shape));
  if (array && !source.read(array->data(), array->bytes()))
    return readError;
  return array;
}

Result<HostArray> rt::parseNpy(std::string_view bytes, const std::string &name,
                               std::optional<ScalarType> expected) {
  MemorySource source(bytes);
  Result<HostArray> array = parse(source, expected);
  if (!array)
    return Failure{"cannot read " + name + ": " + array.message()};
  return array;
}

Result<HostArray> rt::readNpy(const std::string &path,
                              std::optional<ScalarType> expected) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return Failure{"cannot open " + path + ": " +
                   std::generic_category().message(errno)};
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> closer(file, std::fclose);
  FileSource source(file);
  if (!source.usable())
    return Failure{"cannot read " + path + ": it is not a regular file"};
  Result<HostArray> array = parse(source, expected);
  if (!array)
    return Failure{"cannot read " + path + ": " + array.message()};
  return array;
}

static const char *descrOf(ScalarType type) {
  switch (type) {
  case ScalarType::F64:
    return "<f8";
  case ScalarType::F32:
    return "<f4";
  case ScalarType::F16:
    return "<f2";
  case ScalarType::I8:
    return "|i1";
  case ScalarType::I16:
    return "<i2";
  case ScalarType::I32:
    return "<i4";
  case ScalarType::I64:
    return "<i8";
  case ScalarType::F8E4M3FN: // as bits: NumPy knows no such types
  case ScalarType::F8E5M2:
  case ScalarType::U8:
    return "|u1";
  case ScalarType::BF16:
  case ScalarType::U16:
    return "<u2";
  case ScalarType::U32:
    return "<u4";
  case ScalarType::U64:
    return "<u8";
  case ScalarType::Bool:
    return "|b1";
  }
  return "";
}

static std::string headerOf(const HostArray &array) {
  NpyHeader header;
  header.descr = descrOf(array.type());
  header.shape = array.shape();
  return printNpyHeader(header);
}

static bool isRowMajor(const HostArray &array) {
  return array.strides() == denseStrides(array.shape());
}

/// The elements of an array in C order.
static std::string gather(const HostArray &array) {
  size_t elementBytes = artifact::bytesOf(array.type());
  std::string data(array.bytes(), '\0');
  for (int64_t i = 0; i < array.elements(); ++i) {
    uint64_t bits = loadBits(array.tensor(), i);
    std::memcpy(data.data() + size_t(i) * elementBytes, &bits, elementBytes);
  }
  return data;
}

std::string rt::formatNpy(const HostArray &array) {
  std::string bytes = headerOf(array);
  if (!isRowMajor(array))
    return bytes + gather(array);
  bytes.append(reinterpret_cast<const char *>(array.data()), array.bytes());
  return bytes;
}

Status rt::writeNpy(const HostArray &array, const std::string &path) {
  std::string gathered;
  std::string_view data(reinterpret_cast<const char *>(array.data()),
                        array.bytes());
  if (!isRowMajor(array)) {
    gathered = gather(array);
    data = gathered;
  }
  return writeFileAtomically(path, {headerOf(array), data});
}
