//===- ValueBounds.cpp - that computed places lie inside ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Ranges.h"
#include "compiler/frontend/ValueCases.h"

#include <fmt/format.h>

namespace girih::frontend {

/// The read that decides `expr`: the first that promises nothing, else the
/// first; or null.
static const AccessExpr *decidingRead(const Expr &expr) {
  if (auto *read = expr.as<AccessExpr>())
    return read;
  const AccessExpr *found = nullptr;
  forEachChild(expr, [&](const Expr &child) {
    const AccessExpr *read = decidingRead(child);
    if (read && (!found || (found->tensor->promise && !read->tensor->promise)))
      found = read;
  });
  return found;
}

static const AccessExpr *decidingRead(const IndexSum &sum) {
  const AccessExpr *found = nullptr;
  for (auto [value, factor] : sum.values) {
    const AccessExpr *read = decidingRead(*value);
    if (read && (!found || (found->tensor->promise && !read->tensor->promise)))
      found = read;
  }
  return found;
}

bool RangeSolver::checkValueBound(const SeenAccess &seen,
                                  const Subscript &subscript, size_t d,
                                  const Prover &prover, bool upper) {
  const Extent &dim = seen.access->tensor->dims[d];
  LinearForm end = frontend::formOf(dim - Extent::of(1));
  ValueCases cases([&](const IndexSum &sum) { return formOf(sum); });
  bool inside = cases.all(subscript.sum, prover,
                          [&](const Prover &known, const LinearForm &form) {
                            LinearForm room = form;
                            if (upper) {
                              room = end;
                              room.constant -= form.constant;
                              for (size_t v = 0; v < form.factors.size(); ++v)
                                room.add(v, -form.factors[v]);
                            }
                            return known.proves(room);
                          });
  if (inside)
    return true;
  if (seen.access->mayLieOutside()) {
    // The parser's tree is ours to annotate.
    auto &flags = const_cast<Subscript &>(subscript);
    (upper ? flags.above : flags.below) = true;
    return true;
  }
  const std::string &tensor = seen.access->tensor->name.text;
  std::string text = printExpr(*subscript.value);
  Diagnostic &error = reporter.error(
      codes::kBoundNotProved,
      fmt::format("cannot prove that {} lies inside dimension {} of '{}', of "
                  "size {}",
                  text, d, tensor, spelling(dim)),
      subscript.range);
  const AccessExpr *read = decidingRead(subscript.sum);
  std::string promise;
  if (read && read->tensor->promise) {
    auto &[first, last] = *read->tensor->promise;
    error.note(fmt::format("'{}' promises {}..{}, and that does not keep its "
                           "{} end inside",
                           read->tensor->name.text, spelling(first),
                           spelling(last), upper ? "upper" : "lower"),
               read->tensor->promiseRange);
  } else if (read) {
    error.note(fmt::format("'{}' promises no range of its elements",
                           read->tensor->name.text),
               read->tensor->name.range);
    if (read->tensor->role == Tensor::Role::Input)
      promise =
          fmt::format("promise one, {}: {}{} in 0..{}; or ",
                      read->tensor->name.text, spelling(read->tensor->type),
                      read->tensor->dims.empty() ? "" : "[...]", spelling(dim));
  }
  error.help(fmt::format(
      "{}give the {} a rule: {}[clamp({})], {}[checked({})], or {}", promise,
      seen.access->isPlace ? "place" : "read", tensor, text, tensor, text,
      seen.access->isPlace ? std::string("'drop' behind the statement")
                           : fmt::format("({}[...] else 0)", tensor)));
  return false;
}

} // namespace girih::frontend
