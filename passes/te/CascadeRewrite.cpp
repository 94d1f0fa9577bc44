//===- CascadeRewrite.cpp - a cascade as a loop over blocks ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/te/Cascade.h"

#include "compiler/arith/Term.h"
#include "dialects/te/TeFacts.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace girih::te;
using girih::arith::Term;

namespace {

/// An index as a sum over others.
struct IndexSum {
  SmallVector<Value> indices;
  SmallVector<int64_t> factors;
};

class Rewriter {
public:
  Rewriter(FuncOp func, const Cascade &cascade, int64_t block)
      : func(func), cascade(cascade), block(block), builder(func.getContext()),
        loc(func.getLoc()) {
    ComputeOp max = cascade.max;
    reduced = max.getReduction();
    extent = reduced.getExtents()[0];
    func.walk([&](Operation *op) {
      if (auto compute = dyn_cast<ComputeOp>(op))
        names.insert(compute.getName());
    });
  }

  void run();

private:
  /// A tensor carried from block to block.
  struct State {
    Value init;
    std::string name;
  };

  Attribute number(int64_t value) { return builder.getI64IntegerAttr(value); }
  std::string fresh(const std::string &base) {
    std::string name = base;
    for (unsigned n = 2; !names.insert(name).second; ++n)
      name = base + "_" + std::to_string(n);
    return name;
  }
  Attribute turns();
  /// A te.compute whose region `fill` writes; its value is what that returns.
  ComputeOp make(StringRef name, TeTensorType type, ArrayAttr indexNames,
                 Value into, llvm::function_ref<Value(Block &)> fill);
  Value filled(StringRef name, ComputeOp like, TeTensorType type,
               ArrayAttr indexNames, double value);
  Value readAt(Value tensor, ValueRange indices) {
    return ReadOp::create(builder, loc,
                          cast<TeTensorType>(tensor.getType()).getElementType(),
                          tensor, indices, /*guarded=*/false);
  }

  /// What the index that becomes blocks is inside the loop, for one region.
  struct Substitution {
    Value index;    ///< of the original region
    IndexSum sum;   ///< what it is now
    IndexSum local; ///< its place in the block
  };
  void addTail(const IndexSum &sum);
  /// Clones the ops of `from`, but for its terminator, to the insertion point.
  void cloneBody(Block &from, IRMapping &map, const Substitution &index);
  /// The element of a value cloned by `map`.
  ComputeOp cloneTensor(ComputeOp compute, unsigned dim);
  /// In-block reduction of `compute`, a maximum or minimum.
  Value cloneExtremum(ComputeOp compute);
  Value cloneChain(Value max, const std::string &suffix);
  ComputeOp factorOf(const CascadeFactor &factor, Value before, Value after,
                     const std::string &name);
  Value advance(const CascadeSum &sum, Value state, Value factor);
  Value combineExtrema(ComputeOp compute, Value state, Value inBlock);

  FuncOp func;
  const Cascade &cascade;
  int64_t block;
  OpBuilder builder;
  Location loc;
  ReduceOp reduced;
  Attribute extent;
  llvm::StringSet<> names;
  ForOp loop;
  IRMapping local; ///< tensors of the text -> the block's
  /// The tensors whose elements are a block's, with the index's dimension.
  llvm::DenseMap<Value, unsigned> blockDim;
};

} // namespace

