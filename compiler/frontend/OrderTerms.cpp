//===- OrderTerms.cpp - which extents a term can order --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/OrderTerms.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

std::string spelling(const OrderTerm &term) {
  switch (term.kind) {
  case OrderTerm::Kind::Seq:
    return "seq";
  case OrderTerm::Kind::Seg: {
    std::string text = fmt::format("seg({}, {}", term.length,
                                   term.inner ? spelling(*term.inner) : "seq");
    if (term.merge && term.merge->kind != OrderTerm::Kind::Seq)
      text += ", m = " + spelling(*term.merge);
    return text + ")";
  }
  case OrderTerm::Kind::Tree:
    if (term.inner && term.inner->kind != OrderTerm::Kind::Seq)
      return fmt::format("tree({}, {})", term.length, spelling(*term.inner));
    return fmt::format("tree({})", term.length);
  case OrderTerm::Kind::Lanes:
    return fmt::format("lanes({}, {})", term.length, term.width);
  case OrderTerm::Kind::Mma:
    return fmt::format("mma({}, {})", term.model, term.length);
  }
  return "";
}

namespace {

const OrderTerm *findTree(const OrderTerm *term) {
  if (!term)
    return nullptr;
  if (term->kind == OrderTerm::Kind::Tree)
    return term;
  if (const OrderTerm *tree = findTree(term->inner.get()))
    return tree;
  return findTree(term->merge.get());
}

std::optional<TreeFault> faultOver(const OrderTerm *term, int64_t extent) {
  if (!term)
    return std::nullopt;
  switch (term->kind) {
  case OrderTerm::Kind::Seq:
  case OrderTerm::Kind::Lanes:
  case OrderTerm::Kind::Mma:
    return std::nullopt;
  case OrderTerm::Kind::Tree:
    if (extent % term->length != 0)
      return TreeFault{term, false, extent};
    return faultOver(term->inner.get(), extent / term->length);
  case OrderTerm::Kind::Seg: {
    int64_t full = extent / term->length, rest = extent % term->length;
    if (full > 0)
      if (auto fault = faultOver(term->inner.get(), term->length))
        return fault;
    if (rest > 0)
      if (auto fault = faultOver(term->inner.get(), rest))
        return fault;
    return faultOver(term->merge.get(), full + (rest > 0));
  }
  }
  return std::nullopt;
}

} // namespace

std::optional<TreeFault> findTreeFault(const OrderTerm &term,
                                       const Extent &extent) {
  const OrderTerm *tree = findTree(&term);
  if (!tree)
    return std::nullopt;
  if (!extent.isConstant())
    return TreeFault{tree, true, 0};
  return faultOver(&term, extent.constant);
}

const OrderTerm *findMma(const OrderTerm &term) {
  if (term.kind == OrderTerm::Kind::Mma)
    return &term;
  for (const OrderTerm *part : {term.inner.get(), term.merge.get()})
    if (part)
      if (const OrderTerm *mma = findMma(*part))
        return mma;
  return nullptr;
}

} // namespace girih::frontend
