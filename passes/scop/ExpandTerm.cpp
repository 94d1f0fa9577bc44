//===- ExpandTerm.cpp - a reduction's term as statements ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/scop/ExpandTerm.h"

#include <algorithm>
#include <numeric>

using namespace girih;
using namespace girih::scop;
using poly::Access;
using poly::Affine;
using poly::StatementKind;

std::string girih::scop::scopName(std::string name) {
  // Once: a text may hold names that no suffix makes good; verifyScop refuses.
  return poly::isIslName(name) ? name : name + "_";
}

std::string NamePool::unique(const std::string &name) {
  std::string candidate = scopName(name);
  for (unsigned n = 2; !taken.insert(candidate).second; ++n)
    candidate = name + "_" + std::to_string(n);
  return candidate;
}

namespace {

/// Where the values of one level come from and go to.
struct Level {
  /// The level's outputs: dims that name a finished value.
  std::vector<std::string> dims;
  std::vector<Affine> constraints;
  /// A value's elements are numbered base, base + 1, ...; number n exists
  /// while scale * n <= end for each of `ends`: the extent's end, then those of
  /// the segments around, this level's own last.
  Affine base; ///< over `dims`
  std::vector<Affine> ends;
  int64_t scale = 1;         ///< > 1 for the segments of the level below
  int64_t boundOnCount = -1; ///< an upper bound on the count, or -1
  unsigned array = 0;        ///< written, at subscripts `dims`
  unsigned depth = 1;        ///< 1: the body; else reads `partial`
  unsigned partial = 0;
  unsigned partialDims = 0; ///< leading dims that subscript `partial`

  bool isInSegment() const { return ends.size() > 1; }
};

class Expansion {
public:
  Expansion(const ReductionSite &site, const ReductionBody &body, bool product,
            NamePool &names, ScopWithMap &result)
      : site(site), body(body), product(product), names(names), result(result),
        name(this->site.compute.getName().str()) {}

  void run(const arith::Term &term);

private:
  void expand(const arith::Term &term, const Level &level);
  void expandSeq(const Level &level);
  void expandLanes(const arith::Term &term, const Level &level);
  void expandSegments(const arith::Term &term, const Level &level);

  unsigned addArray(const std::string &suffix, std::vector<Affine> extents,
                    std::vector<int64_t> divisors);
  unsigned addStatement(const std::string &suffix, StatementKind kind,
                        std::vector<std::string> dims,
                        std::vector<Affine> constraints,
                        std::vector<Access> accesses, StatementInfo info);
  /// Reads of an update at this level for element number `number`; adds what
  /// its body's domain requires to `constraints`.
  std::vector<Access> reads(const Level &level, const Affine &number,
                            StatementInfo &info,
                            std::vector<Affine> &constraints);
  std::vector<Access> bodyOf(const StatementInfo &info,
                             std::vector<Affine> &constraints);
  /// The dims [0, count) of a statement but for the turns of time loops, which
  /// subscript no array and are no te indices of the compute.
  std::vector<Affine> identity(size_t count) const;
  void addReduction(unsigned init, unsigned update,
                    std::optional<unsigned> merge, unsigned accumulator,
                    unsigned outputEnd, unsigned cellEnd,
                    const arith::Term &term, unsigned depth);
  StatementInfo info(unsigned depth);
  /// `base`, or `base_`, `base__` ... when a dim or a parameter is called so.
  std::string freshDim(const std::vector<std::string> &dims,
                       std::string base) const;

