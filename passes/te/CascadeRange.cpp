//===- CascadeRange.cpp - where scaling is exact, asked at run time -------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With weights of at least 2^-60 (kCascadeSpread) and P and U fraction bits of
// a weight and of what it is multiplied by, the last bit of a product is at
// least 2^-149 for operands from 2^-(89 - P - U) on: no sum of products is then
// rounded at the end of the subnormal numbers, whatever it was scaled by. With
// operands up to 2^90 no sum of 2^36 products overflows.
//
//===----------------------------------------------------------------------===//

#include "passes/te/Cascade.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace girih::te;

namespace {

constexpr int kLargestExponent = 90;
constexpr char kWordIndex[] = "word";

/// An index that a word runs over.
struct WordIndex {
  Value original;
  StringAttr name;
  Attribute extent;
};

class WordMaker {
public:
  explicit WordMaker(FuncOp func)
      : func(func), builder(func.getContext()), loc(func.getLoc()) {
    for (ArrayAttr list : {func.getResultNames(), func.getArgNames()})
      for (Attribute name : list)
        names.insert(cast<StringAttr>(name).getValue());
    func.walk([&](ComputeOp compute) { names.insert(compute.getName()); });
    terminator = cast<ReturnOp>(func.getBlock().getTerminator());
  }

  void spread(const Cascade &cascade);
  void magnitude(const Cascade &cascade, const CascadeOperand &operand);

private:
  std::string fresh(const std::string &base) {
    std::string name = base;
    for (unsigned n = 2; !names.insert(name).second; ++n)
      name = base + "_" + std::to_string(n);
    return name;
  }
  Value integer(int64_t value) {
    return ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  }
  Value real(Type type, double value) {
    return ConstantOp::create(builder, loc, builder.getFloatAttr(type, value));
  }
  Value compare(CompareKind kind, Value a, Value b) {
    return CompareOp::create(builder, loc, builder.getI1Type(), kind, a, b);
  }
  Value both(Value a, Value b) {
    return LogicOp::create(builder, loc, LogicKind::And, a, b);
  }
  Value either(Value a, Value b) {
    return LogicOp::create(builder, loc, LogicKind::Or, a, b);
  }
  Value sizeOf(Attribute extent);
  /// The word, one element: the number of the first instance over `indices` for
  /// which `isOutside` (given the indices' new values) holds.
  void add(const std::string &name, ArrayRef<WordIndex> indices, StringRef kind,
           StringRef tensor, StringRef subject, int64_t low, int64_t high,
           llvm::function_ref<Value(IRMapping &)> isOutside,
           llvm::function_ref<SmallVector<Value>(IRMapping &)> conditions);

  FuncOp func;
  OpBuilder builder;
  Location loc;
  ReturnOp terminator;
  llvm::StringSet<> names;
};

} // namespace

Value WordMaker::sizeOf(Attribute extent) {
  LinearExtent sum = linearOf(extent);
  Value total = integer(sum.constant);
  for (auto [size, factor] : sum.terms) {
    Value value = SizeOp::create(builder, loc, builder.getIndexType(), size);
    value = CastOp::create(builder, loc, builder.getI64Type(), value);
    value =
        BinaryOp::create(builder, loc, BinaryKind::Mul, value, integer(factor));
    total = BinaryOp::create(builder, loc, BinaryKind::Add, total, value);
  }
  return total;
}

