//===- ArtifactFileTest.cpp - artifacts on disk ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleArtifact.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace girih;
using namespace girih::artifact;
namespace fs = std::filesystem;

namespace {

/// A folder that goes away with the test.
class Folder {
public:
  Folder() {
    std::string pattern =
        (fs::temp_directory_path() / "girih-artifact-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()));
    path = pattern;
  }
  ~Folder() { fs::remove_all(path); }

  std::string file(const char *name) const { return (path / name).string(); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto &entry : fs::directory_iterator(path))
      found.push_back(entry.path().filename().string());
    return found;
  }

  fs::path path;
};

/// No file may grow beyond `bytes` while this lives: a disk that is full.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    rlimit limit = before;
    limit.rlim_cur = bytes;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }

private:
  rlimit before;
  void (*handler)(int);
};

} // namespace

static std::string contents(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

static void spill(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

static const std::vector<std::string> kJustTheArtifact = {"a.girih"};

TEST_CASE("save, then load") {
  Folder folder;
  std::string path = folder.file("a.girih");
  REQUIRE(saveFile(sampleArtifact(), path));
  CHECK(folder.names() == kJustTheArtifact);
  CHECK(contents(path) == serialize(sampleArtifact()));
  Result<Artifact> loaded = loadFile(path);
  REQUIRE(loaded);
  CHECK(serialize(*loaded) == serialize(sampleArtifact()));
  struct stat status;
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0600) == 0600);
}

TEST_CASE("an older file is replaced, through a link too") {
  Folder folder;
  std::string path = folder.file("a.girih"), link = folder.file("link");
  spill(path, "old");
  fs::create_symlink("a.girih", link);
  REQUIRE(saveFile(sampleArtifact(), link));
  CHECK(fs::is_symlink(link));
  CHECK(contents(path) == serialize(sampleArtifact()));
}

TEST_CASE("a folder that does not exist") {
  Folder folder;
  std::string path = folder.file("none/a.girih");
  Status saved = saveFile(sampleArtifact(), path);
  REQUIRE_FALSE(saved);
  CHECK(saved.message() ==
        "cannot write '" + path + "': No such file or directory");
  CHECK(folder.names().empty());
  Result<Artifact> loaded = loadFile(path);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.message() ==
        "cannot read '" + path + "': No such file or directory");
}

TEST_CASE("a write that runs out of space leaves nothing behind") {
  Folder folder;
  std::string path = folder.file("a.girih");
  std::string words = "cannot write '" + path + "': File too large";
  {
    FileSizeLimit limit(100);
    Status saved = saveFile(sampleArtifact(), path);
    REQUIRE_FALSE(saved);
    CHECK(saved.message() == words);
  }
  CHECK(folder.names().empty());

  // And an older file stays as it was.
  spill(path, "old");
  {
    FileSizeLimit limit(100);
    Status saved = saveFile(sampleArtifact(), path);
    REQUIRE_FALSE(saved);
    CHECK(saved.message() == words);
  }
  CHECK(folder.names() == kJustTheArtifact);
  CHECK(contents(path) == "old");
}

TEST_CASE("devices and folders are never replaced") {
  Folder folder;
  Status saved = saveFile(sampleArtifact(), folder.path.string());
  REQUIRE_FALSE(saved);
  CHECK(saved.message() == "cannot write '" + folder.path.string() +
                               "': it is not a regular file");
  if (fs::exists("/dev/full")) {
    saved = saveFile(sampleArtifact(), "/dev/full");
    REQUIRE_FALSE(saved);
    CHECK(saved.message() ==
          "cannot write '/dev/full': it is not a regular file");
    CHECK(fs::is_character_file("/dev/full"));
  }
  std::string pipe = folder.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(saveFile(sampleArtifact(), pipe).message() ==
        "cannot write '" + pipe + "': it is not a regular file");
  // Reading one does not wait for a writer either.
  CHECK(loadFile(pipe).message() ==
        "cannot read '" + pipe + "': it is not a regular file");
  CHECK(loadFile(folder.path.string()).message() ==
        "cannot read '" + folder.path.string() + "': it is not a regular file");
}

TEST_CASE("a damaged file is refused by name") {
  Folder folder;
  std::string path = folder.file("a.girih");
  std::string bytes = serialize(sampleArtifact());
  bytes[40] ^= 1;
  spill(path, bytes);
  CHECK(loadFile(path).message() ==
        "cannot read '" + path +
            "': the artifact is damaged: its checksum does not match");
  spill(path, "");
  CHECK(loadFile(path).message() ==
        "cannot read '" + path + "': the artifact is cut off after 0 bytes");
}