  ReductionSite site; // op handles are values; a copy lets them be asked
  const ReductionBody &body;
  bool product;
  NamePool &names;
  ScopWithMap &result;
  std::string name;
};

Access access(unsigned array, bool isWrite, std::vector<Affine> subscripts) {
  Access result;
  result.array = array;
  result.isWrite = isWrite;
  result.subscripts = std::move(subscripts);
  return result;
}

/// lower <= dim < lower + count, as constraints.
void addRange(std::vector<Affine> &constraints, const Affine &value,
              int64_t count) {
  constraints.push_back(value);
  constraints.push_back(Affine::of(count - 1) - value);
}

/// `constraint` >= 0 divided by what divides its coefficients.
Affine reduced(Affine constraint) {
  int64_t divisor = 0;
  for (const std::vector<int64_t> *list :
       {&constraint.dims, &constraint.params})
    for (int64_t coefficient : *list)
      divisor = std::gcd(divisor, coefficient);
  if (divisor <= 1)
    return constraint;
  for (std::vector<int64_t> *list : {&constraint.dims, &constraint.params})
    for (int64_t &coefficient : *list)
      coefficient /= divisor;
  int64_t rest = (constraint.constant % divisor + divisor) % divisor;
  constraint.constant = (constraint.constant - rest) / divisor;
  return constraint;
}

/// The element `running` numbers after the level's base exists.
void addExistence(const Level &level, const Affine &running,
                  std::vector<Affine> &constraints) {
  for (const Affine &end : level.ends)
    constraints.push_back(reduced(end - (level.base + running) * level.scale));
}

int64_t nextPowerOfTwo(int64_t value) {
  int64_t power = 1;
  while (power < value)
    power *= 2;
  return power;
}

} // namespace

std::vector<Affine> Expansion::identity(size_t count) const {
  std::vector<Affine> dims;
  for (size_t d = site.loops.size(); d < count; ++d)
    dims.push_back(Affine::dim(d));
  return dims;
}

std::vector<Access> Expansion::bodyOf(const StatementInfo &info,
                                      std::vector<Affine> &constraints) {
  for (Affine &constraint : body.domain(info.indices))
    constraints.push_back(std::move(constraint));
  return body.reads(info.indices);
}

StatementInfo Expansion::info(unsigned depth) {
  StatementInfo info;
  info.compute = site.compute;
  info.reduce = site.reduce;
  info.level = depth;
  info.elementType = site.compute.getType().getElementType();
  return info;
}

std::string Expansion::freshDim(const std::vector<std::string> &dims,
                                std::string base) const {
  auto isTaken = [&](const std::vector<std::string> &list) {
    return std::find(list.begin(), list.end(), base) != list.end();
  };
  base = scopName(base);
  while (isTaken(dims) || isTaken(result.scop.params))
    base += "_";
  return base;
}

unsigned Expansion::addArray(const std::string &suffix,
                             std::vector<Affine> extents,
                             std::vector<int64_t> divisors) {
  poly::Array array;
  array.name = names.unique(name + suffix);
  array.role = poly::ArrayRole::Accumulator;
  array.elementBytes = te::bytesOf(site.compute.getType().getElementType());
  array.extents = std::move(extents);
  bool isDivided = std::any_of(divisors.begin(), divisors.end(),
                               [](int64_t divisor) { return divisor != 1; });
  if (isDivided)
    array.extentDivisors = std::move(divisors);
  result.scop.arrays.push_back(std::move(array));
  result.map.arrayTypes.push_back(site.compute.getType().getElementType());
  result.map.argument.push_back(-1);
  result.map.result.push_back(-1);
  return result.scop.arrays.size() - 1;
}

unsigned Expansion::addStatement(const std::string &suffix, StatementKind kind,
                                 std::vector<std::string> dims,
                                 std::vector<Affine> constraints,
                                 std::vector<Access> accesses,
                                 StatementInfo info) {
  poly::Statement statement;
  statement.name = names.unique(name + suffix);
  statement.kind = kind;
  statement.loops = site.loops;
  statement.dims = std::move(dims);
  statement.constraints = std::move(constraints);
  statement.accesses = std::move(accesses);
  result.scop.statements.push_back(std::move(statement));
  result.map.statements.push_back(std::move(info));
  return result.scop.statements.size() - 1;
}

std::vector<Access> Expansion::reads(const Level &level, const Affine &number,
                                     StatementInfo &info,
                                     std::vector<Affine> &constraints) {
  if (level.depth == 1) {
    info.indices = identity(site.outer.size());
    info.indices.push_back(number);
    return bodyOf(info, constraints);
  }
  // A partial result: subscripts are the dims it was made for, then the number.
  std::vector<Affine> subscripts = identity(level.partialDims);
  subscripts.push_back(number);
  return {access(level.partial, false, std::move(subscripts))};
}

