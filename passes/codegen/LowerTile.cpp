//===- LowerTile.cpp - from a tile kernel to the LLVM dialect -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerTileImpl.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace girih::codegen {

KernelLowering::KernelLowering(tile::KernelOp kernel, OpBuilder &builder,
                               const target::GpuTarget &target)
    : kernel(kernel), builder(builder), target(target),
      emit(builder, kernel.getLoc()), scalarLowering(builder, target),
      plan(planShared(kernel)) {}

/// Pointer and strides for each tensor, then the index values, as the ABI of
/// tile.kernel says.
void KernelLowering::lowerArguments(KernelFacts &facts) {
  Block &block = kernel.getBlock();
  kernel.getBody().walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      read.insert(load.getTensor());
    else if (auto bound = dyn_cast<tile::LoadBoundOp>(op))
      read.insert(bound.getTensor());
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      written.insert(store.getTensor());
    else if (auto scatter = dyn_cast<tile::ScatterOp>(op)) {
      written.insert(scatter.getTensor());
      read.insert(scatter.getTensor());
    }
  });
  SmallVector<LlvmEmitter::Argument> arguments;
  for (BlockArgument argument : block.getArguments()) {
    auto tensor = dyn_cast<tile::GlobalType>(argument.getType());
    if (!tensor) {
      arguments.push_back({emit.i64()});
      continue;
    }
    LlvmEmitter::Argument pointer{emit.pointerType(Space::Global)};
    // A buffer that this kernel both writes and reads carries values between
    // threads; noalias would let LLVM move its accesses across barriers.
    const bool isWritten = written.contains(argument);
    pointer.noAlias = !isWritten || !read.contains(argument);
    pointer.readOnly = !isWritten;
    if (tensor.getVector() > 1)
      pointer.alignment =
          tensor.getVector() * tile::bytesOf(tensor.getElementType());
    arguments.push_back(pointer);
    arguments.append(tensor.getRank(), {emit.i64()});
  }
  // Before Ampere ptxas keeps two blocks of 256 threads resident by spilling.
  Block *entry =
      emit.beginKernel(kernel.getSymName(), arguments, kernel.getThreads(),
                       /*oneBlockIsEnough=*/target.capability < 80);

  unsigned next = 0;
  for (BlockArgument argument : block.getArguments()) {
    unsigned count = 1;
    if (auto tensor = dyn_cast<tile::GlobalType>(argument.getType()))
      count += tensor.getRank();
    Values values;
    for (unsigned i = 0; i < count; ++i)
      values.push_back(entry->getArgument(next++));
    set(argument, values);
  }
}

/// 16x128
static std::string crossed(ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : "x") + std::to_string(number);
  return text;
}

/// One line a buffer, as docs/simulator.md describes them.
ArrayAttr KernelLowering::sharedNames(const std::string &variable) {
  SmallVector<Attribute> lines;
  kernel.getBody().walk([&](tile::AllocSharedOp alloc) {
    tile::SharedType type = alloc.getResult().getType();
    std::string line;
    llvm::raw_string_ostream stream(line);
    stream << variable << ' ' << plan.buffers.lookup(alloc) << ' '
           << alloc.getName() << ' ' << type.getElementType() << ' '
           << (type.getElementType().getIntOrFloatBitWidth() + 7) / 8 << ' '
           << crossed(type.getShape()) << ' ' << crossed(type.getStrides());
    lines.push_back(builder.getStringAttr(line));
  });
  return builder.getArrayAttr(lines);
}

