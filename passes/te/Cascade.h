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

/// Something that a scaled value is multiplied by.
struct CascadeOperand {
  mlir::Value value;
  ComputeOp owner;     ///< in whose region it stands
  int scaledBits = 23; ///< fraction bits of the scaled value
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

  llvm::SmallVector<CascadeOperand> operands;

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

/// Binary digits between an element and its reference within which the one pass
/// has the text's bits: far enough from where weights underflow.
inline constexpr int64_t kCascadeSpread = 60;

/// Adds to `func` the hidden results (te.func's `checks`) that tell after a run
/// whether everything an exact cascade scales stayed where scaling is exact:
/// elements within kCascadeSpread of their reference, and operands whose
/// products can neither underflow nor overflow. Operands whose type says so get
/// none.
void addRangeWords(FuncOp func, const Cascade &cascade);

/// Two sequences of elements after which `earlier`, a reduction, and `sum`,
/// which uses it over the same index, have the same values, but not once the
/// same element follows: what one pass carries cannot suffice. In words, or an
/// empty string where none is found.
std::string insufficientState(ComputeOp sum, ComputeOp earlier);

/// The smallest block that no term forbids and that is at least `wanted`.
int64_t blockFor(const Cascade &cascade, int64_t wanted);

/// Replaces the cascade by a te.for over blocks of `block` >= 1 elements, for
/// which blockProblem is empty. Tensors that are read elsewhere too stay.
void rewriteCascade(FuncOp func, const Cascade &cascade, int64_t block);

} // namespace girih::te

#endif // GIRIH_PASSES_TE_CASCADE_H
