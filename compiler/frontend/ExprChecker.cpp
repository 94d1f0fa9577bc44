//===- ExprChecker.cpp - types of one expression --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ExprChecker.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Conditions.h"
#include "compiler/frontend/ConstFold.h"
#include "compiler/support/Suggest.h"

#include <fmt/format.h>

namespace girih::frontend {

std::string shortened(const Expr &expr) {
  constexpr unsigned kDeep = 12; // deeper ones would be cut anyway
  constexpr size_t kLong = 60;
  if (expr.depth > kDeep)
    return "...";
  std::string text = printExpr(expr);
  return text.size() > kLong ? "..." : text;
}

namespace {

/// The type that both of two may be cast to, for the edit that a message
/// proposes.
ScalarType wider(ScalarType a, ScalarType b) {
  if (isFloat(a) && isFloat(b))
    return a == ScalarType::F64 || b == ScalarType::F64 ? ScalarType::F64
                                                        : ScalarType::F32;
  if (isFloat(a) || isFloat(b))
    return isFloat(a) ? a : b;
  if (!isInteger(a) || !isInteger(b))
    return isInteger(a) ? a : b;
  if (widthOf(a) != widthOf(b))
    return widthOf(a) > widthOf(b) ? a : b;
  return signedTypeOf(a);
}

} // namespace

void ExprChecker::undefined(std::string_view name, SourceRange range,
                            std::string_view what,
                            std::vector<std::string> candidates) {
  sema.report().error(codes::kUndefined,
                      fmt::format("there is no {} '{}'{}", what, name,
                                  didYouMean(name, candidates)),
                      range);
}

std::optional<ScalarType> ExprChecker::check(Expr &expr, Type want) {
  if (expr.untyped && !want) {
    literalAlone(expr);
    return std::nullopt;
  }
  size_t known = facts.size();
  if (auto side = sideFacts.find(&expr); side != sideFacts.end())
    facts.insert(facts.end(), side->second.begin(), side->second.end());
  Type type = std::visit(
      [&](auto &node) -> Type { return checkNode(node, expr, want); },
      expr.node);
  facts.resize(known);
  if (type)
    expr.type = *type;
  return type;
}

ExprChecker::Type ExprChecker::checkNode(IsNoneExpr &node, Expr &expr, Type) {
  sema.report().error(codes::kNotOptional,
                      fmt::format("'{}' is no optional tensor of this operator",
                                  node.tensor.text),
                      expr.range);
  return std::nullopt;
}

ExprChecker::Type ExprChecker::checkNode(BoolExpr &, Expr &, Type) {
  return ScalarType::Bool;
}

ExprChecker::Type ExprChecker::checkNode(NameExpr &node, Expr &expr, Type) {
  const std::string name = node.name;
  if (fn)
    for (const FnParam &param : fn->params)
      if (param.name.text == name) {
        node.target = &param;
        return param.type;
      }
  if (op) {
    if (IndexVariable *index = findIndex(name)) {
      node.target = index;
      return ScalarType::Index;
    }
    auto size = op->sizes.find(name);
    if (size != op->sizes.end()) {
      node.target = size->second;
      return ScalarType::Index;
    }
    if (op->tensors.count(name) || op->firstStatement.count(name)) {
      const Tensor *tensor = findTensor({name, expr.range});
      if (!tensor)
        return std::nullopt;
      if (!tensor->dims.empty()) {
        sema.report()
            .error(codes::kRankMismatch,
                   fmt::format("'{}' has {} dimension{} and needs as many "
                               "subscripts",
                               name, tensor->dims.size(),
                               tensor->dims.size() == 1 ? "" : "s"),
                   expr.range)
            .note(fmt::format("'{}' is defined here", name),
                  tensor->name.range);
        return std::nullopt;
      }
      AccessExpr access;
      access.tensorName = {name, expr.range};
      access.tensor = tensor;
      expr.node = std::move(access); // ends the life of `node`
      return tensor->type;
    }
  }
  if (op && isAbsent(name)) {
    findTensor({name, expr.range});
    return std::nullopt;
  }
  if (op)
    for (const auto &constant : op->op.constants)
      if (constant->name.text == name) {
        node.target = constant.get();
        return constant->type;
      }
  if (const Global *global = sema.findGlobal(name)) {
    if (global->constant) {
      node.target = global->constant;
      return global->constant->type;
    }
    sema.report()
        .error(codes::kWrongKind,
               fmt::format("{} '{}' is not a value", global->what(), name),
               expr.range)
        .note("defined here", global->range);
    return std::nullopt;
  }
  if (isReservedName(name) || !libraryText(name, ScalarType::F32).empty()) {
    sema.report().error(codes::kWrongKind,
                        fmt::format("the function '{}' is not a value", name),
                        expr.range);
    return std::nullopt;
  }
  std::vector<std::string> candidates = sema.globalNames(true, false);
  for (auto names : {indexNames(), tensorNames()})
    candidates.insert(candidates.end(), names.begin(), names.end());
  if (fn)
    for (const FnParam &param : fn->params)
      candidates.push_back(param.name.text);
  if (op)
    for (auto &[size, symbol] : op->sizes)
      candidates.push_back(size);
  undefined(name, expr.range, fn ? "parameter or constant" : "value",
            std::move(candidates));
  return std::nullopt;
}

ExprChecker::Type ExprChecker::checkNode(CastExpr &node, Expr &expr, Type) {
  Type from = check(*node.operand, node.to);
  return from ? Type(node.to) : std::nullopt;
}

ExprChecker::Type ExprChecker::checkNode(UnaryExpr &node, Expr &expr,
                                         Type want) {
  if (node.op == UnaryOp::Not)
    return needBool(*node.operand, "'not'") ? Type(ScalarType::Bool)
                                            : std::nullopt;
  if (node.op == UnaryOp::BitNot) {
    Type type =
        check(*node.operand, node.operand->untyped ? want : std::nullopt);
    return type && needInteger(*type, node.operand->range, "'~'")
               ? type
               : std::nullopt;
  }
  Type type = want;
  if (auto *literal = node.operand->as<LiteralExpr>()) {
    // A sign belongs to its number: -128 is an i8, though 128 is none.
    type = checkLiteral(*literal, *node.operand, want, /*negated=*/true);
    if (type)
      node.operand->type = *type;
  } else {
    type = check(*node.operand, node.operand->untyped ? want : std::nullopt);
  }
  if (!type || !needCount(*type, node.operand->range, "unary '-'"))
    return std::nullopt;
  return type;
}

ExprChecker::Type ExprChecker::checkNode(BinaryExpr &node, Expr &expr,
                                         Type want) {
  std::string what = fmt::format("'{}'", spelling(node.op));
  if (node.op == BinaryOp::And || node.op == BinaryOp::Or) {
    bool left = needBool(*node.lhs, what), right = needBool(*node.rhs, what);
    return left && right ? Type(ScalarType::Bool) : std::nullopt;
  }
  if (comparesIndices(node))
    return checkIndexComparison(node);
  bool comparison = isComparison(node.op);
  Type type =
      unify({node.lhs.get(), node.rhs.get()}, comparison ? std::nullopt : want,
            "the operands of " + what);
  if (!type)
    return std::nullopt;
  if (*type == ScalarType::Index && isIndexArithmetic(node.op))
    return checkIndexRange(expr) ? type : std::nullopt;
  if (isIntegerOnly(node.op))
    return needInteger(*type, node.lhs->range, what) ? type : std::nullopt;
  if (node.op == BinaryOp::Div)
    return needFloat(*type, node.lhs->range, what) ? type : std::nullopt;
  if (!comparison)
    return needNumber(*type, node.lhs->range, what) ? type : std::nullopt;
  if (isStorageOnly(*type))
    return needNumber(*type, node.lhs->range, what) ? type : std::nullopt;
  bool equality = node.op == BinaryOp::Equal || node.op == BinaryOp::NotEqual;
  if (*type == ScalarType::Bool && !equality) {
    sema.report()
        .error(codes::kWrongOperandType,
               fmt::format("{} compares numbers, not booleans", what),
               expr.range)
        .help("combine booleans with 'and', 'or', 'not'");
    return std::nullopt;
  }
  return ScalarType::Bool;
}

ExprChecker::Type ExprChecker::checkNode(IfExpr &node, Expr &, Type want) {
  bool condition = needBool(*node.condition, "the condition of 'if'");
  if (condition && op) {
    sideFacts[node.thenValue.get()] = factsOf(*node.condition, false);
    sideFacts[node.elseValue.get()] = factsOf(*node.condition, true);
  }
  Type type = unify({node.thenValue.get(), node.elseValue.get()}, want,
                    "the two sides of 'if'");
  return condition ? type : std::nullopt;
}

/// Gives every operand one type: that of the typed ones, else `want`.
ExprChecker::Type ExprChecker::unify(const std::vector<Expr *> &operands,
                                     Type want, const std::string &what) {
  Expr *first = nullptr;
  Type type;
  bool failed = false;
  for (Expr *operand : operands) {
    if (operand->untyped)
      continue;
    Type here = check(*operand);
    if (here && type && *here != *type && !failed)
      here = besideIndex(*operand, *here, *first, type);
    if (!here) {
      failed = true;
    } else if (!type) {
      type = here;
      first = operand;
    } else if (*type != *here && !failed) {
      Diagnostic &d = sema.report().error(
          codes::kOperandTypesDiffer,
          fmt::format("{} have different types: {} and {}", what,
                      spelling(*type), spelling(*here)),
          {first->range.begin, operand->range.end});
      d.note(fmt::format("this is {}", spelling(*type)), first->range);
      d.note(fmt::format("this is {}", spelling(*here)), operand->range);
      if (*type != ScalarType::Bool && *here != ScalarType::Bool) {
        ScalarType to = wider(*type, *here);
        const Expr &other = *type == to ? *operand : *first;
        d.help(fmt::format("cast explicitly: {}({})", spelling(to),
                           shortened(other)));
      }
      failed = true;
    }
  }
  if (failed)
    return std::nullopt;
  if (!type) {
    type = want;
    if (!type) {
      literalAlone(*operands.front());
      return std::nullopt;
    }
  }
  for (Expr *operand : operands)
    if (operand->untyped && !check(*operand, type))
      failed = true;
  return failed ? std::nullopt : type;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

ExprChecker::Type ExprChecker::checkNode(CallExpr &node, Expr &expr, Type) {
  const std::string &name = node.callee.text;
  const BuiltinInfo *info = findBuiltin(name);
  if (!node.named.empty()) {
    sema.report().error(codes::kSyntax,
                        fmt::format("'{}' is no operator: its arguments have "
                                    "no names",
                                    name),
                        node.named[0].name.range);
    return std::nullopt;
  }
  if (node.accuracy && !(info && info->hasAccuracy)) {
    Diagnostic &d = sema.report().error(
        codes::kNoAccuracyChoice,
        info ? fmt::format("'{}' has one accuracy only: it is exactly rounded",
                           name)
             : fmt::format("'{}' is no function with a choice of accuracy",
                           name),
        node.callee.range);
    if (!info)
      d.help("choose for the whole operator: numerics { functions = ... }");
    return std::nullopt;
  }
  if (info)
    return checkBuiltin(node, expr);
  bool isTensor =
      op && (op->tensors.count(name) || op->firstStatement.count(name));
  const Global *global = sema.findGlobal(name);
  if (!isTensor && global && global->fn) {
    if (!checkArity(node, expr, global->fn->params.size()))
      return std::nullopt;
    return checkFnCall(node, *global->fn);
  }
  if (!isTensor && !global && !libraryText(name, ScalarType::F32).empty()) {
    if (!checkArity(node, expr, 1))
      return std::nullopt;
    Type type = check(*node.arguments[0]);
    if (!type ||
        !needFloat(*type, node.arguments[0]->range, fmt::format("'{}'", name)))
      return std::nullopt;
    node.fn = sema.libraryFn(name, *type);
    return type;
  }
  return checkUnknownCall(node);
}

bool ExprChecker::checkArity(const CallExpr &node, const Expr &expr,
                             size_t wanted) {
  if (node.arguments.size() == wanted)
    return true;
  sema.report().error(
      codes::kWrongArgumentCount,
      fmt::format("'{}' takes {} argument{}, this call gives {}",
                  node.callee.text, wanted, wanted == 1 ? "" : "s",
                  node.arguments.size()),
      expr.range);
  return false;
}

ExprChecker::Type ExprChecker::checkBuiltin(CallExpr &node, Expr &expr) {
  const BuiltinInfo *info = findBuiltin(node.callee.text);
  if (!checkArity(node, expr, info->arity))
    return std::nullopt;
  std::vector<Expr *> arguments;
  for (const ExprPtr &argument : node.arguments)
    arguments.push_back(argument.get());
  std::string what = fmt::format("'{}'", node.callee.text);
  node.builtin = info->builtin;
  if (info->builtin == Builtin::Bits || info->builtin == Builtin::SBits)
    return checkBits(node);
  if (info->builtin == Builtin::OnGrid)
    return checkOnGrid(node);
  if (info->builtin == Builtin::Philox || info->builtin == Builtin::Uniform)
    return checkRandom(node);
  if (info->builtin == Builtin::Behind)
    return checkBehind(node);
  Type type = unify(arguments, std::nullopt, "the arguments of " + what);
  if (!type)
    return std::nullopt;
  SourceRange range = arguments[0]->range;
  bool fine = false;
  switch (info->builtin) {
  case Builtin::FloorDiv:
  case Builtin::TDiv:
  case Builtin::TMod:
    fine = *type == ScalarType::Index || needInteger(*type, range, what);
    break;
  case Builtin::Abs:
  case Builtin::Neg:
  case Builtin::Min:
  case Builtin::Max:
    fine = needCount(*type, range, what);
    break;
  case Builtin::Tf32:
    fine = needFloat(*type, range, what);
    if (fine && *type != ScalarType::F32) {
      sema.report()
          .error(
              codes::kWrongOperandType,
              fmt::format("'tf32' rounds an f32, this is {}", spelling(*type)),
              range)
          .help(fmt::format("cast it first: tf32(f32({}))",
                            shortened(*arguments[0])));
      fine = false;
    }
    break;
  default:
    fine = needFloat(*type, range, what);
  }
  return fine ? type : std::nullopt;
}

ExprChecker::Type ExprChecker::checkFnCall(CallExpr &node,
                                           const FnDecl &callee) {
  node.fn = &callee;
  bool failed = false;
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    Expr &argument = *node.arguments[i];
    const FnParam &param = callee.params[i];
    Type type =
        check(argument, argument.untyped ? Type(param.type) : std::nullopt);
    if (type && *type != param.type) {
      sema.report()
          .error(codes::kOperandTypesDiffer,
                 fmt::format("'{}' takes {} here, this argument is {}",
                             callee.name.text, spelling(param.type),
                             spelling(*type)),
                 argument.range)
          .note("the parameter is declared here", param.name.range)
          .help(fmt::format("cast explicitly: {}({})", spelling(param.type),
                            shortened(argument)));
      failed = true;
    }
    failed |= !type;
  }
  return failed ? std::nullopt : Type(callee.result);
}

ExprChecker::Type ExprChecker::checkUnknownCall(CallExpr &node) {
  const std::string &name = node.callee.text;
  SourceRange range = node.callee.range;
  auto notAFunction = [&](std::string what, std::optional<SourceRange> place) {
    Diagnostic &d = sema.report().error(
        codes::kWrongKind, fmt::format("{} '{}' is not a function", what, name),
        range);
    if (place)
      d.note("defined here", place);
  };
  if (op) {
    auto tensor = op->tensors.find(name);
    auto later = op->firstStatement.find(name);
    if (tensor != op->tensors.end())
      return notAFunction("the tensor", tensor->second->name.range),
             std::nullopt;
    if (later != op->firstStatement.end())
      return notAFunction("the tensor", later->second->target.range),
             std::nullopt;
    auto size = op->sizes.find(name);
    if (size != op->sizes.end())
      return notAFunction("the size", size->second->name.range), std::nullopt;
    if (IndexVariable *index = findIndex(name))
      return notAFunction("the index", index->name.range), std::nullopt;
  }
  const Global *global = sema.findGlobal(name);
  if (global && global->op) {
    sema.report()
        .error(codes::kMisplaced,
               fmt::format("the call of the operator '{}' must be the whole "
                           "value of a statement",
                           name),
               range)
        .help(fmt::format("name its result: T = {}(...)", name));
    return std::nullopt;
  }
  if (global)
    return notAFunction(global->what(), global->range), std::nullopt;
  std::vector<std::string> candidates = sema.globalNames(false, true);
  for (auto names : {builtinNames(), libraryNames()})
    candidates.insert(candidates.end(), names.begin(), names.end());
  for (const std::string &type : typeNames())
    candidates.push_back(type);
  for (const char *reduction : {"sum", "prod", "any", "all"})
    candidates.emplace_back(reduction);
  undefined(name, range, "function", std::move(candidates));
  return std::nullopt;
}

} // namespace girih::frontend