void WordMaker::add(
    const std::string &name, ArrayRef<WordIndex> indices, StringRef kind,
    StringRef tensor, StringRef subject, int64_t low, int64_t high,
    llvm::function_ref<Value(IRMapping &)> isOutside,
    llvm::function_ref<SmallVector<Value>(IRMapping &)> conditions) {
  builder.setInsertionPoint(terminator);
  Type wide = builder.getI64Type();
  auto type = TeTensorType::get(func.getContext(),
                                {builder.getI64IntegerAttr(1)}, wide);
  std::string wordName = fresh(name);
  auto none = ComputeOp::create(
      builder, loc, type, wordName,
      builder.getArrayAttr({builder.getStringAttr(kWordIndex)}), ArrayAttr(),
      Value(), StringAttr());
  SmallVector<Attribute> indexNames, extents, starts;
  for (const WordIndex &index : indices) {
    indexNames.push_back(index.name);
    extents.push_back(index.extent);
    starts.push_back(builder.getI64IntegerAttr(0));
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&none.getBody())
        ->addArgument(builder.getIndexType(), loc);
    YieldOp::create(builder, loc, integer(std::numeric_limits<int64_t>::max()));
  }
  // Only where something is outside is anything written.
  auto word = ScatterOp::create(builder, loc, type, ScatterKind::Min, wordName,
                                builder.getArrayAttr(indexNames),
                                builder.getArrayAttr(extents), none.getResult(),
                                /*distinct=*/false, /*drop=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&word.getBody());
    IRMapping map;
    for (const WordIndex &index : indices)
      map.map(index.original, body->addArgument(builder.getIndexType(), loc));
    Value outside = isOutside(map);
    for (Value condition : conditions(map))
      outside = both(outside, condition);
    Value number = integer(0);
    for (auto [index, argument] : llvm::zip(indices, body->getArguments())) {
      number = BinaryOp::create(builder, loc, BinaryKind::Mul, number,
                                sizeOf(index.extent));
      Value place = CastOp::create(builder, loc, wide, argument);
      number = BinaryOp::create(builder, loc, BinaryKind::Add, number, place);
    }
    Value place =
        SelectOp::create(builder, loc, outside, integer(0), integer(-1));
    Value at = ToIndexOp::create(builder, loc, builder.getIndexType(), place);
    PutOp::create(builder, loc, number, at);
  }
  int64_t number = func.getResultTypes().size();
  SmallVector<Attribute> resultNames(func.getResultNames().begin(),
                                     func.getResultNames().end());
  SmallVector<Attribute> resultTypes(func.getResultTypes().begin(),
                                     func.getResultTypes().end());
  resultNames.push_back(word.getNameAttr());
  resultTypes.push_back(TypeAttr::get(word.getType()));
  func.setResultNamesAttr(builder.getArrayAttr(resultNames));
  func.setResultTypesAttr(builder.getArrayAttr(resultTypes));
  if (func.getInPlace()) {
    SmallVector<int64_t> places(*func.getInPlace());
    places.push_back(-1);
    func.setInPlaceAttr(builder.getDenseI64ArrayAttr(places));
  }
  terminator.getResultsMutable().append(word.getResult());
  NamedAttrList entry;
  entry.set("kind", builder.getStringAttr(kind));
  entry.set("where", builder.getI64IntegerAttr(number));
  entry.set("value", builder.getI64IntegerAttr(number));
  entry.set("tensor", builder.getStringAttr(tensor));
  entry.set("subscript", builder.getStringAttr(subject));
  entry.set("names", builder.getArrayAttr(indexNames));
  entry.set("starts", builder.getArrayAttr(starts));
  entry.set("extents", builder.getArrayAttr(extents));
  entry.set("low", builder.getI64IntegerAttr(low));
  entry.set("end", builder.getI64IntegerAttr(high));
  SmallVector<Attribute> checks(func.getChecks().begin(),
                                func.getChecks().end());
  checks.push_back(entry.getDictionary(func.getContext()));
  func.setChecksAttr(builder.getArrayAttr(checks));
}

/// The reference less the smallest element, where there is a finite one.
void WordMaker::spread(const Cascade &cascade) {
  ComputeOp max = cascade.max, reference = cascade.reference;
  builder.setInsertionPointAfter(max);
  auto least = cast<ComputeOp>(builder.clone(*max));
  least.setName(fresh(max.getName().str() + "_least"));
  ReduceOp reduce = least.getReduction();
  reduce.setKind(ReduceKind::Min);
  auto yield = cast<YieldOp>(reduce.getBlock().getTerminator());
  builder.setInsertionPoint(yield);
  Type type = reduce.getType();
  double infinity = std::numeric_limits<double>::infinity();
  Value element = yield.getValue();
  Value isNothing = compare(CompareKind::Eq, element, real(type, -infinity));
  Value counted =
      SelectOp::create(builder, loc, isNothing, real(type, infinity), element);
  yield.setOperand(0, counted);

  SmallVector<WordIndex> indices;
  for (auto [argument, name, extent] :
       llvm::zip(max.getBlock().getArguments(), max.getIndexNames(),
                 max.getType().getShape()))
    indices.push_back({argument, cast<StringAttr>(name), extent});
  add(
      reference.getName().str() + "_spread", indices, "spread",
      reference.getName(), cascade.indexName(), 0, kCascadeSpread,
      [&](IRMapping &map) -> Value {
        SmallVector<Value> at;
        for (const WordIndex &index : indices)
          at.push_back(map.lookup(index.original));
        Value above = ReadOp::create(builder, loc, type, reference.getResult(),
                                     at, /*guarded=*/false);
        Value below = ReadOp::create(builder, loc, type, least.getResult(), at,
                                     /*guarded=*/false);
        Value distance =
            BinaryOp::create(builder, loc, BinaryKind::Sub, above, below);
        return compare(CompareKind::Gt, distance,
                       real(type, double(kCascadeSpread)));
      },
      [](IRMapping &) { return SmallVector<Value>(); });
}

