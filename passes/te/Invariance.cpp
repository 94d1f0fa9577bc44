//===- Invariance.cpp - do results depend on a size? ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why it holds where no reason is found. Compare runs at two sizes. By
// induction over the instances in their order: an instance of both runs
// evaluates the same expression, over the same boxes and by the same terms, of
// elements at the same subscripts. Each of these was written last by the same
// instance, since which instances write an element that exists does not depend
// on the size either
// (`checkDomain`) and their order is lexicographic. Elements that exist in one
// run only are read by no instance of both: subscripts lie inside.
//
//===----------------------------------------------------------------------===//

#include "passes/te/Invariance.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace mlir;
using namespace girih::te;

/// `2 * H + 1`.
static std::string textOf(Attribute extent) {
  LinearExtent sum = linearOf(extent);
  std::string text;
  auto add = [&](bool negative, const std::string &part) {
    text += text.empty() ? (negative ? "-" : "") : negative ? " - " : " + ";
    text += part;
  };
  for (auto [size, factor] : sum.terms) {
    std::string number = std::to_string(std::abs(factor));
    add(factor < 0,
        (number == "1" ? "" : number + " * ") + size.getValue().str());
  }
  if (sum.constant != 0 || text.empty())
    add(sum.constant < 0, std::to_string(std::abs(sum.constant)));
  return text;
}

/// The tensor as the text calls it; empty where nothing does.
static std::string nameOf(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto compute = dyn_cast_or_null<ComputeOp>(op))
    return compute.getPartOf().value_or(compute.getName()).str();
  if (auto scatter = dyn_cast_or_null<ScatterOp>(op))
    return scatter.getName().str();
  auto argument = dyn_cast<BlockArgument>(tensor);
  auto func = argument ? dyn_cast<FuncOp>(argument.getOwner()->getParentOp())
                       : FuncOp();
  if (!func)
    return "";
  return cast<StringAttr>(func.getArgNames()[argument.getArgNumber()]).str();
}

namespace {

/// What one result is made of, and why it may depend on the size.
class Search {
public:
  Search(FuncOp func, const llvm::StringSet<> &changing, StringRef asked)
      : func(func), changing(changing), asked(asked) {}

  /// Finds the reasons of `result`.
  void follow(Value result) {
    reach(result, Value());
    while (!pending.empty())
      visit(pending.pop_back_val());
  }

  struct Reason {
    Operation *op;
    std::string what, help, path;
    Location place;
  };
  std::vector<Reason> reasons;
  llvm::SetVector<ReduceOp> reductions;

private:
  //===--------------------------------------------------------------------===//
  // Where values come from
  //===--------------------------------------------------------------------===//

  void reach(Value tensor, Value reader) {
    if (from.insert({tensor, reader}).second)
      pending.push_back(tensor);
  }

  void visit(Value tensor) {
    here = tensor;
    Operation *op = tensor.getDefiningOp();
    auto argument = dyn_cast<BlockArgument>(tensor);
    if (argument)
      op = argument.getOwner()->getParentOp();
    if (auto compute = dyn_cast<ComputeOp>(op))
      visit(compute);
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      visit(scatter);
    else if (auto loop = dyn_cast<ForOp>(op))
      visit(loop, argument ? argument.getArgNumber() - 1
                           : cast<OpResult>(tensor).getResultNumber());
    else if (argument && isa<FuncOp>(op))
      visit(argument);
    else
      add(op, "'" + op->getName().getStringRef().str() + "' makes it", "");
  }

  void visit(BlockArgument input) {
    auto range = dyn_cast<ArrayAttr>(func.getArgRanges()[input.getArgNumber()]);
    // A range alone is kept by inputs that agree; the last offset cannot.
    if (range && range.size() == 3 && depends(range[2]))
      add(func,
          nameOf(input) + " promises offsets that end at " + say(range[2]),
          "a loop over groups takes all of its elements: ask about another "
          "size",
          input.getLoc());
  }

