//===- TileMemory.cpp - what tiles read and write
//-----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/KernelEmitter.h"
#include "passes/tile/Promises.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/Sequence.h"

#include <algorithm>

using namespace girih;
using namespace girih::tilegen;
using layout::Layout;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;
using poly::Access;
using poly::Affine;

/// As many elements of a kept row may be in registers in whatever form.
static constexpr int64_t kFewElements = 32;

/// Whether a rule or data choose some subscript.
static bool hasRule(te::ReadOp source) {
  return source && llvm::any_of(source.getIndices(), [](Value index) {
           return te::isComputed(index);
         });
}

/// Each array dimension is one of the statement's dims, read at the writer's
/// own instance.
FailureOr<KernelEmitter::Fragment> KernelEmitter::readHeld(const Site &site,
                                                           const Access &access,
                                                           const Layout &layout,
                                                           Fragment held) {
  // The turns of time loops are dims of the writer and of no array; they are
  // dims of this statement too.
  llvm::SmallVector<int64_t> dims;
  size_t turns = tile::layoutOf(held).rank() - access.subscripts.size();
  for (size_t turn = 0; turn < turns; ++turn)
    dims.push_back(turn);
  for (const Affine &subscript : access.subscripts) {
    int found = -1;
    for (unsigned d = 0; d < site.box.rank(); ++d)
      if (subscript == Affine::dim(d))
        found = d;
    if (found < 0 || !access.isExact()) {
      if (Fragment row = readRow(site, access, layout, held))
        return row;
      return fail("'" + site.model.name + "' reads '" +
                  context.scop.arrays[access.array].name +
                  "', which is placed in registers, at another instance");
    }
    dims.push_back(found);
  }
  if (dims.empty() && layout.rank() > 0) {
    // A scalar spread over a box.
    auto element = mlir::cast<tile::FragType>(held.getType()).getElementType();
    return Fragment(tile::ConvertOp::create(builder, loc,
                                            fragType(element, layout), held,
                                            llvm::ArrayRef<int64_t>()));
  }
  return convertTo(held, layout, dims);
}

KernelEmitter::Fragment KernelEmitter::readRow(const Site &site,
                                               const Access &access,
                                               const Layout &layout,
                                               Fragment held) {
  const Layout from = tile::layoutOf(held);
  if (!access.isExact() || from.rank() != access.subscripts.size())
    return {};
  std::vector<int64_t> at, as;
  for (auto [s, subscript] : llvm::enumerate(access.subscripts)) {
    // The box begins where the writer's began.
    bool fromStart = subscript.constant == 0;
    for (int64_t factor : subscript.params)
      fromStart &= factor == 0;
    for (unsigned d = 0; d < site.box.rank(); ++d)
      fromStart &= subscript.dimCoefficient(d) == 0 ||
                   subscript == Affine::dim(d) ||
                   IndexEmitter::isZero(site.box.corners[d]);
    if (!fromStart)
      return {};
    for (unsigned d = 0; d < from.rank(); ++d)
      at.push_back(d == s);
    for (unsigned d = 0; d < site.box.rank(); ++d)
      as.push_back(subscript.dimCoefficient(d));
  }
  if (layout::movesOf(from, at) != layout::movesOf(layout, as))
    return {};
  auto element = mlir::cast<tile::FragType>(held.getType()).getElementType();
  return tile::RegroupOp::create(builder, loc, fragType(element, layout), held,
                                 at, as, /*fresh=*/false);
}

/// Whether both are made alike from the same values.
static bool isSameIndex(Value a, Value b) {
  if (a == b)
    return true;
  mlir::Operation *ofA = a.getDefiningOp(), *ofB = b.getDefiningOp();
  if (!ofA || !ofB || !mlir::isPure(ofA) || ofA->getNumRegions() ||
      ofA->getNumResults() != 1 || ofB->getNumResults() != 1)
    return false;
  return mlir::OperationEquivalence::isEquivalentTo(
      ofA, ofB,
      [](Value x, Value y) { return mlir::success(isSameIndex(x, y)); },
      /*markEquivalent=*/nullptr, mlir::OperationEquivalence::IgnoreLocations);
}

