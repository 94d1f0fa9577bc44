//===- SemaScan.cpp - scans as recurrences --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `cumsum[j](x)` becomes two statements in front of the one that holds it:
//   B[i, j] = x
//   S[i, j] = (S[i, j - 1] else 0) + B[i, j]
// and is replaced by S[i, j]. Backwards, S runs over n - 1 - j.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/ExprBuild.h"
#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/Sema.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

ReduceExpr *findScan(Expr &expr) {
  // Inner ones first: what is around them reads their result.
  ReduceExpr *found = nullptr;
  forEachChild(expr, [&](Expr &child) {
    if (!found)
      found = findScan(child);
  });
  if (found)
    return found;
  auto *reduce = expr.as<ReduceExpr>();
  return reduce && isScan(reduce->kind) ? reduce : nullptr;
}

bool holdsScan(const OpDecl &op) {
  for (const auto &statement : op.statements)
    for (Expr *expr : {statement->value.get(), statement->where.get(),
                       statement->otherwise.get()})
      if (expr && findScan(*expr))
        return true;
  return false;
}

namespace {

/// `n - 1 - j`.
ExprPtr mirrored(const Extent &extent, const std::string &index,
                 SourceRange range) {
  ExprPtr sum =
      numberExpr(extent.constant - 1 < 0 ? 0 : extent.constant - 1, range);
  for (auto [size, factor] : extent.terms)
    sum =
        binaryExpr(factor < 0 ? BinaryOp::Sub : BinaryOp::Add, std::move(sum),
                   binaryExpr(BinaryOp::Mul,
                              numberExpr(factor < 0 ? -factor : factor, range),
                              nameExpr(size->name.text, range), range),
                   range);
  if (extent.constant - 1 < 0)
    sum = binaryExpr(BinaryOp::Sub, std::move(sum),
                     numberExpr(1 - extent.constant, range), range);
  return binaryExpr(BinaryOp::Sub, std::move(sum), nameExpr(index, range),
                    range);
}

void collectNames(const Expr &expr, std::set<std::string> &names) {
  if (auto *name = expr.as<NameExpr>())
    names.insert(name->name);
  if (auto *access = expr.as<AccessExpr>())
    for (const Subscript &subscript : access->subscripts)
      collectNames(*subscript.value, names);
  forEachChild(expr, [&](const Expr &child) { collectNames(child, names); });
}

class ScanExpander {
public:
  ScanExpander(Sema &sema, OpScope &scope, Statement &statement,
               ReduceExpr &scan, Expr &place)
      : sema(sema), scope(scope), statement(statement), scan(scan),
        place(place), range(place.range) {}

  /// The statement for the body; null after an error.
  std::unique_ptr<Statement> body() {
    const std::string &along = scan.indices[0]->name.text;
    if (scan.order.kind == ReduceOrder::Kind::Pinned &&
        scan.order.term->kind != OrderTerm::Kind::Seq) {
      sema.report()
          .error(codes::kNoOrder,
                 fmt::format("scans in the order '{}' are not supported yet",
                             spelling(*scan.order.term)),
                 scan.order.range)
          .help("leave the clause out: they run from one end to the other");
      return nullptr;
    }
    std::set<std::string> used;
    collectNames(*scan.body, used);
    bool found = false;
    for (const auto &index : statement.indices) {
      found |= index->name.text == along;
      if (used.count(index->name.text) || index->name.text == along)
        names.push_back(index->name);
    }
    if (!found) {
      sema.report()
          .error(codes::kUndefined,
                 fmt::format("'{}' runs along an index of the left side, and "
                             "'{}' is none",
                             spelling(scan.kind), along),
                 scan.indices[0]->name.range)
          .help("write it like C[i, j] = cumsum[j](X[i, j])");
      return nullptr;
    }
    bodyName = sema.freshTensor(
        scope, fmt::format("{}_{}", statement.target.text, "terms"));
    auto result = begin(bodyName);
    result->value = std::move(scan.body);
    return result;
  }

