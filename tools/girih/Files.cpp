//===- Files.cpp - reading and writing whole files ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Files.h"

#include "compiler/support/Suggest.h"
#include "runtime/AtomicFile.h"
#include "tools/girih/Codes.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

using namespace girih;
using namespace girih::cli;
namespace fs = std::filesystem;

/// The file of the same folder whose name is nearest; empty if none is near.
static std::string nearestFile(const fs::path &path) {
  std::error_code error;
  fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && names.size() < 10000; entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::string name = nearestName(path.filename().string(), names);
  if (name.empty())
    return name;
  return path.has_parent_path() ? (folder / name).string() : name;
}

bool cli::checkExists(Console &console, const std::string &path) {
  std::error_code error;
  if (fs::exists(path, error) || error)
    return true; // what else is wrong, reading will say
  Diagnostic &diagnostic =
      console.usage(codes::kCannotRead, "there is no file '" + path + "'");
  std::string near = nearestFile(path);
  if (!near.empty())
    diagnostic.help("did you mean '" + near + "'?");
  return false;
}

std::optional<std::string> cli::readFile(Console &console,
                                         const std::string &path) {
  if (path != "-" && !checkExists(console, path))
    return std::nullopt;
  // In pieces, so that a device or a file without end is refused, too.
  constexpr size_t kMostBytes = size_t(256) << 20;
  std::FILE *file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  std::string text;
  std::vector<char> piece(size_t(1) << 16);
  size_t count = 0;
  while (file && text.size() <= kMostBytes &&
         (count = std::fread(piece.data(), 1, piece.size(), file)) > 0)
    text.append(piece.data(), count);
  std::string wrong;
  if (!file || std::ferror(file))
    wrong = std::strerror(errno);
  else if (text.size() > kMostBytes)
    wrong = "it holds more than 256 MiB";
  if (file && file != stdin)
    std::fclose(file);
  if (wrong.empty())
    return text;
  console.usage(codes::kCannotRead, "cannot read '" + path + "': " + wrong);
  return std::nullopt;
}

bool cli::makeFolder(Console &console, const std::string &path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && fs::is_directory(path, error))
    return true;
  console.fail(codes::kCannotWrite, "cannot make the folder '" + path + "'" +
                                        (error ? ": " + error.message() : ""));
  return false;
}

/// Where a rename would replace a device, a pipe or a link.
static bool writeInPlace(const fs::path &path, std::string_view bytes) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return false;
  bool good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  good &= std::fflush(file) == 0;
  int error = errno;
  std::fclose(file);
  errno = error;
  return good;
}

/// The file that a link names, also one that does not exist yet: a link keeps
/// pointing to it when it is replaced.
static std::string followLinks(fs::path path) {
  constexpr int kMostLinks = 40; // as the kernel allows
  std::error_code error;
  for (int link = 0; link < kMostLinks; ++link) {
    if (!fs::is_symlink(fs::symlink_status(path, error)))
      break;
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path.string();
}

bool cli::writeFile(Console &console, const std::string &path,
                    std::string_view bytes) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (writeInPlace(path, bytes))
      return true;
    console.fail(codes::kCannotWrite,
                 "cannot write " + path + ": " +
                     std::generic_category().message(errno));
    return false;
  }
  Status written = rt::writeFileAtomically(followLinks(path), {bytes});
  if (!written)
    console.fail(codes::kCannotWrite, written.message());
  return written.ok();
}
