//===- KernelEmitter.cpp - one te.compute as a host function --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/KernelEmitter.h"

#include "compiler/reference/FoldEmitter.h"
#include "compiler/reference/TileEmitter.h"

using namespace girih;
using namespace girih::reference;
using llvm::Value;

namespace {

class KernelEmitter {
public:
  KernelEmitter(llvm::Module &module, te::FuncOp func, const ComputePlan &plan,
                const ProgramInfo &program, const HostShape &host, bool bounds)
      : b(module.getContext()), floats(b, host.nativeHalf),
        scalars(b, floats, bounds), module(module), func(func), plan(plan),
        program(program), host(host), bounds(bounds) {}

  void run();

private:
  Value *extent(unsigned dim) {
    return TileEmitter::extentValue(b, func, frame, boxOf(plan.op)[dim]);
  }
  Value *minimum(Value *x, Value *y) {
    return b.CreateSelect(b.CreateICmpSLT(x, y), x, y);
  }
  Value *ceilDiv(Value *x, int64_t y) {
    return b.CreateUDiv(b.CreateAdd(x, b.getInt64(y - 1)), b.getInt64(y));
  }
  void emitItem(Value *item);
  void emitColumns(const TilePlace &place, Value *row, Value *active,
                   Value *begin, Value *end, unsigned rows);
  void emitTile(TilePlace place, unsigned from = 0);

  llvm::IRBuilder<> b;
  FloatOps floats;
  ScalarEmitter scalars;
  llvm::Module &module;
  te::FuncOp func;
  const ComputePlan &plan;
  const ProgramInfo &program;
  const HostShape &host;
  bool bounds;
  llvm::Function *function = nullptr;
  KernelFrame frame;
};

} // namespace

/// One tile, for every value of the ordered dimensions from `from` on.
void KernelEmitter::emitTile(TilePlace place, unsigned from) {
  const std::vector<bool> &inOrder = plan.info.inOrder;
  auto next = std::find(inOrder.begin() + from, inOrder.end(), true);
  if (next == inOrder.end()) {
    TileEmitter(b, floats, scalars, func, plan, program, frame, bounds,
                std::move(place))
        .run();
    return;
  }
  unsigned dim = next - inOrder.begin();
  emitLoop(b, b.getInt64(0), extent(dim), {},
           [&](Value *index, llvm::ArrayRef<Value *>) {
             place.indices[dim] = index;
             emitTile(place, dim + 1);
             return llvm::SmallVector<Value *>();
           });
}

/// Items are numbered with row tiles innermost (they share a block of columns,
/// which stays in cache), then blocks of columns, then the other dimensions in
/// row-major order.
void KernelEmitter::emitItem(Value *item) {
  const KernelInfo &info = plan.info;
  int rank = info.box.size();
  TilePlace place;
  place.indices.resize(rank);
  Value *rest = item;
  auto take = [&](Value *count) {
    Value *index = b.CreateURem(rest, count);
    rest = b.CreateUDiv(rest, count);
    return index;
  };
  auto takeOthers = [&] {
    for (int dim = rank - 1; dim >= 0; --dim)
      if (dim != info.rowDim && dim != info.columnDim && !info.inOrder[dim])
        place.indices[dim] = take(extent(dim));
  };
  if (info.columnDim < 0) {
    takeOthers();
    emitTile(place);
    return;
  }
  Value *rowBegin = nullptr, *rowEnd = nullptr;
  Value *allRows = b.getTrue();
  if (info.rowDim >= 0) {
    Value *rows = extent(info.rowDim);
    rowBegin = b.CreateMul(take(ceilDiv(rows, info.tileRows)),
                           b.getInt64(info.tileRows));
    Value *whole = b.CreateAdd(rowBegin, b.getInt64(info.tileRows));
    rowEnd = minimum(whole, rows);
    allRows = b.CreateICmpSLE(whole, rows);
  }
  Value *columns = extent(info.columnDim);
  Value *columnBegin = b.CreateMul(take(ceilDiv(columns, info.columnBlock)),
                                   b.getInt64(info.columnBlock));
  Value *columnEnd =
      minimum(b.CreateAdd(columnBegin, b.getInt64(info.columnBlock)), columns);
  takeOthers();

  emitColumns(place, rowBegin, allRows, columnBegin, columnEnd, plan.rows);
  if (info.rowDim < 0)
    return;
  // The last rows, where they do not fill a tile, one at a time.
  emitLoop(b, b.CreateSelect(allRows, rowEnd, rowBegin), rowEnd, {},
           [&](Value *row, llvm::ArrayRef<Value *>) {
             emitColumns(place, row, b.getTrue(), columnBegin, columnEnd, 1);
             return llvm::SmallVector<Value *>();
           });
}

