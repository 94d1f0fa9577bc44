//===- PartProofs.cpp - each element is defined, and once -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No element is defined twice, every element of an output and every one that is
// read is defined: proved for all sizes, or refused with an element.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/PartImage.h"
#include "compiler/frontend/Sema.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

namespace {

/// Parts of one tensor; each is compared with every other.
constexpr size_t kMaxParts = 256;

Witness witnessFor(const OpDecl &op, const Tensor &tensor,
                   const Element &element, const std::vector<int64_t> &values,
                   const std::set<const SizeSymbol *> &mentioned) {
  Witness witness;
  witness.element = tensor.name.text;
  for (size_t d = 0; d < element.size(); ++d) {
    int64_t value = element[d].constant;
    for (size_t v = 0; v < values.size(); ++v)
      value += element[d].factor(v) * values[v];
    witness.element += fmt::format("{}{}", d ? ", " : "[", value);
  }
  if (!element.empty())
    witness.element += "]";
  for (const auto &size : op.sizes)
    if (mentioned.count(size.get()))
      witness.sizes +=
          fmt::format("{}{} = {}", witness.sizes.empty() ? " (with " : ", ",
                      size->name.text, values[size->number]);
  if (!witness.sizes.empty())
    witness.sizes += ")";
  return witness;
}

void mention(std::set<const SizeSymbol *> &sizes, const Extent &extent) {
  for (auto [size, factor] : extent.terms)
    sizes.insert(size);
}

/// The sizes that say what `statement` defines.
void mention(std::set<const SizeSymbol *> &sizes, const Statement &statement) {
  for (const IndexSum &sum : leftSums(statement))
    mention(sizes, sum.offset);
  for (const auto &index : statement.indices)
    mention(sizes, *index->extent);
  for (const Condition &condition : statement.domain)
    mention(sizes, condition.sum.offset);
}

/// Both write a constant of their own in some dimension.
bool differClearly(const Statement &a, const Statement &b) {
  std::vector<IndexSum> left = leftSums(a), right = leftSums(b);
  for (size_t d = 0; d < left.size(); ++d)
    if (left[d].terms.empty() && right[d].terms.empty() &&
        (left[d].offset - right[d].offset).isConstant() &&
        !(left[d].offset == right[d].offset))
      return true;
  return false;
}

} // namespace

Element anyElement(Prover &region, const Tensor &tensor) {
  Element element;
  for (const Extent &dim : tensor.dims) {
    LinearForm form;
    form.add(region.addVariable(), 1);
    region.assume(form);
    LinearForm below = plus(formOf(dim), form, -1);
    below.constant -= 1;
    region.assume(below);
    element.push_back(std::move(form));
  }
  return element;
}

Witness witnessOf(const OpDecl &op, const Tensor &tensor,
                  const Element &element, const std::vector<int64_t> &values,
                  const std::vector<const Statement *> &statements) {
  std::set<const SizeSymbol *> sizes;
  for (const Extent &dim : tensor.dims)
    mention(sizes, dim);
  for (const Statement *statement : statements)
    mention(sizes, *statement);
  return witnessFor(op, tensor, element, values, sizes);
}

