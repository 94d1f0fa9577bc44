//===- ValueCases.cpp - what an integer expression may be -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ValueCases.h"

#include "compiler/frontend/Ranges.h"

namespace girih::frontend {

namespace {

/// Cases beyond which a value is taken as any of its type.
constexpr unsigned kMostCases = 64;

LinearForm constantForm(int64_t value) {
  LinearForm form;
  form.constant = value;
  return form;
}

/// a + factor * b
LinearForm plus(const LinearForm &a, const LinearForm &b, int64_t factor = 1) {
  LinearForm sum = a;
  sum.constant += factor * b.constant;
  for (size_t v = 0; v < b.factors.size(); ++v)
    if (b.factors[v])
      sum.add(v, factor * b.factors[v]);
  return sum;
}

bool isConstant(const LinearForm &form) {
  for (int64_t factor : form.factors)
    if (factor)
      return false;
  return true;
}

/// The number that an expression is, where it is a plain one.
std::optional<int64_t> numberOf(const Expr &expr) {
  constexpr uint64_t kMost = uint64_t(1) << 40;
  if (auto *literal = expr.as<LiteralExpr>())
    if (isInteger(expr.type) && literal->bits < kMost)
      return int64_t(literal->bits);
  if (auto *unary = expr.as<UnaryExpr>(); unary && unary->op == UnaryOp::Neg)
    if (auto *literal = unary->operand->as<LiteralExpr>())
      if (literal->bits < kMost)
        return -int64_t(literal->bits);
  if (auto *name = expr.as<NameExpr>())
    if (auto *constant = std::get_if<const ConstDecl *>(&name->target)) {
      auto value = int64_t((*constant)->foldedBits);
      if (isInteger((*constant)->type) && value < int64_t(kMost) &&
          value > -int64_t(kMost))
        return value;
    }
  return std::nullopt;
}

/// The smallest and the largest value of an integer type of at most 32 bits.
std::optional<std::pair<int64_t, int64_t>> limitsOf(ScalarType type) {
  unsigned width = widthOf(type);
  if (width > 32)
    return std::nullopt;
  int64_t top = int64_t(1) << (width - 1);
  if (isUnsigned(type))
    return std::pair(int64_t(0), 2 * top - 1);
  return std::pair(-top, top - 1);
}

} // namespace

bool ValueCases::all(const IndexSum &sum, const Prover &prover,
                     const Then &then) {
  IndexSum affine = sum;
  affine.values.clear();
  // One value after the other.
  std::function<bool(size_t, const Prover &, const LinearForm &)> from =
      [&](size_t next, const Prover &known, const LinearForm &form) -> bool {
    if (next == sum.values.size())
      return then(known, form);
    auto [value, factor] = sum.values[next];
    return each(
        *value, known,
        [&, factor = factor](const Prover &more, const LinearForm &part, bool) {
          return from(next + 1, more, plus(form, part, factor));
        });
  };
  return from(0, prover, formOf(affine));
}

bool ValueCases::any(ScalarType type, const Prover &prover,
                     const ThenValue &then) {
  Prover more = prover;
  LinearForm value;
  value.add(more.addVariable(), 1);
  auto limits = limitsOf(type);
  if (limits) {
    more.assume(plus(value, constantForm(limits->first), -1));
    more.assume(plus(constantForm(limits->second), value, -1));
  }
  // One of 64 bits without a sign may be above what i64 holds.
  return then(more, value, limits.has_value());
}

bool ValueCases::between(const LinearForm &least, const LinearForm &most,
                         const Prover &prover, const ThenValue &then) {
  Prover more = prover;
  LinearForm value;
  value.add(more.addVariable(), 1);
  more.assume(plus(value, least, -1));
  more.assume(plus(most, value, -1));
  return then(more, value, true);
}

bool ValueCases::exact(ScalarType type, const LinearForm &form, bool bounded,
                       const Prover &prover, const ThenValue &then) {
  auto limits = limitsOf(type);
  bool fits = bounded && type == ScalarType::I64;
  if (limits)
    fits = prover.proves(plus(form, constantForm(limits->first), -1)) &&
           prover.proves(plus(constantForm(limits->second), form, -1));
  else if (bounded && type == ScalarType::U64)
    fits = prover.proves(form);
  return fits ? then(prover, form, true) : any(type, prover, then);
}

bool ValueCases::eachTwo(
    const Expr &lhs, const Expr &rhs, const Prover &prover,
    const std::function<bool(const Prover &, const LinearForm &,
                             const LinearForm &, bool)> &then) {
  return each(
      lhs, prover, [&](const Prover &known, const LinearForm &left, bool a) {
        return each(rhs, known,
                    [&](const Prover &more, const LinearForm &right, bool b) {
                      return then(more, left, right, a && b);
                    });
      });
}

bool ValueCases::each(const Expr &expr, const Prover &prover,
                      const ThenValue &then) {
  if (auto number = numberOf(expr))
    return then(prover, constantForm(*number), true);
  if (++cases > kMostCases)
    return any(expr.type, prover, then);
  if (auto *name = expr.as<NameExpr>()) {
    IndexSum sum;
    if (auto *index = std::get_if<const IndexVariable *>(&name->target))
      sum.terms.push_back({*index, 1});
    else if (auto *size = std::get_if<const SizeSymbol *>(&name->target))
      sum.offset = Extent::of(*size);
    else
      return any(expr.type, prover, then);
    return then(prover, formOf(sum), true);
  }
  if (auto *read = expr.as<AccessExpr>())
    return access(*read, expr.type, prover, then);
  if (auto *cast = expr.as<CastExpr>()) {
    ScalarType from = cast->operand->type;
    if (!isInteger(from) && from != ScalarType::Index)
      return any(expr.type, prover, then);
    return each(*cast->operand, prover,
                [&](const Prover &more, const LinearForm &form, bool bounded) {
                  return exact(cast->to, form, bounded, more, then);
                });
  }
  if (auto *node = expr.as<BinaryExpr>())
    return binary(*node, expr.type, prover, then);
  if (auto *choice = expr.as<IfExpr>())
    return each(*choice->thenValue, prover, then) &&
           each(*choice->elseValue, prover, then);
  if (auto *node = expr.as<CallExpr>(); node && node->builtin)
    return call(*node, expr.type, prover, then);
  return any(expr.type, prover, then);
}

bool ValueCases::access(const AccessExpr &access, ScalarType type,
                        const Prover &prover, const ThenValue &then) {
  if (access.otherwise && !each(*access.otherwise, prover, then))
    return false;
  if (!access.tensor->promise)
    return any(type, prover, then);
  auto &[first, end] = *access.tensor->promise;
  IndexSum least, most;
  least.offset = first;
  most.offset = end - Extent::of(1);
  return between(formOf(least), formOf(most), prover, then);
}

bool ValueCases::binary(const BinaryExpr &node, ScalarType type,
                        const Prover &prover, const ThenValue &then) {
  const Expr &lhs = *node.lhs, &rhs = *node.rhs;
  switch (node.op) {
  case BinaryOp::Add:
  case BinaryOp::Sub: {
    int64_t sign = node.op == BinaryOp::Add ? 1 : -1;
    return eachTwo(lhs, rhs, prover,
                   [&](const Prover &more, const LinearForm &a,
                       const LinearForm &b, bool bounded) {
                     return exact(type, plus(a, b, sign), bounded, more, then);
                   });
  }
  case BinaryOp::Mul:
    return eachTwo(
        lhs, rhs, prover,
        [&](const Prover &more, const LinearForm &a, const LinearForm &b,
            bool bounded) {
          constexpr int64_t kMostFactor = int64_t(1) << 20;
          const LinearForm &number = isConstant(a) ? a : b;
          bool isLinear = isConstant(number) && number.constant < kMostFactor &&
                          number.constant > -kMostFactor;
          if (!isLinear)
            return any(type, more, then);
          return exact(type, plus({}, isConstant(a) ? b : a, number.constant),
                       bounded, more, then);
        });
  case BinaryOp::Mod:
    return divided(lhs, rhs, type, /*quotient=*/false, /*floors=*/true, prover,
                   then);
  case BinaryOp::BitAnd:
    for (const Expr *side : {&lhs, &rhs})
      if (auto mask = numberOf(*side); mask && *mask >= 0)
        return between({}, constantForm(*mask), prover, then);
    return any(type, prover, then);
  default:
    return any(type, prover, then);
  }
}

/// Quotients and remainders by what is known to be positive.
bool ValueCases::divided(const Expr &dividend, const Expr &divisor,
                         ScalarType type, bool quotient, bool floors,
                         const Prover &prover, const ThenValue &then) {
  return eachTwo(dividend, divisor, prover,
                 [&](const Prover &known, const LinearForm &a,
                     const LinearForm &b, bool bounded) {
                   bool positive = known.proves(plus(b, constantForm(1), -1));
                   if (!positive || (!floors && !known.proves(a)))
                     return any(type, known, then);
                   if (!quotient)
                     return between({}, plus(b, constantForm(1), -1), known,
                                    then);
                   if (!isConstant(b) || !bounded)
                     return any(type, known, then);
                   // b * q <= a <= b * q + b - 1
                   Prover more = known;
                   LinearForm value;
                   value.add(more.addVariable(), 1);
                   LinearForm rest = plus(a, value, -b.constant);
                   more.assume(rest);
                   more.assume(plus(constantForm(b.constant - 1), rest, -1));
                   return then(more, value, true);
                 });
}

bool ValueCases::call(const CallExpr &call, ScalarType type,
                      const Prover &prover, const ThenValue &then) {
  auto argument = [&](size_t at) -> const Expr & {
    return *call.arguments[at];
  };
  switch (*call.builtin) {
  case Builtin::FloorDiv:
    return divided(argument(0), argument(1), type, true, true, prover, then);
  case Builtin::TDiv:
    return divided(argument(0), argument(1), type, true, false, prover, then);
  case Builtin::TMod:
    return divided(argument(0), argument(1), type, false, false, prover, then);
  case Builtin::Min:
  case Builtin::Max: {
    int64_t sign = *call.builtin == Builtin::Min ? 1 : -1;
    return eachTwo(
        argument(0), argument(1), prover,
        [&](const Prover &known, const LinearForm &a, const LinearForm &b,
            bool bounded) {
          // Whichever it is, the other one is no better.
          for (auto [chosen, other] : {std::pair(&a, &b), {&b, &a}}) {
            Prover more = known;
            more.assume(plus(plus({}, *other, sign), *chosen, -sign));
            if (!then(more, *chosen, bounded))
              return false;
          }
          return true;
        });
  }
  case Builtin::Bits:
  case Builtin::SBits: {
    auto *literal = argument(2).as<LiteralExpr>();
    uint64_t width = literal ? literal->bits : 64;
    if (width > 32)
      return any(type, prover, then);
    if (*call.builtin == Builtin::SBits) {
      int64_t top = int64_t(1) << (width - 1);
      return between(constantForm(-top), constantForm(top - 1), prover, then);
    }
    // A field as wide as a signed type has its sign.
    if (width == widthOf(type))
      return any(type, prover, then);
    return between({}, constantForm((int64_t(1) << width) - 1), prover, then);
  }
  default:
    return any(type, prover, then);
  }
}

} // namespace girih::frontend
