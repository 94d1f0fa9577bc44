//===- RangeText.cpp - says how far indices run ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/RangeText.h"

#include <cstdlib>
#include <fmt/format.h>

namespace girih::frontend {

namespace {

std::string textOf(const IndexSum &sum) {
  std::string text;
  for (auto [index, factor] : sum.terms) {
    text += text.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ";
    if (std::abs(factor) != 1)
      text += fmt::format("{} * ", std::abs(factor));
    text += index->name.text;
  }
  if (text.empty())
    return spelling(sum.offset);
  if (sum.offset == Extent())
    return text;
  std::string offset = spelling(sum.offset);
  return offset[0] == '-' ? fmt::format("{} - {}", text, offset.substr(1))
                          : fmt::format("{} + {}", text, offset);
}

class RangeText {
public:
  explicit RangeText(const SourceFile &source) : source(source) {}

  void add(const Statement &statement) {
    SourceFile::Place place = source.locate(statement.target.range.begin);
    text += fmt::format("  {} (line {})\n", statement.target.text,
                        place.file->lineColumn(place.offset).line);
    addIndices(statement.indices);
    addDomain(statement.domain, "where");
    addReductions(*statement.value);
    if (statement.otherwise)
      addReductions(*statement.otherwise);
  }

  std::string text;

private:
  /// What stands at `range`.
  std::string written(SourceRange range) const {
    if (range.end <= range.begin)
      return "";
    SourceFile::Place place = source.locate(range.begin);
    return std::string(
        place.file->text().substr(place.offset, range.end - range.begin));
  }

  template <typename Indices> void addIndices(const Indices &indices) {
    for (const auto &index : indices) {
      text += fmt::format("    {} in {}..{}", index->name.text,
                          spelling(index->start),
                          spelling(index->start + *index->extent));
      if (std::string by = written(index->fixedBy); !by.empty()) {
        SourceFile::Place place = source.locate(index->fixedBy.begin);
        auto at = place.file->lineColumn(place.offset);
        text += fmt::format(", fixed by '{}' at {}:{}", by, at.line, at.column);
      }
      text += '\n';
    }
  }

  void addDomain(const std::vector<Condition> &domain, const char *word) {
    for (const Condition &condition : domain) {
      text += fmt::format("    {} {} >= 0", word, textOf(condition.sum));
      SourceFile::Place place = source.locate(condition.range.begin);
      auto at = place.file->lineColumn(place.offset);
      text += fmt::format(", because of '{}' at {}:{}\n",
                          written(condition.range), at.line, at.column);
    }
  }

  void addReductions(const Expr &expr) {
    if (auto *reduce = expr.as<ReduceExpr>()) {
      addIndices(reduce->indices);
      addDomain(reduce->domain, "only");
    }
    forEachChild(expr, [&](const Expr &child) { addReductions(child); });
  }

  const SourceFile &source;
};

} // namespace

std::string explainRanges(const OpDecl &op, const SourceFile &source) {
  RangeText text(source);
  for (const auto &statement : op.statements)
    if (statement->tensor)
      text.add(*statement);
  return text.text;
}

} // namespace girih::frontend