/// Columns [begin, end) of `rows` rows: whole tiles, then single vectors, the
/// last of them masked. Nothing happens unless `active`.
void KernelEmitter::emitColumns(const TilePlace &place, Value *row,
                                Value *active, Value *begin, Value *end,
                                unsigned rows) {
  const KernelInfo &info = plan.info;
  auto nothing = llvm::SmallVector<Value *>();
  Value *zero = b.getInt64(0);
  auto tileAt = [&](Value *column) {
    TilePlace tile = place;
    if (info.rowDim >= 0)
      tile.indices[info.rowDim] = row;
    tile.indices[info.columnDim] = column;
    tile.rows = rows;
    return tile;
  };
  Value *width = b.getInt64(int64_t(plan.width) * plan.columns);
  Value *tiles = b.CreateUDiv(b.CreateSub(end, begin), width);
  emitLoop(b, zero, b.CreateSelect(active, tiles, zero), {},
           [&](Value *t, llvm::ArrayRef<Value *>) {
             TilePlace whole =
                 tileAt(b.CreateAdd(begin, b.CreateMul(t, width)));
             whole.columns = plan.columns;
             emitTile(std::move(whole));
             return nothing;
           });
  Value *left = b.CreateAdd(begin, b.CreateMul(tiles, width));
  Value *vectors = ceilDiv(b.CreateSub(end, left), plan.width);
  emitLoop(b, zero, b.CreateSelect(active, vectors, zero), {},
           [&](Value *v, llvm::ArrayRef<Value *>) {
             TilePlace part = tileAt(
                 b.CreateAdd(left, b.CreateMul(v, b.getInt64(plan.width))));
             part.columnEnd = end;
             emitTile(std::move(part));
             return nothing;
           });
}

void KernelEmitter::run() {
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  auto *type =
      llvm::FunctionType::get(b.getVoidTy(), {ptr, i64, i64, ptr}, false);
  function = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                    plan.info.symbol, module);
  // Scratch is this call's own; everything that is read was finished before.
  function->getArg(0)->addAttr(llvm::Attribute::NoAlias);
  function->getArg(3)->addAttr(llvm::Attribute::NoAlias);
  // No unwind tables: nothing in here or called from here throws.
  function->setDoesNotThrow();
  // Without this, x86 splits 512-bit vectors on machines that prefer 256.
  std::string bits = std::to_string(host.vectorBits);
  function->addFnAttr("prefer-vector-width", bits);
  function->addFnAttr("min-legal-vector-width", bits);
  auto *entry = llvm::BasicBlock::Create(b.getContext(), "entry", function);
  b.SetInsertPoint(entry);
  frame = loadFrame(b, function->getArg(0), function->getArg(3), plan, program);
  emitLoop(b, function->getArg(1), function->getArg(2), {},
           [&](Value *item, llvm::ArrayRef<Value *>) {
             emitItem(item);
             return llvm::SmallVector<Value *>();
           });
  b.CreateRetVoid();
}

void reference::emitKernel(llvm::Module &module, te::FuncOp func,
                           const ComputePlan &plan, const ProgramInfo &program,
                           const HostShape &host, bool bounds) {
  KernelEmitter(module, func, plan, program, host, bounds).run();
}