void Expansion::addReduction(unsigned init, unsigned update,
                             std::optional<unsigned> merge,
                             unsigned accumulator, unsigned outputEnd,
                             unsigned cellEnd, const arith::Term &term,
                             unsigned depth) {
  poly::Reduction reduction;
  reduction.init = init;
  reduction.update = update;
  reduction.merge = merge;
  reduction.accumulator = accumulator;
  reduction.outputEnd = outputEnd;
  reduction.cellEnd = cellEnd;
  te::ReduceKind kind = site.reduce.getKind();
  reduction.associative = kind == te::ReduceKind::Max ||
                          kind == te::ReduceKind::Min ||
                          !mlir::isa<mlir::FloatType>(site.reduce.getType());
  reduction.term = arith::printTerm(term);
  reduction.product = product && depth == 1;
  result.scop.reductions.push_back(std::move(reduction));
}

/// One chain a value: T_init[o], T_upd[o, k...], and T_merge[o], which hands
/// the finished chain over.
void Expansion::expandSeq(const Level &level) {
  size_t outer = level.dims.size();
  std::string depth = level.depth == 1 ? "" : std::to_string(level.depth);
  const poly::Array target = result.scop.arrays[level.array];
  unsigned cell =
      addArray("_acc" + depth, target.extents, target.extentDivisors);
  std::vector<Access> initial;
  StatementInfo start = info(level.depth);
  if (level.depth == 1) {
    initial = site.start;
    start.indices = identity(site.outer.size());
  }
  initial.push_back(access(cell, true, identity(outer)));
  unsigned init =
      addStatement("_init" + depth, StatementKind::Init, level.dims,
                   level.constraints, std::move(initial), std::move(start));

  std::vector<std::string> dims = level.dims;
  std::vector<Affine> constraints = level.constraints;
  StatementInfo update = info(level.depth);
  std::vector<Access> accesses;
  if (level.depth == 1 && site.extents.size() > 1) {
    // Several indices in written order: lexicographic, one dim each.
    update.indices = identity(site.outer.size());
    for (auto [name, extent] :
         llvm::zip(site.reduce.getIndexNames(), site.extents)) {
      Affine index = Affine::dim(dims.size());
      dims.push_back(freshDim(dims, mlir::cast<mlir::StringAttr>(name).str()));
      constraints.push_back(index);
      constraints.push_back(extent - Affine::of(1) - index);
      update.indices.push_back(index);
    }
    accesses = bodyOf(update, constraints);
  } else {
    Affine running = Affine::dim(outer);
    dims.push_back(freshDim(
        dims,
        level.depth == 1
            ? mlir::cast<mlir::StringAttr>(site.reduce.getIndexNames()[0]).str()
            : "s" + depth));
    Affine number = level.base + running;
    constraints.push_back(running);
    addExistence(level, running, constraints);
    accesses = reads(level, number, update, constraints);
  }
  accesses.push_back(access(cell, false, identity(outer)));
  accesses.push_back(access(cell, true, identity(outer)));
  unsigned updateIndex = addStatement("_upd" + depth, StatementKind::Update,
                                      std::move(dims), std::move(constraints),
                                      std::move(accesses), std::move(update));
  unsigned merge = addStatement("_merge" + depth, StatementKind::Merge,
                                level.dims, level.constraints,
                                {access(cell, false, identity(outer)),
                                 access(level.array, true, identity(outer))},
                                info(level.depth));
  addReduction(init, updateIndex, merge, cell, outer, outer, arith::Term::seq(),
               level.depth);
}