KernelEmitter::Fragment KernelEmitter::readLoaded(unsigned array,
                                                  const BoxAccess &places,
                                                  const ValidSet &valid,
                                                  const Layout &layout) {
  // Whether control passed the load on its way here.
  auto isAbove = [&](Fragment value) {
    for (mlir::Block *block = builder.getInsertionBlock(); block;) {
      if (block == value.getParentBlock())
        return true;
      mlir::Operation *parent = block->getParentOp();
      if (mlir::isa<tile::KernelOp>(parent))
        return false;
      block = parent->getBlock();
    }
    return false;
  };
  const size_t rank = layout.rank();
  auto row = [](llvm::ArrayRef<int64_t> all, size_t rank, size_t number) {
    return all.slice(number * rank, rank);
  };
  for (Load &load : loads[array]) {
    const Layout from = tile::layoutOf(load.value);
    if (!isAbove(load.value) ||
        load.places.bases.size() != places.bases.size() ||
        load.valid.bases.size() != valid.bases.size() ||
        !llvm::equal(load.places.bases, places.bases, isSameIndex))
      continue;
    if (layout::movesOf(from, load.places.coefficients) !=
        layout::movesOf(layout, places.coefficients))
      continue;
    // The same conditions, in any order.
    auto isSameBound = [&](size_t theirs, size_t ours) {
      if (!isSameIndex(load.valid.bases[theirs], valid.bases[ours]))
        return false;
      std::vector<int64_t> of = load.places.coefficients;
      std::vector<int64_t> to = places.coefficients;
      llvm::append_range(of, row(load.valid.coefficients, from.rank(), theirs));
      llvm::append_range(to, row(valid.coefficients, rank, ours));
      return layout::movesOf(from, of) == layout::movesOf(layout, to);
    };
    auto numbers = llvm::seq<size_t>(0, valid.bases.size());
    if (!llvm::all_of(numbers, [&](size_t n) {
          return llvm::any_of(
                     numbers,
                     [&](size_t ours) { return isSameBound(n, ours); }) &&
                 llvm::any_of(numbers, [&](size_t theirs) {
                   return isSameBound(theirs, n);
                 });
        }))
      continue;
    // Many elements stay as narrow as they were loaded.
    const bool isLong = layout.registerCount() > kFewElements;
    auto type = fragType(
        mlir::cast<tile::FragType>(load.value.getType()).getElementType(),
        layout);
    if (type == load.value.getType() && !isLong)
      return load.value;
    Fragment value = tile::RegroupOp::create(builder, loc, type, load.value,
                                             load.places.coefficients,
                                             places.coefficients, isLong);
    if (isLong)
      load = {value, places, valid};
    return value;
  }
  return {};
}

Affine KernelEmitter::affineOf(mlir::Attribute extent) const {
  te::LinearExtent sum = te::linearOf(extent);
  Affine result = Affine::of(sum.constant);
  for (auto [name, factor] : sum.terms) {
    unsigned number = context.func.findSize(name.getValue());
    int64_t given = context.func.getGiven()[number];
    if (given >= 0) {
      result.constant += factor * given;
      continue;
    }
    for (unsigned p = 0; p < context.sizeOf.size(); ++p)
      if (context.sizeOf[p] == number)
        result = result + Affine::param(p, factor);
  }
  return result;
}

Affine KernelEmitter::affineOf(const Site &site, Value index) const {
  if (auto bound = index.getDefiningOp<te::BoundOp>())
    index = bound.getValue();
  if (index.getDefiningOp<te::ToIndexOp>())
    return Affine(); // what data add is a fragment
  if (auto constant = index.getDefiningOp<te::IndexConstantOp>())
    return Affine::of(constant.getValue());
  if (auto affine = index.getDefiningOp<te::AffineOp>()) {
    Affine sum = affineOf(affine.getOffset());
    for (auto [operand, factor] :
         llvm::zip(affine.getIndices(), affine.getCoefficients()))
      sum = sum + affineOf(site, operand) * factor;
    return sum;
  }
  auto argument = mlir::cast<mlir::BlockArgument>(index);
  unsigned number = argument.getArgNumber();
  if (auto loop =
          mlir::dyn_cast<te::ForOp>(argument.getOwner()->getParentOp())) {
    unsigned depth = 0;
    while ((loop = loop->getParentOfType<te::ForOp>()))
      ++depth;
    return Affine::dim(depth);
  }
  mlir::Block &outer = site.info.outerBlock();
  if (argument.getOwner() != &outer)
    number += outer.getNumArguments();
  return site.info.indices[number];
}

