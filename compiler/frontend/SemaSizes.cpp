//===- SemaSizes.cpp - sizes that other sizes say -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ExprBuild.h"
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

/// `where N == 4` says how large N is where no input does.
static void defineEqual(Sema &sema, OpDecl &op) {
  auto stands = [](const std::vector<TensorDecl> &decls,
                   const std::string &name) {
    bool found = false;
    for (const TensorDecl &decl : decls)
      for (const DimDecl &dim : decl.dims)
        forEachName(*dim.value, [&](const std::string &size, SourceRange) {
          found |= size == name;
        });
    return found;
  };
  for (const SizeConstraint &constraint : op.constraints) {
    const std::string &name = constraint.name.text;
    bool isDefined = sema.findGlobal(name) != nullptr;
    for (const auto &constant : op.constants)
      isDefined |= constant->name.text == name;
    for (const auto &size : op.derived)
      isDefined |= size->name.text == name;
    if (constraint.kind != SizeConstraint::Kind::Equal || isDefined ||
        stands(op.inputs, name) || !stands(op.outputs, name))
      continue;
    auto size = std::make_unique<DerivedSize>();
    size->name = constraint.name;
    size->value = numberExpr(constraint.value, constraint.range);
    size->range = constraint.range;
    op.derived.push_back(std::move(size));
  }
}

void Sema::nameQuotients(OpDecl &op) {
  defineEqual(*this, op);
  quotientsOf(*this, op).nameAll();
}

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