/// What is read is defined.
bool Sema::checkDefined(OpScope &scope, const SeenAccess &seen,
                        const RangeSolver &solver) {
  const Tensor &tensor = *seen.access->tensor;
  if (tensor.whole && !isGrowing(scope, tensor))
    return true;
  IndexForms turn = turnAt(scope, solver);
  auto regionOf = [&](bool weak, Element &element) {
    Prover region = solver.proverAt(seen, weak);
    Element inside = anyElement(region, tensor);
    for (size_t d = 0; d < inside.size(); ++d) {
      const Subscript &subscript = seen.access->subscripts[d];
      if (!subscript.isAffine())
        continue;
      LinearForm form = solver.formOf(subscript.sum);
      region.assume(plus(inside[d], form, -1));
      region.assume(plus(form, inside[d], -1));
    }
    element = std::move(inside);
    return region;
  };
  Element element;
  Prover region = regionOf(/*weak=*/false, element);
  Cover cover(tensor.parts, turn);
  if (cover.holds(region, element))
    return true;
  Element under;
  Prover weak = regionOf(/*weak=*/true, under);
  bool chosen = Cover(tensor.parts, turn).holds(weak, under);
  std::set<const SizeSymbol *> sizes;
  for (const Extent &dim : tensor.dims)
    mention(sizes, dim);
  for (const Statement *part : tensor.parts)
    mention(sizes, *part);
  auto values = cover.left() ? cover.left()->example() : std::nullopt;
  std::string text = fmt::format(
      "nothing proves that '{}' is defined where it is read", tensor.name.text);
  if (values) {
    Witness witness = witnessFor(scope.op, tensor, element, *values, sizes);
    text = fmt::format("element {}{} is read here, and no statement defines it",
                       witness.element, witness.sizes);
  }
  Diagnostic &d = reporter.error(codes::kNotDefined, text, seen.range);
  if (values) {
    LinearForm mentioned;
    for (const Subscript &subscript : seen.access->subscripts)
      for (auto [index, factor] : subscript.sum.terms) {
        IndexSum self;
        self.terms.push_back({index, 1});
        mentioned = plus(mentioned, solver.formOf(self));
      }
    values->resize(region.variables() - tensor.dims.size());
    if (std::string at = solver.valuesText(*values, mentioned); !at.empty())
      d.note(fmt::format("this is the read with {}", at), seen.range);
  }
  noteParts(d, tensor);
  if (chosen)
    d.help("an 'if' does not keep its other side from being read here: put the "
           "condition behind the statement, '... where ... else ...'");
  else
    d.help("restrict what reads it ('... where ...'), or define the rest");
  return false;
}

void Sema::noteParts(Diagnostic &diagnostic, const Tensor &tensor) const {
  constexpr size_t kShown = 4;
  for (size_t i = 0; i < std::min(tensor.parts.size(), kShown); ++i)
    diagnostic.note(
        tensor.parts.size() == 1
            ? fmt::format("'{}' is defined here", tensor.name.text)
            : fmt::format("this defines a part of '{}'", tensor.name.text),
        tensor.parts[i]->target.range);
}

/// No element is defined by two statements.
bool Sema::checkDisjoint(const OpScope &scope, const Statement &statement,
                         const Tensor &tensor) {
  if (tensor.parts.size() >= kMaxParts) {
    reporter.error(codes::kTooManyStatements,
                   fmt::format("more than {} statements define '{}'", kMaxParts,
                               tensor.name.text),
                   statement.target.range);
    return false;
  }
  for (const Statement *other : tensor.parts) {
    if (differClearly(*other, statement))
      continue;
    Prover region = proverOf(scope.op);
    Element element;
    for (size_t d = 0; d < tensor.dims.size(); ++d)
      element.emplace_back().add(region.addVariable(), 1);
    IndexForms turn = addTurn(region, tensor);
    assumeDefined(region, element, *other, turn);
    assumeDefined(region, element, statement, turn);
    if (region.empty())
      continue;
    std::set<const SizeSymbol *> sizes;
    mention(sizes, *other);
    mention(sizes, statement);
    auto values = region.example();
    std::string text =
        fmt::format("nothing proves that two parts of '{}' share no element",
                    tensor.name.text);
    if (values) {
      Witness witness = witnessFor(scope.op, tensor, element, *values, sizes);
      text = fmt::format("element {}{} is written by both statements",
                         witness.element, witness.sizes);
    }
    reporter.error(codes::kPartsOverlap, text, statement.target.range)
        .note("the other one stands here", other->target.range)
        .help("restrict one of them ('... where ...'), or the sizes");
    return false;
  }
  return true;
}

