//===- LowerTileControl.cpp - loops, conditions, index arithmetic ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerTileImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace girih::codegen {

//===----------------------------------------------------------------------===//
// Loops and conditions: carried fragments become block arguments, register by
// register.
//===----------------------------------------------------------------------===//

/// Takes the next values off `rest`, as many as `like` has.
static LlvmEmitter::Values takeLike(ValueRange &rest,
                                    const LlvmEmitter::Values &like) {
  LlvmEmitter::Values taken(rest.take_front(like.size()));
  rest = rest.drop_front(like.size());
  return taken;
}

LogicalResult KernelLowering::lowerFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  Value first = scalar(loop.getLowerBound());
  Value limit = scalar(loop.getUpperBound());
  Value step = scalar(loop.getStep());
  Values initial;
  for (Value init : loop.getInitArgs())
    llvm::append_range(initial, of(init));

  // Tested at the end and once before: what does not change inside can then be
  // computed before the loop.
  SmallVector<Type> types{first.getType()};
  llvm::append_range(types, ValueRange(initial).getTypes());
  Block *body = emit.newBlock(types);
  Block *exit = emit.newBlock(ValueRange(initial).getTypes());
  Values entering{first};
  llvm::append_range(entering, initial);
  emit.branch(emit.compare(Compare::SignedLt, first, limit), body, exit,
              entering, initial);

  builder.setInsertionPointToEnd(body);
  set(loop.getInductionVar(), {body->getArgument(0)});
  ValueRange carried = body->getArguments().drop_front();
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    set(argument, takeLike(carried, of(init)));
  // Of a loop that uses the scratch area, its own last round may be reading
  // still; barriers in a loop count for nothing, as it may not run at all.
  const bool usesScratch = op->walk([&](Operation *inner) {
                               return plan.scratchUsers.contains(inner)
                                          ? WalkResult::interrupt()
                                          : WalkResult::advance();
                             }).wasInterrupted();
  if (usesScratch)
    slotIsFree = {false, false};
  const SlotStates before = slotIsFree;
  if (failed(lowerBlock(*loop.getBody())))
    return failure();
  emit.setLoc(op->getLoc());
  Values results;
  for (Value yielded : loop.getBody()->getTerminator()->getOperands())
    llvm::append_range(results, of(yielded));
  Value next = emit.add(body->getArgument(0), step);
  Values again{next};
  llvm::append_range(again, results);
  emit.branch(emit.compare(Compare::SignedLt, next, limit), body, exit, again,
              results);

  builder.setInsertionPointToEnd(exit);
  slotIsFree = before;
  ValueRange leaving = exit->getArguments();
  for (auto [result, init] : llvm::zip(loop.getResults(), loop.getInitArgs()))
    set(result, takeLike(leaving, of(init)));
  return success();
}

LogicalResult KernelLowering::lowerIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  Block *exit = nullptr;
  Block *start = builder.getInsertionBlock();
  Value condition = scalar(branch.getCondition());
  Block *entries[2] = {emit.newBlock(), emit.newBlock()};
  Region *regions[2] = {&branch.getThenRegion(), &branch.getElseRegion()};
  SmallVector<Values> results;
  const SlotStates before = slotIsFree;
  SlotStates after{true, true};
  for (int side = 0; side < 2; ++side) {
    builder.setInsertionPointToEnd(entries[side]);
    slotIsFree = before;
    Values yielded;
    if (!regions[side]->empty()) {
      Block &block = regions[side]->front();
      if (failed(lowerBlock(block)))
        return failure();
      for (Value value : block.getTerminator()->getOperands()) {
        if (side == 0)
          results.push_back(of(value));
        llvm::append_range(yielded, of(value));
      }
    }
    emit.setLoc(op->getLoc());
    if (!exit)
      exit = emit.newBlock(ValueRange(yielded).getTypes());
    emit.branch(exit, yielded);
    for (size_t slot = 0; slot < after.size(); ++slot)
      after[slot] = after[slot] && slotIsFree[slot];
  }
  builder.setInsertionPointToEnd(start);
  emit.branch(condition, entries[0], entries[1]);
  builder.setInsertionPointToEnd(exit);
  slotIsFree = after;
  ValueRange leaving = exit->getArguments();
  for (auto [result, like] : llvm::zip(branch.getResults(), results))
    set(result, takeLike(leaving, like));
  return success();
}

