//===- TextWriter.cpp - writing this room's text forms ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Text.h"

namespace girih::poly {

std::string bracketed(const std::vector<std::string> &items) {
  std::string text = "[";
  for (size_t i = 0; i < items.size(); ++i)
    text += (i ? ", " : "") + items[i];
  return text + "]";
}

std::string bracketed(const std::vector<Affine> &items,
                      const std::vector<std::string> &dimNames,
                      const std::vector<std::string> &paramNames) {
  std::vector<std::string> texts;
  for (const Affine &item : items)
    texts.push_back(print(item, dimNames, paramNames));
  return bracketed(texts);
}

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + "\"";
}

std::string printConstraints(const std::vector<Affine> &constraints,
                             const std::vector<std::string> &dimNames,
                             const std::vector<std::string> &paramNames) {
  // Negative terms go left of the comparison, positive ones right, so that
  // `M - i - 1 >= 0` reads `i < M`. Two neighbours with a common side join.
  std::string text;
  std::string previousRight;
  for (const Affine &constraint : constraints) {
    Affine left, right;
    auto divide = [](const std::vector<int64_t> &from,
                     std::vector<int64_t> &negative,
                     std::vector<int64_t> &positive) {
      negative.resize(from.size());
      positive.resize(from.size());
      for (size_t i = 0; i < from.size(); ++i)
        (from[i] < 0 ? negative : positive)[i] =
            from[i] < 0 ? -from[i] : from[i];
    };
    divide(constraint.dims, left.dims, right.dims);
    divide(constraint.params, left.params, right.params);
    // `l <= 4095` reads better as `l < 4096`.
    bool toBound =
        constraint.constant > 0 && right.isConstant() && !left.isConstant();
    bool strict = toBound || (constraint.constant == -1 && !left.isConstant());
    if (constraint.constant > 0)
      right.constant = constraint.constant + (toBound ? 1 : 0);
    else if (!strict)
      left.constant = -constraint.constant;
    std::string leftText = print(left, dimNames, paramNames);
    std::string rightText = print(right, dimNames, paramNames);
    const char *comparison = strict ? " < " : " <= ";
    if (!text.empty() && leftText == previousRight && !left.isConstant())
      text += comparison + rightText;
    else
      text += (text.empty() ? "" : " and ") + leftText + comparison + rightText;
    previousRight = rightText;
  }
  return text;
}

} // namespace girih::poly
