//===- PrintOp.cpp - the canonical text of operators ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/AstPrinter.h"

#include "compiler/frontend/Dimensions.h"

#include <cctype>
#include <fmt/format.h>

namespace girih::frontend {

void AstPrinter::print(const TensorDecl &decl) {
  out += decl.inOut ? "inout " : "";
  out += decl.name.text + ": " + printShape(decl);
  if (decl.first) {
    out += " in ";
    print(*decl.first, kSum);
    out += "..";
    print(*decl.end, kSum);
  }
  if (decl.optional)
    out += "? = none";
  if (!decl.layout.empty()) {
    std::vector<OuterDim> dims = outerDims(decl);
    out += " layout(";
    list(decl.layout, [&](unsigned place) { out += placeName(dims, place); });
    out += ')';
  }
  if (decl.align != 0)
    out += fmt::format(" align {}", decl.align);
  if (decl.offsets) {
    out += " offsets(";
    print(*decl.offsets, kSum);
    out += ')';
  }
  if (!decl.aliases.text.empty())
    out += " aliases " + decl.aliases.text;
}

std::string AstPrinter::placeName(const std::vector<OuterDim> &dims,
                                  unsigned place) {
  const std::string &text = dims[place].text;
  bool isName = !std::isdigit(static_cast<unsigned char>(text[0]));
  unsigned count = 0;
  for (const OuterDim &dim : dims)
    count += dim.text == text;
  return count == 1 && isName ? text : std::to_string(place);
}

void AstPrinter::printNumerics(const OpDecl &decl) {
  out += "  numerics {";
  const char *before = " ";
  if (decl.functions) {
    out += fmt::format("{}functions = {}", before, wordOf(*decl.functions));
    before = ", ";
  }
  if (decl.contract) {
    out +=
        fmt::format("{}contract = {}", before, *decl.contract ? "on" : "off");
    before = ", ";
  }
  if (!decl.invariant.empty()) {
    out += fmt::format("{}invariant = ", before);
    list(decl.invariant, [&](const Name &size) { out += size.text; });
    before = ", ";
  }
  if (decl.online)
    out += fmt::format("{}rescale = online({})", before, decl.online);
  out += " }\n";
}

void AstPrinter::print(const OpParam &param) {
  if (param.kind == OpParam::Kind::Type) {
    out += fmt::format("type {} in {{", param.name.text);
    list(param.choices, [&](ScalarType type) { out += spelling(type); });
    out += '}';
    return;
  }
  out += fmt::format("const {}: {}", param.name.text,
                     typeName(param.type, param.typeParam));
  if (param.value) {
    out += " = ";
    print(*param.value, kSum);
  }
}

void AstPrinter::print(const SizeConstraint &constraint) {
  using Kind = SizeConstraint::Kind;
  const char *op = "";
  switch (constraint.kind) {
  case Kind::Multiple:
    out += fmt::format("{} % {} == 0", constraint.name.text, constraint.value);
    return;
  case Kind::Less:
    op = "<";
    break;
  case Kind::LessEqual:
    op = "<=";
    break;
  case Kind::Greater:
    op = ">";
    break;
  case Kind::GreaterEqual:
    op = ">=";
    break;
  case Kind::Equal:
    op = "==";
    break;
  }
  out += fmt::format("{} {} {}", constraint.name.text, op, constraint.value);
}

void AstPrinter::print(const OpDecl &decl) {
  docs(decl.docs);
  out += "op " + decl.name.text;
  if (!decl.params.empty()) {
    out += '<';
    list(decl.params, [&](const OpParam &param) { print(param); });
    out += '>';
  }
  out += '(';
  list(decl.inputs, [&](const TensorDecl &t) { print(t); });
  out += decl.outputs.empty() ? ")" : ") -> ";
  list(decl.outputs, [&](const TensorDecl &t) { print(t); });
  const char *before = "\n    where ";
  for (const auto &size : decl.derived)
    if (size->written) {
      out += before + size->name.text + " = ";
      print(*size->value, kSum);
      before = ", ";
    }
  for (const SizeConstraint &constraint : decl.constraints) {
    out += before;
    print(constraint);
    before = ", ";
  }
  out += " {\n";
  if (decl.hasNumerics())
    printNumerics(decl);
  auto assumption = decl.assumptions.begin();
  auto assume = [&](size_t before) {
    for (; assumption != decl.assumptions.end() && assumption->before <= before;
         ++assumption)
      out += fmt::format("  assume finite({})\n", assumption->tensor.text);
  };
  size_t count = 0;
  const TimeLoop *loop = nullptr;
  const RaggedLoop *ragged = nullptr;
  for (const auto &statement : decl.statements) {
    if (ragged != statement->ragged)
      endRagged(ragged, loop);
    assume(count++);
    moveTo(statement->loop, loop);
    if (ragged != statement->ragged)
      beginRagged(*(ragged = statement->ragged), loop);
    out += ragged ? "  " : "";
    if (statement->scatter) {
      print(*statement, *statement->scatter);
      continue;
    }
    out += indentOf(loop) + statement->target.text;
    if (!statement->at.empty()) {
      out += '[';
      list(statement->at, [&](const Subscript &s) { print(*s.value, kSum); });
      out += ']';
    } else if (!statement->indices.empty()) {
      out += '[';
      list(statement->indices,
           [&](const auto &index) { out += index->name.text; });
      out += ']';
    }
    for (const Name &target : statement->moreTargets)
      out += ", " + target.text;
    out += " = ";
    print(*statement->value, kTop);
    if (statement->where) {
      out += " where ";
      print(*statement->where, kIf);
    }
    if (statement->otherwise) {
      out += " else ";
      print(*statement->otherwise, kIf);
    }
    out += '\n';
  }
  endRagged(ragged, loop);
  moveTo(nullptr, loop);
  assume(count);
  out += "}\n";
}

std::string AstPrinter::indentOf(const TimeLoop *loop) {
  std::string indent = "  ";
  for (; loop; loop = loop->parent)
    indent += "  ";
  return indent;
}

void AstPrinter::moveTo(const TimeLoop *next, const TimeLoop *&here) {
  auto isAround = [](const TimeLoop *outer, const TimeLoop *inner) {
    for (; inner; inner = inner->parent)
      if (inner == outer)
        return true;
    return outer == nullptr;
  };
  for (; !isAround(here, next); here = here->parent)
    out += indentOf(here->parent) + "}\n";
  if (here == next)
    return;
  moveTo(next->parent, here);
  out += indentOf(here) + "for ";
  printRange(*next->index);
  out += " {\n";
  here = next;
}

void AstPrinter::printRange(const IndexVariable &index) {
  out += index.name.text + " in ";
  print(*index.first, kSum);
  out += "..";
  print(*index.end, kSum);
}

void AstPrinter::beginRagged(const RaggedLoop &loop, const TimeLoop *around) {
  out += indentOf(around) + "for ";
  printRange(*loop.group);
  out += ", ";
  printRange(*loop.element);
  out += " {\n";
}

void AstPrinter::endRagged(const RaggedLoop *&loop, const TimeLoop *around) {
  if (!loop)
    return;
  out += indentOf(around) + "}";
  if (loop->otherwise) {
    out += " else ";
    print(*loop->otherwise, kIf);
  }
  out += '\n';
  loop = nullptr;
}

void AstPrinter::print(const Statement &statement, const Scatter &scatter) {
  out += indentOf(statement.loop);
  print(*scatter.place, kPrimary);
  out += fmt::format(" {}", spelling(scatter.kind));
  if (std::string order = orderClause(scatter.order); !order.empty())
    out += '[' + order + ']';
  out += ' ';
  print(*statement.value, kTop);
  if (scatter.unique || scatter.drop)
    out += fmt::format(" {}{}{}", scatter.unique ? "unique" : "",
                       scatter.unique && scatter.drop ? ", " : "",
                       scatter.drop ? "drop" : "");
  out += '\n';
}

std::string printConstraint(const SizeConstraint &constraint) {
  AstPrinter printer;
  printer.print(constraint);
  return printer.take();
}

std::string printDefinition(const DerivedSize &size) {
  return size.name.text + " = " + printExpr(*size.value);
}

} // namespace girih::frontend
