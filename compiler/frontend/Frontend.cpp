//===- Frontend.cpp - source text to a typed program ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Frontend.h"

#include "compiler/frontend/Lexer.h"
#include "compiler/frontend/Parser.h"
#include "compiler/frontend/Reporter.h"
#include "compiler/frontend/Sema.h"

#include <fmt/format.h>

namespace girih::frontend {

std::vector<const OpDecl *> Program::ops() const {
  std::vector<const OpDecl *> result;
  for (const Item &item : file.items)
    if (auto *op = std::get_if<std::unique_ptr<OpDecl>>(&item))
      result.push_back(op->get());
  return result;
}

const OpDecl *Program::findOp(std::string_view name) const {
  for (const OpDecl *op : ops())
    if (op->name.text == name)
      return op;
  return nullptr;
}

namespace {

std::unique_ptr<File> parse(const SourceFile &source, Reporter &reporter) {
  if (source.text().size() > kMaxFileBytes) {
    reporter.error(codes::kFileTooLarge,
                   fmt::format("the file has {} bytes, the limit is {}",
                               source.text().size(), kMaxFileBytes),
                   {0, 0});
    return nullptr;
  }
  LexedFile lexed = lex(source.text(), reporter);
  Parser parser(source.text(), std::move(lexed), reporter);
  auto file = std::make_unique<File>(parser.parseFile());
  return reporter.failed() ? nullptr : std::move(file);
}

} // namespace

std::unique_ptr<File> parseFile(const SourceFile &source,
                                Diagnostics &diagnostics) {
  Reporter reporter(diagnostics);
  return parse(source, reporter);
}

std::unique_ptr<Program> parseProgram(std::shared_ptr<const SourceFile> source,
                                      Diagnostics &diagnostics) {
  if (!diagnostics.file())
    diagnostics.setFile(source);
  Reporter reporter(diagnostics);
  auto file = parse(*source, reporter);
  if (!file)
    return nullptr;
  auto program = std::make_unique<Program>();
  program->source = std::move(source);
  program->file = std::move(*file);
  if (!Sema(*program, reporter).run())
    return nullptr;
  return program;
}

} // namespace girih::frontend