//===----------------------------------------------------------------------===//
// Index arithmetic, all in i64
//===----------------------------------------------------------------------===//

/// a / b rounded down (up): the truncated quotient, less (plus) one where
/// there is a remainder and the exact quotient is negative (positive).
static Value divideRounded(LlvmEmitter &emit, Value a, Value b, bool up) {
  Value quotient = emit.integer(Int::DivSigned, a, b);
  Value remainder = emit.integer(Int::RemSigned, a, b);
  Value inexact = emit.compare(Compare::Ne, remainder, 0);
  Value signs = emit.integer(Int::Xor, a, b);
  Value moves = emit.integer(
      Int::And, inexact,
      emit.compare(up ? Compare::SignedGe : Compare::SignedLt, signs, 0));
  Value one = emit.extendUnsigned(moves, quotient.getType());
  return emit.integer(up ? Int::Add : Int::Sub, quotient, one);
}

LogicalResult KernelLowering::lowerIndexOp(Operation *op) {
  for (Value operand : op->getOperands())
    if (!lowered.contains(operand) || of(operand).size() != 1)
      return op->emitOpError("takes a value that is no number");
  auto wider = [&](Type type) { return type.isIndex() ? emit.i64() : type; };
  auto number = [&](unsigned i) { return scalar(op->getOperand(i)); };
  auto with = [&](Int kind) {
    return emit.integer(kind, number(0), number(1));
  };
  Value result =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](arith::ConstantOp constant) -> Value {
            if (!constant.getType().isIntOrIndexOrFloat())
              return {};
            return scalarLowering.constant(constant.getValue(), op->getLoc());
          })
          .Case([&](arith::AddIOp) { return with(Int::Add); })
          .Case([&](arith::SubIOp) { return with(Int::Sub); })
          .Case([&](arith::MulIOp) { return with(Int::Mul); })
          .Case([&](arith::DivSIOp) { return with(Int::DivSigned); })
          .Case([&](arith::DivUIOp) { return with(Int::DivUnsigned); })
          .Case([&](arith::RemSIOp) { return with(Int::RemSigned); })
          .Case([&](arith::RemUIOp) { return with(Int::RemUnsigned); })
          .Case([&](arith::FloorDivSIOp) {
            return divideRounded(emit, number(0), number(1), false);
          })
          .Case([&](arith::CeilDivSIOp) {
            return divideRounded(emit, number(0), number(1), true);
          })
          .Case([&](arith::MinSIOp) { return with(Int::MinSigned); })
          .Case([&](arith::MaxSIOp) { return with(Int::MaxSigned); })
          .Case([&](arith::MinUIOp) { return with(Int::MinUnsigned); })
          .Case([&](arith::MaxUIOp) { return with(Int::MaxUnsigned); })
          .Case([&](arith::AndIOp) { return with(Int::And); })
          .Case([&](arith::OrIOp) { return with(Int::Or); })
          .Case([&](arith::XOrIOp) { return with(Int::Xor); })
          .Case([&](arith::ShLIOp) { return with(Int::ShiftLeft); })
          .Case([&](arith::ShRUIOp) { return with(Int::ShiftRight); })
          .Case([&](arith::ShRSIOp) { return with(Int::ShiftRightSigned); })
          .Case([&](arith::CmpIOp compare) {
            return emit.compare(static_cast<Compare>(compare.getPredicate()),
                                number(0), number(1));
          })
          .Case([&](arith::SelectOp) {
            return emit.select(number(0), number(1), number(2));
          })
          .Case([&](arith::ExtUIOp cast) {
            return emit.extendUnsigned(number(0), wider(cast.getType()));
          })
          .Case([&](arith::ExtSIOp cast) {
            return emit.extendSigned(number(0), wider(cast.getType()));
          })
          .Case([&](arith::TruncIOp cast) {
            return emit.truncate(number(0), wider(cast.getType()));
          })
          .Case([&](arith::IndexCastOp cast) {
            Type to = wider(cast.getType());
            return to.getIntOrFloatBitWidth() <
                           number(0).getType().getIntOrFloatBitWidth()
                       ? emit.truncate(number(0), to)
                       : emit.extendSigned(number(0), to);
          })
          .Default([](Operation *) { return Value(); });
  if (!result)
    return op->emitOpError("cannot be lowered to a GPU kernel");
  set(op->getResult(0), {result});
  return success();
}

} // namespace girih::codegen
