//===- Npy.cpp - NumPy files ----------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Npy.h"

#include "runtime/AtomicFile.h"
#include "runtime/ByteSource.h"
#include "runtime/NpyHeader.h"
#include "runtime/Text.h"

#include <bit>
#include <cstring>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

static_assert(std::endian::native == std::endian::little,
              ".npy data is copied as it is");

/// Fails without the name of the file.
static Result<HostArray> parse(ByteSource &source,
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
  Result<std::unique_ptr<FileSource>> source = FileSource::open(path);
  if (!source)
    return Failure{source.message()};
  Result<HostArray> array = parse(**source, expected);
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

std::string rt::formatNpy(const HostArray &array) {
  return headerOf(array) + rowMajorBytes(array);
}

Status rt::writeNpy(const HostArray &array, const std::string &path) {
  return writeFileAtomically(path, {headerOf(array), rowMajorBytes(array)});
}