/// ceil(extent / block), a derived size where the extent is not known.
Attribute Rewriter::turns() {
  if (std::optional<int64_t> count = func.constantExtent(extent))
    return number((*count + block - 1) / block);
  LinearExtent sum = linearOf(extent);
  sum.constant += block - 1;
  MLIRContext *context = func.getContext();
  Attribute numerator = makeExtent(context, sum);
  if (func.getDerived())
    for (Attribute entry : func.getDerivedAttr()) {
      auto derived = cast<DerivedSizeAttr>(entry);
      if (derived.getNumerator() == numerator && derived.getDivisor() == block)
        return derived.getSize();
    }
  std::string name = cascade.indexName() + "_blocks";
  while (func.findSize(name) >= 0)
    name += "_";
  StringAttr size = builder.getStringAttr(name);
  SmallVector<Attribute> sizes(func.getSizes().begin(), func.getSizes().end());
  sizes.push_back(size);
  func.setSizesAttr(builder.getArrayAttr(sizes));
  SmallVector<int64_t> given(func.getGiven().begin(), func.getGiven().end());
  given.push_back(-1);
  func.setGiven(given);
  SmallVector<Attribute> derived;
  if (func.getDerived())
    llvm::append_range(derived, func.getDerivedAttr());
  // Sizes that others say may not be used by others: theirs stand in for them.
  derived.push_back(DerivedSizeAttr::get(context, size, numerator, block));
  func.setDerivedAttr(builder.getArrayAttr(derived));
  return size;
}

ComputeOp Rewriter::make(StringRef name, TeTensorType type,
                         ArrayAttr indexNames, Value into,
                         llvm::function_ref<Value(Block &)> fill) {
  auto compute = ComputeOp::create(builder, loc, type, name, indexNames,
                                   ArrayAttr(), into, StringAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&compute.getBody());
  for (unsigned d = 0; d < indexNames.size(); ++d)
    body->addArgument(builder.getIndexType(), loc);
  Value value = fill(*body);
  YieldOp::create(builder, loc, value);
  return compute;
}

Value Rewriter::filled(StringRef name, ComputeOp like, TeTensorType type,
                       ArrayAttr indexNames, double value) {
  OpBuilder::InsertionGuard guard(builder);
  return make(name, type, indexNames, {}, [&](Block &) -> Value {
    return ConstantOp::create(
        builder, like.getLoc(),
        builder.getFloatAttr(type.getElementType(), value));
  });
}

/// The last block may be short.
void Rewriter::addTail(const IndexSum &sum) {
  std::optional<int64_t> count = func.constantExtent(extent);
  if (count && *count % block == 0)
    return;
  LinearExtent last = linearOf(extent);
  last.constant -= 1;
  SmallVector<int64_t> negated;
  for (int64_t factor : sum.factors)
    negated.push_back(-factor);
  WhereOp::create(builder, loc, sum.indices, negated,
                  makeExtent(func.getContext(), last));
}

