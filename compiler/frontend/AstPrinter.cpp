//===- AstPrinter.cpp - the canonical text of a file ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/AstPrinter.h"

#include "compiler/frontend/Schedules.h"

#include <fmt/format.h>

namespace girih::frontend {

void AstPrinter::print(const File &file) {
  for (const Item &item : file.items) {
    if (!out.empty())
      out += '\n';
    std::visit([&](const auto &decl) { print(*decl); }, item);
  }
}

void AstPrinter::docs(const std::vector<std::string> &lines) {
  for (const std::string &line : lines)
    out += "///" + line + '\n';
}

void AstPrinter::print(const UseDecl &decl) {
  docs(decl.docs);
  out += fmt::format("use \"{}\"\n", decl.path);
}

void AstPrinter::print(const ScheduleDecl &decl) { out += printSchedule(decl); }

void AstPrinter::print(const TemplateDecl &decl) { out += printTemplate(decl); }

void AstPrinter::print(const ConstDecl &decl) {
  docs(decl.docs);
  out += fmt::format("const {}: {} = ", decl.name.text, spelling(decl.type));
  print(*decl.value, kIf);
  out += '\n';
}

void AstPrinter::print(const FnDecl &decl) {
  docs(decl.docs);
  out += fmt::format("fn {}(", decl.name.text);
  list(decl.params, [&](const FnParam &param) {
    out += fmt::format("{}: {}", param.name.text, spelling(param.type));
  });
  out += fmt::format(") -> {} = ", spelling(decl.result));
  print(*decl.body, kIf);
  out += '\n';
}

std::string printAst(const File &file) {
  AstPrinter printer;
  printer.print(file);
  return printer.take();
}

} // namespace girih::frontend
