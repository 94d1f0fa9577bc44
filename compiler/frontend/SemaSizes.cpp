//===- SemaSizes.cpp - sizes that other sizes say -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Quotients.h"
#include "compiler/frontend/Sema.h"

namespace girih::frontend {

static Quotients quotientsOf(Sema &sema, OpDecl &op) {
  auto constant = [&sema, &op](const std::string &name) {
    const ConstDecl *decl = nullptr;
    for (const auto &constant : op.constants)
      if (constant->name.text == name)
        decl = constant.get();
    if (const Global *global = sema.findGlobal(name); global && !decl)
      decl = global->constant;
    return decl && isInteger(decl->type)
               ? std::optional(static_cast<int64_t>(decl->foldedBits))
               : std::nullopt;
  };
  return Quotients(op, constant, sema.report());
}

void Sema::nameQuotients(OpDecl &op) { quotientsOf(*this, op).nameAll(); }

static void declare(OpScope &scope, DerivedSize &derived) {
  SizeSymbol *size = scope.sizes.at(derived.name.text);
  size->derived = true;
  derived.size = size;
  derived.numerator = Extent::of(derived.sum.constant);
  for (const auto &[name, factor] : derived.sum.factors)
    derived.numerator =
        derived.numerator + Extent::of(scope.sizes.at(name)) * factor;
}

void Sema::declareDerived(OpScope &scope) {
  for (const auto &derived : scope.op.derived) {
    for (const auto &term : derived->sum.factors)
      collectSize(scope, term.first, derived->range);
    collectSize(scope, derived->name.text, derived->range);
    declare(scope, *derived);
  }
}

Extent Sema::quotientIn(OpScope &scope, const Extent &sum, int64_t divisor,
                        SourceRange range) {
  NamedSum named;
  named.constant = sum.constant;
  for (auto [size, factor] : sum.terms)
    named.factors[size->name.text] = factor;
  size_t before = scope.op.derived.size();
  NamedSum result =
      quotientsOf(*this, scope.op).quotient(std::move(named), divisor, range);
  for (size_t i = before; i < scope.op.derived.size(); ++i) {
    collectSize(scope, scope.op.derived[i]->name.text, range);
    declare(scope, *scope.op.derived[i]);
  }
  Extent extent = Extent::of(result.constant);
  for (const auto &[name, factor] : result.factors)
    extent = extent + Extent::of(scope.sizes.at(name)) * factor;
  return extent;
}

} // namespace girih::frontend