/// T_init[o, l], T_upd[o, l, q, e] with number = (q V + l) w + e, T_merge[o].
void Expansion::expandLanes(const arith::Term &term, const Level &level) {
  size_t outer = level.dims.size();
  std::string depth = level.depth == 1 ? "" : std::to_string(level.depth);
  int64_t lanes = term.length, width = term.width;
  // Lanes beyond the last element stay empty. Merging them would add the
  // identity to every cell once, which `padded` does in one step: adding +0.0
  // twice is adding it once.
  bool padded = false;
  if (level.boundOnCount >= 0) {
    int64_t filled = (level.boundOnCount + width - 1) / width;
    int64_t needed = nextPowerOfTwo(std::max<int64_t>(filled, 1));
    if (needed < lanes) {
      lanes = needed;
      padded = true;
    }
  }

  std::vector<Affine> extents;
  std::vector<int64_t> divisors;
  const poly::Array target = result.scop.arrays[level.array];
  extents = target.extents;
  divisors = target.extentDivisors;
  if (!divisors.empty())
    divisors.push_back(1);
  extents.push_back(Affine::of(lanes));
  unsigned cells = addArray("_acc" + depth, extents, divisors);

  std::vector<std::string> cellDims = level.dims;
  cellDims.push_back(freshDim(cellDims, "l" + depth));
  std::vector<Affine> cellConstraints = level.constraints;
  Affine lane = Affine::dim(outer);
  addRange(cellConstraints, lane, lanes);
  unsigned init = addStatement(
      "_init" + depth, StatementKind::Init, cellDims, cellConstraints,
      {access(cells, true, identity(outer + 1))}, info(level.depth));

  std::vector<std::string> dims = cellDims;
  dims.push_back(freshDim(dims, "q" + depth));
  dims.push_back(freshDim(dims, "e" + depth));
  std::vector<Affine> constraints = cellConstraints;
  Affine round = Affine::dim(outer + 1), element = Affine::dim(outer + 2);
  constraints.push_back(round);
  if (padded)
    constraints.push_back(round * -1);
  addRange(constraints, element, width);
  Affine running = round * (lanes * width) + lane * width + element;
  Affine number = level.base + running;
  addExistence(level, running, constraints);
  StatementInfo update = info(level.depth);
  std::vector<Access> accesses = reads(level, number, update, constraints);
  accesses.push_back(access(cells, false, identity(outer + 1)));
  accesses.push_back(access(cells, true, identity(outer + 1)));
  unsigned updateIndex = addStatement("_upd" + depth, StatementKind::Update,
                                      std::move(dims), std::move(constraints),
                                      std::move(accesses), std::move(update));

  Access whole = access(cells, false, identity(outer));
  whole.wholeFrom = outer - site.loops.size();
  StatementInfo mergeInfo = info(level.depth);
  mergeInfo.padded = padded;
  unsigned merge = addStatement(
      "_merge" + depth, StatementKind::Merge, level.dims, level.constraints,
      {whole, access(level.array, true, identity(outer))}, mergeInfo);
  addReduction(init, updateIndex, merge, cells, outer, outer + 1, term,
               level.depth);
}