  void visit(ForOp loop, unsigned number) {
    reach(loop.getInits()[number], here);
    auto next = cast<NextOp>(loop.getBlock().getTerminator());
    reach(next.getValues()[number], here);
    if (depends(loop.getExtent()))
      add(loop,
          "the loop over " + loop.getIndexName().str() + " has " +
              say(loop.getExtent()) + " turns",
          "let the number of turns be another size");
  }

  void visit(ScatterOp scatter) {
    reach(scatter.getStart(), here);
    for (auto [index, extent] :
         llvm::zip(scatter.getIndexNames(), scatter.getExtents()))
      if (depends(extent))
        add(scatter,
            nameOf(scatter.getResult()) + " takes values of " +
                cast<StringAttr>(index).str() + " in 0.." + say(extent),
            "every element may get values of all of them: put them into rows "
            "of their own");
    visitRegion(scatter, /*domainMatters=*/true);
  }

  void visit(ComputeOp compute) {
    if (compute.getInto())
      reach(compute.getInto(), here);
    // What has one writer alone is read where that writes.
    bool shared =
        compute.getInto() ||
        llvm::any_of(compute.getResult().getUsers(),
                     [](Operation *user) { return !isa<ReadOp>(user); });
    if (shared)
      checkDomain(compute);
    visitRegion(compute, shared);
  }

  //===--------------------------------------------------------------------===//
  // Which instance writes an element
  //===--------------------------------------------------------------------===//

  /// The end of an index's box must be where the tensor ends.
  void checkDomain(ComputeOp compute) {
    for (auto [number, extent] : llvm::enumerate(compute.getBox()))
      if (depends(extent) && !endsWithTensor(compute, number))
        add(compute,
            nameOf(compute.getResult()) + " has elements of " +
                cast<StringAttr>(compute.getIndexNames()[number]).str() +
                " in 0.." + say(extent) + ", and others beside them",
            "define the tensor by one statement, or in parts that another "
            "size tells apart");
  }

  /// Whether an instance beyond the box of index `number` would lie outside of
  /// the tensor: with a * i + c as a subscript and E and D as ends of box and
  /// dimension, D <= a * E + c.
  bool endsWithTensor(ComputeOp compute, unsigned number) {
    Value index = compute.getBlock().getArgument(number);
    ArrayRef<Attribute> shape = compute.getType().getShape();
    auto yield = cast<YieldOp>(compute.getBlock().getTerminator());
    if (yield.getAt().empty())
      return number < shape.size() && shape[number] == compute.getBox()[number];
    for (auto [subscript, dim] : llvm::zip(yield.getAt(), shape)) {
      LinearExtent rest = linearOf(dim);
      int64_t factor = subscript == index;
      if (auto affine = subscript.getDefiningOp<AffineOp>();
          affine && affine.getIndices().size() == 1 &&
          affine.getIndices()[0] == index) {
        factor = affine.getCoefficients()[0];
        subtract(rest, linearOf(affine.getOffset()), 1);
      }
      if (factor < 1)
        continue;
      subtract(rest, linearOf(compute.getBox()[number]), factor);
      auto number = dyn_cast<IntegerAttr>(makeExtent(func.getContext(), rest));
      if (number && number.getInt() <= 0)
        return true;
    }
    return false;
  }

  static void subtract(LinearExtent &from, const LinearExtent &what,
                       int64_t times) {
    for (auto [size, factor] : what.terms)
      from.terms.push_back({size, -times * factor});
    from.constant -= times * what.constant;
  }

  //===--------------------------------------------------------------------===//
  // Expressions
  //===--------------------------------------------------------------------===//

  void visitRegion(Operation *owner, bool domainMatters) {
    owner->getRegion(0).walk([&](Operation *op) {
      if (auto read = dyn_cast<ReadOp>(op))
        reach(read.getTensor(), here);
      else if (auto reduce = dyn_cast<ReduceOp>(op))
        visit(reduce);
      else if (auto where = dyn_cast<WhereOp>(op))
        visit(where, domainMatters);
      else if (auto bound = dyn_cast<BoundOp>(op))
        visit(bound);
      else
        visitOther(op);
    });
  }

