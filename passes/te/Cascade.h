//===- Cascade.h - reductions over one index in one pass --------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cascade: a maximum over an index, a reference made from it, and sums over
// the same index whose elements are relative to the reference. As written every
// element is needed twice: for the maximum, and then for the sums. Block by
// block over the index one pass is enough, if the sums so far are carried
// along and scaled by a factor whenever the reference changes ("online"):
//
//   m' = max(m, max over the block);  f = exp2(r(m) - r(m'))
//   l' = l * f, going on with the block's elements
//
// Scaling by a power of two commutes with every rounding as long as nothing
// leaves the range of normal numbers: then the one pass has the bits of the
// text (docs/numerics.md, "One pass"). Any other factor rounds, so the text has
// to allow it.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TE_CASCADE_H
#define GIRIH_PASSES_TE_CASCADE_H

#include "dialects/te/Te.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>

namespace girih::te {

/// What the sums are scaled by when the reference goes from r to r'.
struct CascadeFactor {
  UnaryOp function; ///< exp or exp2
  BinaryOp shift;   ///< element - reference
  /// From `shift` to the function's operand: products with constants.
  llvm::SmallVector<BinaryOp> products;
};

/// One of the sums.
struct CascadeSum {
  ComputeOp compute;
  unsigned factor = 0;
  /// By dimension of the maximum: the sum's index there.
  llvm::SmallVector<unsigned> at;
};

struct Cascade {
  ComputeOp max; ///< the maximum; a te.reduce over one index is all it does
  /// Maps that make the reference, in order; empty: it is the maximum.
  llvm::SmallVector<ComputeOp> chain;
  ComputeOp reference; ///< `max` or the chain's one that elements subtract
  llvm::SmallVector<CascadeFactor> factors;
  llvm::SmallVector<CascadeSum> sums;
  /// Other maxima and minima over elements of the same tensors.
  llvm::SmallVector<ComputeOp> beside;
  /// Tensors over the index that only the above read, or that depend on the
  /// reference: made block by block. In order, with the index's dimension.
  llvm::SmallVector<std::pair<ComputeOp, unsigned>> tensors;

  /// Why scaling may round, for people; empty where every factor is a power of
  /// two and all that is scaled commutes with one.
  std::string inexact;

  /// `j`
  std::string indexName() const;
};

/// The cascade in which `sum`, a te.compute of te.func's block, is one of the
/// sums; or nothing, with the reason. Called before functions are expanded.
std::optional<Cascade> findCascade(ComputeOp sum, std::string &why);

/// Why the sums cannot be cut into blocks of `block` elements (a term whose
/// lanes a block would cut), or an empty string.
std::string blockProblem(const Cascade &cascade, int64_t block);

/// The smallest block that no term forbids and that is at least `wanted`.
int64_t blockFor(const Cascade &cascade, int64_t wanted);

/// Replaces the cascade by a te.for over blocks of `block` >= 1 elements, for
/// which blockProblem is empty. Tensors that are read elsewhere too stay.
void rewriteCascade(FuncOp func, const Cascade &cascade, int64_t block);

} // namespace girih::te

#endif // GIRIH_PASSES_TE_CASCADE_H
