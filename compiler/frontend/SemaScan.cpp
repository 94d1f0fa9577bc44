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
// In the order seg(L) there are segments s of L elements, each with a chain of
// its own that begins before its first element, and a chain over their ends:
//   S[i, s, l] = if l > 0 then S[i, s, l - 1] + (B[i, L s + l - 1] else 0)
//                else 0
//   O[i, s] = (O[i, s - 1] else 0) + (S[i, s - 1, L] else 0)
//   R[i, j] = O[i, j / L] + S[i, j / L, j % L + 1]
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

/// As quotients of sizes have it (Quotients.cpp).
constexpr int64_t kMaxSegment = (int64_t(1) << 16) - 1;

/// `n - 1 - at`.
ExprPtr mirrored(const Extent &extent, ExprPtr at, SourceRange range) {
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
  return binaryExpr(BinaryOp::Sub, std::move(sum), std::move(at), range);
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
      : sema(sema), scope(scope), statement(statement), scan(&scan),
        place(place), range(place.range) {}

  /// The statement for the body; null after an error.
  std::unique_ptr<Statement> body() {
    const std::string &direction = scan->indices[0]->name.text;
    if (!checkOrder())
      return nullptr;
    std::set<std::string> used;
    collectNames(*scan->body, used);
    bool found = false;
    for (const auto &index : statement.indices) {
      found |= index->name.text == direction;
      if (used.count(index->name.text) || index->name.text == direction)
        names.push_back(index->name);
    }
    if (!found) {
      sema.report()
          .error(codes::kUndefined,
                 fmt::format("'{}' runs along an index of the left side, and "
                             "'{}' is none",
                             spelling(scan->kind), direction),
                 scan->indices[0]->name.range)
          .help("write it like C[i, j] = cumsum[j](X[i, j])");
      return nullptr;
    }
    bodyName = sema.freshTensor(
        scope, fmt::format("{}_{}", statement.target.text, "terms"));
    auto result = begin(bodyName);
    taken = std::move(*scan);
    scan = &taken;
    result->value = std::move(taken.body);
    // Who asks how far its indices run looks at its readers.
    along = position();
    replace(element(bodyName, parts(name(names[along].text))));
    return result;
  }

  /// What `terms` defines is scanned in segments. Integers give the same bits
  /// in any order, and keep to one chain.
  bool isSegmented(const Tensor &terms) const {
    const ReduceOrder &order = scan->order;
    if (isFloat(terms.type))
      return order.kind == ReduceOrder::Kind::Pinned &&
             order.term->kind == OrderTerm::Kind::Seg;
    if (order.range.end > order.range.begin)
      sema.report().warning(
          codes::kOrderWithoutEffect,
          fmt::format("'{}' of {} gives the same bits in any order: the clause "
                      "has no effect",
                      spelling(scan->kind), spelling(terms.type)),
          order.range);
    return false;
  }

  /// The chains of the segments over what `terms` defines, which is checked.
  std::unique_ptr<Statement> segments(const Tensor &terms) {
    extent = terms.dims[along];
    chainName = scanName();
    segment = freshIndex("segment");
    inside = freshIndex("place");
    int64_t length = scan->order.term->length;
    Tensor &shape = shapeOf(terms);
    shape.dims[along] =
        sema.quotientIn(scope, extent + Extent::of(length - 1), length, range);
    shape.dims.insert(shape.dims.begin() + long(along) + 1,
                      Extent::of(length + 1));
    auto result = begin(chainName);
    addIndices(*result, {segment, inside});
    result->like = &shape;
    // Element number L s + l - 1, whose sum stands at l.
    ExprPtr at = binaryExpr(BinaryOp::Sub,
                            binaryExpr(BinaryOp::Add,
                                       binaryExpr(BinaryOp::Mul, number(length),
                                                  name(segment), range),
                                       name(inside), range),
                            number(1), range);
    if (scan->reverse)
      at = mirrored(extent, std::move(at), range);
    IfExpr step;
    step.condition =
        binaryExpr(BinaryOp::Greater, name(inside), number(0), range);
    step.thenValue = combined(
        element(chainName, parts(name(segment), minusOne(name(inside)))),
        element(bodyName, parts(std::move(at)), /*orIdentity=*/true));
    step.elseValue = number(identity());
    result->value = makeExpr(std::move(step), range);
    return result;
  }

  /// What stands before each segment, over the chains, which are checked.
  std::unique_ptr<Statement> totals(const Tensor &chains) {
    totalName = sema.freshTensor(
        scope, fmt::format("{}_{}", statement.target.text, "before"));
    int64_t length = scan->order.term->length;
    Tensor &shape = shapeOf(chains);
    shape.dims.erase(shape.dims.begin() + long(along) + 1);
    auto result = begin(totalName);
    addIndices(*result, {segment});
    result->like = &shape;
    result->value = combined(
        element(totalName, parts(minusOne(name(segment))), /*orIdentity=*/true),
        element(chainName, parts(minusOne(name(segment)), number(length)),
                /*orIdentity=*/true));
    return result;
  }

  /// Both together, over what is scanned: number k is number k % L of segment
  /// k / L.
  std::unique_ptr<Statement> elements(const Tensor &terms) {
    std::string sums = scanName();
    int64_t length = scan->order.term->length;
    auto result = begin(sums);
    result->like = &shapeOf(terms);
    auto segmentOf = [&] {
      CallExpr call;
      call.callee = {"floordiv", range};
      call.arguments.push_back(name(names[along].text));
      call.arguments.push_back(number(length));
      return makeExpr(std::move(call), range);
    };
    ExprPtr rest = binaryExpr(BinaryOp::Mod, name(names[along].text),
                              number(length), range);
    if (!scan->exclusive)
      rest = binaryExpr(BinaryOp::Add, std::move(rest), number(1), range);
    result->value =
        combined(element(totalName, parts(segmentOf())),
                 element(chainName, parts(segmentOf(), std::move(rest))));
    ExprPtr here = name(names[along].text);
    if (scan->reverse)
      here = mirrored(extent, std::move(here), range);
    replace(element(sums, parts(std::move(here))));
    return result;
  }

  /// The recurrence over what `terms` defines, which is checked.
  std::unique_ptr<Statement> recurrence(const Tensor &terms) {
    std::string chain = scanName();
    extent = terms.dims[along];
    auto result = begin(chain);
    result->like = &terms;
    // Element number j, or the one before it, of `tensor`.
    auto at = [&](const std::string &tensor, bool before, bool mirror) {
      ExprPtr here = name(names[along].text);
      if (mirror)
        here = mirrored(extent, std::move(here), range);
      if (before)
        here = binaryExpr(mirror ? BinaryOp::Add : BinaryOp::Sub,
                          std::move(here), number(1), range);
      return element(tensor, parts(std::move(here)), before);
    };
    result->value = combined(at(chain, true, false),
                             at(bodyName, scan->exclusive, scan->reverse));
    replace(at(chain, false, scan->reverse));
    return result;
  }

private:
  /// Chains, and segments of chains.
  bool checkOrder() {
    const OrderTerm *term = scan->order.term.get();
    auto isChain = [](const std::unique_ptr<OrderTerm> &part) {
      return !part || part->kind == OrderTerm::Kind::Seq;
    };
    if (scan->order.kind != ReduceOrder::Kind::Pinned ||
        term->kind == OrderTerm::Kind::Seq)
      return true;
    bool segments = term->kind == OrderTerm::Kind::Seg &&
                    isChain(term->inner) && isChain(term->merge);
    if (segments && term->length <= kMaxSegment)
      return true;
    sema.report()
        .error(codes::kNoOrder,
               segments
                   ? fmt::format("segments of a scan have at most {} elements",
                                 kMaxSegment)
                   : fmt::format("no scan runs in the order '{}'",
                                 spelling(*term)),
               scan->order.range)
        .help("there are fixed, free, sequential and seq, which are one chain "
              "from one end to the other, and seg(L): a chain for each L "
              "elements");
    return false;
  }

  std::string scanName() const {
    return sema.freshTensor(scope, fmt::format("{}_{}", statement.target.text,
                                               spelling(scan->kind)));
  }

  /// Which of `names` the scan goes along.
  size_t position() const {
    size_t found = 0;
    while (names[found].text != scan->indices[0]->name.text)
      ++found;
    return found;
  }

  /// The name of an index that nothing has.
  std::string freshIndex(const char *what) const {
    std::string wanted = fmt::format("{}_{}", names[along].text, what);
    std::string fresh = sema.freshTensor(scope, wanted);
    for (unsigned number = 2;
         std::any_of(names.begin(), names.end(),
                     [&](const Name &other) { return other.text == fresh; });
         ++number)
      fresh = sema.freshTensor(scope, fmt::format("{}_{}", wanted, number));
    return fresh;
  }

  /// A copy of the tensor, for a temporary to take its type and shape.
  Tensor &shapeOf(const Tensor &tensor) {
    auto shape = std::make_unique<Tensor>();
    shape->type = tensor.type;
    shape->dims = tensor.dims;
    return *scope.shapes.emplace_back(std::move(shape));
  }

  /// `indices` in the place of the one that the scan goes along.
  void addIndices(Statement &made, const std::vector<std::string> &indices) {
    auto at = made.indices.erase(made.indices.begin() + long(along));
    for (const std::string &index : indices) {
      auto variable = std::make_unique<IndexVariable>();
      variable->name = {index, range};
      at = made.indices.insert(at, std::move(variable)) + 1;
    }
  }

  template <typename... Parts>
  static std::vector<ExprPtr> parts(Parts... subscripts) {
    std::vector<ExprPtr> result;
    (result.push_back(std::move(subscripts)), ...);
    return result;
  }

  /// An element, `here` being its subscripts in the place of that index.
  ExprPtr element(const std::string &tensor, std::vector<ExprPtr> here,
                  bool orIdentity = false) const {
    AccessExpr access;
    access.tensorName = {tensor, range};
    auto add = [&](ExprPtr value) {
      Subscript &subscript = access.subscripts.emplace_back();
      subscript.range = range;
      subscript.value = std::move(value);
    };
    for (size_t d = 0; d < names.size(); ++d)
      if (d != along)
        add(name(names[d].text));
      else
        for (ExprPtr &value : here)
          add(std::move(value));
    if (orIdentity)
      access.otherwise = number(identity());
    return makeExpr(std::move(access), range);
  }

  bool isSum() const { return scan->kind == ReduceKind::CumSum; }
  int64_t identity() const { return isSum() ? 0 : 1; }
  ExprPtr combined(ExprPtr lhs, ExprPtr rhs) const {
    return binaryExpr(isSum() ? BinaryOp::Add : BinaryOp::Mul, std::move(lhs),
                      std::move(rhs), range);
  }
  ExprPtr number(int64_t value) const { return numberExpr(value, range); }
  ExprPtr name(const std::string &text) const { return nameExpr(text, range); }
  ExprPtr minusOne(ExprPtr value) const {
    return binaryExpr(BinaryOp::Sub, std::move(value), number(1), range);
  }
  /// Puts `value` in the place of the scan->
  void replace(ExprPtr value) {
    place.node = std::move(value->node);
    place.untyped = false;
  }

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
  ReduceExpr *scan; ///< `taken`, once its body is
  ReduceExpr taken;
  Expr &place;
  SourceRange range;
  std::vector<Name> names; ///< indices of what is scanned
  std::string bodyName;
  size_t along = 0; ///< which of `names`
  Extent extent;    ///< of that one
  std::string chainName, totalName, segment, inside;
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
    if (!expander.isSegmented(*terms.tensor)) {
      auto recurrence = expander.recurrence(*terms.tensor);
      insertStatement(scope, at, std::move(recurrence));
      continue;
    }
    Statement &chains =
        insertStatement(scope, at, expander.segments(*terms.tensor));
    if (reporter.errors() != before || !chains.tensor)
      return false;
    Statement &totals =
        insertStatement(scope, at, expander.totals(*chains.tensor));
    if (reporter.errors() != before || !totals.tensor)
      return false;
    insertStatement(scope, at, expander.elements(*terms.tensor));
  }
  return false;
}

} // namespace girih::frontend
