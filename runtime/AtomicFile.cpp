//===- AtomicFile.cpp - files that appear complete or not at all ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/AtomicFile.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

using namespace girih;

static std::string wordsOf(int error) {
  return std::generic_category().message(error); // strerror is not thread-safe
}

/// Opens a file beside `path` that did not exist; -1 with errno on failure.
static int createTemporary(const std::string &path, std::string &name) {
  // A name left behind by a dead process, or in use by another thread, is
  // stepped over.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    name = path + ".tmp-" + std::to_string(getpid()) + "-" +
           std::to_string(attempt);
    int file =
        open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

static bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes.remove_prefix(size_t(written));
  }
  return true;
}

Status rt::writeFileAtomically(const std::string &path,
                               const std::vector<std::string_view> &pieces) {
  std::string temporary;
  int file = createTemporary(path, temporary);
  if (file < 0)
    return Failure{"cannot write " + path + ": " + wordsOf(errno)};
  bool good = true;
  for (std::string_view piece : pieces)
    good = good && writeAll(file, piece);
  int error = errno;
  if (close(file) != 0 && good) {
    good = false;
    error = errno;
  }
  if (good && std::rename(temporary.c_str(), path.c_str()) != 0) {
    good = false;
    error = errno;
  }
  if (good)
    return {};
  unlink(temporary.c_str());
  return Failure{"cannot write " + path + ": " + wordsOf(error)};
}
