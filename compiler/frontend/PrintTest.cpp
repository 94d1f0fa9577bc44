//===- PrintTest.cpp - the canonical text of tests ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/AstPrinter.h"

#include <fmt/format.h>

namespace girih::frontend {

void AstPrinter::print(const TestDecl &decl) {
  docs(decl.docs);
  out += fmt::format("test \"{}\" {{\n", decl.name);
  for (const TestRun &run : decl.runs) {
    out += "  run ";
    print(run);
    out += '\n';
    for (const TestExpect &expected : run.expects) {
      out += fmt::format("  expect {} {} ", expected.tensor.text,
                         expected.exact ? "==" : "~=");
      print(expected.value);
      for (auto &[name, bound] :
           {std::pair("ulp", &expected.ulp), std::pair("abs", &expected.abs),
            std::pair("rel", &expected.rel)})
        if (!bound->empty())
          out += fmt::format(" {} {}", name, *bound);
      out += '\n';
    }
  }
  out += "}\n";
}

void AstPrinter::print(const TestRun &run) {
  out += run.op.text + '(';
  list(run.arguments, [&](const TestArgument &argument) {
    out += argument.name.text + " = ";
    print(argument.value);
  });
  out += ')';
}

void AstPrinter::print(const TestValue &value) {
  using Kind = TestValue::Kind;
  size_t next = 0;
  switch (value.kind) {
  case Kind::List:
    printList(value, 0, next);
    break;
  case Kind::Random:
    out += fmt::format("random({}{}{})", value.seed,
                       value.word.empty() ? "" : ", ", value.word);
    break;
  case Kind::Fill:
    out += "fill(";
    print(*value.elements[0], kSum);
    out += ')';
    break;
  case Kind::Iota:
    out += "iota()";
    break;
  case Kind::None:
    out += "none";
    break;
  case Kind::Type:
  case Kind::Tensor:
    out += value.word;
    break;
  case Kind::Call:
    print(*value.call);
    break;
  }
}

void AstPrinter::printList(const TestValue &value, size_t depth, size_t &next) {
  if (depth == value.shape.size()) {
    print(*value.elements[next++], kSum);
    return;
  }
  out += '[';
  for (int64_t i = 0; i < value.shape[depth]; ++i) {
    out += i ? ", " : "";
    printList(value, depth + 1, next);
  }
  out += ']';
}

} // namespace girih::frontend