/// The type that a value was cast from, through casts between floats.
static Type sourceType(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getValue();
  return value.getType();
}

void WordMaker::magnitude(const Cascade &cascade,
                          const CascadeOperand &operand) {
  Type source = sourceType(operand.value), type = operand.value.getType();
  // Multiples of 2^-24 up to 65504, or integers: no product gets out of range.
  if (source.isF16() || !isa<FloatType>(source))
    return;
  auto fraction = cast<FloatType>(source).getFPMantissaWidth() - 1;
  int low = -(149 - int(kCascadeSpread) - operand.scaledBits - int(fraction));

  // What the value is made from, and over which indices.
  ComputeOp owner = operand.owner;
  llvm::SetVector<Operation *> slice;
  llvm::SetVector<Value> used;
  SmallVector<Value> work{operand.value};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (!isa<TeTensorType>(argument.getType()))
        used.insert(argument);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (isa<ComputeOp, ForOp>(op) || !owner->isAncestor(op) ||
        !slice.insert(op))
      continue;
    llvm::append_range(work, op->getOperands());
  }
  SmallVector<WordIndex> indices;
  auto addIndex = [&](BlockArgument argument, Attribute name,
                      Attribute extent) {
    if (used.contains(argument))
      indices.push_back({argument, cast<StringAttr>(name), extent});
  };
  for (auto [argument, name, extent] :
       llvm::zip(owner.getBlock().getArguments(), owner.getIndexNames(),
                 owner.getBox()))
    addIndex(argument, name, extent);
  ReduceOp reduce = owner.getReduction();
  if (reduce)
    for (auto [argument, name, extent] :
         llvm::zip(reduce.getBlock().getArguments(), reduce.getIndexNames(),
                   reduce.getExtents()))
      addIndex(argument, name, extent);
  SmallVector<Operation *> ordered;
  owner->walk([&](Operation *op) {
    if (slice.contains(op))
      ordered.push_back(op);
  });
  std::string subject = owner.getName().str();
  for (Operation *op : ordered)
    if (auto read = dyn_cast<ReadOp>(op))
      if (auto argument = dyn_cast<BlockArgument>(read.getTensor()))
        subject =
            cast<StringAttr>(func.getArgNames()[argument.getArgNumber()]).str();
  add(
      subject + "_magnitude", indices, "magnitude", owner.getName(), subject,
      low, kLargestExponent,
      [&](IRMapping &map) -> Value {
        for (Operation *op : ordered)
          builder.clone(*op, map);
        Value value = map.lookupOrDefault(operand.value);
        value = UnaryOp::create(builder, loc, UnaryKind::Abs, Accuracy::Unset,
                                value);
        double infinity = std::numeric_limits<double>::infinity();
        Value small = both(
            compare(CompareKind::Gt, value, real(type, 0)),
            compare(CompareKind::Lt, value, real(type, std::ldexp(1.0, low))));
        Value large =
            both(compare(CompareKind::Gt, value,
                         real(type, std::ldexp(1.0, kLargestExponent))),
                 compare(CompareKind::Lt, value, real(type, infinity)));
        return either(small, large);
      },
      [&](IRMapping &map) {
        // Conditions over these indices alone cut what is looked at.
        SmallVector<Value> all;
        auto add = [&](Block &block) {
          for (auto where : block.getOps<WhereOp>()) {
            SmallVector<Value> at;
            for (Value index : where.getIndices())
              if (map.contains(index))
                at.push_back(map.lookup(index));
            if (at.size() != where.getIndices().size())
              continue;
            Type index = builder.getIndexType();
            Value sum =
                AffineOp::create(builder, loc, index, at,
                                 where.getCoefficients(), where.getOffset());
            Value zero = AffineOp::create(builder, loc, index, ValueRange(),
                                          ArrayRef<int64_t>(),
                                          builder.getI64IntegerAttr(0));
            all.push_back(compare(CompareKind::Ge, sum, zero));
          }
        };
        add(owner.getBlock());
        if (reduce)
          add(reduce.getBlock());
        return all;
      });
}

void girih::te::addRangeWords(FuncOp func, const Cascade &cascade) {
  WordMaker maker(func);
  maker.spread(cascade);
  for (const CascadeOperand &operand : cascade.operands)
    maker.magnitude(cascade, operand);
}
