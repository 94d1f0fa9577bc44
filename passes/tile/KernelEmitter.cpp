//===- KernelEmitter.cpp - a kernel's structure: grid, loops, launch ------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/KernelEmitter.h"

#include "passes/tile/Promises.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

using namespace girih;
using namespace girih::tilegen;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;
using poly::LoopNode;
using poly::StatementKind;

KernelEmitter::KernelEmitter(VariantContext &context,
                             const poly::KernelLoops &loops,
                             mlir::OpBuilder &builder)
    : context(context), loops(loops), kernelNode(*loops.kernel),
      builder(builder), loc(context.func.getLoc()), index(builder, loc),
      arrays(findKernelArrays(context.scop, *loops.kernel)) {}

LogicalResult KernelEmitter::fail(const std::string &message) {
  return mlir::emitError(loc)
         << "kernel '" << kernelNode.kernel.name << "': " << message;
}

LogicalResult KernelEmitter::emit() {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::OperationState state(loc, tile::KernelOp::getOperationName());
  auto &properties = state.getOrAddProperties<tile::KernelOp::Properties>();
  properties.sym_name = builder.getStringAttr(kernelNode.kernel.name);
  properties.threads = builder.getI32IntegerAttr(kernelNode.kernel.threads);
  properties.arg_names = builder.getStrArrayAttr({});
  state.addRegion()->emplaceBlock();
  auto kernel = mlir::cast<tile::KernelOp>(builder.create(state));
  builder.setInsertionPointToStart(&kernel.getBlock());
  if (failed(addArguments(kernel)) || failed(decodeGrid()) ||
      failed(emitNode(loops.body)) || failed(addLaunch(kernel)))
    return failure();
  // Arguments that no access uses as vectors promise nothing.
  for (auto [array, value] : globals) {
    int64_t used = 1;
    for (mlir::Operation *user : value.getUsers()) {
      if (auto load = mlir::dyn_cast<tile::LoadOp>(user))
        used = std::max<int64_t>(used, load.getVector());
      if (auto store = mlir::dyn_cast<tile::StoreOp>(user))
        used = std::max<int64_t>(used, store.getVector());
    }
    auto type = mlir::cast<tile::GlobalType>(value.getType());
    value.setType(tile::GlobalType::get(
        builder.getContext(), type.getElementType(), type.getRank(), used));
    int argument = context.map.argument[array];
    int result = context.map.result[array];
    unsigned inputs = context.func.getBlock().getNumArguments();
    if (used > 1 && (argument >= 0 || result >= 0))
      context.vectorParams.insert(
          {argument >= 0 ? argument : inputs + result, used});
  }
  return success();
}

LogicalResult KernelEmitter::addArguments(tile::KernelOp kernel) {
  std::vector<mlir::Attribute> names;
  mlir::Block &block = kernel.getBlock();
  for (unsigned array : arrays.arrays) {
    const poly::Array &model = context.scop.arrays[array];
    mlir::Type element = context.map.arrayTypes[array];
    unsigned rank = model.extents.size();
    unsigned vector = context.mode == AccessMode::Vector && rank > 0
                          ? 16 / model.elementBytes
                          : 1;
    globals[array] = block.addArgument(
        tile::GlobalType::get(builder.getContext(), element, rank, vector),
        loc);
    names.push_back(builder.getStringAttr(model.name));
  }
  for (const std::string &param : context.scop.params) {
    index.params.push_back(block.addArgument(builder.getIndexType(), loc));
    names.push_back(builder.getStringAttr(param));
  }
  for (unsigned loop : loops.loops) {
    index.grid.push_back(block.addArgument(builder.getIndexType(), loc));
    names.push_back(builder.getStringAttr(context.scop.loops[loop].name));
  }
  kernel.setArgNamesAttr(builder.getArrayAttr(names));
  return success();
}

/// blocks * max(extent, 0): an empty domain counts as no block at all, never as
/// a negative number.
static artifact::SizeExpr gridProduct(artifact::SizeExpr blocks,
                                      artifact::SizeExpr extent) {
  using Kind = artifact::SizeExpr::Kind;
  if (extent.kind == Kind::Constant)
    extent.value = std::max<int64_t>(extent.value, 0);
  else if (extent.kind != Kind::Size) // sizes are never negative
    extent = artifact::SizeExpr::binary(Kind::Max, std::move(extent),
                                        artifact::SizeExpr::constant(0));
  if (blocks.kind == Kind::Constant && blocks.value == 1)
    return extent;
  return artifact::SizeExpr::binary(Kind::Mul, std::move(blocks),
                                    std::move(extent));
}