  void visit(ReduceOp reduce) {
    reductions.insert(reduce);
    for (auto [index, extent] :
         llvm::zip(reduce.getIndexNames(), reduce.getExtents()))
      if (depends(extent))
        add(reduce,
            nameOf(here) + " takes the " + girih::te::nameOf(reduce).str() +
                " over " + cast<StringAttr>(index).str() + " in 0.." +
                say(extent),
            "a reduction depends on how much it reduces: reduce over a "
            "dimension of another size");
  }

  void visit(WhereOp where, bool domainMatters) {
    bool reduces = isa<ReduceOp>(where->getParentOp());
    if (!depends(where.getOffset()) || (!reduces && !domainMatters))
      return;
    add(where,
        nameOf(here) +
            (reduces ? " has a condition with " + say(where.getOffset()) +
                           " on what it reduces"
                     : " has a condition with " + say(where.getOffset()) +
                           " on which of its elements a statement defines"),
        "compare with another size, or with a value that is an input");
  }

  void visit(BoundOp bound) {
    if (!depends(bound.getExtent()))
      return;
    add(bound,
        nameOf(here) + " reads by the rule " +
            stringifyBoundRule(bound.getRule()).str() + " at " +
            say(bound.getExtent()),
        isa_and_nonnull<ToIndexOp>(bound.getValue().getDefiningOp())
            ? "promise a range of the input instead: id: i64[N] in 0..V"
            : "read inside the tensor, so that no rule is needed");
  }

  /// Everything that names the size: te.size, te.affine.
  void visitOther(Operation *op) {
    bool found = false;
    std::string text;
    for (NamedAttribute entry : op->getAttrDictionary())
      entry.getValue().walk<WalkOrder::PreOrder>([&](Attribute attribute) {
        bool extent = isa<StringAttr, ExtentAttr>(attribute);
        if (found || !extent || !depends(attribute))
          return;
        found = true;
        text = say(attribute);
      });
    if (!found)
      return;
    bool chooses = llvm::any_of(op->getUsers(), [](Operation *user) {
      return isa<ReadOp, YieldOp, BoundOp, PutOp>(user);
    });
    bool compares =
        !chooses && llvm::any_of(op->getUsers(), [](Operation *user) {
          return isa<CompareOp>(user);
        });
    if (chooses && isa<AffineOp>(op))
      add(op, nameOf(here) + " has a subscript with " + text,
          "count from the first element, not from the last");
    else if (compares)
      add(op, nameOf(here) + " compares with " + text,
          "compare with another size, or with a value that is an input");
    else
      add(op, nameOf(here) + " uses " + text + " as a value",
          "make the number an input, or a const parameter");
  }

  //===--------------------------------------------------------------------===//
  // Reasons
  //===--------------------------------------------------------------------===//

  bool depends(Attribute extent) const {
    return llvm::any_of(linearOf(extent).terms, [&](const auto &term) {
      return term.second != 0 && changing.contains(term.first.getValue());
    });
  }

  /// `M - 1`; `OH, which follows from H`.
  std::string say(Attribute extent) const {
    std::string text = textOf(extent), names;
    for (auto [size, factor] : linearOf(extent).terms)
      if (changing.contains(size.getValue()) && size.getValue() != asked)
        names += (names.empty() ? "" : " and ") + size.getValue().str();
    if (names.empty())
      return text;
    return text + " (" + names + " changes with " + asked.str() + ")";
  }

  void add(Operation *op, std::string what, std::string help,
           std::optional<Location> place = std::nullopt) {
    std::vector<std::string> names;
    for (Value tensor = here; tensor; tensor = from.lookup(tensor)) {
      std::string name = nameOf(tensor);
      if (!name.empty() && (names.empty() || names.back() != name))
        names.push_back(name);
    }
    std::string path;
    for (size_t n = names.size(); n-- > 1;)
      path += (path.empty() ? names[n] : ", which") + " is made from " +
              names[n - 1];
    reasons.push_back({op, std::move(what), std::move(help), std::move(path),
                       place.value_or(op->getLoc())});
  }

