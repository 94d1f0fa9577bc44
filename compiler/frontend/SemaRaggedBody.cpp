//===- SemaRaggedBody.cpp - loops over groups of elements: statements -----===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `for e in 0..E, t in off[e]..off[e + 1] { Y[t] = f(e, t) }` becomes
//   off_group[t] = min(sum[e in 0..E](i64(off[e + 1] <= t)), E - 1)
//   Y[t] = f(off_group[t], t)
// for all t that `offsets(T)` promises. The group lies in 0..E whatever `off`
// holds, so that reads which it places need no other proof: of E = 0 the launch
// sees that T is 0 too (runtime/SizeSolver.cpp).
//
// With an `else`, `for b in 0..B, t in lo..hi { Y[b, t] = x } else v` becomes
//   Y[b, t] = if lo <= t and t < hi then x else v
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ExprBuild.h"
#include "compiler/frontend/Sema.h"

#include <fmt/format.h>
#include <functional>

namespace girih::frontend {

namespace {

/// Calls `each(Expr &)` for every name in `expr`, those in ranges of
/// reductions included.
void forEachUse(Expr &expr, const std::function<void(Expr &)> &each) {
  if (expr.as<NameExpr>())
    return each(expr);
  if (auto *reduce = expr.as<ReduceExpr>())
    for (auto &index : reduce->indices)
      for (Expr *end : {index->first.get(), index->end.get()})
        if (end)
          forEachUse(*end, each);
  forEachChild(expr, [&](Expr &child) { forEachUse(child, each); });
}

/// The index of a reduction in `expr` that is called `name`, or null.
const IndexVariable *findReduced(const Expr &expr, const std::string &name) {
  const IndexVariable *found = nullptr;
  if (auto *reduce = expr.as<ReduceExpr>())
    for (const auto &index : reduce->indices)
      if (index->name.text == name)
        found = index.get();
  forEachChild(expr, [&](const Expr &child) {
    if (!found)
      found = findReduced(child, name);
  });
  return found;
}

/// All that a statement computes from.
std::vector<Expr *> partsOf(const Statement &statement) {
  std::vector<Expr *> parts = {statement.value.get()};
  for (Expr *part :
       {statement.where.get(), statement.otherwise.get(),
        statement.scatter ? statement.scatter->place.get() : nullptr})
    if (part)
      parts.push_back(part);
  return parts;
}

/// Where an index stands on the left; an empty range where it does not.
SourceRange leftPlace(const Statement &statement, const std::string &name) {
  SourceRange place;
  auto look = [&](const std::string &text, SourceRange range) {
    if (text == name && place.begin == place.end)
      place = range;
  };
  for (const auto &index : statement.indices)
    look(index->name.text, index->name.range);
  if (statement.scatter)
    forEachName(*statement.scatter->place, look);
  return place;
}

ExprPtr asI64(ExprPtr value) {
  SourceRange range = value->range;
  return castExpr(ScalarType::I64, std::move(value), range);
}

} // namespace

/// Every instance defines an element of its own.
bool Sema::checkRaggedLeft(const Statement &statement,
                           const RaggedRanges &ranges) {
  const RaggedLoop &loop = *statement.ragged;
  const std::string &group = loop.group->name.text,
                    &element = loop.element->name.text,
                    &target = statement.target.text;
  auto fail = [&](const char *code, std::string message, SourceRange range,
                  std::string help) {
    reporter.error(code, std::move(message), range)
        .note("the loop stands here", loop.range)
        .help(std::move(help));
    return false;
  };
  if (isCall(statement))
    return fail(codes::kNoStatement,
                "a call of an operator inside a loop over groups is not "
                "supported yet",
                statement.value->range,
                "call it in front of the loop, for all elements");
  for (const Expr *part : partsOf(statement))
    if (const IndexVariable *again = findReduced(*part, group))
      return fail(codes::kIndexShadowed,
                  fmt::format("the index '{}' is in use already", group),
                  again->name.range, "give this one a name of its own");
  SourceRange groupPlace = leftPlace(statement, group),
              elementPlace = leftPlace(statement, element);
  bool hasGroup = groupPlace.end > groupPlace.begin,
       hasElement = elementPlace.end > elementPlace.begin;
  if (!ranges.elements) {
    if (statement.scatter)
      return fail(codes::kNoStatement,
                  "a scatter inside a loop with 'else' is not supported yet",
                  statement.target.range,
                  "without the loop: let the place be outside and add 'drop'");
    if (statement.where)
      return fail(codes::kBadRagged,
                  "the statements of a loop with 'else' have no 'where'",
                  statement.where->range,
                  "write an 'if' in the value, or the statement without the "
                  "loop");
    if (hasGroup && hasElement)
      return true;
    const std::string &missing = hasGroup ? element : group;
    return fail(codes::kBadRagged,
                fmt::format("'{}' stands in a loop with 'else', and its left "
                            "side does not hold '{}'",
                            target, missing),
                statement.target.range,
                fmt::format("write {}[{}, {}, ...] = ...; what needs no '{}' "
                            "stands outside the loop",
                            target, group, element, missing));
  }
  if (statement.scatter && (hasElement || hasGroup))
    return true;
  const std::string sum = fmt::format("sum[{} in {}..{}](...)", element,
                                      printExpr(*loop.element->first),
                                      printExpr(*loop.element->end));
  if (!hasElement)
    return fail(
        codes::kBadRagged,
        fmt::format("the left side of '{}' does not hold '{}': each element "
                    "would define it anew",
                    target, element),
        statement.target.range,
        fmt::format("write {}[{}, ...] = ...; or, for one value a group, a "
                    "reduction outside the loop: {}[{}] = {}",
                    target, element, target, group, sum));
  if (hasGroup)
    return fail(
        codes::kBadRagged,
        fmt::format("the left side of '{}' holds the group '{}' beside '{}': "
                    "elements of other groups would stay undefined",
                    target, group, element),
        groupPlace,
        fmt::format("write {}[{}, ...]; or end the loop with '}} else 0', the "
                    "value outside the group",
                    target, element));
  return true;
}

/// Whether there is such a tensor of groups, and it is alive at a statement.
static bool isCounted(const OpScope &scope, const std::string &name,
                      size_t at) {
  auto found = scope.tensors.find(name);
  return found != scope.tensors.end() &&
         isAround(found->second->home, scope.op.statements[at]->loop);
}

/// Puts the group of each element in front, and into the place of its name.
bool Sema::expandGroups(OpScope &scope, size_t &at, RaggedRanges &ranges) {
  const RaggedLoop &loop = *scope.op.statements[at]->ragged;
  const std::string &group = loop.group->name.text,
                    &element = loop.element->name.text;
  std::vector<Expr *> uses;
  for (Expr *part : partsOf(*scope.op.statements[at]))
    forEachUse(*part, [&](Expr &name) {
      if (isName(name, group))
        uses.push_back(&name);
    });
  if (uses.empty())
    return true;
  SourceRange range = loop.range;
  // Another loop over the same groups may have counted them.
  for (const auto &other : scope.op.raggedLoops) {
    auto counted = scope.raggedLoops.find(other.get());
    if (ranges.groupOf.empty() && counted != scope.raggedLoops.end() &&
        counted->second.offsets == ranges.offsets &&
        isCounted(scope, counted->second.groupOf, at))
      ranges.groupOf = counted->second.groupOf;
  }
  if (ranges.groupOf.empty()) {
    std::string name =
        freshTensor(scope, fmt::format("{}_group", ranges.offsets));
    auto statement = std::make_unique<Statement>();
    statement->target = {name, range};
    statement->indices.push_back(std::make_unique<IndexVariable>());
    statement->indices[0]->name = loop.element->name;
    statement->declared.emplace_back(*ranges.elements,
                                     writtenRange(*loop.element));
    statement->range = range;
    statement->loop = scope.op.statements[at]->loop;
    statement->inlinedFrom = scope.op.statements[at]->inlinedFrom;
    // How many groups end before it.
    Cloner cloner;
    ReduceExpr count;
    count.indices.push_back(std::make_unique<IndexVariable>());
    IndexVariable &each = *count.indices[0];
    each.name = loop.group->name;
    each.reduced = true;
    each.first = cloner.clone(*loop.group->first);
    each.end = cloner.clone(*loop.group->end);
    ExprPtr end =
        makeExpr(elementOf(ranges.offsets,
                           binaryExpr(BinaryOp::Add, nameExpr(group, range),
                                      numberExpr(1, range), range),
                           range),
                 range);
    count.body = asI64(binaryExpr(BinaryOp::LessEqual, asI64(std::move(end)),
                                  asI64(nameExpr(element, range)), range));
    CallExpr least;
    least.callee = {"min", range};
    least.arguments.push_back(makeExpr(std::move(count), range));
    least.arguments.push_back(binaryExpr(BinaryOp::Sub,
                                         asI64(cloner.clone(*loop.group->end)),
                                         numberExpr(1, range), range));
    statement->value = makeExpr(std::move(least), range);
    unsigned before = reporter.errors();
    insertStatement(scope, at, std::move(statement));
    if (reporter.errors() != before)
      return false;
    ranges.groupOf = name;
    Tensor &made = *scope.tensors.find(name)->second;
    made.promise = std::pair(Extent(), ranges.groups);
    made.promiseRange = range;
  }
  for (Expr *use : uses) {
    use->node =
        elementOf(ranges.groupOf, nameExpr(element, use->range), use->range);
    use->depth = 2;
    use->untyped = false;
  }
  return true;
}

/// The value inside the range, and the loop's outside.
void Sema::expandPadded(Statement &statement) {
  const IndexVariable &element = *statement.ragged->element;
  Cloner cloner;
  auto compare = [&](BinaryOp op, const Expr &end) {
    return binaryExpr(op,
                      asI64(nameExpr(element.name.text, element.name.range)),
                      asI64(cloner.clone(end)), end.range);
  };
  IfExpr choice;
  choice.condition = compare(BinaryOp::Less, *element.end);
  if (!isNumber(*element.first, "0"))
    choice.condition = binaryExpr(
        BinaryOp::And, compare(BinaryOp::GreaterEqual, *element.first),
        std::move(choice.condition), writtenRange(element));
  choice.thenValue = std::move(statement.value);
  choice.elseValue = cloner.clone(*statement.ragged->otherwise);
  SourceRange range = choice.thenValue->range;
  statement.value = makeExpr(std::move(choice), range);
}

std::optional<Note> Sema::contextOf(const OpScope &scope,
                                    const Statement &statement) const {
  if (const Name &from = statement.inlinedFrom; !from.text.empty())
    return Note{fmt::format("in the call of '{}' here", from.text), from.range};
  auto found = scope.raggedLoops.find(statement.ragged);
  if (found == scope.raggedLoops.end() || found->second.groupOf.empty())
    return std::nullopt;
  const std::string &element = statement.ragged->element->name.text;
  return Note{fmt::format("'{}', the group of '{}', is {}[{}] in this loop",
                          statement.ragged->group->name.text, element,
                          found->second.groupOf, element),
              statement.ragged->range};
}

bool Sema::expandRagged(OpScope &scope, size_t &at) {
  Statement &statement = *scope.op.statements[at];
  if (!statement.ragged)
    return true;
  reporter.setContext(contextOf(scope, statement));
  RaggedRanges &ranges = checkRagged(scope, *statement.ragged);
  bool fine = ranges.fine && checkRaggedLeft(statement, ranges);
  reporter.setContext(std::nullopt);
  if (!fine)
    return false;
  if (ranges.elements)
    return expandGroups(scope, at, ranges);
  expandPadded(statement);
  return true;
}

} // namespace girih::frontend