void Rewriter::cloneBody(Block &from, IRMapping &map,
                         const Substitution &index) {
  auto substitute = [&](ValueRange operands, ArrayRef<int64_t> factors) {
    IndexSum result;
    for (auto [operand, factor] : llvm::zip(operands, factors)) {
      if (operand != index.index) {
        result.indices.push_back(map.lookupOrDefault(operand));
        result.factors.push_back(factor);
        continue;
      }
      for (auto [inner, times] :
           llvm::zip(index.sum.indices, index.sum.factors)) {
        result.indices.push_back(inner);
        result.factors.push_back(factor * times);
      }
    }
    return result;
  };
  auto asValue = [&](const IndexSum &sum) -> Value {
    if (sum.indices.size() == 1 && sum.factors[0] == 1)
      return sum.indices[0];
    return AffineOp::create(builder, loc, builder.getIndexType(), sum.indices,
                            sum.factors, number(0));
  };
  Value whole; // the index as a value, made where it is first needed
  auto wholeValue = [&] {
    if (!whole)
      whole = asValue(index.sum);
    return whole;
  };
  for (Operation &op : from.without_terminator()) {
    if (auto where = dyn_cast<WhereOp>(op)) {
      IndexSum sum = substitute(where.getIndices(), where.getCoefficients());
      WhereOp::create(builder, where.getLoc(), sum.indices, sum.factors,
                      where.getOffset());
    } else if (auto affine = dyn_cast<AffineOp>(op)) {
      IndexSum sum = substitute(affine.getIndices(), affine.getCoefficients());
      map.map(affine.getResult(),
              AffineOp::create(builder, affine.getLoc(), builder.getIndexType(),
                               sum.indices, sum.factors, affine.getOffset())
                  .getResult());
    } else if (auto read = dyn_cast<ReadOp>(op)) {
      Value tensor = local.lookupOrDefault(read.getTensor());
      auto dim = blockDim.find(tensor);
      SmallVector<Value> indices;
      for (auto [d, at] : llvm::enumerate(read.getIndices())) {
        if (at != index.index)
          indices.push_back(map.lookupOrDefault(at));
        else if (dim != blockDim.end() && dim->second == d)
          indices.push_back(asValue(index.local));
        else
          indices.push_back(wholeValue());
      }
      map.map(read.getResult(),
              ReadOp::create(builder, read.getLoc(), read.getType(), tensor,
                             indices, read.getGuarded())
                  .getResult());
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      auto copy = ReduceOp::create(
          builder, reduce.getLoc(), reduce.getType(), reduce.getKind(),
          reduce.getIndexNames(), reduce.getExtents(), reduce.getOrder(),
          reduce.getTermAttr(), reduce.getLeaf(), Value());
      map.map(reduce.getResult(), copy.getResult());
      OpBuilder::InsertionGuard guard(builder);
      Block *body = builder.createBlock(&copy.getBody());
      for (BlockArgument argument : reduce.getBlock().getArguments())
        map.map(argument, body->addArgument(argument.getType(), loc));
      cloneBody(reduce.getBlock(), map, index);
      YieldOp::create(
          builder, loc,
          map.lookupOrDefault(
              cast<YieldOp>(reduce.getBlock().getTerminator()).getValue()));
    } else {
      if (llvm::is_contained(op.getOperands(), index.index))
        map.map(index.index, wholeValue());
      builder.clone(op, map);
    }
  }
}

/// The block's part of a tensor over the index.
ComputeOp Rewriter::cloneTensor(ComputeOp compute, unsigned dim) {
  SmallVector<Attribute> shape(compute.getType().getShape());
  shape[dim] = number(block);
  auto type = TeTensorType::get(func.getContext(), shape,
                                compute.getType().getElementType());
  auto copy = ComputeOp::create(builder, compute.getLoc(), type,
                                compute.getName(), compute.getIndexNames(),
                                ArrayAttr(), Value(), compute.getPartOfAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&copy.getBody());
  IRMapping map;
  Substitution index;
  for (BlockArgument argument : compute.getBlock().getArguments()) {
    Value here = body->addArgument(argument.getType(), loc);
    if (argument.getArgNumber() != dim) {
      map.map(argument, here);
      continue;
    }
    index.index = argument;
    index.local = {{here}, {1}};
    index.sum = {{loop.getIndex(), here}, {block, 1}};
  }
  addTail(index.sum);
  cloneBody(compute.getBlock(), map, index);
  Value yielded = cast<YieldOp>(compute.getBlock().getTerminator()).getValue();
  YieldOp::create(builder, loc, map.lookupOrDefault(yielded));
  local.map(compute.getResult(), copy.getResult());
  blockDim[copy.getResult()] = dim;
  return copy;
}