LogicalResult KernelEmitter::addLaunch(tile::KernelOp kernel) {
  artifact::Launch launch;
  launch.kernel = kernelNode.kernel.name;
  launch.threads = kernelNode.kernel.threads;
  launch.grid = artifact::SizeExpr::constant(1);
  for (const poly::GridMember &member : loops.grid) {
    std::optional<artifact::SizeExpr> extent =
        sizeExpr(member.extent, context.sizeOf);
    if (!extent)
      return fail("the number of values of grid member '" + member.name +
                  "' is not an expression that a launch can evaluate");
    launch.grid = gridProduct(std::move(launch.grid), std::move(*extent));
  }
  unsigned inputs = context.func.getBlock().getNumArguments();
  for (unsigned array : arrays.arrays) {
    const poly::Array &model = context.scop.arrays[array];
    int param = context.map.argument[array];
    if (param < 0 && context.map.result[array] >= 0)
      param = inputs + context.map.result[array];
    artifact::Argument argument;
    argument.kind = param >= 0 ? artifact::Argument::Kind::Pointer
                               : artifact::Argument::Kind::Workspace;
    argument.index = param >= 0 ? param : context.workspaceOf[array];
    launch.arguments.push_back(argument);
    for (unsigned d : memoryOrder(context, array)) {
      artifact::Argument stride;
      if (param >= 0) {
        stride.kind = artifact::Argument::Kind::Stride;
        stride.index = param;
        stride.dim = d;
      } else {
        stride.kind = artifact::Argument::Kind::Value;
        stride.value = artifact::SizeExpr::constant(1);
        for (unsigned inner = d + 1; inner < model.extents.size(); ++inner)
          stride.value = artifact::SizeExpr::binary(
              artifact::SizeExpr::Kind::Mul, std::move(stride.value),
              extentExpr(model, inner, context.sizeOf));
      }
      launch.arguments.push_back(stride);
    }
  }
  for (unsigned size : context.sizeOf) {
    artifact::Argument argument;
    argument.kind = artifact::Argument::Kind::Size;
    argument.index = size;
    launch.arguments.push_back(argument);
  }
  addTurns(kernel, launch);
  context.plan.launches.push_back(std::move(launch));
  return success();
}

/// The turns of the loops around it, where the kernel asks for them.
void KernelEmitter::addTurns(tile::KernelOp kernel, artifact::Launch &launch) {
  mlir::Block &block = kernel.getBlock();
  unsigned first = block.getNumArguments() - loops.loops.size();
  std::vector<mlir::Attribute> names(kernel.getArgNamesAttr().begin(),
                                     kernel.getArgNamesAttr().end());
  for (size_t l = 0, at = first; l < loops.loops.size(); ++l) {
    if (block.getArgument(at).use_empty()) {
      block.eraseArgument(at);
      names.erase(names.begin() + at);
      continue;
    }
    artifact::Argument argument;
    argument.kind = artifact::Argument::Kind::Turn;
    argument.index = context.launchLoopOf[loops.loops[l]];
    launch.arguments.push_back(argument);
    ++at;
  }
  kernel.setArgNamesAttr(builder.getArrayAttr(names));
}

/// The last member varies fastest.
LogicalResult KernelEmitter::decodeGrid() {
  if (loops.grid.empty())
    return success();
  Value rest = tile::BlockIdOp::create(builder, loc, builder.getIndexType());
  std::vector<Value> digits(loops.grid.size());
  for (size_t m = loops.grid.size(); m-- > 0;) {
    if (m == 0) {
      digits[m] = rest;
      break;
    }
    Value extent = index.loopExpr(loops.grid[m].extent);
    if (!extent)
      return fail("cannot evaluate the extent of grid member '" +
                  loops.grid[m].name + "'");
    digits[m] = mlir::arith::RemSIOp::create(builder, loc, rest, extent);
    rest = mlir::arith::DivSIOp::create(builder, loc, rest, extent);
  }
  index.grid.insert(index.grid.end(), digits.begin(), digits.end());
  return success();
}

LogicalResult KernelEmitter::emitNode(const LoopNode &node) {
  switch (node.kind) {
  case LoopNode::Kind::Block:
    for (const LoopNode &child : node.children)
      if (failed(emitNode(child)))
        return failure();
    return success();
  case LoopNode::Kind::For:
    return emitFor(node);
  case LoopNode::Kind::If:
    return emitIf(node);
  case LoopNode::Kind::Tile:
    return emitTile(node);
  }
  return failure();
}