ValidSet KernelEmitter::readableSet(const Site &site, const poly::Array &array,
                                    te::ReadOp source) {
  ValidSet valid = site.valid;
  if (!source || !source.getGuarded())
    return valid;
  auto require = [&](const Affine &constraint) {
    // Dims and sizes are never negative; the domain says the rest of what is
    // known to hold.
    bool holds = constraint.constant >= 0;
    for (const std::vector<int64_t> *list :
         {&constraint.dims, &constraint.params})
      for (int64_t factor : *list)
        holds &= factor >= 0;
    const std::vector<Affine> &domain = site.model.constraints;
    if (holds ||
        std::find(domain.begin(), domain.end(), constraint) != domain.end())
      return;
    valid.constraints.push_back(constraint);
    valid.bases.push_back(index.affine(constraint, site.box.corners));
    for (unsigned d = 0; d < site.box.rank(); ++d)
      valid.coefficients.push_back(constraint.dimCoefficient(d));
  };
  for (auto [s, subscript] : llvm::enumerate(source.getIndices())) {
    if (te::isComputed(subscript))
      continue;
    Affine place = affineOf(site, subscript);
    require(place);
    require(array.extents[s] - Affine::of(1) - place);
  }
  return valid;
}

std::vector<Affine> KernelEmitter::subscriptsOf(const Access &access) const {
  std::vector<Affine> subscripts;
  for (unsigned d : memoryOrder(context, access.array))
    subscripts.push_back(access.subscripts[d]);
  return subscripts;
}

FailureOr<std::optional<Layout>>
KernelEmitter::stagedLayout(const Site &site, const Access &access) {
  if (site.model.kind != poly::StatementKind::Map)
    return std::optional<Layout>();
  for (const poly::Node *node : poly::pathTo(context.tree, &site.mark)) {
    if (node->kind != poly::Node::Kind::Stage ||
        node->stage.array != access.array)
      continue;
    const std::string where =
        "stage of '" + context.scop.arrays[access.array].name + "'";
    FailureOr<Layout> copy =
        markLayout(node->stage.layout, node->stage.shape, where);
    if (failed(copy))
      return failure();
    // Each subscript is a dim of its own.
    std::vector<int> dims;
    for (const Affine &subscript : access.subscripts)
      for (unsigned d = 0; d < site.box.rank(); ++d)
        if (subscript == Affine::dim(d) && !llvm::is_contained(dims, int(d)))
          dims.push_back(int(d));
    Layout layout;
    layout.shape.assign(site.box.rank(), 1);
    if (dims.size() != access.subscripts.size() || dims.size() != copy->rank())
      return fail(where + " of a map that does not read it dim by dim");
    for (auto [dim, extent] : llvm::zip(dims, copy->shape))
      layout.shape[dim] = extent;
    if (layout.shape != site.box.shape)
      return fail(where + " is not the box that '" + site.model.name +
                  "' reads");
    auto renamed = [&](std::vector<layout::Digit> digits) {
      for (layout::Digit &digit : digits)
        if (digit.dim >= 0)
          digit.dim = dims[digit.dim];
      return digits;
    };
    layout.registers = renamed(copy->registers);
    layout.threads = renamed(copy->threads);
    return std::optional<Layout>(layout);
  }
  return std::optional<Layout>();
}

FailureOr<KernelEmitter::Fragment> KernelEmitter::read(const Site &site,
                                                       const Access &access,
                                                       const Layout &layout,
                                                       te::ReadOp source) {
  auto held = fragments.find(access.array);
  if (held != fragments.end())
    return readHeld(site, access, layout, held->second);
  if (placeOf(kernelNode.kernel, access.array) == poly::Place::Shared)
    return readShared(site, access, layout);
  FailureOr<std::optional<Layout>> staged = stagedLayout(site, access);
  if (failed(staged))
    return failure();
  if (!*staged || hasRule(source))
    return readMemory(site, access, layout, source);
  FailureOr<Fragment> value = readMemory(site, access, **staged, source);
  return failed(value) ? value : convertTo(*value, layout, {});
}