/// Over the block alone, in a tensor of its own. Any order will do.
Value Rewriter::cloneExtremum(ComputeOp compute) {
  ReduceOp reduce = compute.getReduction();
  return make(
      fresh(compute.getName().str() + "_block"), compute.getType(),
      compute.getIndexNames(), {}, [&](Block &body) -> Value {
        IRMapping map;
        for (auto [from, to] :
             llvm::zip(compute.getBlock().getArguments(), body.getArguments()))
          map.map(from, to);
        // What the te.compute itself is cut by.
        cloneBody(compute.getBlock(), map, {});
        Value whole = map.lookup(reduce.getResult());
        auto copy = whole.getDefiningOp<ReduceOp>();
        TermAttr term = TermAttr::get(
            func.getContext(),
            girih::arith::printTerm(Term::lanes(block >= 4096 ? 4096 : 64, 1)));
        auto inBlock = ReduceOp::create(
            builder, reduce.getLoc(), reduce.getType(), reduce.getKind(),
            reduce.getIndexNames(), builder.getArrayAttr({number(block)}),
            reduce.getOrder(), term, reduce.getLeaf(), Value());
        copy.erase();
        OpBuilder::InsertionGuard guard(builder);
        Block *inner = builder.createBlock(&inBlock.getBody());
        Substitution index;
        index.index = reduce.getBlock().getArgument(0);
        Value here = inner->addArgument(builder.getIndexType(), loc);
        index.local = {{here}, {1}};
        index.sum = {{loop.getIndex(), here}, {block, 1}};
        addTail(index.sum);
        cloneBody(reduce.getBlock(), map, index);
        Value yielded =
            cast<YieldOp>(reduce.getBlock().getTerminator()).getValue();
        YieldOp::create(builder, loc, map.lookupOrDefault(yielded));
        return inBlock.getResult();
      });
}

/// The reference that a maximum makes.
Value Rewriter::cloneChain(Value max, const std::string &suffix) {
  IRMapping made;
  made.map(cascade.max->getResult(0), max);
  for (ComputeOp compute : cascade.chain) {
    Value value = make(
        fresh(compute.getName().str() + suffix), compute.getType(),
        compute.getIndexNames(), {}, [&](Block &body) -> Value {
          IRMapping map;
          for (auto [from, to] : llvm::zip(compute.getBlock().getArguments(),
                                           body.getArguments()))
            map.map(from, to);
          for (Operation &op : compute.getBlock().without_terminator()) {
            for (Value operand : op.getOperands())
              if (made.contains(operand))
                map.map(operand, made.lookup(operand));
            builder.clone(op, map);
          }
          return map.lookupOrDefault(
              cast<YieldOp>(compute.getBlock().getTerminator()).getValue());
        });
    made.map(compute.getResult(), value);
  }
  ComputeOp reference = cascade.reference;
  return made.lookup(reference.getResult());
}

/// Exactly 1 where the reference stays, so that nothing is made of infinities.
ComputeOp Rewriter::factorOf(const CascadeFactor &factor, Value before,
                             Value after, const std::string &name) {
  ComputeOp max = cascade.max;
  CascadeFactor path = factor;
  Type type = path.function.getType();
  auto tensor =
      TeTensorType::get(func.getContext(), max.getType().getShape(), type);
  return make(name, tensor, max.getIndexNames(), {}, [&](Block &body) -> Value {
    Value old = readAt(before, body.getArguments());
    Value now = readAt(after, body.getArguments());
    IRMapping map;
    Value distance = BinaryOp::create(builder, loc, BinaryKind::Sub, old, now);
    map.map(path.shift.getResult(), distance);
    // Constants that the operand is multiplied by, as they are written.
    std::function<Value(Value)> copy = [&](Value value) -> Value {
      if (map.contains(value))
        return map.lookup(value);
      Operation *op = value.getDefiningOp();
      for (Value operand : op->getOperands())
        map.map(operand, copy(operand));
      return builder.clone(*op, map)->getResult(0);
    };
    Value scale = copy(path.function.getResult());
    Value same = CompareOp::create(builder, loc, builder.getI1Type(),
                                   CompareKind::Eq, old, now);
    Value one =
        ConstantOp::create(builder, loc, builder.getFloatAttr(type, 1.0));
    return SelectOp::create(builder, loc, same, one, scale);
  });
}

Value Rewriter::combineExtrema(ComputeOp compute, Value state, Value inBlock) {
  bool most = compute.getReduction().getKind() == ReduceKind::Max;
  return make(compute.getName(), compute.getType(), compute.getIndexNames(),
              state, [&](Block &body) -> Value {
                return BinaryOp::create(
                    builder, loc, most ? BinaryKind::Max : BinaryKind::Min,
                    readAt(state, body.getArguments()),
                    readAt(inBlock, body.getArguments()));
              });
}

