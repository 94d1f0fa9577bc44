//===- SemaAliases.cpp - outputs in the memory of an input ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `-> Y: f32[N] aliases X`: the caller may give one tensor for both. The text
// means what it says of two tensors, so no element of X may be read once that
// element of Y is written. Statements run in the order of the text; instances
// of the one that writes Y in any, so that each may read its own element only.
// Below the front end Y is then X written in place, with all the dependences
// that this brings.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/PartImage.h"
#include "compiler/frontend/Sema.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

/// Groups and leading dimensions as they are given.
static bool haveOneShape(const TensorDecl &a, const TensorDecl &b) {
  if (a.tensor->dims != b.tensor->dims)
    return false;
  auto isAlike = [](const DimDecl &one, const DimDecl &other) {
    return one.place == other.place;
  };
  return std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                    isAlike);
}

void Sema::checkAliases(OpScope &scope) {
  for (TensorDecl &decl : scope.op.outputs) {
    const Name &name = decl.aliases;
    if (name.text.empty())
      continue;
    const TensorDecl *input = nullptr;
    std::vector<std::string> names;
    for (const TensorDecl &other : scope.op.inputs) {
      names.push_back(other.name.text);
      if (other.name.text == name.text)
        input = &other;
    }
    if (!input) {
      reporter
          .error(codes::kUndefined,
                 fmt::format("there is no input '{}'{}", name.text,
                             didYouMean(name.text, names)),
                 name.range)
          .help("an output aliases an input, whose memory it may be given");
      continue;
    }
    auto wrong = [&](std::string message, std::string help) {
      reporter.error(codes::kBadAlias, std::move(message), name.range)
          .note(fmt::format("'{}' is declared here", name.text), input->range)
          .help(std::move(help));
    };
    if (input->inOut) {
      wrong(fmt::format("'{}' is inout: it is written in place already",
                        name.text),
            fmt::format("alias an input that is none, or write '{}' itself",
                        name.text));
      continue;
    }
    if (input->type != decl.type || !haveOneShape(*input, decl)) {
      wrong(fmt::format("'{}' is {}, '{}' is {}: only a tensor of one type and "
                        "shape can be both",
                        decl.name.text, printShape(decl), name.text,
                        printShape(*input)),
            fmt::format("declare them alike, or take 'aliases {}' away",
                        name.text));
      continue;
    }
    for (const TensorDecl &other : scope.op.outputs)
      if (other.tensor->aliases == input->tensor)
        wrong(fmt::format("'{}' aliases '{}' too: one memory cannot be both "
                          "outputs",
                          other.name.text, name.text),
              "take one of the two away");
    decl.tensor->aliases = input->tensor;
  }
}

bool Sema::checkAliased(OpScope &scope, const Statement &statement,
                        const std::vector<SeenAccess> &accesses,
                        const RangeSolver &solver) {
  const Tensor &written = *statement.tensor;
  if (written.aliases && (statement.loop || statement.scatter)) {
    reporter
        .error(codes::kBadAlias,
               fmt::format("'{}' aliases '{}' and is {}", written.name.text,
                           written.aliases->name.text,
                           statement.loop
                               ? "written in a loop, whose turns would "
                                 "overwrite what later ones read"
                               : "scattered into, which sets every element "
                                 "before the first value comes"),
               statement.target.range)
        .note("it is declared here", declarationOf(scope, written))
        .help(fmt::format("give a tensor of its own these values and write "
                          "'{}' below, or take 'aliases {}' away",
                          written.name.text, written.aliases->name.text));
    return false;
  }
  for (const SeenAccess &seen : accesses)
    for (const TensorDecl &decl : scope.op.outputs)
      if (decl.tensor->aliases && decl.tensor->aliases == seen.access->tensor &&
          !checkAliasedRead(scope, statement, seen, solver, *decl.tensor))
        return false;
  return true;
}