LogicalResult KernelLowering::run(KernelFacts &facts) {
  if (plan.totalBytes > static_cast<int64_t>(target.maxSharedBytesPerBlock))
    return (kernel.emitError("kernel '")
            << kernel.getSymName() << "' needs " << plan.totalBytes
            << " bytes of shared memory; a block on " << target.name
            << " has at most " << target.maxSharedBytesPerBlock)
               .attachNote()
           << "help: the results of order=tree(n) stand there: make n smaller";
  facts.name = kernel.getSymName().str();
  facts.threads = kernel.getThreads();
  facts.sharedBytes = plan.totalBytes;
  facts.dynamicShared = plan.isDynamic();

  lowerArguments(facts);
  Operation *function = builder.getInsertionBlock()->getParentOp();
  thread = emit.threadId();
  Operation *sharedGlobal = nullptr;
  if (plan.totalBytes) {
    std::string name = facts.name + "_shared";
    emit.sharedGlobal(name, plan.totalBytes, plan.isDynamic());
    sharedGlobal = function->getPrevNode();
    sharedBase = emit.addressOf(name, Space::Shared);
    function->setAttr(kSharedNamesAttr, sharedNames(name));
  }
  // What every thread computes once is emitted before the prologue's end.
  Block *body = emit.newBlock();
  emit.branch(body);
  prologueEnd = &builder.getInsertionBlock()->back();
  builder.setInsertionPointToEnd(body);

  if (failed(lowerBlock(kernel.getBlock()))) {
    builder.setInsertionPointAfter(function);
    function->erase();
    if (sharedGlobal)
      sharedGlobal->erase();
    return failure();
  }
  emit.setLoc(kernel.getLoc());
  emit.endKernel();
  return success(!hasFailed);
}

LogicalResult KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      break;
    if (failed(lowerOp(&op)))
      return failure();
  }
  return success();
}

LogicalResult KernelLowering::lowerOp(Operation *op) {
  emit.setLoc(op->getLoc());
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "arith")
    return lowerIndexOp(op);
  if (dialect == "scf") {
    if (op->getName().getStringRef() == "scf.for")
      return lowerFor(op);
    if (op->getName().getStringRef() == "scf.if")
      return lowerIf(op);
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::BlockIdOp id) {
        set(id, {emit.extendUnsigned(emit.blockId(), emit.i64())});
        return success();
      })
      .Case([&](tile::AllocSharedOp alloc) {
        set(alloc, {emit.offset(sharedBase, builder.getI8Type(),
                                plan.buffers.lookup(op))});
        return success();
      })
      .Case([&](tile::ViewSharedOp view) {
        set(view, {scalar(view.getBuffer())});
        return success();
      })
      .Case([&](tile::BarrierOp) {
        meet();
        return success();
      })
      .Case([&](tile::LoadOp load) { return lowerLoad(load), success(); })
      .Case([&](tile::LoadBoundOp load) {
        return lowerLoadBound(load), success();
      })
      .Case([&](tile::ScatterOp scatter) {
        return lowerScatter(scatter), success();
      })
      .Case([&](tile::StoreOp store) { return lowerStore(store), success(); })
      .Case([&](tile::LoadSharedOp load) {
        return lowerLoadShared(load), success();
      })
      .Case([&](tile::StoreSharedOp store) {
        return lowerStoreShared(store), success();
      })
      .Case([&](tile::FillOp fill) { return lowerFill(fill), success(); })
      .Case([&](tile::MapOp map) { return lowerMap(map); })
      .Case(
          [&](tile::ReduceOp reduce) { return lowerReduce(reduce), success(); })
      .Case([&](tile::ContractOp contract) {
        return lowerContract(contract), success();
      })
      .Case([&](tile::MergeOp merge) { return lowerMerge(merge); })
      .Case([&](tile::ConvertOp convert) {
        return lowerConvert(convert), success();
      })
      .Case([&](tile::RegroupOp regroup) {
        return lowerRegroup(regroup), success();
      })
      .Default([](Operation *other) {
        return other->emitOpError("cannot be lowered to a GPU kernel");
      });
}

LogicalResult lowerTileKernel(tile::KernelOp kernel, OpBuilder &builder,
                              const target::GpuTarget &target,
                              KernelFacts &facts) {
  return KernelLowering(kernel, builder, target).run(facts);
}

} // namespace girih::codegen