FailureOr<KernelEmitter::Fragment>
KernelEmitter::readMemory(const Site &site, const Access &access,
                          const Layout &layout, te::ReadOp source) {
  auto global = globals.find(access.array);
  if (global == globals.end())
    return fail("'" + site.model.name + "' reads '" +
                context.scop.arrays[access.array].name +
                "', which is neither in registers nor in memory here");
  if (dirty.count(access.array))
    barrier();
  if (arrays.stored.count(access.array))
    loaded[access.array].insert(site.statement);
  if (hasRule(source))
    return loadBound(site, access, layout, source);
  const poly::Array &model = context.scop.arrays[access.array];
  ValidSet valid = readableSet(site, model, source);
  const std::vector<Affine> subscripts = subscriptsOf(access);
  int64_t vector = 1;
  if (context.mode == AccessMode::Vector) {
    std::set<std::pair<unsigned, int64_t>> needs;
    vector = accessVector(subscripts, site.box, valid, layout,
                          16 / model.elementBytes, needs);
    vector = std::min(vector, workspaceVector(access.array, vector, needs));
    if (vector > 1)
      context.divisible.insert(needs.begin(), needs.end());
  }
  BoxAccess places = boxAccess(subscripts, site.box, index);
  const bool isKept =
      placeOf(kernelNode.kernel, access.array) == poly::Place::Register;
  if (isKept)
    if (Fragment earlier = readLoaded(access.array, places, valid, layout))
      return earlier;
  Fragment value = tile::LoadOp::create(
      builder, loc, fragType(context.map.arrayTypes[access.array], layout),
      global->second, places.bases,
      builder.getDenseI64ArrayAttr(places.coefficients), valid.bases,
      builder.getDenseI64ArrayAttr(valid.coefficients),
      builder.getI32IntegerAttr(vector));
  if (isKept)
    loads[access.array].push_back({value, places, valid});
  return value;
}

/// A row that this block wrote: the box's part of it, from its start.
FailureOr<KernelEmitter::Fragment>
KernelEmitter::readShared(const Site &site, const Access &access,
                          const Layout &layout) {
  const std::string &name = context.scop.arrays[access.array].name;
  auto row = sharedBuffers.find(name);
  if (row == sharedBuffers.end())
    return fail("'" + site.model.name + "' reads '" + name +
                "' in shared memory before it is written there");
  const Affine &along = access.subscripts.back();
  bool fromStart = along.constant == 0;
  for (int64_t factor : along.params)
    fromStart &= factor == 0;
  std::vector<int64_t> strides;
  for (unsigned d = 0; d < site.box.rank(); ++d) {
    int64_t factor = along.dimCoefficient(d);
    fromStart &= factor > 0 || site.box.shape[d] == 1;
    strides.push_back(std::max<int64_t>(factor, 1));
    fromStart &= factor == 0 || IndexEmitter::isZero(site.box.corners[d]);
  }
  if (!fromStart)
    return fail("'" + site.model.name + "' reads '" + name +
                "' in shared memory from a place inside the row");
  if (dirty.count(access.array))
    barrier();
  mlir::Type element = context.map.arrayTypes[access.array];
  auto view = tile::SharedType::get(builder.getContext(), element,
                                    site.box.shape, strides);
  Value buffer = row->second;
  if (buffer.getType() != view)
    buffer = tile::ViewSharedOp::create(builder, loc, view, buffer);
  return Fragment(tile::LoadSharedOp::create(
      builder, loc, fragType(element, layout), buffer));
}

/// Rows of a workspace buffer start at multiples of its last extent.
int64_t
KernelEmitter::workspaceVector(unsigned array, int64_t vector,
                               std::set<std::pair<unsigned, int64_t>> &needs) {
  if (context.workspaceOf[array] < 0 || vector == 1)
    return vector;
  const poly::Array &model = context.scop.arrays[array];
  if (!model.extentDivisors.empty())
    for (int64_t divisor : model.extentDivisors)
      if (divisor != 1)
        return 1;
  const Affine &last = model.extents.back();
  for (; vector > 1 && last.constant % vector != 0; vector /= 2)
    ;
  for (unsigned p = 0; p < last.params.size(); ++p)
    if (vector > 1 && last.params[p] % vector != 0)
      needs.insert({p, vector});
  return vector;
}

