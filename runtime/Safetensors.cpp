//===- Safetensors.cpp - tensors in safetensors files ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Safetensors.h"

#include "runtime/ByteSource.h"
#include "runtime/SafetensorsHeader.h"
#include "runtime/Text.h"

#include <algorithm>
#include <bit>
#include <set>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

static_assert(std::endian::native == std::endian::little,
              "safetensors data is copied as it is");

using Entries = std::vector<SafetensorsEntry>;
static constexpr uint64_t kLengthBytes = 8;

/// Reads the header; what follows it is the data.
static Result<Entries> readHeader(ByteSource &source, uint64_t &dataBytes) {
  uint64_t length = 0;
  if (source.size() < kLengthBytes)
    return Failure{"it is no safetensors file: it has less than 8 bytes"};
  if (!source.read(&length, kLengthBytes))
    return Failure{"reading failed"};
  uint64_t left = source.size() - kLengthBytes;
  // Compared before memory is taken: a short file cannot ask for much.
  if (length > kLongestSafetensorsHeader)
    return Failure{"it is no safetensors file: its header claims " +
                   std::to_string(length) + " bytes; at most " +
                   std::to_string(kLongestSafetensorsHeader) + " are read"};
  if (length > left)
    return Failure{"the file is cut short: its header claims " +
                   std::to_string(length) + " bytes, the file has " +
                   std::to_string(left) + " more"};
  std::string text(length, '\0');
  if (!source.read(text.data(), length))
    return Failure{"reading failed"};
  dataBytes = left - length;
  return parseSafetensorsHeader(text, dataBytes);
}

static Failure unknownTensor(const Entries &entries, const std::string &name) {
  constexpr size_t kMostNames = 10;
  std::vector<std::string> names;
  for (const SafetensorsEntry &entry : entries)
    if (names.size() < kMostNames)
      names.push_back("'" + entry.name + "'");
  std::string text =
      "it has no tensor '" + name + "'; it has " + joinNames(names);
  if (entries.size() > kMostNames)
    text += " and " + std::to_string(entries.size() - kMostNames) + " more";
  return Failure{text};
}

static Result<const SafetensorsEntry *> find(const Entries &entries,
                                             const SafetensorsWish &wish) {
  const std::string &name = wish.tensor.empty() ? wish.otherwise : wish.tensor;
  for (const SafetensorsEntry &entry : entries)
    if (entry.name == name)
      return &entry;
  if (wish.tensor.empty() && entries.size() == 1)
    return &entries[0];
  return unknownTensor(entries, name);
}

/// The type that the elements are taken as.
static Result<ScalarType> elementType(const SafetensorsEntry &entry,
                                      std::optional<ScalarType> wanted) {
  std::string what = "its tensor '" + entry.name + "' holds " + entry.dtype;
  std::optional<ScalarType> held = safetensorsType(entry.dtype);
  if (!held)
    return Failure{what + ", which is none of the language's types"};
  if (!wanted || wanted == held)
    return *held;
  bool areBits = (*held == ScalarType::U16 && wanted == ScalarType::BF16) ||
                 (*held == ScalarType::U8 && isFloat(*wanted) &&
                  artifact::bytesOf(*wanted) == 1);
  if (areBits)
    return *wanted;
  return Failure{what + ", not " + std::string(artifact::nameOf(*wanted))};
}

/// Fails without the name of the file.
static Result<HostArray> parse(ByteSource &source,
                               const SafetensorsWish &wish) {
  uint64_t dataBytes = 0;
  Result<Entries> entries = readHeader(source, dataBytes);
  if (!entries)
    return Failure{entries.message()};
  Result<const SafetensorsEntry *> entry = find(*entries, wish);
  if (!entry)
    return Failure{entry.message()};
  Result<ScalarType> type = elementType(**entry, wish.type);
  if (!type)
    return Failure{type.message()};
  Result<HostArray> array = HostArray::create(*type, (*entry)->shape);
  if (array && (!source.skip((*entry)->begin) ||
                !source.read(array->data(), array->bytes())))
    return Failure{"reading failed"};
  return array;
}

Result<HostArray> rt::parseSafetensors(std::string_view bytes,
                                       const std::string &name,
                                       const SafetensorsWish &wish) {
  MemorySource source(bytes);
  Result<HostArray> array = parse(source, wish);
  if (!array)
    return Failure{"cannot read " + name + ": " + array.message()};
  return array;
}

Result<HostArray> rt::readSafetensors(const std::string &path,
                                      const SafetensorsWish &wish) {
  Result<std::unique_ptr<FileSource>> source = FileSource::open(path);
  if (!source)
    return Failure{source.message()};
  Result<HostArray> array = parse(**source, wish);
  if (!array)
    return Failure{"cannot read " + path + ": " + array.message()};
  return array;
}

static Status checkNames(const std::vector<NamedArray> &tensors) {
  std::set<std::string> names;
  for (const NamedArray &tensor : tensors) {
    if (tensor.name == "__metadata__")
      return Failure{"no tensor of a safetensors file is called __metadata__"};
    if (!names.insert(tensor.name).second)
      return Failure{"a safetensors file holds one tensor '" + tensor.name +
                     "', not two"};
  }
  return {};
}

Result<std::string>
rt::formatSafetensors(const std::vector<NamedArray> &tensors) {
  if (Status status = checkNames(tensors); !status)
    return Failure{status.message()};
  // Wider types first, so that every tensor begins at a multiple of its width.
  std::vector<NamedArray> order = tensors;
  std::stable_sort(order.begin(), order.end(),
                   [](const NamedArray &a, const NamedArray &b) {
                     return artifact::bytesOf(a.array->type()) >
                            artifact::bytesOf(b.array->type());
                   });
  std::string header = "{", data;
  for (const NamedArray &tensor : order) {
    Result<std::string> name = quoteJson(tensor.name);
    if (!name)
      return name;
    header += (header.size() > 1 ? "," : "") + *name + ":{\"dtype\":\"" +
              std::string(safetensorsName(tensor.array->type())) +
              "\",\"shape\":[";
    const auto &shape = tensor.array->shape();
    for (size_t dim = 0; dim < shape.size(); ++dim)
      header += (dim ? "," : "") + std::to_string(shape[dim]);
    size_t begin = data.size();
    data += rowMajorBytes(*tensor.array);
    header += "],\"data_offsets\":[" + std::to_string(begin) + "," +
              std::to_string(data.size()) + "]}";
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');
  uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char *>(&length), kLengthBytes);
  return bytes + header + data;
}
