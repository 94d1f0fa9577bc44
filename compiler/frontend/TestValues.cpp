//===- TestValues.cpp - tensors and elements in a test --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/TestChecker.h"

#include "compiler/frontend/ConstFold.h"
#include "compiler/support/Suggest.h"

#include <fmt/format.h>

namespace girih::frontend {

bool TestChecker::resolveName(TestValue &value, bool here) {
  if (value.kind != TestValue::Kind::Tensor)
    return true;
  const TestChecker *from = here ? this : outer;
  if (from && from->instance &&
      (find(from->instance->inputs, value.word) ||
       (here && findOutput(*from->instance, value.word))))
    return true;
  const Global *global = sema.findGlobal(value.word);
  if (global && global->constant) {
    value.kind = TestValue::Kind::List;
    return true;
  }
  std::vector<std::string> names = sema.globalNames(true, false);
  if (from && from->instance)
    for (const TensorDecl &input : from->instance->inputs)
      names.push_back(input.name.text);
  error(codes::kUndefined,
        fmt::format("there is no {} '{}'{}",
                    from ? "tensor or constant" : "constant", value.word,
                    didYouMean(value.word, names)),
        value.range);
  return false;
}

bool TestChecker::bindTensor(const TensorDecl &input, TestValue &value) {
  using Kind = TestValue::Kind;
  if (!resolveName(value, /*here=*/false))
    return false;
  switch (value.kind) {
  case Kind::List:
    return bindShape(input, value.shape, value.range);
  case Kind::Tensor: {
    const TensorDecl &from = *find(outer->instance->inputs, value.word);
    if (from.type != input.type) {
      error(codes::kOperandTypesDiffer,
            fmt::format("'{}' is {}, '{}' is {}", input.name.text,
                        spelling(input.type), value.word, spelling(from.type)),
            value.range)
          .note("it is declared here", input.range);
      return false;
    }
    for (const TestArgument &argument : outer->run.arguments)
      if (argument.name.text == value.word)
        value.shape = argument.value.shape;
    return bindShape(input, value.shape, value.range);
  }
  case Kind::Call:
    error(codes::kMisplaced, "an operator's result can only be expected",
          value.range);
    return false;
  default:
    return true;
  }
}

bool TestChecker::finishTensor(const TensorDecl &decl, TestValue &value) {
  using Kind = TestValue::Kind;
  if (value.kind == Kind::Random || value.kind == Kind::Fill ||
      value.kind == Kind::Iota) {
    auto shape = shapeOf(decl, value.range);
    if (!shape)
      return false;
    value.shape = std::move(*shape);
  }
  if (value.kind == Kind::Iota)
    return checkIota(decl, value);
  if (value.kind != Kind::List && value.kind != Kind::Fill)
    return true;
  for (ExprPtr &element : value.elements)
    if (!fold(element, decl.type, value))
      return false;
  return true;
}

bool TestChecker::checkIota(const TensorDecl &decl, const TestValue &value) {
  if (isFloat(decl.type))
    return true;
  // A shape beyond 64 bits is refused when its memory is asked for.
  int64_t count = 1;
  for (int64_t extent : value.shape)
    if (__builtin_mul_overflow(count, extent, &count))
      return true;
  if (count == 0 || isInRange(decl.type, false, uint64_t(count) - 1))
    return true;
  error(codes::kLiteralOverflow,
        fmt::format("'iota()' counts to {} here, outside {}, which holds {}",
                    count - 1, spelling(decl.type), rangeText(decl.type)),
        value.range)
      .note(fmt::format("'{}' is declared here", decl.name.text), decl.range);
  return false;
}

bool TestChecker::fold(ExprPtr &element, ScalarType type, TestValue &value) {
  auto *negated = element->as<UnaryExpr>();
  ConstDecl decl;
  decl.type = type;
  decl.value = std::move(element);
  bool good = foldConst(decl, sema.fileConstants(), sema.report());
  element = std::move(decl.value);
  // The exact numbers of a constant know one zero, tensors two.
  if (good && negated && negated->op == UnaryOp::Neg && decl.folded == 0)
    decl.folded = -0.0;
  if (isFloat(type))
    value.values.push_back(decl.folded);
  else
    value.bits.push_back(decl.foldedBits);
  return good;
}

} // namespace girih::frontend
