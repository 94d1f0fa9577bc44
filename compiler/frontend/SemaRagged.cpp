//===- SemaRagged.cpp - loops over groups of elements: ranges -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once a loop: that its groups are those of a tensor of offsets, or that data
// say where its elements end. What becomes of its statements is
// SemaRaggedBody.cpp.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Conditions.h"
#include "compiler/frontend/ExprBuild.h"
#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/Ranges.h"
#include "compiler/frontend/Sema.h"
#include "compiler/support/Suggest.h"

#include <fmt/format.h>

namespace girih::frontend {

namespace {

/// The tensor of `off[e]`; null where it is something else.
const AccessExpr *singleElement(const Expr &expr) {
  auto *access = expr.as<AccessExpr>();
  bool plain = access && access->subscripts.size() == 1 && !access->otherwise &&
               access->subscripts[0].rule == AccessRule::None;
  return plain ? access : nullptr;
}

/// `off` of `off[e]..off[e + 1]`; null where the range is another.
const Name *offsetsOf(const RaggedLoop &loop) {
  const std::string &group = loop.group->name.text;
  const AccessExpr *first = singleElement(*loop.element->first),
                   *end = singleElement(*loop.element->end);
  if (!first || !end || first->tensorName.text != end->tensorName.text ||
      !isName(*first->subscripts[0].value, group))
    return nullptr;
  auto *next = end->subscripts[0].value->as<BinaryExpr>();
  bool follows = next && next->op == BinaryOp::Add &&
                 ((isName(*next->lhs, group) && isNumber(*next->rhs, "1")) ||
                  (isNumber(*next->lhs, "1") && isName(*next->rhs, group)));
  return follows ? &first->tensorName : nullptr;
}

} // namespace

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

RaggedRanges &Sema::checkRagged(OpScope &scope, const RaggedLoop &loop) {
  auto [place, fresh] = scope.raggedLoops.try_emplace(&loop);
  RaggedRanges &ranges = place->second;
  if (!fresh)
    return ranges;
  const IndexVariable &group = *loop.group, &element = *loop.element;
  unsigned before = reporter.errors();
  checkIndexName(scope, group);
  checkIndexName(scope, element);
  if (reporter.errors() != before)
    return ranges;
  if (element.name.text == group.name.text) {
    reporter
        .error(
            codes::kIndexShadowed,
            fmt::format("the index '{}' is in use already", element.name.text),
            element.name.range)
        .note("first used here", group.name.range)
        .help("give this one a name of its own");
    return ranges;
  }
  IndexSums sums{*this, reporter, scope, "the number of groups",
                 codes::kNoSubscript};
  auto first = sums.of(*group.first), end = sums.of(*group.end);
  if (!first || !end)
    return ranges;
  if (!isNumber(*group.first, "0")) {
    reporter
        .error(codes::kBadRagged, "the groups of a loop are numbered from 0",
               writtenRange(group))
        .help(fmt::format("write 'for {} in 0..{}, {} in ...'", group.name.text,
                          printExpr(*group.end), element.name.text));
    return ranges;
  }
  ranges.groups = end->offset;
  if (!loop.otherwise) {
    ranges.fine = checkGroups(scope, loop, ranges);
    return ranges;
  }
  bool isData = false;
  for (const Expr *side : {element.first.get(), element.end.get()}) {
    isData |= holdsAccess(*side);
    forEachName(*side, [&](const std::string &name, SourceRange) {
      isData |= scope.tensors.count(name) != 0;
    });
  }
  if (!isData) {
    reporter
        .error(codes::kBadRagged,
               fmt::format("no data say how far '{}' runs: a 'where' says it",
                           element.name.text),
               writtenRange(element))
        .help(fmt::format(
            "without the loop: Y[{}, {}] = ... where {}{} < {} else {}",
            group.name.text, element.name.text,
            isNumber(*element.first, "0")
                ? ""
                : fmt::format("{} >= {} and ", element.name.text,
                              printExpr(*element.first)),
            element.name.text, printExpr(*element.end),
            printExpr(*loop.otherwise)));
    return ranges;
  }
  ranges.fine = checkEnds(scope, loop);
  return ranges;
}

/// That the ends of the elements' range are integers.
bool Sema::checkEnds(OpScope &scope, const RaggedLoop &loop) {
  scope.loop = loop.parent;
  ExprChecker checker(*this, scope, nullptr);
  for (const TimeLoop *around = loop.parent; around; around = around->parent)
    checker.bind(*around->index);
  checker.bind(*loop.group);
  for (const Expr *side :
       {loop.element->first.get(), loop.element->end.get()}) {
    ExprPtr value = Cloner().clone(*side);
    auto type = checker.check(*value, ScalarType::I64);
    if (!type)
      return false;
    if (isInteger(*type) || *type == ScalarType::Index)
      continue;
    reporter
        .error(codes::kWrongOperandType,
               fmt::format("the end of a range is an integer, this is {}",
                           spelling(*type)),
               side->range)
        .help(fmt::format("cast it: i32({})", printExpr(*side)));
    return false;
  }
  return true;
}

/// That the elements of the groups are those of a tensor that promises so.
bool Sema::checkGroups(OpScope &scope, const RaggedLoop &loop,
                       RaggedRanges &ranges) {
  const std::string &group = loop.group->name.text;
  const Name *name = offsetsOf(loop);
  if (!name) {
    reporter
        .error(codes::kBadRagged,
               fmt::format("the elements of the groups are off[{0}]..off[{0} + "
                           "1] of one tensor of offsets",
                           group),
               writtenRange(*loop.element))
        .help(fmt::format(
            "for rows that end where data say, write what stands beyond: "
            "for {}, {} in ... {{ Y[{}, {}] = ... }} else 0",
            fmt::format("{} in 0..{}", group, printExpr(*loop.group->end)),
            loop.element->name.text, group, loop.element->name.text));
    return false;
  }
  auto found = scope.tensors.find(name->text);
  if (found == scope.tensors.end()) {
    std::vector<std::string> names;
    for (const auto &[other, tensor] : scope.tensors)
      names.push_back(other);
    reporter.error(codes::kUndefined,
                   fmt::format("there is no tensor '{}'{}", name->text,
                               didYouMean(name->text, names)),
                   name->range);
    return false;
  }
  const Tensor &tensor = *found->second;
  scope.read.insert(&tensor);
  if (!tensor.offsets) {
    // What is wrong with a promise was said where it stands.
    const TensorDecl *decl = declOf(scope, tensor);
    if (decl && decl->offsets)
      return false;
    Diagnostic &d = reporter.error(
        codes::kBadRagged,
        fmt::format("'{}' promises no offsets: nothing says that each element "
                    "is in one group",
                    name->text),
        name->range);
    d.note(fmt::format("'{}' is defined here", name->text), tensor.name.range);
    if (tensor.role == Tensor::Role::Input)
      d.help(fmt::format("promise it behind the type: {}: {}[{} + 1] "
                         "offsets(...), with the number of elements",
                         name->text, spelling(tensor.type),
                         printExpr(*loop.group->end)));
    else
      d.help("only inputs promise offsets: compute them in an operator of "
             "their own");
    return false;
  }
  Extent groups = tensor.dims[0] - Extent::of(1);
  if (!(groups == ranges.groups)) {
    reporter
        .error(codes::kRangesDiffer,
               fmt::format("the loop is over {} groups, '{}' has offsets of {}",
                           spelling(ranges.groups), name->text,
                           spelling(groups)),
               writtenRange(*loop.group))
        .note(fmt::format("'{}' is declared here", name->text),
              declarationOf(scope, tensor))
        .help(fmt::format("write 'for {} in 0..{}, ...'", group,
                          spelling(groups)));
    return false;
  }
  ranges.elements = *tensor.offsets;
  ranges.offsets = name->text;
  return true;
}

void Sema::giveRanges(const OpScope &scope, Statement &statement) const {
  auto found = scope.raggedLoops.find(statement.ragged);
  if (found == scope.raggedLoops.end() || !found->second.fine)
    return;
  const RaggedRanges &ranges = found->second;
  const IndexVariable &given =
      ranges.elements ? *statement.ragged->element : *statement.ragged->group;
  for (auto &index : statement.indices)
    if (index->name.text == given.name.text)
      index->given = {ranges.elements ? *ranges.elements : ranges.groups,
                      writtenRange(given)};
}

} // namespace girih::frontend