  FuncOp func;
  const llvm::StringSet<> &changing;
  StringRef asked;
  llvm::DenseMap<Value, Value> from; ///< what was reached, with its reader
  SmallVector<Value> pending;
  Value here;
};

} // namespace

/// The sizes that change with `size`: itself, what it follows from, and what
/// follows from any of them.
static llvm::StringSet<> changingWith(FuncOp func, StringRef size) {
  llvm::StringSet<> changing;
  changing.insert(size);
  SmallVector<DerivedSizeAttr> all;
  if (func.getDerived())
    for (Attribute attribute : func.getDerivedAttr())
      all.push_back(cast<DerivedSizeAttr>(attribute));
  llvm::StringSet<> sources;
  sources.insert(size);
  for (DerivedSizeAttr derived : llvm::reverse(all))
    if (sources.contains(derived.getSize().getValue()))
      for (auto [part, factor] : linearOf(derived.getNumerator()).terms) {
        sources.insert(part.getValue());
        changing.insert(part.getValue());
      }
  for (DerivedSizeAttr derived : all)
    for (auto [part, factor] : linearOf(derived.getNumerator()).terms)
      if (changing.contains(part.getValue()))
        changing.insert(derived.getSize().getValue());
  return changing;
}

/// Whether the result is one of `checks`, which no text names.
static bool isCheckWord(FuncOp func, unsigned number) {
  return llvm::any_of(func.getChecks(), [&](Attribute check) {
    auto entry = cast<DictionaryAttr>(check);
    return entry.getAs<IntegerAttr>("where").getInt() == number ||
           entry.getAs<IntegerAttr>("value").getInt() == number;
  });
}

/// Why `result` is invariant.
static std::string sentenceOf(StringRef result, StringRef size,
                              ArrayRef<ReduceOp> reductions) {
  std::string text = result.str() + " does not depend on " + size.str() + ": ";
  if (reductions.empty())
    return text + "it has no reduction, and " + size.str() +
           " neither chooses an element nor is a value";
  std::string terms;
  for (ReduceOp reduce : reductions) {
    std::string indices;
    for (auto [name, extent] :
         llvm::zip(reduce.getIndexNames(), reduce.getExtents()))
      indices += (indices.empty() ? "" : ", ") + cast<StringAttr>(name).str() +
                 " in 0.." + textOf(extent);
    terms += (terms.empty() ? "" : "; ") +
             reduce->getParentOfType<ComputeOp>().getName().str() + " is a " +
             girih::te::nameOf(reduce).str() + " over " + indices + " by " +
             (reduce.getTermAttr() ? reduce.getTermAttr().getText().str()
                                   : "no term");
  }
  return text + "it reduces over other sizes alone, by terms of literals (" +
         terms + ")";
}

InvarianceAnswer girih::te::invarianceIn(FuncOp func, StringRef size) {
  llvm::StringSet<> changing = changingWith(func, size);
  InvarianceAnswer answer;
  std::map<std::pair<Operation *, std::string>, size_t> known;
  auto terminator = cast<ReturnOp>(func.getBlock().getTerminator());
  for (auto [number, value] : llvm::enumerate(terminator.getResults())) {
    if (isCheckWord(func, number))
      continue;
    std::string result = cast<StringAttr>(func.getResultNames()[number]).str();
    Search search(func, changing, size);
    search.follow(value);
    if (search.reasons.empty())
      answer.proved.push_back(
          sentenceOf(result, size, search.reductions.getArrayRef()));
    for (Search::Reason &reason : search.reasons) {
      auto [place, fresh] =
          known.insert({{reason.op, reason.what}, answer.reasons.size()});
      if (fresh)
        answer.reasons.push_back(
            {{}, reason.what, reason.help, reason.path, reason.place});
      std::vector<std::string> &results = answer.reasons[place->second].results;
      if (results.empty() || results.back() != result)
        results.push_back(result);
    }
  }
  return answer;
}
