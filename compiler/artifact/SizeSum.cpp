//===- SizeSum.cpp - extents that are sums over sizes ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/SizeSum.h"

namespace girih::artifact {

using Kind = SizeExpr::Kind;

/// Artifacts are untrusted: no deeper than this.
static constexpr unsigned kDeepest = 64;

/// sum += factor * other; false when it overflows.
static bool add(SizeSum &sum, const SizeSum &other, int64_t factor) {
  int64_t scaled = 0;
  if (__builtin_mul_overflow(other.constant, factor, &scaled) ||
      __builtin_add_overflow(sum.constant, scaled, &sum.constant))
    return false;
  for (auto [size, times] : other.terms) {
    if (__builtin_mul_overflow(times, factor, &scaled))
      return false;
    size_t i = 0;
    while (i < sum.terms.size() && sum.terms[i].first != size)
      ++i;
    if (i == sum.terms.size())
      sum.terms.push_back({size, 0});
    int64_t &total = sum.terms[i].second;
    if (__builtin_add_overflow(total, scaled, &total))
      return false;
    if (total == 0)
      sum.terms.erase(sum.terms.begin() + i);
  }
  return true;
}

static std::optional<SizeSum> sumAt(const SizeExpr &expr, unsigned depth) {
  SizeSum sum;
  if (depth > kDeepest)
    return std::nullopt;
  if (expr.kind == Kind::Constant) {
    sum.constant = expr.value;
    return sum;
  }
  if (expr.kind == Kind::Size) {
    sum.terms.push_back({expr.size, 1});
    return sum;
  }
  if (expr.kind != Kind::Add && expr.kind != Kind::Mul)
    return std::nullopt;
  sum.constant = expr.kind == Kind::Mul;
  for (const SizeExpr &operand : expr.operands) {
    std::optional<SizeSum> other = sumAt(operand, depth + 1);
    if (!other)
      return std::nullopt;
    if (expr.kind == Kind::Add) {
      if (!add(sum, *other, 1))
        return std::nullopt;
      continue;
    }
    if (!sum.terms.empty() && !other->terms.empty())
      return std::nullopt;
    SizeSum product;
    bool fits = sum.terms.empty() ? add(product, *other, sum.constant)
                                  : add(product, sum, other->constant);
    if (!fits)
      return std::nullopt;
    sum = std::move(product);
  }
  return sum;
}

std::optional<SizeSum> sumOf(const SizeExpr &expr) { return sumAt(expr, 1); }

Result<std::optional<SolvedSize>> solveFor(const SizeExpr &expr, int64_t extent,
                                           const std::vector<int64_t> &sizes) {
  std::optional<SizeSum> sum = sumOf(expr);
  if (!sum)
    return std::optional<SolvedSize>();
  std::optional<std::pair<unsigned, int64_t>> unknown;
  int64_t rest = 0;
  if (__builtin_sub_overflow(extent, sum->constant, &rest))
    return std::optional<SolvedSize>();
  for (auto [size, factor] : sum->terms) {
    int64_t part = 0;
    if (size >= sizes.size() || (sizes[size] == -1 && unknown))
      return std::optional<SolvedSize>();
    if (sizes[size] == -1)
      unknown = {size, factor};
    else if (__builtin_mul_overflow(factor, sizes[size], &part) ||
             __builtin_sub_overflow(rest, part, &rest))
      return std::optional<SolvedSize>();
  }
  if (!unknown)
    return std::optional<SolvedSize>();
  auto [size, factor] = *unknown;
  if (factor == -1 && rest == INT64_MIN)
    return std::optional<SolvedSize>();
  if (rest % factor != 0)
    return Failure{std::to_string(rest) + " is not a multiple of " +
                   std::to_string(factor)};
  if (rest / factor < 0)
    return Failure{"it would be " + std::to_string(rest / factor)};
  return std::optional(SolvedSize{size, rest / factor});
}

Result<std::optional<int64_t>> evaluate(const DerivedSize &derived,
                                        const std::vector<int64_t> &sizes) {
  std::optional<SizeSum> sum = sumOf(derived.sum);
  for (size_t i = 0; sum && i < sum->terms.size(); ++i)
    if (unsigned size = sum->terms[i].first;
        size < sizes.size() && sizes[size] == -1)
      return std::optional<int64_t>();
  Result<int64_t> value =
      evaluate(SizeExpr::binary(Kind::FloorDiv, derived.sum,
                                SizeExpr::constant(derived.divisor)),
               sizes);
  if (!value)
    return Failure{value.message()};
  return std::optional(*value);
}

std::string print(const DerivedSize &derived,
                  const std::vector<std::string> &sizeNames) {
  std::string text = print(derived.sum, sizeNames);
  if (derived.divisor == 1)
    return text;
  bool isSum = derived.sum.kind != Kind::Size;
  return (isSum ? "(" + text + ")" : text) + " / " +
         std::to_string(derived.divisor);
}

} // namespace girih::artifact
