//===- ArtifactFile.cpp - artifacts on disk -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/Artifact.h"
#include "compiler/artifact/Validate.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace girih::artifact {

/// The words of an errno value; strerror is not safe between threads.
static std::string wordsOf(int error) {
  return std::generic_category().message(error);
}

static Failure cannot(const char *verb, const std::string &path,
                      const std::string &why) {
  return Failure{std::string("cannot ") + verb + " '" + path + "': " + why};
}

namespace {

/// A file under a name of its own that is removed unless it is renamed.
class TemporaryFile {
public:
  /// Creates the file in the folder of `path`; `error()` tells if that failed.
  explicit TemporaryFile(const std::string &path) {
    static std::atomic<unsigned> serial{0};
    // O_EXCL makes the name ours. One left behind by a dead process with our
    // number is stepped over.
    for (int attempt = 0; attempt < 100; ++attempt) {
      name = path + ".tmp-" + std::to_string(getpid()) + "-" +
             std::to_string(serial++);
      descriptor =
          open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor >= 0 || errno != EEXIST)
        break;
    }
    if (descriptor < 0)
      failed = errno;
    else
      exists = true;
  }

  ~TemporaryFile() {
    if (descriptor >= 0)
      close(descriptor);
    if (exists)
      unlink(name.c_str());
  }

  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  /// 0, or the errno of the first step that failed; later steps do nothing.
  int error() const { return failed; }

  void write(std::string_view bytes) {
    while (failed == 0 && !bytes.empty()) {
      ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
      if (written >= 0)
        bytes.remove_prefix(size_t(written));
      else if (errno != EINTR)
        failed = errno;
    }
  }

  /// Brings the bytes to the disk, then the name to `path`: whoever opens
  /// `path` sees the old file or the whole new one.
  void publish(const std::string &path) {
    check(failed == 0 ? fsync(descriptor) : 0);
    int closing = descriptor;
    descriptor = -1;
    if (closing >= 0)
      check(close(closing));
    if (failed == 0) {
      check(rename(name.c_str(), path.c_str()));
      exists = failed != 0;
    }
  }

private:
  void check(int result) {
    if (result != 0 && failed == 0)
      failed = errno;
  }

  std::string name;
  int descriptor = -1;
  int failed = 0;
  bool exists = false;
};

} // namespace

Status saveFile(const Artifact &artifact, const std::string &path) {
  if (Status valid = validate(artifact); !valid)
    return cannot("write", path, valid.message());

  // Through a symbolic link the file behind it is replaced, not the link; a
  // device or folder is never replaced.
  std::error_code error;
  std::string target = path;
  std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status)) {
    if (!std::filesystem::is_regular_file(status))
      return cannot("write", path, "it is not a regular file");
    target = std::filesystem::canonical(path, error).string();
    if (error)
      return cannot("write", path, error.message());
  }

  TemporaryFile file(target);
  file.write(serialize(artifact));
  file.publish(target);
  if (file.error() != 0)
    return cannot("write", path, wordsOf(file.error()));
  return {};
}

static Result<std::string> readWhole(int descriptor, const std::string &path) {
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    return cannot("read", path, wordsOf(errno));
  if (!S_ISREG(status.st_mode))
    return cannot("read", path, "it is not a regular file");
  std::string bytes(size_t(status.st_size), '\0');
  size_t at = 0;
  while (at < bytes.size()) {
    ssize_t got = read(descriptor, bytes.data() + at, bytes.size() - at);
    if (got == 0)
      break; // the file has been shortened meanwhile
    if (got > 0)
      at += size_t(got);
    else if (errno != EINTR)
      return cannot("read", path, wordsOf(errno));
  }
  bytes.resize(at);
  return bytes;
}

Result<Artifact> loadFile(const std::string &path) {
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return cannot("read", path, wordsOf(errno));
  Result<std::string> bytes = readWhole(descriptor, path);
  close(descriptor);
  if (!bytes)
    return Failure{bytes.message()};
  Result<Artifact> artifact = deserialize(*bytes);
  if (!artifact)
    return cannot("read", path, artifact.message());
  return artifact;
}

} // namespace girih::artifact
