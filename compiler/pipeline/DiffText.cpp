//===- DiffText.cpp - differences as text and JSON ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Diff.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace girih;
using namespace girih::pipeline;
namespace js = llvm::json;

static std::string orNone(const std::string &text) {
  return text.empty() ? "none" : text;
}

static void addChanges(const std::vector<Change> &changes, std::string &text) {
  for (const Change &change : changes)
    text += "  " + change.what + "\n    A: " + orNone(change.a) +
            "\n    B: " + orNone(change.b) + "\n";
}

static void addLines(const char *headline,
                     const std::vector<std::string> &lines, std::string &text) {
  if (lines.empty())
    return;
  text += std::string("\n") + headline + "\n";
  for (const std::string &line : lines)
    text += "  " + line + "\n";
}

std::string girih::pipeline::printDiff(const DiffResult &diff) {
  std::string text = "A: " + diff.titleA + "\nB: " + diff.titleB + "\n" +
                     diff.verdict() + "\n";
  if (!diff.reductions.empty()) {
    text += "\norder of reductions\n";
    addChanges(diff.reductions, text);
  }
  addLines("statements", diff.statements, text);
  addLines("dependences", diff.dependences, text);
  bool same = true;
  for (const VersionDiff &version : diff.versions) {
    if (!version.differs())
      continue;
    same = false;
    std::string name =
        "schedule" + (version.when.empty() ? "" : " when " + version.when);
    if (!version.inA || !version.inB) {
      text += "\n" + name + ": only in " + (version.inA ? "A" : "B") + "\n";
      continue;
    }
    text += "\n" + name + "\n";
    addChanges(version.changes, text);
    addLines("loop nest", version.nest, text);
    addLines("schedule tree", version.tree, text);
  }
  if (same)
    text += diff.equal() ? "same schedule: no difference\n" : "same schedule\n";
  return text;
}

static js::Array changesAsJson(const std::vector<Change> &changes) {
  auto value = [](const std::string &text) {
    return text.empty() ? js::Value(nullptr) : js::Value(text);
  };
  js::Array list;
  for (const Change &change : changes)
    list.push_back(js::Object{
        {"what", change.what}, {"a", value(change.a)}, {"b", value(change.b)}});
  return list;
}

std::string girih::pipeline::printDiffAsJson(const DiffResult &diff) {
  js::Array versions;
  for (const VersionDiff &version : diff.versions)
    versions.push_back(js::Object{{"when", version.when},
                                  {"in", !version.inA   ? "b"
                                         : !version.inB ? "a"
                                                        : "both"},
                                  {"equal", !version.differs()},
                                  {"changes", changesAsJson(version.changes)},
                                  {"nest", js::Array(version.nest)},
                                  {"tree", js::Array(version.tree)}});
  js::Object object{{"a", js::fixUTF8(diff.titleA)},
                    {"b", js::fixUTF8(diff.titleB)},
                    {"op", diff.op},
                    {"equal", diff.equal()},
                    {"sameBits", diff.sameBits()},
                    {"sameProgram", diff.sameProgram},
                    {"verdict", diff.verdict()},
                    {"reductions", changesAsJson(diff.reductions)},
                    {"statements", js::Array(diff.statements)},
                    {"dependences", js::Array(diff.dependences)},
                    {"versions", std::move(versions)}};
  return llvm::formatv("{0:2}\n", js::Value(std::move(object))).str();
}