static void visitTiles(const LoopNode &node,
                       const std::function<void(unsigned)> &visit) {
  if (node.kind == LoopNode::Kind::Tile)
    visit(node.statement);
  for (const LoopNode &child : node.children)
    visitTiles(child, visit);
}

/// Tiles below `node`.
static void collectTiles(const LoopNode &node,
                         std::vector<const LoopNode *> &tiles) {
  if (node.kind == LoopNode::Kind::Tile)
    tiles.push_back(&node);
  for (const LoopNode &child : node.children)
    collectTiles(child, tiles);
}

/// Whether several threads hold copies of the tile's elements: what one of them
/// stores the others read in the next turn.
static bool hasCopies(const LoopNode &tile) {
  if (!tile.node || tile.node->kind != poly::Node::Kind::Tile)
    return true;
  std::string problem;
  std::optional<layout::Layout> layout =
      layout::parseLayout(tile.node->tile.layout, problem);
  return !layout || llvm::any_of(layout->threads, [](const auto &digit) {
    return digit.dim < 0 && digit.count > 1;
  });
}

std::vector<unsigned> KernelEmitter::carried(const LoopNode &node) const {
  std::set<unsigned> result;
  visitTiles(node, [&](unsigned s) {
    const poly::Statement &statement = context.scop.statements[s];
    if (fragments.count(statement.write().array))
      result.insert(statement.write().array);
  });
  return {result.begin(), result.end()};
}

std::set<unsigned> KernelEmitter::storedAndLoaded(const LoopNode &node) const {
  std::set<unsigned> stored, both;
  visitTiles(node, [&](unsigned s) {
    unsigned array = context.scop.statements[s].write().array;
    if (placeOf(kernelNode.kernel, array) != poly::Place::Register)
      stored.insert(array);
  });
  // An array that one statement alone touches, element by element, needs no
  // order between iterations.
  std::map<unsigned, std::set<unsigned>> touching;
  visitTiles(node, [&](unsigned s) {
    for (const poly::Access &access : context.scop.statements[s].accesses)
      touching[access.array].insert(s);
  });
  std::vector<const LoopNode *> tiles;
  collectTiles(node, tiles);
  for (const LoopNode *tile : tiles) {
    const poly::Statement &statement = context.scop.statements[tile->statement];
    for (const poly::Access &access : statement.accesses)
      if (!access.isWrite && stored.count(access.array) &&
          (touching[access.array].size() > 1 || !access.isExact() ||
           access.subscripts != statement.write().subscripts ||
           hasCopies(*tile)))
        both.insert(access.array);
  }
  return both;
}

void KernelEmitter::barrier() {
  tile::BarrierOp::create(builder, loc);
  dirty.clear();
  loaded.clear();
}

void KernelEmitter::barrierBeforeStore(const Site &site, unsigned array,
                                       const layout::Layout &layout) {
  const std::set<unsigned> &readers = loaded[array];
  bool byOthers = readers.size() > readers.count(site.statement);
  // Of the threads that hold copies of an element one stores it.
  bool hasCopies = llvm::any_of(layout.threads, [](const layout::Digit &digit) {
    return digit.dim < 0 && digit.count > 1;
  });
  if (byOthers || (hasCopies && readers.count(site.statement)))
    barrier();
}

LogicalResult KernelEmitter::emitPerhaps(const LoopNode &node) {
  std::set<unsigned> dirtyBefore = dirty;
  std::map<unsigned, std::set<unsigned>> loadedBefore = loaded;
  for (const LoopNode &child : node.children)
    if (failed(emitNode(child)))
      return failure();
  dirty.insert(dirtyBefore.begin(), dirtyBefore.end());
  for (auto &[array, readers] : loadedBefore)
    loaded[array].insert(readers.begin(), readers.end());
  return success();
}

bool KernelEmitter::readsDirty(const LoopNode &node) const {
  bool result = false;
  visitTiles(node, [&](unsigned s) {
    for (const poly::Access &access : context.scop.statements[s].accesses)
      result |= !access.isWrite && dirty.count(access.array);
  });
  return result;
}