/// Names that differ from those of the sum's own indices.
static std::string freeIndex(ArrayAttr taken, std::string name) {
  while (llvm::any_of(taken, [&](Attribute other) {
    return cast<StringAttr>(other).getValue() == name;
  }))
    name += "_";
  return name;
}

/// Scales what was summed so far and goes on with the block's elements.
Value Rewriter::advance(const CascadeSum &sum, Value state, Value factor) {
  ComputeOp compute = sum.compute;
  ReduceOp reduce = compute.getReduction();
  auto type = cast<TeTensorType>(state.getType());
  unsigned outer = compute.getType().getRank();
  bool hasLanes = type.getRank() > outer;
  SmallVector<Attribute> indices(compute.getIndexNames().begin(),
                                 compute.getIndexNames().end());
  if (hasLanes)
    indices.push_back(
        builder.getStringAttr(freeIndex(compute.getIndexNames(), "v")));
  ArrayAttr indexNames = builder.getArrayAttr(indices);
  std::string name = compute.getName().str() + (hasLanes ? "_lanes" : "");
  Value scaled = make(name, type, indexNames, state, [&](Block &body) -> Value {
    SmallVector<Value> at;
    for (unsigned dim : sum.at)
      at.push_back(body.getArgument(dim));
    Value value = readAt(state, body.getArguments());
    Value scale = readAt(factor, at);
    Type wanted = type.getElementType();
    if (scale.getType() != wanted)
      scale = CastOp::create(builder, loc, wanted, scale);
    return BinaryOp::create(builder, loc, BinaryKind::Mul, value, scale);
  });
  return make(name, type, indexNames, scaled, [&](Block &body) -> Value {
    IRMapping map;
    for (auto [from, to] :
         llvm::zip(compute.getBlock().getArguments(), body.getArguments()))
      map.map(from, to);
    for (auto where : compute.getBlock().getOps<WhereOp>())
      builder.clone(*where, map);
    Value start = readAt(scaled, body.getArguments());
    SmallVector<Attribute> reducedNames, extents;
    int64_t lanes = 0, width = 0;
    if (hasLanes) {
      std::string error;
      size_t offset = 0;
      Term term = *girih::arith::parseTerm(
          std::string_view(reduce.getTermAttr().getText()), error, offset);
      lanes = term.length;
      width = term.width;
      reducedNames = {builder.getStringAttr(freeIndex(indexNames, "q")),
                      builder.getStringAttr(freeIndex(indexNames, "e"))};
      extents = {number(block / (lanes * width)), number(width)};
    } else {
      reducedNames = {reduce.getIndexNames()[0]};
      extents = {number(block)};
    }
    auto inBlock = ReduceOp::create(
        builder, reduce.getLoc(), reduce.getType(), reduce.getKind(),
        builder.getArrayAttr(reducedNames), builder.getArrayAttr(extents),
        reduce.getOrder(),
        TermAttr::get(func.getContext(), girih::arith::printTerm(Term::seq())),
        reduce.getLeaf(), start);
    OpBuilder::InsertionGuard guard(builder);
    Block *inner = builder.createBlock(&inBlock.getBody());
    Substitution index;
    index.index = reduce.getBlock().getArgument(0);
    if (hasLanes) {
      Value round = inner->addArgument(builder.getIndexType(), loc);
      Value element = inner->addArgument(builder.getIndexType(), loc);
      index.local = {{round, body.getArguments().back(), element},
                     {lanes * width, width, 1}};
    } else {
      index.local = {{inner->addArgument(builder.getIndexType(), loc)}, {1}};
    }
    index.sum = index.local;
    index.sum.indices.insert(index.sum.indices.begin(), loop.getIndex());
    index.sum.factors.insert(index.sum.factors.begin(), block);
    addTail(index.sum);
    cloneBody(reduce.getBlock(), map, index);
    Value yielded = cast<YieldOp>(reduce.getBlock().getTerminator()).getValue();
    YieldOp::create(builder, loc, map.lookupOrDefault(yielded));
    return inBlock.getResult();
  });
}

