//===- ReadAhead.cpp - loops whose rounds read the next one's operands ----===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/KernelEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace girih;
using namespace girih::tilegen;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;
using poly::Affine;
using poly::LoopExpr;
using poly::LoopNode;

static bool mentions(const LoopExpr &expr, unsigned iterator) {
  if (expr.kind == LoopExpr::Kind::Iterator && expr.index == iterator)
    return true;
  return std::any_of(
      expr.operands.begin(), expr.operands.end(),
      [&](const LoopExpr &operand) { return mentions(operand, iterator); });
}

/// Reading a round ahead is reading past the loop's end once, and before its
/// first round even if there is none. Both are safe when every dim's range is a
/// constraint of its own, when the loop walks the reduced dim alone, and when
/// that dim's end is checked by the reads: then nothing is valid there.
const LoopNode *KernelEmitter::soleContraction(const LoopNode &loop) const {
  const LoopNode *node = &loop;
  while (node->kind != LoopNode::Kind::Tile) {
    const bool isBlock = node == &loop || node->kind == LoopNode::Kind::Block;
    if (!isBlock || node->children.size() != 1)
      return nullptr;
    node = &node->children.front();
  }
  const poly::Statement &model = context.scop.statements[node->statement];
  if (model.kind != poly::StatementKind::Update || !node->node ||
      node->node->kind != poly::Node::Kind::Tile || model.dims.empty() ||
      stagesOf(*node).size() != 2 || model.accesses.size() < 3 ||
      node->node->tile.shape.size() != model.dims.size())
    return nullptr;

  const unsigned k = model.dims.size() - 1;
  bool endIsChecked = false;
  for (const Affine &constraint : model.constraints) {
    unsigned dims = 0;
    for (unsigned d = 0; d <= k; ++d)
      dims += constraint.dimCoefficient(d) != 0;
    if (dims > 1)
      return nullptr;
    endIsChecked |= constraint.dimCoefficient(k) == -1;
  }
  if (!endIsChecked || node->node->tile.shape[k] < 2)
    return nullptr;

  size_t next = 0;
  for (const poly::Node *above : poly::pathTo(context.tree, node->node)) {
    if (above->kind != poly::Node::Kind::Band)
      continue;
    const size_t position =
        std::find(above->statements.begin(), above->statements.end(),
                  node->statement) -
        above->statements.begin();
    for (const poly::Member &member : above->members) {
      const bool moves = mentions(node->outer[next++], loop.iterator);
      for (unsigned d = 0; d < k; ++d)
        if (moves && member.digits[position].value.dimCoefficient(d) != 0)
          return nullptr;
    }
  }

  if (!fragments.count(model.write().array))
    return nullptr;
  // What is read ahead stays in registers beside the accumulators: more than
  // this and fewer blocks are resident, which costs more than is won.
  constexpr int64_t kMostBytes = 32;
  int64_t bytes = 0;
  const std::vector<const poly::Node *> stages = stagesOf(*node);
  for (unsigned operand = 0; operand < 2; ++operand) {
    const unsigned array = model.accesses[operand].array;
    int64_t elements = 1;
    for (int64_t extent : stages[operand]->stage.shape)
      elements *= extent;
    bytes += elements / kernelNode.kernel.threads *
             context.scop.arrays[array].elementBytes;
    if (fragments.count(array) || !globals.count(array) ||
        array == model.write().array ||
        placeOf(kernelNode.kernel, array) == poly::Place::Shared)
      return nullptr;
  }
  return bytes <= kMostBytes ? node : nullptr;
}

LogicalResult KernelEmitter::emitAhead(const LoopNode &loop,
                                       const LoopNode &tile) {
  Value lower = index.loopExpr(loop.lower), upper = index.loopExpr(loop.upper);
  if (!lower || !upper)
    return fail("cannot evaluate the bounds of loop '" + loop.name + "'");
  const std::vector<const poly::Node *> stages = stagesOf(tile);
  const unsigned accumulator =
      context.scop.statements[tile.statement].write().array;
  auto readAt = [&](Value round) -> FailureOr<std::vector<Value>> {
    index.iterators[loop.iterator] = round;
    FailureOr<Site> site = siteOf(tile);
    if (failed(site))
      return failure();
    return readStages(*site, stages);
  };
  FailureOr<std::vector<Value>> first = readAt(lower);
  if (failed(first))
    return failure();
  std::vector<Value> initial{fragments.at(accumulator)};
  initial.insert(initial.end(), first->begin(), first->end());
  Value step = index.constant(loop.step);
  auto made =
      mlir::scf::ForOp::create(builder, loc, lower, upper, step, initial);
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(made.getBody());
    Value now = made.getInductionVar();
    Value held = made.getRegionIterArg(0);
    fragments[accumulator] = held;
    const std::vector<Value> arrived{made.getRegionIterArg(1),
                                     made.getRegionIterArg(2)};
    index.iterators[loop.iterator] = now;
    FailureOr<Site> site = siteOf(tile);
    if (failed(site))
      return failure();
    std::vector<Value> yielded{Value()};
    auto readNext = [&]() -> LogicalResult {
      FailureOr<std::vector<Value>> next = readAt(index.add(now, step));
      if (failed(next))
        return failure();
      yielded.insert(yielded.end(), next->begin(), next->end());
      return success();
    };
    if (failed(contractLoaded(*site, stages, arrived, readNext)))
      return failure();
    yielded[0] = convertTo(fragments.at(accumulator), tile::layoutOf(held), {});
    mlir::scf::YieldOp::create(builder, loc, yielded);
  }
  fragments[accumulator] = made.getResult(0);
  return success();
}
