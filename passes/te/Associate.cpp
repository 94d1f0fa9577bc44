//===- Associate.cpp - a term and a leaf for every reduction --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Leaves: `sequential` rounds products before it adds them (muladd); a fixed or
// pinned order fuses a body that is a product into the chain (fma).
//
//===----------------------------------------------------------------------===//

#include "passes/te/DefaultTerm.h"
#include "passes/te/HoistReductions.h"
#include "passes/te/Passes.h"

using namespace mlir;
using namespace girih::te;
using girih::arith::Term;

namespace girih::te {
#define GEN_PASS_DEF_ASSOCIATE
#include "passes/te/Passes.h.inc"
} // namespace girih::te

//===----------------------------------------------------------------------===//
// Several indices
//===----------------------------------------------------------------------===//

/// Turns a reduction over i, j ... into one over i of one over j ... .
static void splitIndices(ReduceOp reduce) {
  while (reduce.getExtents().size() > 1) {
    OpBuilder builder(reduce);
    auto list = [&](ArrayRef<Attribute> items) {
      return builder.getArrayAttr(items);
    };
    auto outer = ReduceOp::create(
        builder, reduce.getLoc(), reduce.getType(), reduce.getKind(),
        list(reduce.getIndexNames().getValue().take_front()),
        list(reduce.getExtents().getValue().take_front()), reduce.getOrder(),
        TermAttr(), Leaf::Plain, /*from=*/Value());
    reduce.getResult().replaceAllUsesWith(outer.getResult());
    Block *body = builder.createBlock(&outer.getBody());
    BlockArgument first = reduce.getBlock().getArgument(0);
    first.replaceAllUsesWith(
        body->addArgument(first.getType(), first.getLoc()));
    reduce.getBlock().eraseArgument(0);
    reduce->moveBefore(body, body->end());
    builder.setInsertionPointToEnd(body);
    YieldOp::create(builder, reduce.getLoc(), reduce.getResult());
    reduce.setIndexNamesAttr(
        list(reduce.getIndexNames().getValue().drop_front()));
    reduce.setExtentsAttr(list(reduce.getExtents().getValue().drop_front()));
  }
}

/// Whether the text leaves the term to the compiler: `free` takes what `fixed`
/// does, so that its bits are reproducible too.
static bool takesDefault(ReduceOp reduce) {
  return reduce.getOrder() == "fixed" || reduce.getOrder() == "free";
}

/// Splits the fixed reductions over several indices that are no contractions.
/// True when there was one.
static bool splitFixedReductions(FuncOp func) {
  bool changed = false;
  func.walk([&](ComputeOp compute) {
    ReduceOp reduce = compute.getReduction();
    if (!reduce || reduce.getTermAttr() || !takesDefault(reduce) ||
        reduce.getExtents().size() == 1 || isContraction(compute, reduce))
      return;
    splitIndices(reduce);
    changed = true;
  });
  return changed;
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// What is wrong with the trees of `term` over `count` elements (nothing: not
/// constant), or an empty string.
static std::string treeProblem(const Term &term, std::optional<int64_t> count) {
  switch (term.kind) {
  case Term::Kind::Seq:
  case Term::Kind::Lanes:
  case Term::Kind::Mma:
    return {};
  case Term::Kind::Tree: {
    std::string tree = "tree(" + std::to_string(term.length) + ")";
    if (!count)
      return tree + " needs a constant extent";
    if (*count % term.length != 0)
      return tree + " does not divide " + std::to_string(*count) + " elements";
    return treeProblem(term.innerOrSeq(), *count / term.length);
  }
  case Term::Kind::Seg: {
    const Term &inner = term.innerOrSeq(), &merge = term.mergeOrSeq();
    if (!count) {
      std::string problem = treeProblem(inner, std::nullopt);
      return problem.empty() ? treeProblem(merge, std::nullopt) : problem;
    }
    int64_t full = *count / term.length, last = *count % term.length;
    std::string problem = full > 0 ? treeProblem(inner, term.length) : "";
    if (problem.empty() && last > 0)
      problem = treeProblem(inner, last);
    return problem.empty() ? treeProblem(merge, full + (last > 0)) : problem;
  }
  }
  llvm_unreachable("a kind of term");
}

static LogicalResult checkTerm(FuncOp func, ReduceOp reduce, const Term &term) {
  std::string text = girih::arith::printTerm(term);
  if (term.kind == Term::Kind::Seq)
    return success();
  if (reduce.getExtents().size() > 1)
    return reduce->emitError("order '")
           << text
           << "' over several indices is not supported yet; nest the sums";
  if (term.kind == Term::Kind::Mma && !isSumOfProducts(reduce))
    return reduce->emitError("order '") << text << "' needs a sum of products";
  Attribute extent = reduce.getExtents()[0];
  std::optional<int64_t> count = func.constantExtent(extent);
  std::string problem = treeProblem(term, count);
  if (problem.empty())
    return success();
  InFlightDiagnostic error = reduce->emitError("order '")
                             << text << "': " << problem;
  if (!count)
    error << ", and " << cast<StringAttr>(extent).getValue()
          << " is not given at compile time";
  return error;
}

static LogicalResult associate(FuncOp func, ComputeOp compute) {
  ReduceOp reduce = compute.getReduction();
  if (!reduce)
    return success();
  StringRef order = reduce.getOrder();
  TermAttr given = reduce.getTermAttr();
  StringRef text = given ? given.getText() : order;

  std::optional<Term> term;
  // An integer product and its sum wrap, rounded nowhere: one leaf is as good
  // as another, and muladd says that the body is a product.
  bool isFloat = isa<FloatType>(reduce.getType());
  Leaf leaf = !isSumOfProducts(reduce) ? Leaf::Plain
              : isFloat                ? Leaf::Fma
                                       : Leaf::MulAdd;
  if (leaf == Leaf::Fma && reduce.getLeaf() == Leaf::MulAdd)
    leaf = Leaf::MulAdd; // the text keeps the product's rounding
  if (!given && takesDefault(reduce)) {
    term = defaultTerm(compute, reduce);
  } else if (!given && order == "sequential") {
    term = Term::seq();
    if (leaf == Leaf::Fma)
      leaf = Leaf::MulAdd;
  } else {
    std::string problem;
    size_t offset = 0;
    term = girih::arith::parseTerm(std::string_view(text.data(), text.size()),
                                   problem, offset);
    if (!term)
      return reduce->emitError("order '")
             << text
             << "' is neither fixed, free, sequential nor a term: " << problem;
  }
  if (failed(checkTerm(func, reduce, *term)))
    return failure();
  if (given)
    return success();
  reduce.setTermAttr(
      TermAttr::get(func.getContext(), girih::arith::printTerm(*term)));
  reduce.setLeaf(leaf);
  return success();
}

namespace {
struct AssociatePass : girih::te::impl::AssociateBase<AssociatePass> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (failed(hoistReductions(func)) ||
        (splitFixedReductions(func) && failed(hoistReductions(func))))
      return signalPassFailure();
    func.walk([&](ComputeOp compute) {
      if (failed(associate(func, compute)))
        signalPassFailure();
    });
  }
};
} // namespace
