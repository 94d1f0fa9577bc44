//===- SharedPlan.cpp - a kernel's shared memory --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/SharedPlan.h"

using namespace mlir;

namespace girih::codegen {

static int64_t onSixteen(int64_t bytes) { return (bytes + 15) / 16 * 16; }

static int64_t bytesOf(tile::FragType type) {
  return tile::bytesOf(type.getElementType());
}

BitOrder bitOrderOf(tile::MergeOp merge) {
  return merge.getOrder() == tile::MergeOrder::Halving ? BitOrder::HighestFirst
                                                       : BitOrder::LowestFirst;
}

ConvertSource sourceOf(tile::ConvertOp convert) {
  ConvertSource source{tile::layoutOf(convert.getValue()), {}};
  for (size_t d = convert.getDims().size(); d-- > 0;)
    if (convert.getDims()[d] < 0)
      source.layout = source.layout.slice(d);
  for (int64_t dim : convert.getDims())
    if (dim >= 0)
      source.dims.push_back(dim);
  return source;
}

/// Bytes of scratch that lowering `op` will use.
static int64_t scratchBytesOf(Operation *op) {
  if (auto merge = dyn_cast<tile::MergeOp>(op))
    return bytesOf(merge.getCells().getType()) *
           mergeScratchElements(tile::layoutOf(merge.getCells()),
                                bitOrderOf(merge));
  if (auto convert = dyn_cast<tile::ConvertOp>(op)) {
    ConvertSource source = sourceOf(convert);
    return bytesOf(convert.getValue().getType()) *
           planConvert(source.layout, tile::layoutOf(convert.getResult()),
                       source.dims, bytesOf(convert.getValue().getType()))
               .scratchElements;
  }
  return 0;
}

SharedPlan planShared(tile::KernelOp kernel) {
  constexpr int64_t kDoubledUpTo = 8 * 1024;
  SharedPlan plan;
  int64_t end = 0;
  kernel.getBody().walk([&](Operation *op) {
    if (auto alloc = dyn_cast<tile::AllocSharedOp>(op)) {
      plan.buffers[op] = end;
      end += onSixteen(alloc.getResult().getType().bytes());
    } else if (int64_t bytes = scratchBytesOf(op)) {
      plan.scratchUsers.insert(op);
      plan.scratchBytes = std::max(plan.scratchBytes, bytes);
    }
  });
  plan.scratchOffset = end;
  plan.scratchBytes = onSixteen(plan.scratchBytes);
  if (plan.scratchBytes)
    plan.scratchSlots = plan.scratchBytes <= kDoubledUpTo ? 2 : 1;
  plan.totalBytes = end + plan.scratchSlots * plan.scratchBytes;
  return plan;
}

} // namespace girih::codegen
