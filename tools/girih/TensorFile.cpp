//===- TensorFile.cpp - tensors in files, by the flags --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/TensorFile.h"

#include "compiler/support/Suggest.h"
#include "runtime/Npy.h"
#include "runtime/Safetensors.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Files.h"

#include <filesystem>

using namespace girih;
using namespace girih::cli;

static constexpr std::string_view kSafetensors = ".safetensors";

bool TensorFile::isSafetensors() const { return path.ends_with(kSafetensors); }

/// Splits `w.safetensors:layer.0` unless a file has that very name.
static void splitEntry(TensorFile &file) {
  std::string mark = std::string(kSafetensors) + ":";
  size_t at = file.path.find(mark);
  std::error_code error;
  if (at == std::string::npos || std::filesystem::exists(file.path, error))
    return;
  at += kSafetensors.size();
  file.entry = file.path.substr(at + 1);
  file.path.resize(at);
}

std::optional<TensorFile> cli::parseTensorFile(Console &console,
                                               const std::string &text) {
  size_t equal = text.find('=');
  TensorFile file;
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size()) {
    console
        .usage(codes::kCommandLine,
               "'" + text + "' names no tensor: NAME=FILE is expected")
        .help("for example X=x.npy, or X:bf16=x.npy for 16-bit integers that "
              "hold bf16, or W=model.safetensors:layer.0.weight");
    return std::nullopt;
  }
  file.name = text.substr(0, equal);
  file.path = text.substr(equal + 1);
  splitEntry(file);
  size_t colon = file.name.find(':');
  if (colon == std::string::npos)
    return file;
  std::string typeName = file.name.substr(colon + 1);
  file.name.resize(colon);
  Result<artifact::ScalarType> type = artifact::parseScalarType(typeName);
  if (!type) {
    console.usage(codes::kUnknownName,
                  type.message() +
                      didYouMean(typeName, artifact::scalarTypeNames()));
    return std::nullopt;
  }
  file.type = *type;
  return file;
}

std::optional<rt::HostArray> cli::readTensorFile(Console &console,
                                                 const TensorFile &file) {
  if (!checkExists(console, file.path))
    return std::nullopt;
  Result<rt::HostArray> array =
      file.isSafetensors()
          ? rt::readSafetensors(file.path, {file.entry, file.name, file.type})
          : rt::readNpy(file.path, file.type);
  if (array)
    return std::move(*array);
  console.fail(codes::kInput, array.message());
  return std::nullopt;
}

/// The name that a tensor gets in a safetensors file.
static const std::string &entryOf(const TensorFile &file) {
  return file.entry.empty() ? file.name : file.entry;
}

bool cli::checkDistinct(Console &console,
                        const std::vector<TensorFile> &files) {
  for (size_t i = 0; i < files.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const TensorFile &a = files[j], &b = files[i];
      if (a.path != b.path || a.path == "/dev/null")
        continue;
      if (a.isSafetensors() && entryOf(a) != entryOf(b))
        continue;
      std::string what =
          a.isSafetensors() ? "tensor '" + entryOf(a) + "' of '" : "file '";
      console.usage(codes::kCommandLine, "'" + a.name + "' and '" + b.name +
                                             "' would both be written to the " +
                                             what + a.path + "'");
      return false;
    }
  return true;
}

bool cli::writeTensorFiles(Console &console, const TensorsToWrite &tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorFile &file = *tensors[i].first;
    if (!file.isSafetensors()) {
      if (!writeFile(console, file.path, rt::formatNpy(*tensors[i].second)))
        return false;
      continue;
    }
    bool isFirst = true;
    for (size_t j = 0; j < i; ++j)
      isFirst &= tensors[j].first->path != file.path;
    if (!isFirst)
      continue;
    std::vector<rt::NamedArray> all;
    for (const auto &[other, array] : tensors)
      if (other->path == file.path)
        all.push_back({entryOf(*other), array});
    Result<std::string> bytes = rt::formatSafetensors(all);
    if (!bytes) {
      console.fail(codes::kCannotWrite,
                   "cannot write " + file.path + ": " + bytes.message());
      return false;
    }
    if (!writeFile(console, file.path, *bytes))
      return false;
  }
  return true;
}