/// The dimensions of a temporary reach as far as its parts do.
bool Sema::growTemporary(const OpScope &scope, const Statement &statement,
                         Tensor &tensor) {
  Prover prover = proverOf(scope.op);
  std::vector<IndexSum> sums = leftSums(statement);
  bool first = tensor.parts.empty();
  for (size_t d = 0; d < sums.size(); ++d) {
    Extent least = sums[d].offset, end = least + Extent::of(1);
    if (!sums[d].terms.empty()) {
      auto [index, factor] = sums[d].terms[0];
      Extent last = (*index->extent - Extent::of(1)) * factor;
      least = least + index->start * factor;
      end = least + Extent::of(1);
      (factor > 0 ? end : least) = (factor > 0 ? end : least) + last;
      // Nothing is written where the index runs over nothing.
      if (factor > 0 && !prover.proves(formOf(end)))
        end = end + Extent::of(factor - 1);
    }
    SourceRange range =
        statement.at.empty() ? statement.target.range : statement.at[d].range;
    bool empty = false;
    Prover runs = prover;
    for (const auto &index : statement.indices)
      runs.assume(formOf(*index->extent - Extent::of(1)));
    empty = runs.empty();
    if (!empty && !runs.proves(formOf(least))) {
      reporter
          .error(codes::kBoundNotProved,
                 fmt::format("cannot prove that this subscript is 0 or more: "
                             "it starts at {}",
                             spelling(least)),
                 range)
          .help("add a constraint on the sizes, or shift the index");
      return false;
    }
    if (first) {
      tensor.dims.push_back(end);
      continue;
    }
    if (prover.proves(formOf(tensor.dims[d] - end)))
      continue;
    if (!prover.proves(formOf(end - tensor.dims[d]))) {
      reporter
          .error(codes::kRangesDiffer,
                 fmt::format("this part of '{}' ends at {}, those before it at "
                             "{}: neither is known to be the larger",
                             tensor.name.text, spelling(end),
                             spelling(tensor.dims[d])),
                 range)
          .note("the first part stands here", tensor.parts[0]->target.range)
          .help("let both depend on the same size, or make it an output, whose "
                "dimensions are declared");
      return false;
    }
    if (scope.readToEnd.count(&tensor)) {
      reporter
          .error(codes::kRangesDiffer,
                 fmt::format("'{}' ended at {} where a read above asks for its "
                             "end, this part makes it {}",
                             tensor.name.text, spelling(tensor.dims[d]),
                             spelling(end)),
                 range)
          .help("move the read below all parts");
      return false;
    }
    tensor.dims[d] = end;
  }
  return true;
}

bool Sema::addPart(OpScope &scope, Statement &statement, Tensor &tensor) {
  if (statement.updates)
    return true;
  bool temporary = tensor.role == Tensor::Role::Temporary;
  bool given = temporary && tensor.parts.empty() && !tensor.dims.empty();
  bool declared = given || !statement.declared.empty();
  if (temporary && !declared && !growTemporary(scope, statement, tensor))
    return false;
  if (temporary && declared && tensor.dims.empty())
    for (const auto &index : statement.indices)
      tensor.dims.push_back(*index->extent);
  if (!tensor.parts.empty() && !checkDisjoint(scope, statement, tensor))
    return false;
  bool alone =
      tensor.parts.empty() && statement.at.empty() && !isPart(scope, statement);
  tensor.parts.push_back(&statement);
  if (alone && (statement.domain.empty() || statement.otherwise)) {
    tensor.whole = true;
    return true;
  }
  Prover region = proverOf(scope.op);
  Element element = anyElement(region, tensor);
  IndexForms turn = addTurn(region, tensor);
  tensor.whole = Cover(tensor.parts, std::move(turn)).holds(region, element);
  return true;
}

/// Every element of an output is defined.
void Sema::checkCovered(const OpScope &scope, const TensorDecl &decl) {
  const Tensor &tensor = *decl.tensor;
  if (tensor.whole || tensor.parts.empty())
    return;
  Prover region = proverOf(scope.op);
  Element element = anyElement(region, tensor);
  IndexForms turn = addTurn(region, tensor);
  Cover cover(tensor.parts, std::move(turn));
  if (cover.holds(region, element))
    return;
  std::set<const SizeSymbol *> sizes;
  for (const Extent &dim : tensor.dims)
    mention(sizes, dim);
  for (const Statement *part : tensor.parts)
    mention(sizes, *part);
  auto values = cover.left() ? cover.left()->example() : std::nullopt;
  std::string text = fmt::format(
      "nothing proves that every element of '{}' is defined", decl.name.text);
  if (values) {
    Witness witness = witnessFor(scope.op, tensor, element, *values, sizes);
    text = fmt::format("element {}{} of the output is never defined",
                       witness.element, witness.sizes);
  }
  const Statement &last = *tensor.parts.back();
  Diagnostic &d = reporter.error(codes::kNotCovered, text, last.target.range);
  if (tensor.parts.size() > 1)
    noteParts(d, tensor);
  d.note("it is declared here", decl.range);
  if (tensor.parts.size() == 1 && last.where)
    d.help("give the other elements a value: '... where ... else 0'");
  else
    d.help("add a statement for the rest");
}

} // namespace girih::frontend
