//===- SemaReaders.cpp - how far a temporary reaches, by what reads it ----===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at statements that are not checked yet, so by names only.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Sema.h"

#include <algorithm>
#include <set>

namespace girih::frontend {

/// The names in subscript `dim` of all reads of the tensor.
static void findReads(const Expr &expr, const std::string &tensor, size_t dim,
                      std::vector<std::string> &names) {
  if (auto *access = expr.as<AccessExpr>())
    if (access->tensorName.text == tensor && dim < access->subscripts.size())
      if (auto *name = access->subscripts[dim].value->as<NameExpr>())
        names.push_back(name->name);
  forEachChild(
      expr, [&](const Expr &child) { findReads(child, tensor, dim, names); });
}

namespace {

using Found = std::optional<std::pair<Extent, SourceRange>>;

struct ReaderSearch {
  const OpScope &scope;
  std::set<std::pair<std::string, size_t>> tried;

  Found declared(const std::string &name, size_t dim) const {
    for (const auto *decls : {&scope.op.outputs, &scope.op.inputs})
      for (const TensorDecl &decl : *decls)
        if (decl.name.text == name && decl.tensor &&
            dim < decl.tensor->dims.size())
          return std::pair(decl.tensor->dims[dim], decl.dims[dim].range);
    return std::nullopt;
  }

  Found find(const std::string &tensor, size_t dim, size_t after) {
    if (!tried.emplace(tensor, dim).second)
      return std::nullopt;
    for (size_t i = after + 1; i < scope.op.statements.size(); ++i) {
      const Statement &reader = *scope.op.statements[i];
      if (!reader.at.empty() || reader.scatter || reader.ragged ||
          !reader.moreTargets.empty())
        continue;
      std::vector<std::string> names;
      findReads(*reader.value, tensor, dim, names);
      for (const std::string &name : names) {
        auto index = std::find_if(
            reader.indices.begin(), reader.indices.end(),
            [&](const auto &left) { return left->name.text == name; });
        if (index == reader.indices.end() || scope.sizes.count(name))
          continue;
        size_t at = index - reader.indices.begin();
        if (auto wanted = declared(reader.target.text, at))
          return wanted;
        if (auto wanted = find(reader.target.text, at, i))
          return wanted;
      }
    }
    return std::nullopt;
  }
};

} // namespace

std::optional<std::pair<Extent, SourceRange>>
Sema::extentFromReaders(const OpScope &scope, const std::string &temporary,
                        size_t dim, size_t after) const {
  return ReaderSearch{scope, {}}.find(temporary, dim, after);
}

} // namespace girih::frontend
