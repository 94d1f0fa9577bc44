//===- FoldEmitter.cpp - reductions along a term as LLVM IR ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/FoldEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace girih;
using namespace girih::reference;
using arith::Term;
using llvm::Value;

llvm::SmallVector<Value *> reference::emitLoop(llvm::IRBuilder<> &b,
                                               Value *begin, Value *end,
                                               llvm::ArrayRef<Value *> state,
                                               LoopBody body) {
  // Rotated: a guard, then a do-while, so that what is invariant can move to
  // the block in between.
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::LLVMContext &context = b.getContext();
  auto *preheader = llvm::BasicBlock::Create(context, "enter", function);
  auto *loop = llvm::BasicBlock::Create(context, "loop", function);
  auto *exit = llvm::BasicBlock::Create(context, "exit", function);
  llvm::BasicBlock *guard = b.GetInsertBlock();
  b.CreateCondBr(b.CreateICmpSLT(begin, end), preheader, exit);
  b.SetInsertPoint(preheader);
  b.CreateBr(loop);

  b.SetInsertPoint(loop);
  llvm::PHINode *i = b.CreatePHI(begin->getType(), 2, "i");
  i->addIncoming(begin, preheader);
  llvm::SmallVector<Value *> current;
  for (Value *value : state) {
    llvm::PHINode *phi = b.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, preheader);
    current.push_back(phi);
  }
  llvm::SmallVector<Value *> next = body(i, current);
  assert(next.size() == state.size());
  Value *following = b.CreateNSWAdd(i, b.getInt64(1));
  llvm::BasicBlock *latch = b.GetInsertBlock();
  b.CreateCondBr(b.CreateICmpSLT(following, end), loop, exit);
  i->addIncoming(following, latch);
  for (auto [phi, value] : llvm::zip(current, next))
    llvm::cast<llvm::PHINode>(phi)->addIncoming(value, latch);

  b.SetInsertPoint(exit);
  llvm::SmallVector<Value *> result;
  for (auto [before, value] : llvm::zip(state, next)) {
    llvm::PHINode *phi = b.CreatePHI(value->getType(), 2);
    phi->addIncoming(before, guard);
    phi->addIncoming(value, latch);
    result.push_back(phi);
  }
  return result;
}

/// Bytes of a stored partial result: whole words, whatever the type.
static int64_t storedBytes(const llvm::DataLayout &layout, Value *value) {
  return llvm::alignTo(layout.getTypeStoreSize(value->getType()), 4);
}

