//===- SemaDims.cpp - dimensions and promises of an operator --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/Sema.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

/// The one size of an argument's dimension that is not solved, if it follows
/// from the extent: it stands in one member of the group, and its factor is
/// positive.
static const SizeSymbol *unknownOf(const OuterDim &outer,
                                   const std::vector<Extent> &dims,
                                   const std::set<const SizeSymbol *> &solved) {
  const SizeSymbol *unknown = nullptr;
  unsigned count = 0;
  for (unsigned member = 0; member < outer.count; ++member)
    for (auto [size, factor] : dims[outer.first + member].terms)
      if (!solved.count(size)) {
        unknown = factor > 0 ? size : nullptr;
        ++count;
      }
  return count == 1 ? unknown : nullptr;
}

/// A size is solved from the arguments: some input has a dimension in which it
/// is the only one not known.
void Sema::solveSizes(OpScope &scope) {
  std::set<const SizeSymbol *> solved;
  for (bool progress = true; progress;) {
    progress = false;
    for (const TensorDecl &decl : scope.op.inputs)
      for (const OuterDim &outer : outerDims(decl))
        if (auto *unknown = unknownOf(outer, decl.tensor->dims, solved))
          progress |= solved.insert(unknown).second;
    for (const auto &derived : scope.op.derived) {
      const auto &terms = derived->numerator.terms;
      if (std::all_of(terms.begin(), terms.end(), [&](const auto &term) {
            return solved.count(term.first);
          }))
        progress |= solved.insert(derived->size).second;
    }
  }
  for (const auto &size : scope.op.sizes) {
    if (solved.count(size.get()) || scope.clashed.count(size->name.text) ||
        size->derived) // what it needs is said
      continue;
    Diagnostic &d = reporter.error(
        codes::kSizeNotSolved,
        fmt::format("no input says how large '{}' is", size->name.text),
        size->name.range);
    bool inInput = false, inGroup = false;
    for (const TensorDecl &decl : scope.op.inputs)
      for (size_t i = 0; i < decl.dims.size(); ++i)
        for (auto [other, factor] : decl.tensor->dims[i].terms)
          if (other == size.get()) {
            inInput = true;
            inGroup |= decl.dims[i].place == DimDecl::Place::GroupFirst ||
                       decl.dims[i].place == DimDecl::Place::GroupNext;
          }
    bool divided = false;
    for (const auto &derived : scope.op.derived)
      divided |= derived->sum.factors.count(size->name.text) != 0;
    d.help(divided && !inInput
               ? "a quotient does not say what was divided: give an input "
                 "the whole dimension, or let it be 2 * H"
           : inGroup ? "it must be the only unknown of a group: let another "
                       "input's dimension say the others"
           : inInput
               ? "it must be the only unknown of some input's dimension"
               : fmt::format("use a size of an input, or a constant; or say "
                             "it: where {0} == 4, where {0} = E with a "
                             "parameter or constant E",
                             size->name.text));
  }
}

/// `..R` is a size, and an output's are those of an input.
void Sema::checkLeading(OpScope &scope) {
  std::set<std::string, std::less<>> shown;
  auto check = [&](const TensorDecl &decl) {
    if (decl.dims.empty() || decl.dims[0].place != DimDecl::Place::Leading ||
        leadingName(decl))
      return true;
    reporter
        .error(codes::kLeadingDims,
               "the name of leading dimensions is that of a parameter",
               decl.dims[0].range)
        .help("give them a name of their own: a size follows from the "
              "arguments");
    return false;
  };
  for (const TensorDecl &decl : scope.op.inputs)
    if (const std::string *name = check(decl) ? leadingName(decl) : nullptr)
      shown.insert(*name);
  for (const TensorDecl &decl : scope.op.outputs) {
    const std::string *name = check(decl) ? leadingName(decl) : nullptr;
    if (!name || shown.count(*name))
      continue;
    scope.clashed.insert(*name); // said here, once
    reporter
        .error(codes::kLeadingDims,
               fmt::format("no input has the leading dimensions '..{}'{}",
                           *name,
                           didYouMean(*name, {shown.begin(), shown.end()})),
               decl.dims[0].range)
        .help(fmt::format("an output takes its leading dimensions from an "
                          "input: X: f32[..{}, ...]",
                          *name));
  }
}

/// What is assumed is checked where it comes in.
void Sema::checkAssumptions(OpScope &scope) {
  for (const Assumption &assumption : scope.op.assumptions) {
    const Name &name = assumption.tensor;
    auto found = scope.tensors.find(name.text);
    const Tensor *tensor =
        found == scope.tensors.end() ? nullptr : found->second;
    bool computed = tensor ? tensor->role != Tensor::Role::Input
                           : scope.firstStatement.count(name.text) > 0;
    if (computed) {
      reporter
          .error(codes::kWrongKind,
                 fmt::format("'{}' is computed: only inputs are assumed finite",
                             name.text),
                 name.range)
          .help("assume it of the inputs that it is computed from");
    } else if (!tensor) {
      std::vector<std::string> names;
      for (const TensorDecl &decl : scope.op.inputs)
        names.push_back(decl.name.text);
      reporter.error(codes::kUndefined,
                     fmt::format("there is no input '{}'{}", name.text,
                                 didYouMean(name.text, names)),
                     name.range);
    } else if (!isFloat(tensor->type)) {
      reporter
          .error(codes::kWrongOperandType,
                 fmt::format("'{}' is {}, which is always finite", name.text,
                             spelling(tensor->type)),
                 name.range)
          .help("leave the assumption out");
    }
  }
}

} // namespace girih::frontend