namespace {

/// Where a read may be, and whether it is there: `clamp` is three cases, and
/// other rules, as places that data choose, are any element.
struct ReadRegion {
  Prover region;
  Element element;
  bool isExact = true;
};

void assumeEqual(Prover &region, const LinearForm &a, const LinearForm &b) {
  region.assume(plus(a, b, -1));
  region.assume(plus(b, a, -1));
}

std::vector<ReadRegion> readRegions(const SeenAccess &seen,
                                    const RangeSolver &solver) {
  const Tensor &tensor = *seen.access->tensor;
  ReadRegion start{solver.proverAt(seen, /*weak=*/false), {}};
  start.element = anyElement(start.region, tensor);
  std::vector<ReadRegion> regions;
  regions.push_back(std::move(start));
  for (size_t d = 0; d < tensor.dims.size(); ++d) {
    const Subscript &subscript = seen.access->subscripts[d];
    if (!subscript.sum.values.empty() ||
        (!subscript.isAffine() && subscript.rule != AccessRule::Clamp)) {
      for (ReadRegion &region : regions)
        region.isExact = false;
      continue;
    }
    LinearForm at = solver.formOf(subscript.sum);
    std::vector<ReadRegion> cases;
    for (ReadRegion &region : regions) {
      LinearForm last = formOf(tensor.dims[d]);
      last.constant -= 1;
      if (subscript.rule == AccessRule::Clamp) {
        ReadRegion below = region, above = region;
        assumeEqual(below.region, region.element[d], LinearForm());
        below.region.assume(plus(LinearForm(), at, -1));
        assumeEqual(above.region, region.element[d], last);
        above.region.assume(plus(at, last, -1));
        cases.push_back(std::move(below));
        cases.push_back(std::move(above));
      }
      assumeEqual(region.region, region.element[d], at);
      cases.push_back(std::move(region));
    }
    regions = std::move(cases);
  }
  return regions;
}

} // namespace

bool Sema::checkAliasedRead(OpScope &scope, const Statement &statement,
                            const SeenAccess &seen, const RangeSolver &solver,
                            const Tensor &output) {
  const Tensor &input = *seen.access->tensor;
  IndexForms turn = turnAt(scope, solver);
  std::vector<ReadRegion> regions = readRegions(seen, solver);
  auto refuse = [&](const ReadRegion &region, Prover &where,
                    const Statement &writer, const char *how,
                    std::string help) {
    std::string which = "an element that it may read";
    if (auto values = where.example(); values && region.isExact) {
      Witness witness = witnessOf(scope.op, input, region.element, *values,
                                  {&writer, &statement});
      which = "element " + witness.element + witness.sizes;
    }
    reporter
        .error(codes::kAliasedRead,
               fmt::format("'{}' may be the memory of '{}', and {} is {}",
                           input.name.text, output.name.text, which, how),
               seen.range)
        .note(fmt::format("'{}' is written here", output.name.text),
              writer.target.range)
        .note("it is declared here", declarationOf(scope, output))
        .help(std::move(help));
    return false;
  };
  std::string orNot = fmt::format("or take 'aliases {}' away", input.name.text);
  for (const Statement *part : output.parts)
    for (const ReadRegion &region : regions) {
      Prover written = region.region;
      assumeDefined(written, region.element, *part, turn);
      if (!written.empty())
        return refuse(
            region, written, *part, "overwritten before it is read here",
            fmt::format("read it above that statement, into a tensor of its "
                        "own, {}",
                        orNot));
    }
  if (statement.tensor != &output)
    return true;
  if (!seen.reductions.empty())
    return refuse(regions.back(), regions.back().region, statement,
                  "reduced over while this statement overwrites it",
                  fmt::format("give the reduction a statement of its own above "
                              "this one, {}",
                              orNot));
  // Of what this statement writes an instance reads its own element only.
  std::vector<IndexSum> left = leftSums(statement);
  for (const ReadRegion &region : regions) {
    Prover written = region.region;
    assumeDefined(written, region.element, statement, turn);
    for (size_t d = 0; d < left.size(); ++d) {
      LinearForm ahead = plus(region.element[d], solver.formOf(left[d]), -1);
      for (int64_t sign : {1, -1}) {
        Prover other = written;
        LinearForm distance = plus(LinearForm(), ahead, sign);
        distance.constant -= 1;
        other.assume(distance);
        if (!other.empty())
          return refuse(
              region, other, statement,
              "written by another instance of this statement",
              fmt::format("name the value first, as in T = ... and {} = T, {}",
                          output.name.text, orNot));
      }
    }
  }
  return true;
}

} // namespace girih::frontend
