//===- Uses.cpp - the files of a program ----------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Uses.h"

#include "compiler/frontend/Lexer.h"
#include "compiler/frontend/Parser.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>

namespace girih::frontend {

namespace fs = std::filesystem;

std::unique_ptr<File> parseText(const SourceFile &source, Reporter &reporter,
                                uint32_t base) {
  if (source.text().size() > kMaxFileBytes) {
    reporter.error(codes::kFileTooLarge,
                   fmt::format("the file has {} bytes, the limit is {}",
                               source.text().size(), kMaxFileBytes),
                   {base, base});
    return nullptr;
  }
  LexedFile lexed = lex(source.text(), reporter, base);
  Parser parser(source.text(), std::move(lexed), reporter, base);
  return std::make_unique<File>(parser.parseFile());
}

namespace {

/// A file on the way from the program's own to the one that is being read.
struct OpenFile {
  fs::path path;    ///< one spelling for each file
  std::string name; ///< as messages show it
};

class UseReader {
public:
  UseReader(Program &program, SourceFile &all, Reporter &reporter)
      : program(program), all(all), reporter(reporter) {}

  bool read(const File &file, const std::string &name) {
    bool isFile = name != "<stdin>";
    open.push_back({isFile ? canonical(name) : fs::path(), name});
    done.insert(open.back().path);
    bool good = true;
    for (const Item &item : file.items)
      if (auto *use = std::get_if<std::unique_ptr<UseDecl>>(&item))
        good &= follow(**use);
    open.pop_back();
    return good;
  }

  bool readSchedules(const std::shared_ptr<const SourceFile> &source) {
    if (uint64_t(all.end()) + source->text().size() > kMaxProgramBytes) {
      reporter.error(codes::kFileTooLarge, tooLarge(), {0, 0});
      return false;
    }
    uint32_t base = all.attach(source);
    auto file = parseText(*source, reporter, base);
    if (!file)
      return false;
    for (const Item &item : file->items)
      std::visit([&](const auto &decl) { checkKind(*decl); }, item);
    program.schedules = std::move(*file);
    return read(program.schedules, source->name()) && !reporter.failed();
  }

private:
  template <typename Decl> void checkKind(const Decl &decl) {
    if constexpr (!std::is_same_v<Decl, ScheduleDecl> &&
                  !std::is_same_v<Decl, TemplateDecl> &&
                  !std::is_same_v<Decl, UseDecl>)
      reporter
          .error(codes::kMisplaced,
                 "a schedule file holds 'schedule', 'template' and 'use' only",
                 decl.range)
          .help("move it to the program");
  }

  static std::string tooLarge() {
    return fmt::format(
        "the files of the program have more than {} bytes together",
        kMaxProgramBytes);
  }

  static fs::path canonical(const fs::path &path) {
    std::error_code error;
    fs::path result = fs::weakly_canonical(path, error);
    return error ? path : result;
  }

  bool follow(const UseDecl &use) {
    fs::path folder = fs::path(open.back().name).parent_path();
    fs::path path =
        open.back().path.empty() ? fs::path(use.path) : folder / use.path;
    fs::path key = canonical(path);
    auto again = std::find_if(open.begin(), open.end(), [&](const auto &file) {
      return file.path == key;
    });
    if (again != open.end()) {
      std::string chain;
      for (auto file = again; file != open.end(); ++file)
        chain += file->name + " uses ";
      reporter
          .error(codes::kUseCycle,
                 again + 1 == open.end() ? "this file uses itself"
                                         : "these files use each other",
                 use.pathRange)
          .note(chain + again->name);
      return false;
    }
    if (!done.insert(key).second)
      return true;
    auto text = readText(path, use);
    if (!text)
      return false;
    auto source =
        std::make_shared<const SourceFile>(path.string(), std::move(*text));
    uint32_t base = all.attach(source);
    auto file = parseText(*source, reporter, base);
    // Those that it uses come first: their constants stand above its own.
    if (!file || !read(*file, path.string()))
      return false;
    program.used.push_back(std::move(*file));
    return !reporter.failed();
  }

  std::optional<std::string> readText(const fs::path &path,
                                      const UseDecl &use) {
    std::error_code error;
    auto refuse = [&](std::string message) -> std::optional<std::string> {
      reporter.error(codes::kCannotUse, std::move(message), use.pathRange);
      return std::nullopt;
    };
    if (use.path.empty())
      return refuse("the path of the used file is empty");
    if (!fs::exists(path, error)) {
      std::string near = nearestFile(path);
      Diagnostic &d = reporter.error(
          codes::kCannotUse,
          fmt::format("there is no file '{}'", path.string()), use.pathRange);
      if (!near.empty())
        d.help(fmt::format("did you mean \"{}\"?", near));
      return std::nullopt;
    }
    if (!fs::is_regular_file(path, error))
      return refuse(fmt::format("'{}' is no file", path.string()));
    uint64_t total = uint64_t(fs::file_size(path, error)) + all.end();
    if (total > kMaxProgramBytes)
      return refuse(tooLarge());
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream)
      return refuse(fmt::format("cannot read '{}'", path.string()));
    return text.str();
  }

  /// The path that `use` should name instead: a file of the same folder.
  static std::string nearestFile(const fs::path &path) {
    std::error_code error;
    fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    std::vector<std::string> names;
    constexpr size_t kMostNames = 10000;
    for (fs::directory_iterator entry(folder, error), end;
         !error && entry != end && names.size() < kMostNames;
         entry.increment(error))
      names.push_back(entry->path().filename().string());
    std::sort(names.begin(), names.end());
    return nearestName(path.filename().string(), names);
  }

  Program &program;
  SourceFile &all;
  Reporter &reporter;
  std::vector<OpenFile> open;
  std::set<fs::path> done;
};

} // namespace

bool readUses(Program &program, SourceFile &all,
              std::shared_ptr<const SourceFile> scheduleFile,
              Reporter &reporter) {
  UseReader reader(program, all, reporter);
  return reader.read(program.file, all.name()) &&
         (!scheduleFile || reader.readSchedules(scheduleFile));
}

} // namespace girih::frontend
