//===- UseTest.cpp - files that use files ---------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <filesystem>
#include <unistd.h>

using namespace girih;
using namespace girih::frontend;
namespace fs = std::filesystem;

namespace {

/// A folder of texts that lives as long as this.
class Folder {
public:
  Folder()
      : path(fs::temp_directory_path() /
             ("girih-use-" + std::to_string(getpid()))) {
    fs::create_directories(path / "sub");
  }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string &name, const std::string &text) const {
    std::ofstream(path / name, std::ios::binary) << text;
  }
  Checked check(const std::string &name) const {
    Checked result;
    std::ifstream stream(path / name, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    auto source =
        std::make_shared<const SourceFile>((path / name).string(), text.str());
    result.program = parseProgram(source, result.diagnostics);
    return result;
  }
  std::string at(const std::string &name) const {
    return (path / name).string();
  }

private:
  fs::path path;
};

std::string text(const Checked &checked) {
  return checked.diagnostics.renderText(false);
}

} // namespace

TEST_CASE("used files are read once, relative to who uses them") {
  Folder folder;
  folder.write("sub/base.te", "const C: f32 = 2\n"
                              "fn twice(x: f32) -> f32 = x * C\n");
  folder.write("sub/mid.te", "use \"base.te\"\n"
                             "const D: f32 = C + 1\n"
                             "op mid(X: f32[N]) -> Y: f32[N] {"
                             " Y[i] = twice(X[i]) }\n");
  folder.write("main.te", "use \"sub/mid.te\"\nuse \"sub/../sub/base.te\"\n"
                          "op o(X: f32[N]) -> Y: f32[N] { t = mid(X)  "
                          "Y[i] = t[i] + D }\n"
                          "test \"t\" { run mid(X = [1]) expect Y == [2] }\n");
  Checked checked = folder.check("main.te");
  INFO(text(checked));
  REQUIRE(checked.program != nullptr);
  CHECK(checked.program->used.size() == 2);
  // What is compiled without --op is the file's own; others can be named.
  REQUIRE(checked.program->ops().size() == 1);
  CHECK(checked.program->findOp("mid") != nullptr);
  CHECK(printAst(checked.program->file).find("use \"sub/mid.te\"\n") == 0);
}

TEST_CASE("messages point into the right file") {
  Folder folder;
  folder.write("sub/bad.te", "// one line\nfn f(x: f32) -> f32 = y\n");
  folder.write("main.te", "use \"sub/bad.te\"\nconst f: f32 = 1\n");
  Checked checked = folder.check("main.te");
  REQUIRE(checked.program == nullptr);
  std::string all = text(checked);
  CHECK(all.find(folder.at("main.te") +
                 ":2:7: error[G0202]: 'f' names a constant and a function\n"
                 "    2 | const f: f32 = 1\n") != std::string::npos);
  CHECK(all.find(folder.at("sub/bad.te") +
                 ":2:4: note: the function 'f' is defined here\n") !=
        std::string::npos);
  CHECK(all.find(folder.at("sub/bad.te") +
                 ":2:23: error[G0203]: there is no parameter or constant "
                 "'y'\n    2 | fn f(x: f32) -> f32 = y\n") !=
        std::string::npos);
  std::string json = checked.diagnostics.renderJson();
  CHECK(json.find(folder.at("sub/bad.te")) != std::string::npos);
  // A syntax error too.
  folder.write("sub/bad.te", "\nop o(");
  CHECK(text(folder.check("main.te"))
            .find(folder.at("sub/bad.te") + ":2:6: error[G0103]") == 0);
}

TEST_CASE("refused uses") {
  Folder folder;
  folder.write("a.te", "use \"sub/b.te\"\n");
  folder.write("sub/b.te", "\nuse \"../a.te\"\n");
  Checked checked = folder.check("a.te");
  REQUIRE(checked.program == nullptr);
  CHECK(text(checked) == folder.at("sub/b.te") +
                             ":2:5: error[G0120]: these files use each other\n"
                             "    2 | use \"../a.te\"\n      |     ^^^^^^^^^\n"
                             "note: " +
                             folder.at("a.te") + " uses " +
                             folder.at("sub/b.te") + " uses " +
                             folder.at("a.te") + "\n");
  folder.write("self.te", "use \"self.te\"\n");
  CHECK(text(folder.check("self.te")).find("G0120]: this file uses itself") !=
        std::string::npos);
  folder.write("norms.te", "");
  folder.write("near.te", "use \"norm.te\"\n");
  std::string near = text(folder.check("near.te"));
  CHECK(near.find("error[G0121]: there is no file '" + folder.at("norm.te") +
                  "'") != std::string::npos);
  CHECK(near.find("help: did you mean \"norms.te\"?") != std::string::npos);
  folder.write("dir.te", "use \"sub\"\n");
  CHECK(text(folder.check("dir.te")).find("is no file") != std::string::npos);
  checkRefusal({"use @norms", "G0103",
                "expected the path of a file in quotes after 'use', found "
                "'norms'"});
  checkRefusal({"use @\"\"", "G0121", "the path of the used file is empty"});
}