void Rewriter::run() {
  ComputeOp max = cascade.max;
  // The loop stands where the last of its reductions stood.
  Operation *last = max;
  auto later = [&](ComputeOp compute) {
    if (last->isBeforeInBlock(compute))
      last = compute;
  };
  for (const CascadeSum &sum : cascade.sums)
    later(sum.compute);
  for (ComputeOp compute : cascade.beside)
    later(compute);
  builder.setInsertionPointAfter(last);
  Attribute count = turns();

  // What is carried: the maximum, other extrema, the sums.
  SmallVector<Value> inits;
  auto extremum = [&](ComputeOp compute) {
    double infinity = std::numeric_limits<double>::infinity();
    bool most = compute.getReduction().getKind() == ReduceKind::Max;
    inits.push_back(filled(compute.getName(), compute, compute.getType(),
                           compute.getIndexNames(),
                           most ? -infinity : infinity));
  };
  extremum(max);
  for (ComputeOp compute : cascade.beside)
    extremum(compute);
  for (const CascadeSum &sum : cascade.sums) {
    ComputeOp compute = sum.compute;
    SmallVector<Attribute> shape(compute.getType().getShape());
    SmallVector<Attribute> indices(compute.getIndexNames().begin(),
                                   compute.getIndexNames().end());
    std::string name = compute.getName().str(), error;
    size_t offset = 0;
    std::optional<Term> term = girih::arith::parseTerm(
        std::string_view(compute.getReduction().getTermAttr().getText()), error,
        offset);
    if (term && term->kind == Term::Kind::Lanes) {
      shape.push_back(number(term->length));
      indices.push_back(
          builder.getStringAttr(freeIndex(compute.getIndexNames(), "v")));
      name += "_lanes";
    }
    inits.push_back(
        filled(name, compute,
               TeTensorType::get(func.getContext(), shape,
                                 compute.getType().getElementType()),
               builder.getArrayAttr(indices), 0.0));
  }
  SmallVector<Type> types;
  for (Value init : inits)
    types.push_back(init.getType());
  loop = ForOp::create(builder, loc, types, cascade.indexName() + "_block",
                       count, inits);
  markPass(loop);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&loop.getBody());
    body->addArgument(builder.getIndexType(), loc);
    for (Type type : types)
      body->addArgument(type, loc);
    auto stateOf = [&](unsigned number) {
      return Value(body->getArgument(1 + number));
    };
    SmallVector<Value> next;
    // Whether a tensor depends on the reference, directly or through others.
    llvm::SmallPtrSet<Operation *, 8> relative;
    for (auto [compute, dim] : cascade.tensors) {
      bool isRelative = false;
      ComputeOp(compute).getBody().walk([&](ReadOp read) {
        Operation *source = read.getTensor().getDefiningOp();
        isRelative |=
            source && (relative.contains(source) || source == cascade.max ||
                       llvm::is_contained(cascade.chain, source));
      });
      if (isRelative)
        relative.insert(compute);
      else
        cloneTensor(compute, dim);
    }
    Value inBlock = cloneExtremum(max);
    Value before = cloneChain(stateOf(0), "_before");
    if (before == stateOf(0)) {
      // The maximum itself: kept, since it is about to be overwritten.
      before = make(fresh(max.getName().str() + "_before"), max.getType(),
                    max.getIndexNames(), {}, [&](Block &region) -> Value {
                      return readAt(stateOf(0), region.getArguments());
                    });
    }
    next.push_back(combineExtrema(max, stateOf(0), inBlock));
    Value after = cloneChain(next[0], "_now");
    for (auto [number, compute] : llvm::enumerate(cascade.beside))
      next.push_back(
          combineExtrema(compute, stateOf(1 + number), cloneExtremum(compute)));
    SmallVector<Value> factors;
    for (const CascadeFactor &factor : cascade.factors)
      factors.push_back(factorOf(factor, before, after,
                                 fresh(max.getName().str() + "_factor")));
    // From here on the reference is the block's.
    ComputeOp reference = cascade.reference;
    local.map(reference.getResult(), after);
    for (auto [compute, dim] : cascade.tensors)
      if (relative.contains(compute))
        cloneTensor(compute, dim);
    unsigned first = 1 + cascade.beside.size();
    for (auto [number, sum] : llvm::enumerate(cascade.sums))
      next.push_back(
          advance(sum, stateOf(first + number), factors[sum.factor]));
    NextOp::create(builder, loc, next);
  }

  // Readers of the originals read what the loop gives, and stand behind it.
  SmallVector<std::pair<ComputeOp, Value>> given;
  given.push_back({max, loop.getResult(0)});
  Operation *place = loop;
  // Handed over once, so that what is carried never leaves its block.
  for (auto [number, entry] : llvm::enumerate(cascade.beside)) {
    ComputeOp compute = entry;
    builder.setInsertionPointAfter(place);
    Value carried = loop.getResult(1 + number);
    place = make(compute.getName(), compute.getType(), compute.getIndexNames(),
                 {}, [&](Block &body) -> Value {
                   return readAt(carried, body.getArguments());
                 });
    given.push_back({compute, place->getResult(0)});
  }
  for (auto [number, sum] : llvm::enumerate(cascade.sums)) {
    ComputeOp compute = sum.compute;
    Value result = loop.getResult(1 + cascade.beside.size() + number);
    auto type = cast<TeTensorType>(result.getType());
    if (type.getRank() > compute.getType().getRank()) {
      builder.setInsertionPointAfter(place);
      Attribute lanes = type.getShape().back();
      ComputeOp merged =
          make(compute.getName(), compute.getType(), compute.getIndexNames(),
               {}, [&](Block &body) -> Value {
                 auto merge = ReduceOp::create(
                     builder, loc, type.getElementType(), ReduceKind::Sum,
                     builder.getArrayAttr({builder.getStringAttr(
                         freeIndex(compute.getIndexNames(), "v"))}),
                     builder.getArrayAttr({lanes}), "fixed",
                     TermAttr::get(func.getContext(),
                                   girih::arith::printTerm(Term::lanes(
                                       cast<IntegerAttr>(lanes).getInt(), 1))),
                     Leaf::Plain, Value());
                 OpBuilder::InsertionGuard guard(builder);
                 Block *inner = builder.createBlock(&merge.getBody());
                 SmallVector<Value> at(body.getArguments());
                 at.push_back(inner->addArgument(builder.getIndexType(), loc));
                 YieldOp::create(builder, loc, readAt(result, at));
                 return merge.getResult();
               });
      merged.setPartOfAttr(compute.getPartOfAttr());
      place = merged;
      result = merged.getResult();
    }
    given.push_back({compute, result});
  }
  llvm::SetVector<Operation *> behind;
  for (Operation &op :
       llvm::make_range(Block::iterator(max), Block::iterator(last))) {
    bool depends = false;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *source = operand.getDefiningOp();
        depends |= source && behind.contains(source);
        for (auto [compute, value] : given)
          depends |= source == compute;
      }
    });
    if (depends)
      behind.insert(&op);
  }
  for (Operation *op : behind) {
    bool isReplaced = llvm::any_of(
        given, [&](const auto &entry) { return entry.first == op; });
    if (isReplaced)
      continue;
    op->moveAfter(place);
    place = op;
  }
  for (auto [compute, value] : given) {
    ComputeOp old = compute;
    old.getResult().replaceUsesWithIf(value, [&](OpOperand &use) {
      return !loop->isAncestor(use.getOwner());
    });
  }
  for (auto [compute, value] : llvm::reverse(given))
    ComputeOp(compute).erase();
}

void girih::te::rewriteCascade(FuncOp func, const Cascade &cascade,
                               int64_t block) {
  Rewriter(func, cascade, block).run();
}
