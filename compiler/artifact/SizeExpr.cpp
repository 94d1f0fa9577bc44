//===- SizeExpr.cpp - integer expressions over sizes ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/Artifact.h"
#include "compiler/artifact/Validate.h"

#include <algorithm>
#include <limits>

namespace girih::artifact {

using Kind = SizeExpr::Kind;

SizeExpr SizeExpr::constant(int64_t value) {
  SizeExpr expr;
  expr.kind = Kind::Constant;
  expr.value = value;
  return expr;
}

SizeExpr SizeExpr::sizeRef(unsigned index) {
  SizeExpr expr;
  expr.kind = Kind::Size;
  expr.size = index;
  return expr;
}

SizeExpr SizeExpr::binary(Kind kind, SizeExpr a, SizeExpr b) {
  SizeExpr expr;
  expr.kind = kind;
  expr.operands.reserve(2);
  expr.operands.push_back(std::move(a));
  expr.operands.push_back(std::move(b));
  return expr;
}

static const char *nameOf(Kind kind) {
  switch (kind) {
  case Kind::Constant:
    return "a constant";
  case Kind::Size:
    return "a size";
  case Kind::Add:
    return "a sum";
  case Kind::Mul:
    return "a product";
  case Kind::CeilDiv:
    return "ceildiv";
  case Kind::FloorDiv:
    return "floordiv";
  case Kind::Min:
    return "min";
  case Kind::Max:
    return "max";
  }
  return "an unknown operation";
}

Status checkOperandCount(SizeExpr::Kind kind, size_t count) {
  bool right = false;
  switch (kind) {
  case Kind::Constant:
  case Kind::Size:
    right = count == 0;
    break;
  case Kind::CeilDiv:
  case Kind::FloorDiv:
    right = count == 2;
    break;
  case Kind::Add:
  case Kind::Mul:
  case Kind::Min:
  case Kind::Max:
    right = count >= 2;
    break;
  }
  if (right)
    return {};
  return Failure{std::string(nameOf(kind)) + " cannot have " +
                 std::to_string(count) + " operands"};
}

/// `a op b` with the operation as a person would write it.
static std::string written(Kind kind, int64_t a, int64_t b) {
  std::string x = std::to_string(a), y = std::to_string(b);
  switch (kind) {
  case Kind::Add:
    return x + " + " + y;
  case Kind::Mul:
    return x + " * " + y;
  default:
    return std::string(nameOf(kind)) + "(" + x + ", " + y + ")";
  }
}

static Result<int64_t> divide(Kind kind, int64_t a, int64_t b) {
  if (b == 0)
    return Failure{"division by zero in " + written(kind, a, b)};
  if (a == std::numeric_limits<int64_t>::min() && b == -1)
    return Failure{written(kind, a, b) + " overflows 64 bits"};
  int64_t quotient = a / b, remainder = a % b;
  // C++ cuts toward zero: wrong by one where the exact quotient is not whole
  // and lies on the other side.
  bool positive = (remainder < 0) == (b < 0);
  if (remainder != 0 && kind == Kind::CeilDiv && positive)
    ++quotient;
  if (remainder != 0 && kind == Kind::FloorDiv && !positive)
    --quotient;
  return quotient;
}

static Result<int64_t> combine(Kind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (kind) {
  case Kind::Add:
    if (__builtin_add_overflow(a, b, &result))
      return Failure{written(kind, a, b) + " overflows 64 bits"};
    return result;
  case Kind::Mul:
    if (__builtin_mul_overflow(a, b, &result))
      return Failure{written(kind, a, b) + " overflows 64 bits"};
    return result;
  case Kind::CeilDiv:
  case Kind::FloorDiv:
    return divide(kind, a, b);
  case Kind::Min:
    return std::min(a, b);
  case Kind::Max:
    return std::max(a, b);
  case Kind::Constant:
  case Kind::Size:
    break;
  }
  return Failure{std::string(nameOf(kind)) + " combines no operands"};
}

static Result<int64_t> evaluateAt(const SizeExpr &expr,
                                  const std::vector<int64_t> &sizes,
                                  unsigned depth) {
  if (depth > kDeepestSizeExpr)
    return Failure{tooDeepMessage()};
  if (Status count = checkOperandCount(expr.kind, expr.operands.size()); !count)
    return Failure{count.message()};
  if (expr.kind == Kind::Constant)
    return expr.value;
  if (expr.kind == Kind::Size) {
    if (expr.size >= sizes.size())
      return Failure{"size number " + std::to_string(expr.size) +
                     " is unknown: " + std::to_string(sizes.size()) +
                     " sizes are given"};
    return sizes[expr.size];
  }
  Result<int64_t> value = evaluateAt(expr.operands[0], sizes, depth + 1);
  for (size_t i = 1; value && i < expr.operands.size(); ++i) {
    Result<int64_t> next = evaluateAt(expr.operands[i], sizes, depth + 1);
    if (!next)
      return next;
    value = combine(expr.kind, *value, *next);
  }
  return value;
}

Result<int64_t> evaluate(const SizeExpr &expr,
                         const std::vector<int64_t> &sizes) {
  return evaluateAt(expr, sizes, 1);
}

/// `inProduct`: the result will be a factor, so a sum needs parentheses.
static std::string printAt(const SizeExpr &expr,
                           const std::vector<std::string> &sizeNames,
                           bool inProduct, unsigned depth) {
  if (depth > kDeepestSizeExpr)
    return "...";
  if (expr.kind == Kind::Constant)
    return std::to_string(expr.value);
  if (expr.kind == Kind::Size) {
    std::string name = expr.size < sizeNames.size()
                           ? sizeNames[expr.size]
                           : "size#" + std::to_string(expr.size);
    // The name of a quotient is its text: `D / 2`.
    bool isQuotient = name.find(' ') != std::string::npos;
    return inProduct && isQuotient ? "(" + name + ")" : name;
  }
  bool isSum = expr.kind == Kind::Add, isProduct = expr.kind == Kind::Mul;
  if (isProduct && expr.operands.size() == 2 &&
      expr.operands[0].kind == Kind::Constant && expr.operands[0].value == -1)
    return "-" + printAt(expr.operands[1], sizeNames, true, depth + 1);
  std::string text;
  for (const SizeExpr &operand : expr.operands) {
    std::string part = printAt(operand, sizeNames, isProduct, depth + 1);
    bool subtracts = isSum && !text.empty() && part[0] == '-';
    if (!text.empty())
      text += subtracts ? " - " : isSum ? " + " : isProduct ? " * " : ", ";
    text += subtracts ? part.substr(1) : part;
  }
  if (isProduct || (isSum && !inProduct))
    return text;
  return (isSum ? "" : nameOf(expr.kind)) + ("(" + text + ")");
}

std::string print(const SizeExpr &expr,
                  const std::vector<std::string> &sizeNames) {
  return printAt(expr, sizeNames, /*inProduct=*/false, 1);
}

} // namespace girih::artifact
