//===- Affine.cpp - affine expressions and constraints as data -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Affine.h"

#include <algorithm>
#include <stdexcept>

namespace girih::poly {

namespace {

// A coefficient that wraps would turn a wrong proof into a right one, so every
// operation is exact or throws.
int64_t exactSum(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result))
    throw std::overflow_error("affine coefficient exceeds 64 bits");
  return result;
}

int64_t exactProduct(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    throw std::overflow_error("affine coefficient exceeds 64 bits");
  return result;
}

void addScaled(std::vector<int64_t> &into, const std::vector<int64_t> &from,
               int64_t factor) {
  into.resize(std::max(into.size(), from.size()));
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = exactSum(into[i], exactProduct(from[i], factor));
}

bool equalPadded(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    if ((i < a.size() ? a[i] : 0) != (i < b.size() ? b[i] : 0))
      return false;
  return true;
}

void appendTerm(std::string &text, int64_t coefficient,
                const std::string &name) {
  if (coefficient == 0)
    return;
  // The magnitude is taken as unsigned: -INT64_MIN has no int64_t.
  uint64_t magnitude = coefficient < 0 ? 0 - static_cast<uint64_t>(coefficient)
                                       : static_cast<uint64_t>(coefficient);
  if (text.empty())
    text += coefficient < 0 ? "-" : "";
  else
    text += coefficient < 0 ? " - " : " + ";
  if (name.empty() || magnitude != 1)
    text += std::to_string(magnitude);
  text += name;
}

} // namespace

Affine Affine::dim(unsigned index, int64_t coefficient) {
  Affine result;
  result.dims.resize(index + 1);
  result.dims[index] = coefficient;
  return result;
}

Affine Affine::param(unsigned index, int64_t coefficient) {
  Affine result;
  result.params.resize(index + 1);
  result.params[index] = coefficient;
  return result;
}

Affine Affine::of(int64_t constant) {
  Affine result;
  result.constant = constant;
  return result;
}

bool Affine::isConstant() const {
  auto zero = [](int64_t c) { return c == 0; };
  return std::all_of(dims.begin(), dims.end(), zero) &&
         std::all_of(params.begin(), params.end(), zero);
}

Affine Affine::operator+(const Affine &other) const {
  Affine result = *this;
  addScaled(result.dims, other.dims, 1);
  addScaled(result.params, other.params, 1);
  result.constant = exactSum(constant, other.constant);
  return result;
}

Affine Affine::operator-(const Affine &other) const {
  return *this + other * -1;
}

Affine Affine::operator*(int64_t factor) const {
  Affine result;
  addScaled(result.dims, dims, factor);
  addScaled(result.params, params, factor);
  result.constant = exactProduct(constant, factor);
  return result;
}

bool Affine::operator==(const Affine &other) const {
  return equalPadded(dims, other.dims) && equalPadded(params, other.params) &&
         constant == other.constant;
}

std::string print(const Affine &affine,
                  const std::vector<std::string> &dimNames,
                  const std::vector<std::string> &paramNames) {
  std::string text;
  for (size_t d = 0; d < affine.dims.size(); ++d)
    appendTerm(text, affine.dims[d],
               d < dimNames.size() ? dimNames[d] : "?d" + std::to_string(d));
  for (size_t p = 0; p < affine.params.size(); ++p)
    appendTerm(text, affine.params[p],
               p < paramNames.size() ? paramNames[p]
                                     : "?p" + std::to_string(p));
  appendTerm(text, affine.constant, "");
  return text.empty() ? "0" : text;
}

} // namespace girih::poly