LogicalResult KernelEmitter::emitFor(const LoopNode &node) {
  if (readsDirty(node)) {
    barrier();
  }
  // What one iteration stores and another loads needs a barrier even where the
  // load stands first in the body; so does what one loads and another stores.
  std::set<unsigned> both = storedAndLoaded(node);
  dirty.insert(both.begin(), both.end());
  visitTiles(node, [&](unsigned s) {
    for (const poly::Access &access : context.scop.statements[s].accesses)
      if (!access.isWrite && both.count(access.array))
        loaded[access.array].insert(s);
  });
  if (const LoopNode *tile = soleContraction(node))
    return emitAhead(node, *tile);
  ++loopDepth;
  Value lower = index.loopExpr(node.lower), upper = index.loopExpr(node.upper);
  if (!lower || !upper)
    return fail("cannot evaluate the bounds of loop '" + node.name + "'");
  std::vector<unsigned> arraysCarried = carried(node);
  std::vector<Value> initial;
  for (unsigned array : arraysCarried)
    initial.push_back(fragments[array]);
  auto loop = mlir::scf::ForOp::create(builder, loc, lower, upper,
                                       index.constant(node.step), initial);
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *body = loop.getBody();
    // With no carried values the builder has already placed the terminator.
    if (arraysCarried.empty())
      builder.setInsertionPoint(body->getTerminator());
    else
      builder.setInsertionPointToEnd(body);
    index.iterators[node.iterator] = loop.getInductionVar();
    std::map<unsigned, Fragment> outer = fragments;
    for (size_t c = 0; c < arraysCarried.size(); ++c)
      fragments[arraysCarried[c]] = loop.getRegionIterArg(c);
    if (failed(emitPerhaps(node)))
      return failure();
    if (!arraysCarried.empty()) {
      std::vector<Value> yielded;
      for (size_t c = 0; c < arraysCarried.size(); ++c)
        yielded.push_back(convertTo(fragments[arraysCarried[c]],
                                    tile::layoutOf(loop.getRegionIterArg(c)),
                                    {}));
      mlir::scf::YieldOp::create(builder, loc, yielded);
    }
    fragments = std::move(outer);
  }
  --loopDepth;
  for (size_t c = 0; c < arraysCarried.size(); ++c)
    fragments[arraysCarried[c]] = loop.getResult(c);
  return success();
}

LogicalResult KernelEmitter::defineBefore(const LoopNode &node) {
  std::vector<const LoopNode *> tiles;
  collectTiles(node, tiles);
  auto isBelow = [&](unsigned s) {
    return llvm::any_of(
        tiles, [&](const LoopNode *tile) { return tile->statement == s; });
  };
  for (const LoopNode *tile : tiles) {
    const poly::Statement &model = context.scop.statements[tile->statement];
    unsigned array = model.write().array;
    if (fragments.count(array) ||
        placeOf(kernelNode.kernel, array) != poly::Place::Register)
      continue;
    bool isReadBehind = false;
    for (unsigned s : kernelNode.statements)
      for (const poly::Access &access : context.scop.statements[s].accesses)
        isReadBehind |= !isBelow(s) && !access.isWrite && access.array == array;
    if (!isReadBehind)
      continue;
    mlir::FailureOr<Site> site = siteOf(*tile);
    if (mlir::failed(site))
      return failure();
    mlir::Type element = context.map.arrayTypes[array];
    Value nothing =
        tile::FillOp::create(builder, loc, fragType(element, site->layout),
                             zeroOf(element, /*negative=*/false));
    fragments[array] = withoutTurns(*site, model.write(), nothing);
  }
  return success();
}

LogicalResult KernelEmitter::emitIf(const LoopNode &node) {
  if (node.children.size() > 1)
    return fail("a guard with an else branch");
  if (failed(defineBefore(node)))
    return failure();
  Value condition = index.loopExpr(node.condition);
  if (!condition)
    return fail("cannot evaluate a guard");
  std::vector<unsigned> arraysCarried = carried(node);
  std::vector<mlir::Type> types;
  for (unsigned array : arraysCarried)
    types.push_back(fragments[array].getType());
  auto branch = mlir::scf::IfOp::create(builder, loc, types, condition,
                                        /*withElseRegion=*/!types.empty());
  std::map<unsigned, Fragment> outer = fragments;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    if (types.empty())
      builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    else
      builder.setInsertionPointToEnd(branch.thenBlock());
    if (failed(emitPerhaps(node)))
      return failure();
    if (!types.empty()) {
      std::vector<Value> changed, unchanged;
      for (unsigned array : arraysCarried) {
        changed.push_back(
            convertTo(fragments[array], tile::layoutOf(outer[array]), {}));
        unchanged.push_back(outer[array]);
      }
      mlir::scf::YieldOp::create(builder, loc, changed);
      builder.setInsertionPointToEnd(branch.elseBlock());
      mlir::scf::YieldOp::create(builder, loc, unchanged);
    }
  }
  fragments = std::move(outer);
  for (size_t c = 0; c < arraysCarried.size(); ++c)
    fragments[arraysCarried[c]] = branch.getResult(c);
  return success();
}