/// What is carried through a loop of turns has no dims for them: before and
/// behind the loop there are none.
KernelEmitter::Fragment KernelEmitter::withoutTurns(const Site &site,
                                                    const Access &access,
                                                    Fragment value) {
  bool isCarried = false;
  for (const poly::Statement &other : context.scop.statements)
    for (const Access &theirs : other.accesses)
      isCarried |= theirs.array == access.array &&
                   other.loops.size() != site.model.loops.size();
  size_t turns = site.model.loops.size();
  if (!isCarried || turns == 0)
    return value;
  Layout layout = tile::layoutOf(value);
  llvm::SmallVector<int64_t> dims;
  for (size_t d = 0; d < layout.rank(); ++d)
    dims.push_back(int64_t(d) - int64_t(turns) < 0 ? -1 : int64_t(d - turns));
  for (size_t turn = turns; turn-- > 0;)
    layout = layout.slice(turn);
  auto element = mlir::cast<tile::FragType>(value.getType()).getElementType();
  return tile::ConvertOp::create(builder, loc, fragType(element, layout), value,
                                 dims);
}

LogicalResult KernelEmitter::write(const Site &site, const Access &access,
                                   Fragment value) {
  poly::Place place = placeOf(kernelNode.kernel, access.array);
  if (place == poly::Place::Register)
    fragments[access.array] = withoutTurns(site, access, value);
  if (place == poly::Place::Shared) {
    // Readers see the row as cells, of which there are a power of two.
    Layout row = tile::layoutOf(value);
    int64_t elements = 1;
    while (elements < row.shape.back())
      elements *= 2;
    std::vector<int64_t> strides(row.rank(), 1);
    std::vector<int64_t> shape(row.rank(), 1);
    for (unsigned d = 0; d + 1 < row.rank(); ++d)
      if (row.shape[d] != 1)
        return fail("'" + site.model.name + "' writes more than one row of '" +
                    context.scop.arrays[access.array].name +
                    "' to shared memory");
    shape.back() = elements;
    auto whole = tile::SharedType::get(builder.getContext(),
                                       site.info.elementType, shape, strides);
    auto view = tile::SharedType::get(
        builder.getContext(), site.info.elementType, row.shape, strides);
    Value buffer = sharedBuffer(context.scop.arrays[access.array].name, whole);
    if (view != whole)
      buffer = tile::ViewSharedOp::create(builder, loc, view, buffer);
    // In a loop, the last iteration's readers must be done with the row.
    if (loopDepth > 0)
      tile::BarrierOp::create(builder, loc);
    tile::StoreSharedOp::create(builder, loc, value, buffer);
    dirty.insert(access.array);
    return success();
  }
  if (!arrays.stored.count(access.array))
    return success();
  const poly::Array &model = context.scop.arrays[access.array];
  const std::vector<Affine> subscripts = subscriptsOf(access);
  int64_t vector = 1;
  Layout layout = tile::layoutOf(value);
  if (context.mode == AccessMode::Vector) {
    std::set<std::pair<unsigned, int64_t>> needs;
    vector = accessVector(subscripts, site.box, site.valid, layout,
                          16 / model.elementBytes, needs);
    vector = std::min(vector, workspaceVector(access.array, vector, needs));
    if (vector > 1)
      context.divisible.insert(needs.begin(), needs.end());
  }
  barrierBeforeStore(site, access.array, layout);
  BoxAccess places = boxAccess(subscripts, site.box, index);
  tile::StoreOp::create(
      builder, loc, value, globals.at(access.array), places.bases,
      builder.getDenseI64ArrayAttr(places.coefficients), site.valid.bases,
      builder.getDenseI64ArrayAttr(site.valid.coefficients),
      builder.getI32IntegerAttr(vector));
  dirty.insert(access.array);
  return success();
}
