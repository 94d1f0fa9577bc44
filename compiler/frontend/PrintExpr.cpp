//===- PrintExpr.cpp - the canonical text of expressions ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/AstPrinter.h"

#include <fmt/format.h>

namespace girih::frontend {

AstPrinter::Level AstPrinter::levelOf(BinaryOp op) {
  if (op == BinaryOp::Or)
    return kOr;
  if (op == BinaryOp::And)
    return kAnd;
  if (isComparison(op))
    return kCompare;
  if (op == BinaryOp::BitOr)
    return kBitOr;
  if (op == BinaryOp::BitXor)
    return kBitXor;
  if (op == BinaryOp::BitAnd)
    return kBitAnd;
  if (op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight)
    return kShift;
  return op == BinaryOp::Add || op == BinaryOp::Sub ? kSum : kProduct;
}

AstPrinter::Level AstPrinter::levelOf(const Expr &expr) {
  if (expr.as<IfExpr>())
    return kIf;
  if (expr.as<IsNoneExpr>())
    return kCompare;
  if (auto *binary = expr.as<BinaryExpr>())
    return levelOf(binary->op);
  if (auto *unary = expr.as<UnaryExpr>())
    return unary->op == UnaryOp::Not ? kNot : kUnary;
  if (auto *name = expr.as<NameExpr>(); name && !isWord(name->name))
    return levelOf(BinaryOp::Div); // a quotient of sizes
  // In parentheses everywhere but alone: easier to read, and an `else` is
  // never taken for that of an `if` around it.
  if (auto *access = expr.as<AccessExpr>())
    return access->otherwise ? kElse : kPrimary;
  return kPrimary;
}

const char *AstPrinter::wordOf(Accuracy accuracy) {
  return accuracy == Accuracy::Fast ? "fast" : "portable";
}

void AstPrinter::print(const Expr &expr, Level least) {
  bool parentheses = levelOf(expr) < least;
  if (parentheses)
    out += '(';
  std::visit([&](const auto &node) { print(node); }, expr.node);
  if (parentheses)
    out += ')';
}

void AstPrinter::print(const LiteralExpr &node) {
  out += node.digits;
  if (node.suffix)
    out += spelling(*node.suffix);
}

void AstPrinter::print(const BoolExpr &node) {
  out += node.value ? "true" : "false";
}

void AstPrinter::print(const NameExpr &node) { out += node.name; }

void AstPrinter::print(const AccessExpr &node) {
  out += node.tensorName.text;
  if (node.subscripts.empty())
    return;
  out += '[';
  list(node.subscripts, [&](const Subscript &s) {
    if (s.rule != AccessRule::None)
      out += fmt::format("{}(", spelling(s.rule));
    print(*s.value, kBitOr);
    if (s.rule != AccessRule::None)
      out += ')';
  });
  out += ']';
  if (node.otherwise) {
    out += " else ";
    print(*node.otherwise, kUnary);
  }
}

void AstPrinter::print(const CastExpr &node) {
  if (node.made) // around a name
    return print(*node.operand, kPrimary);
  out += typeName(node.to, node.typeParam);
  out += '(';
  print(*node.operand, kTop);
  out += ')';
}

void AstPrinter::print(const UnaryExpr &node) {
  if (node.op == UnaryOp::Not) {
    out += "not ";
    print(*node.operand, kNot);
  } else {
    out += node.op == UnaryOp::BitNot ? '~' : '-';
    print(*node.operand, kPrimary);
  }
}

void AstPrinter::print(const BinaryExpr &node) {
  Level level = levelOf(node.op);
  // Comparisons do not chain; the others group to the left.
  print(*node.lhs, level == kCompare ? kBitOr : level);
  out += fmt::format(" {} ", spelling(node.op));
  print(*node.rhs, static_cast<Level>(level + 1));
}

void AstPrinter::print(const IfExpr &node) {
  out += "if ";
  print(*node.condition, kIf);
  out += " then ";
  print(*node.thenValue, kIf);
  out += " else ";
  print(*node.elseValue, kIf);
}

void AstPrinter::print(const CallExpr &node) {
  out += node.callee.text;
  if (node.accuracy)
    out += fmt::format(".{}", wordOf(*node.accuracy));
  out += '(';
  list(node.arguments, [&](const ExprPtr &e) { print(*e, kIf); });
  if (!node.arguments.empty() && !node.named.empty())
    out += ", ";
  list(node.named, [&](const NamedArgument &argument) {
    out += argument.name.text + " = " + argument.word;
    if (argument.value)
      print(*argument.value, kIf);
  });
  out += ')';
}

void AstPrinter::print(const IsNoneExpr &node) {
  out += node.tensor.text + (node.negated ? " != none" : " == none");
}

void AstPrinter::print(const ReduceExpr &node) {
  out += spelling(node.kind);
  out += '[';
  list(node.indices, [&](const auto &index) {
    out += index->name.text;
    if (!index->end)
      return;
    out += " in ";
    print(*index->first, kSum);
    out += "..";
    print(*index->end, kSum);
  });
  if (node.condition) {
    out += " : ";
    print(*node.condition, kIf);
  }
  out += node.exclusive ? ", exclusive" : "";
  out += node.reverse ? ", reverse" : "";
  if (std::string order = orderClause(node.order); !order.empty())
    out += ", " + order;
  out += "](";
  print(*node.body, kTop);
  out += ')';
}

std::string AstPrinter::orderClause(const ReduceOrder &order) {
  if (order.kind == ReduceOrder::Kind::Sequential)
    return "order=sequential";
  if (order.kind == ReduceOrder::Kind::Free)
    return "order=free";
  if (order.kind == ReduceOrder::Kind::Pinned)
    return "order=" + spelling(*order.term);
  return "";
}

std::string AstPrinter::typeName(ScalarType type, const std::string &param) {
  return param.empty() ? std::string(spelling(type)) : param;
}

std::string printExpr(const Expr &expr) {
  AstPrinter printer;
  printer.print(expr, AstPrinter::kIf);
  return printer.take();
}

} // namespace girih::frontend