  /// The recurrence over what `terms` defines, which is checked.
  std::unique_ptr<Statement> recurrence(const Tensor &terms) {
    std::string name =
        sema.freshTensor(scope, fmt::format("{}_{}", statement.target.text,
                                            spelling(scan.kind)));
    bool isSum = scan.kind == ReduceKind::CumSum;
    size_t along = 0;
    while (names[along].text != scan.indices[0]->name.text)
      ++along;
    const Extent &extent = terms.dims[along];
    auto result = begin(name);
    result->like = &terms;
    // Element number j, or the one before it, of `tensor`.
    auto element = [&](const std::string &tensor, bool before, bool mirror) {
      AccessExpr access;
      access.tensorName = {tensor, range};
      for (size_t d = 0; d < names.size(); ++d) {
        Subscript &subscript = access.subscripts.emplace_back();
        subscript.range = range;
        subscript.value = d == along && mirror
                              ? mirrored(extent, names[d].text, range)
                              : nameExpr(names[d].text, range);
        if (d == along && before)
          subscript.value = binaryExpr(mirror ? BinaryOp::Add : BinaryOp::Sub,
                                       std::move(subscript.value),
                                       numberExpr(1, range), range);
      }
      if (before)
        access.otherwise = numberExpr(isSum ? 0 : 1, range);
      return makeExpr(std::move(access), range);
    };
    result->value = binaryExpr(
        isSum ? BinaryOp::Add : BinaryOp::Mul, element(name, true, false),
        element(bodyName, scan.exclusive, scan.reverse), range);
    ExprPtr read = element(name, false, scan.reverse);
    place.node = std::move(read->node);
    place.untyped = false;
    return result;
  }

private:
  std::unique_ptr<Statement> begin(const std::string &name) {
    auto result = std::make_unique<Statement>();
    result->target = {name, range};
    for (const Name &index : names) {
      result->indices.push_back(std::make_unique<IndexVariable>());
      result->indices.back()->name = {index.text, range};
    }
    result->range = range;
    result->loop = statement.loop;
    result->inlinedFrom = statement.inlinedFrom;
    return result;
  }

  Sema &sema;
  OpScope &scope;
  Statement &statement;
  ReduceExpr &scan;
  Expr &place;
  SourceRange range;
  std::vector<Name> names; ///< indices of what is scanned
  std::string bodyName;
};

/// The expression whose node is `scan`.
Expr *placeOf(Expr &expr, const ReduceExpr *scan) {
  if (expr.as<ReduceExpr>() == scan)
    return &expr;
  Expr *found = nullptr;
  forEachChild(expr, [&](Expr &child) {
    if (!found)
      found = placeOf(child, scan);
  });
  return found;
}

} // namespace

std::string Sema::freshTensor(const OpScope &scope,
                              const std::string &wanted) const {
  std::string name = wanted;
  auto taken = [&] {
    return scope.tensors.count(name) || scope.firstStatement.count(name) ||
           scope.sizes.count(name) || findGlobal(name) || isReservedName(name);
  };
  for (unsigned number = 2; taken(); ++number)
    name = fmt::format("{}_{}", wanted, number);
  return name;
}

Statement &Sema::insertStatement(OpScope &scope, size_t &at,
                                 std::unique_ptr<Statement> statement) {
  auto &statements = scope.op.statements;
  auto where = statements.begin() + long(at++);
  Statement &inserted = **statements.insert(where, std::move(statement));
  scope.firstStatement.try_emplace(inserted.target.text, &inserted);
  ++scope.statementCount[inserted.target.text];
  checkStatement(scope, inserted);
  return inserted;
}

/// Takes the scans of statement number `at` out of it and checks what they
/// became. False after an error.
bool Sema::expandScans(OpScope &scope, size_t &at) {
  unsigned before = reporter.errors();
  while (reporter.errors() == before) {
    Statement &statement = *scope.op.statements[at];
    if (statement.scatter)
      return true; // refused where it is checked
    ReduceExpr *scan = nullptr;
    Expr *place = nullptr;
    for (Expr *expr : {statement.value.get(), statement.where.get(),
                       statement.otherwise.get()})
      if (expr && !scan && (scan = findScan(*expr)))
        place = placeOf(*expr, scan);
    if (!scan)
      return true;
    sortLeftNames(scope, statement);
    ScanExpander expander(*this, scope, statement, *scan, *place);
    auto body = expander.body();
    if (!body)
      return false;
    Statement &terms = insertStatement(scope, at, std::move(body));
    if (reporter.errors() != before || !terms.tensor)
      return false;
    auto recurrence = expander.recurrence(*terms.tensor);
    insertStatement(scope, at, std::move(recurrence));
  }
  return false;
}

} // namespace girih::frontend
