//===- Frontend.cpp - source text to a typed program ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Frontend.h"

#include "compiler/frontend/Reporter.h"
#include "compiler/frontend/Sema.h"
#include "compiler/frontend/Uses.h"

namespace girih::frontend {

namespace {

const OpDecl *resolved(const OpDecl *op) {
  return op->instance ? op->instance : op;
}

template <typename Decl>
std::vector<const Decl *> declarationsOf(const File &file) {
  std::vector<const Decl *> result;
  for (const Item &item : file.items)
    if (auto *decl = std::get_if<std::unique_ptr<Decl>>(&item))
      result.push_back(decl->get());
  return result;
}

} // namespace

std::vector<const OpDecl *> Program::ops() const {
  std::vector<const OpDecl *> result = declarationsOf<OpDecl>(file);
  for (const OpDecl *&op : result)
    op = resolved(op);
  return result;
}

std::vector<const TestDecl *> Program::tests() const {
  return declarationsOf<TestDecl>(file);
}

const OpDecl *Program::findOp(std::string_view name) const {
  for (const OpDecl *op : declarationsOf<OpDecl>(file))
    if (op->name.text == name)
      return resolved(op);
  for (const File &other : used)
    for (const OpDecl *op : declarationsOf<OpDecl>(other))
      if (op->name.text == name)
        return resolved(op);
  return nullptr;
}

std::unique_ptr<File> parseFile(const SourceFile &source,
                                Diagnostics &diagnostics) {
  Reporter reporter(diagnostics);
  auto file = parseText(source, reporter, 0);
  return reporter.failed() ? nullptr : std::move(file);
}

std::unique_ptr<Program> parseProgram(std::shared_ptr<const SourceFile> source,
                                      Diagnostics &diagnostics,
                                      const ParseOptions &options) {
  if (!diagnostics.file())
    diagnostics.setFile(source);
  Reporter reporter(diagnostics);
  auto file = parseText(*source, reporter, 0);
  if (!file || reporter.failed())
    return nullptr;
  auto program = std::make_unique<Program>();
  program->file = std::move(*file);
  // The caller's text stays as it is: others are attached to a copy.
  auto all =
      std::make_shared<SourceFile>(source->name(), std::string(source->text()));
  diagnostics.setFile(all);
  program->source = all;
  if (!readUses(*program, *all, options.scheduleFile, reporter) ||
      !Sema(*program, reporter, options).run())
    return nullptr;
  return program;
}

} // namespace girih::frontend