FoldEmitter::FoldEmitter(llvm::IRBuilder<> &b, ScalarEmitter &scalars,
                         te::ReduceKind kind, artifact::ScalarType type,
                         Chains identity)
    : b(b), scalars(scalars), kind(kind), type(type),
      identity(std::move(identity)) {
  const llvm::DataLayout &layout = b.GetInsertBlock()->getDataLayout();
  for (Value *value : flatten(this->identity))
    entryBytes += storedBytes(layout, value);
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

llvm::SmallVector<Value *> FoldEmitter::flatten(const Chains &chains) {
  llvm::SmallVector<Value *> values;
  for (Tracked chain : chains) {
    values.push_back(chain.value);
    if (chain.error)
      values.push_back(chain.error);
  }
  return values;
}

Chains FoldEmitter::unflatten(llvm::ArrayRef<Value *> values) {
  Chains chains;
  for (Tracked shape : identity) {
    Tracked chain;
    chain.value = values.front();
    values = values.drop_front();
    if (shape.error) {
      chain.error = values.front();
      values = values.drop_front();
    }
    chains.push_back(chain);
  }
  return chains;
}

Chains FoldEmitter::conform(Chains chains) {
  for (auto [chain, shape] : llvm::zip(chains, identity)) {
    if (auto *vector =
            llvm::dyn_cast<llvm::FixedVectorType>(shape.value->getType()))
      chain = scalars.splat(chain, vector->getNumElements());
    if (shape.error && !chain.error)
      chain.error = llvm::Constant::getNullValue(shape.error->getType());
    assert(!chain.error == !shape.error &&
           chain.value->getType() == shape.value->getType());
  }
  return chains;
}

Chains FoldEmitter::combine(const Chains &x, const Chains &y) {
  Chains result;
  for (auto [a, c] : llvm::zip(x, y))
    result.push_back(scalars.combine(kind, type, a, c));
  return conform(std::move(result));
}

Value *FoldEmitter::after(Value *scratch, Value *entries) {
  return b.CreateGEP(b.getInt8Ty(), scratch,
                     b.CreateMul(entries, b.getInt64(entryBytes)));
}

void FoldEmitter::store(Value *scratch, Value *entry, const Chains &chains) {
  const llvm::DataLayout &layout = b.GetInsertBlock()->getDataLayout();
  Value *base = after(scratch, entry);
  int64_t offset = 0;
  for (Value *value : flatten(chains)) {
    b.CreateAlignedStore(value,
                         b.CreateConstGEP1_64(b.getInt8Ty(), base, offset),
                         llvm::Align(4));
    offset += storedBytes(layout, value);
  }
}

Chains FoldEmitter::load(Value *scratch, Value *entry) {
  const llvm::DataLayout &layout = b.GetInsertBlock()->getDataLayout();
  Value *base = after(scratch, entry);
  int64_t offset = 0;
  llvm::SmallVector<Value *> values;
  for (Value *shape : flatten(identity)) {
    values.push_back(b.CreateAlignedLoad(
        shape->getType(), b.CreateConstGEP1_64(b.getInt8Ty(), base, offset),
        llvm::Align(4)));
    offset += storedBytes(layout, shape);
  }
  return unflatten(values);
}

Elements FoldEmitter::stored(Value *scratch) {
  Elements elements;
  elements.extents.push_back(nullptr); // one index: nothing to decode
  elements.step = [this, scratch](llvm::ArrayRef<Value *> indices,
                                  Chains chains) {
    return combine(chains, load(scratch, indices[0]));
  };
  return elements;
}

Value *FoldEmitter::minimum(Value *x, Value *y) {
  return b.CreateSelect(b.CreateICmpSLT(x, y), x, y);
}

Value *FoldEmitter::ceilDiv(Value *x, int64_t y) {
  return b.CreateUDiv(b.CreateAdd(x, b.getInt64(y - 1)), b.getInt64(y));
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// Elements [begin, end) ascending. With several indices the first element's
/// are divided out once; from there the last index counts up and carries.
Chains FoldEmitter::chain(Value *begin, Value *end, Chains start,
                          const Elements &elements) {
  llvm::SmallVector<Value *> state;
  size_t count = elements.extents.size();
  if (count > 1) {
    llvm::SmallVector<Value *> first(count);
    Value *rest = begin;
    for (size_t d = count; d-- > 1;) {
      // Without elements an extent may be 0, and the guard comes later.
      Value *extent =
          b.CreateSelect(b.CreateICmpEQ(elements.extents[d], b.getInt64(0)),
                         b.getInt64(1), elements.extents[d]);
      first[d] = b.CreateURem(rest, extent);
      rest = b.CreateUDiv(rest, extent);
    }
    first[0] = rest;
    state = first;
  }
  llvm::append_range(state, flatten(start));
  auto result = emitLoop(
      b, begin, end, state, [&](Value *k, llvm::ArrayRef<Value *> now) {
        llvm::SmallVector<Value *> indices{k};
        if (count > 1)
          indices.assign(now.begin(), now.begin() + count);
        Chains chains = conform(elements.step(
            indices, unflatten(now.drop_front(count > 1 ? count : 0))));
        llvm::SmallVector<Value *> next;
        if (count > 1) {
          next.resize(count);
          Value *carry = b.getInt64(1);
          for (size_t d = count; d-- > 0;) {
            Value *sum = b.CreateAdd(indices[d], carry);
            Value *wraps = b.CreateICmpEQ(sum, elements.extents[d]);
            next[d] = b.CreateSelect(wraps, b.getInt64(0), sum);
            carry = b.CreateZExt(wraps, b.getInt64Ty());
          }
        }
        llvm::append_range(next, flatten(chains));
        return next;
      });
  return unflatten(
      llvm::ArrayRef<Value *>(result).drop_front(count > 1 ? count : 0));
}

Chains FoldEmitter::foldSegments(const Term &term, Value *begin, Value *end,
                                 const Elements &elements, Value *scratch) {
  Value *length = b.getInt64(term.length);
  Value *segments = ceilDiv(b.CreateSub(end, begin), term.length);
  auto segment = [&](Value *s, Value *memory) {
    Value *from = b.CreateAdd(begin, b.CreateMul(s, length));
    Value *to = minimum(b.CreateAdd(from, length), end);
    return fold(term.innerOrSeq(), from, to, elements, memory);
  };
  if (term.mergeOrSeq().kind == Term::Kind::Seq)
    return unflatten(emitLoop(b, b.getInt64(0), segments, flatten(identity),
                              [&](Value *s, llvm::ArrayRef<Value *> merged) {
                                Chains part = segment(s, scratch);
                                return flatten(
                                    combine(unflatten(merged), part));
                              }));
  Value *free = after(scratch, segments);
  emitLoop(b, b.getInt64(0), segments, {},
           [&](Value *s, llvm::ArrayRef<Value *>) {
             store(scratch, s, segment(s, free));
             return llvm::SmallVector<Value *>();
           });
  return fold(term.mergeOrSeq(), b.getInt64(0), segments, stored(scratch),
              free);
}

Chains FoldEmitter::foldTree(const Term &term, Value *begin, Value *end,
                             const Elements &elements, Value *scratch) {
  Value *count = b.getInt64(term.length);
  Value *length = b.CreateUDiv(b.CreateSub(end, begin), count);
  Value *free = after(scratch, count);
  emitLoop(b, b.getInt64(0), count, {}, [&](Value *s, llvm::ArrayRef<Value *>) {
    Value *from = b.CreateAdd(begin, b.CreateMul(s, length));
    store(scratch, s,
          fold(term.innerOrSeq(), from, b.CreateAdd(from, length), elements,
               free));
    return llvm::SmallVector<Value *>();
  });
  // In place: pair p is written at p, behind everything still to be read. The
  // last one is moved up always; where the count is even nobody looks there.
  int64_t levels = llvm::Log2_64_Ceil(term.length);
  emitLoop(b, b.getInt64(0), b.getInt64(levels), {count},
           [&](Value *, llvm::ArrayRef<Value *> left) {
             Value *pairs = b.CreateLShr(left[0], 1);
             emitLoop(b, b.getInt64(0), pairs, {},
                      [&](Value *p, llvm::ArrayRef<Value *>) {
                        Value *even = b.CreateShl(p, 1);
                        Value *odd = b.CreateAdd(even, b.getInt64(1));
                        store(scratch, p,
                              combine(load(scratch, even), load(scratch, odd)));
                        return llvm::SmallVector<Value *>();
                      });
             store(scratch, pairs,
                   load(scratch, b.CreateSub(left[0], b.getInt64(1))));
             return llvm::SmallVector<Value *>{
                 b.CreateLShr(b.CreateAdd(left[0], b.getInt64(1)), 1)};
           });
  return load(scratch, b.getInt64(0));
}

Chains FoldEmitter::foldLanes(const Term &term, Value *begin, Value *end,
                              const Elements &elements, Value *scratch) {
  Value *zero = b.getInt64(0), *one = b.getInt64(1);
  Value *all = b.getInt64(term.length), *width = b.getInt64(term.width);
  // Lanes without elements hold the identity and cost nothing: only the first
  // 2^levels lanes are stored.
  Value *groups = ceilDiv(b.CreateSub(end, begin), term.width);
  Value *needed = b.CreateSelect(b.CreateICmpSLT(groups, all), groups, all);
  Value *leading = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::ctlz, b.CreateSub(needed, one), b.getFalse());
  Value *levels = b.CreateSelect(b.CreateICmpSLE(needed, one), zero,
                                 b.CreateSub(b.getInt64(64), leading));
  Value *lanes = b.CreateShl(one, levels);
  emitLoop(b, zero, lanes, {}, [&](Value *l, llvm::ArrayRef<Value *>) {
    store(scratch, l, identity);
    return llvm::SmallVector<Value *>();
  });
  emitLoop(b, zero, groups, {}, [&](Value *g, llvm::ArrayRef<Value *>) {
    Value *lane = b.CreateAnd(g, b.getInt64(term.length - 1));
    Value *from = b.CreateAdd(begin, b.CreateMul(g, width));
    Value *to = minimum(b.CreateAdd(from, width), end);
    store(scratch, lane, chain(from, to, load(scratch, lane), elements));
    return llvm::SmallVector<Value *>();
  });
  emitLoop(b, zero, levels, {}, [&](Value *level, llvm::ArrayRef<Value *>) {
    Value *half = b.CreateLShr(b.CreateLShr(lanes, level), 1);
    emitLoop(b, zero, half, {}, [&](Value *l, llvm::ArrayRef<Value *>) {
      store(scratch, l,
            combine(load(scratch, l), load(scratch, b.CreateAdd(l, half))));
      return llvm::SmallVector<Value *>();
    });
    return llvm::SmallVector<Value *>();
  });
  Chains result = load(scratch, zero);
  if (kind != te::ReduceKind::Sum || !artifact::isFloat(type))
    return result; // combining with the identity changes nothing
  // An fma chain may end in -0 (a product that underflows); an empty lane adds
  // +0 to it. Doing that once at the end is the same: sums of lanes differ only
  // where every one of them is -0.
  Value *hasEmpty = b.CreateICmpSLT(lanes, all);
  for (Tracked &chain : result) {
    Value *sum = b.CreateFAdd(
        chain.value, llvm::ConstantFP::get(chain.value->getType(), 0.0));
    chain.value = b.CreateSelect(hasEmpty, sum, chain.value);
  }
  return result;
}

Chains FoldEmitter::fold(const Term &term, Value *begin, Value *end,
                         const Elements &elements, Value *scratch) {
  switch (term.kind) {
  case Term::Kind::Seq:
    return chain(begin, end, identity, elements);
  case Term::Kind::Seg:
    return foldSegments(term, begin, end, elements, scratch);
  case Term::Kind::Tree:
    return foldTree(term, begin, end, elements, scratch);
  case Term::Kind::Lanes:
    return foldLanes(term, begin, end, elements, scratch);
  case Term::Kind::Mma:
    break;
  }
  llvm_unreachable("mma chains are refused when planning");
}
