//===- Spelling.cpp - how the text writes operators and sizes -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Ast.h"

#include <cstdlib>
#include <fmt/format.h>

namespace girih::frontend {

bool isWord(std::string_view sizeName) {
  return sizeName.find(' ') == std::string_view::npos;
}

std::string spelling(const Extent &extent) {
  std::string text;
  auto join = [&](bool negative, std::string part) {
    if (text.empty())
      text = (negative ? "-" : "") + part;
    else
      text += (negative ? " - " : " + ") + part;
  };
  for (auto [size, factor] : extent.terms) {
    std::string name = size->name.text;
    if (!isWord(name) && factor != 1 && (factor != -1 || text.empty()))
      name = "(" + name + ")";
    if (factor != 1 && factor != -1)
      name = fmt::format("{} * {}", std::abs(factor), name);
    join(factor < 0, name);
  }
  if (extent.constant != 0 || text.empty())
    join(extent.constant < 0, std::to_string(std::abs(extent.constant)));
  return text;
}

std::string_view spelling(AccessRule rule) {
  switch (rule) {
  case AccessRule::None:
    return "";
  case AccessRule::Clamp:
    return "clamp";
  case AccessRule::Reflect:
    return "reflect";
  case AccessRule::Wrap:
    return "wrap";
  case AccessRule::Checked:
    return "checked";
  }
  return "";
}

std::string_view spelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return "+";
  case BinaryOp::Sub:
    return "-";
  case BinaryOp::Mul:
    return "*";
  case BinaryOp::Div:
    return "/";
  case BinaryOp::Mod:
    return "%";
  case BinaryOp::BitAnd:
    return "&";
  case BinaryOp::BitOr:
    return "|";
  case BinaryOp::BitXor:
    return "^";
  case BinaryOp::ShiftLeft:
    return "<<";
  case BinaryOp::ShiftRight:
    return ">>";
  case BinaryOp::Equal:
    return "==";
  case BinaryOp::NotEqual:
    return "!=";
  case BinaryOp::Less:
    return "<";
  case BinaryOp::LessEqual:
    return "<=";
  case BinaryOp::Greater:
    return ">";
  case BinaryOp::GreaterEqual:
    return ">=";
  case BinaryOp::And:
    return "and";
  case BinaryOp::Or:
    return "or";
  }
  return "";
}

std::string_view spelling(Scatter::Kind kind) {
  switch (kind) {
  case Scatter::Kind::Set:
    return "=";
  case Scatter::Kind::Add:
    return "+=";
  case Scatter::Kind::Max:
    return "max=";
  case Scatter::Kind::Min:
    return "min=";
  }
  return "";
}

std::string_view spelling(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return "sum";
  case ReduceKind::Prod:
    return "prod";
  case ReduceKind::Max:
    return "max";
  case ReduceKind::Min:
    return "min";
  case ReduceKind::Any:
    return "any";
  case ReduceKind::ArgMax:
    return "argmax";
  case ReduceKind::ArgMin:
    return "argmin";
  case ReduceKind::CumSum:
    return "cumsum";
  case ReduceKind::CumProd:
    return "cumprod";
  case ReduceKind::All:
    return "all";
  }
  return "";
}

} // namespace girih::frontend