mlir::FailureOr<layout::Layout>
KernelEmitter::markLayout(const std::string &text,
                          const std::vector<int64_t> &shape,
                          const std::string &where) {
  // More values than any thread's registers hold, before code explodes.
  constexpr int64_t kMostRegisters = 1024;
  std::string why;
  std::optional<layout::Layout> layout = layout::parseLayout(text, why);
  if (!layout)
    return fail(where + ": " + why);
  if (!layout->isValid(why))
    return fail(where + ": the layout is wrong: " + why);
  if (layout->shape != shape)
    return fail(where + " is laid out as a box of another shape");
  if (layout->threadCount() != int64_t(kernelNode.kernel.threads))
    return fail(
        where + " is laid out over " + std::to_string(layout->threadCount()) +
        " threads in a kernel of " + std::to_string(kernelNode.kernel.threads));
  if (layout->registerCount() > kMostRegisters) {
    mlir::emitError(loc, "a thread would hold ")
            .append(layout->registerCount(), " values of the ", where,
                    " at a time, more than ", kMostRegisters)
            .attachNote()
        << "help: ask for fewer lanes, order=lanes(1024, 1)";
    return failure();
  }
  return *layout;
}

std::vector<const poly::Node *>
KernelEmitter::stagesOf(const LoopNode &node) const {
  std::vector<const poly::Node *> stages;
  for (const poly::Node *ancestor : poly::pathTo(context.tree, node.node))
    if (ancestor->kind == poly::Node::Kind::Stage)
      stages.push_back(ancestor);
  return stages;
}

mlir::FailureOr<KernelEmitter::Site>
KernelEmitter::siteOf(const LoopNode &node) {
  const poly::Statement &model = context.scop.statements[node.statement];
  const scop::StatementInfo &info = context.map.statements[node.statement];
  if (!node.node || node.node->kind != poly::Node::Kind::Tile)
    return fail("statement '" + model.name + "' has no tile mark");
  bool isStaged = !stagesOf(node).empty();
  if (isStaged && model.kind != StatementKind::Update &&
      model.kind != StatementKind::Map)
    return fail("'" + model.name +
                "' is staged but is neither a map nor a product of two staged "
                "operands");
  isStaged &= model.kind == StatementKind::Update;
  // The layout of a contraction is its accumulator's.
  std::vector<int64_t> shape = node.node->tile.shape;
  if (isStaged && !shape.empty())
    shape.pop_back();
  mlir::FailureOr<layout::Layout> layout =
      markLayout(node.node->tile.layout, shape, "tile of '" + model.name + "'");
  if (mlir::failed(layout))
    return failure();
  std::vector<Value> outer;
  for (const poly::LoopExpr &expr : node.outer) {
    outer.push_back(index.loopExpr(expr));
    if (!outer.back())
      return fail("cannot evaluate a member above the tile of '" + model.name +
                  "'");
  }
  std::string problem = boxProblem(context.tree, *node.node, node.statement,
                                   model, node.node->tile.shape);
  if (!problem.empty())
    return fail(problem);
  TileBox box = makeBox(context.tree, *node.node, node.statement,
                        model.dims.size(), node.node->tile.shape, outer, index);
  ValidSet valid = validSet(model, box, index);
  return Site{node.statement, model,           info, *node.node, *layout,
              std::move(box), std::move(valid)};
}

LogicalResult KernelEmitter::emitTile(const LoopNode &node) {
  // What a tile does is at its statement's place in the text.
  te::ReduceOp reduce = context.map.statements[node.statement].reduce;
  te::ComputeOp compute = context.map.statements[node.statement].compute;
  te::ScatterOp scatter = context.map.statements[node.statement].scatter;
  mlir::Location place = scatter  ? scatter.getLoc()
                         : reduce ? reduce.getLoc()
                                  : compute.getLoc();
  llvm::SaveAndRestore<mlir::Location> here(loc, place),
      there(index.loc, place);
  mlir::FailureOr<Site> site = siteOf(node);
  if (mlir::failed(site))
    return failure();
  switch (site->model.kind) {
  case StatementKind::Map:
    return emitMap(*site);
  case StatementKind::Init:
    return emitInit(*site);
  case StatementKind::Merge:
    return emitMerge(*site);
  case StatementKind::Scatter:
    return emitScatter(*site);
  case StatementKind::Update:
    break;
  }
  const std::vector<const poly::Node *> stages = stagesOf(node);
  return stages.empty() ? emitUpdate(*site) : emitContract(*site, stages);
}
