//===- FoldEmitter.h - reductions along a term as LLVM IR -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_FOLDEMITTER_H
#define GIRIH_COMPILER_REFERENCE_FOLDEMITTER_H

#include "compiler/arith/Term.h"
#include "compiler/reference/ScalarEmitter.h"

#include <functional>

namespace girih::reference {

/// Emits `for (i = begin; i < end; ++i) state = body(i, state)` (signed i64)
/// and returns the final state. Bodies may emit further control flow.
using LoopBody = llvm::function_ref<llvm::SmallVector<llvm::Value *>(
    llvm::Value *i, llvm::ArrayRef<llvm::Value *> state)>;
llvm::SmallVector<llvm::Value *> emitLoop(llvm::IRBuilder<> &b,
                                          llvm::Value *begin, llvm::Value *end,
                                          llvm::ArrayRef<llvm::Value *> state,
                                          LoopBody body);

/// Several chains that run in lockstep, one for each vector of a tile.
using Chains = llvm::SmallVector<Tracked>;

/// What a term reduces: `step` adds the element at `indices` to every chain.
/// Elements are numbered lexicographically over `extents`.
struct Elements {
  llvm::SmallVector<llvm::Value *> extents;
  std::function<Chains(llvm::ArrayRef<llvm::Value *> indices, Chains)> step;
};

/// Replays terms exactly as compiler/arith/Term.h defines them.
class FoldEmitter {
public:
  /// `identity` has the shape of the chains: vectors where values differ from
  /// lane to lane, errors where they carry one.
  FoldEmitter(llvm::IRBuilder<> &b, ScalarEmitter &scalars, te::ReduceKind kind,
              artifact::ScalarType type, Chains identity);

  /// Reduces elements [begin, end). `scratch` holds partial results: see
  /// scratchBytes in TermStorage.h.
  Chains fold(const arith::Term &term, llvm::Value *begin, llvm::Value *end,
              const Elements &elements, llvm::Value *scratch);

private:
  Chains chain(llvm::Value *begin, llvm::Value *end, Chains start,
               const Elements &elements);
  Chains foldSegments(const arith::Term &term, llvm::Value *begin,
                      llvm::Value *end, const Elements &elements,
                      llvm::Value *scratch);
  Chains foldTree(const arith::Term &term, llvm::Value *begin, llvm::Value *end,
                  const Elements &elements, llvm::Value *scratch);
  Chains foldLanes(const arith::Term &term, llvm::Value *begin,
                   llvm::Value *end, const Elements &elements,
                   llvm::Value *scratch);

  Chains combine(const Chains &x, const Chains &y);
  Chains load(llvm::Value *scratch, llvm::Value *entry);
  void store(llvm::Value *scratch, llvm::Value *entry, const Chains &chains);
  Elements stored(llvm::Value *scratch);
  /// The scratch memory behind `entries` entries.
  llvm::Value *after(llvm::Value *scratch, llvm::Value *entries);
  /// Gives `chains` exactly the shape of `identity`.
  Chains conform(Chains chains);
  llvm::SmallVector<llvm::Value *> flatten(const Chains &chains);
  Chains unflatten(llvm::ArrayRef<llvm::Value *> values);
  llvm::Value *minimum(llvm::Value *x, llvm::Value *y);
  llvm::Value *ceilDiv(llvm::Value *x, int64_t y);

  llvm::IRBuilder<> &b;
  ScalarEmitter &scalars;
  te::ReduceKind kind;
  artifact::ScalarType type;
  Chains identity;
  int64_t entryBytes = 0;
};

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_FOLDEMITTER_H