/// seg and tree: the partial result of segment s by the inner term, then either
/// another level over the segments (seg) or one pairwise merge (tree).
void Expansion::expandSegments(const arith::Term &term, const Level &level) {
  size_t outer = level.dims.size();
  bool isTree = term.kind == arith::Term::Kind::Tree;
  // number <= last; the count of a tree is constant (checked by assoc).
  int64_t length = term.length;
  if (isTree)
    length = std::max<int64_t>(
        (level.boundOnCount + term.length - 1) / term.length, 1);
  std::string depth = level.depth == 1 ? "" : std::to_string(level.depth);

  const poly::Array target = result.scop.arrays[level.array];
  std::vector<Affine> extents = target.extents;
  std::vector<int64_t> divisors = target.extentDivisors;
  divisors.resize(extents.size(), 1);
  if (isTree) {
    extents.push_back(Affine::of(term.length));
    divisors.push_back(1);
  } else if (!level.isInSegment()) {
    // Segment s exists while s * L * scale <= the end; the base is 0 here.
    extents.push_back(level.ends[0] + Affine::of(1));
    divisors.push_back(length * level.scale);
  } else {
    extents.push_back(Affine::of(level.boundOnCount));
    divisors.push_back(length);
  }
  unsigned partial = addArray("_part" + depth, extents, divisors);

  Level inner = level;
  inner.array = partial;
  inner.dims.push_back(freshDim(inner.dims, "s" + depth));
  Affine segment = Affine::dim(outer);
  inner.constraints.push_back(segment);
  if (isTree)
    inner.constraints.push_back(Affine::of(term.length - 1) - segment);
  else
    addExistence(level, segment * length, inner.constraints);
  inner.base = level.base + segment * length;
  inner.boundOnCount =
      level.boundOnCount >= 0 ? std::min(level.boundOnCount, length) : length;
  // An own end at a multiple of the length is implied by the segment's.
  if (level.isInSegment() && level.boundOnCount % length == 0)
    inner.ends.pop_back();
  inner.ends.push_back((inner.base + Affine::of(length - 1)) * level.scale);
  expand(term.innerOrSeq(), inner);

  if (isTree) {
    Access whole = access(partial, false, identity(outer));
    whole.wholeFrom = outer - site.loops.size();
    StatementInfo merge = info(level.depth);
    merge.mergeOrder = MergeOrder::Pairwise;
    addStatement("_pairs" + depth, StatementKind::Merge, level.dims,
                 level.constraints,
                 {whole, access(level.array, true, identity(outer))}, merge);
    return;
  }
  // The segments' results are the elements of the next level: number s exists
  // while base + s * L does.
  Level next = level;
  next.depth = level.depth + 1;
  next.partial = partial;
  next.partialDims = level.dims.size();
  next.base = Affine::of(0);
  next.scale = level.scale * length;
  for (Affine &end : next.ends)
    end = end - level.base * level.scale;
  next.boundOnCount =
      level.boundOnCount >= 0 ? (level.boundOnCount + length - 1) / length : -1;
  expand(term.mergeOrSeq(), next);
}

std::string girih::scop::unsupportedTree(const arith::Term &term,
                                         std::optional<int64_t> count) {
  switch (term.kind) {
  case arith::Term::Kind::Seq:
  case arith::Term::Kind::Lanes:
  case arith::Term::Kind::Mma:
    return {};
  case arith::Term::Kind::Tree: {
    std::string tree = "tree(" + std::to_string(term.length) + ")";
    if (!count)
      return tree + " over a number of elements that is not constant";
    if (*count % term.length != 0)
      return tree + ", which does not divide " + std::to_string(*count) +
             " elements";
    return unsupportedTree(term.innerOrSeq(), *count / term.length);
  }
  case arith::Term::Kind::Seg: {
    // All segments are one set of statements: they must be equally long.
    std::optional<int64_t> inner, merge;
    if (count && (*count <= term.length || *count % term.length == 0))
      inner = std::min(*count, term.length);
    if (count)
      merge = (*count + term.length - 1) / term.length;
    std::string problem = unsupportedTree(term.innerOrSeq(), inner);
    return problem.empty() ? unsupportedTree(term.mergeOrSeq(), merge)
                           : problem;
  }
  }
  return {};
}

void Expansion::expand(const arith::Term &term, const Level &level) {
  switch (term.kind) {
  case arith::Term::Kind::Seq:
    return expandSeq(level);
  case arith::Term::Kind::Lanes:
    return expandLanes(term, level);
  case arith::Term::Kind::Seg:
  case arith::Term::Kind::Tree:
    return expandSegments(term, level);
  case arith::Term::Kind::Mma:
    break; // refused by the caller
  }
}

void Expansion::run(const arith::Term &term) {
  Level level;
  level.dims = site.outer;
  level.constraints = site.outerConstraints;
  level.base = Affine::of(0);
  level.ends = {site.extents.back() - Affine::of(1)};
  level.boundOnCount = site.extentBound;
  level.array = site.array;
  expand(term, level);
}

void girih::scop::expandTerm(const arith::Term &term, const ReductionSite &site,
                             const ReductionBody &body, bool product,
                             NamePool &names, ScopWithMap &result) {
  Expansion(site, body, product, names, result).run(term);
}
