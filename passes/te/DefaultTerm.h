//===- DefaultTerm.h - the association of a `fixed` reduction ---*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These choices are part of what a program means: changing one changes bits.
// They depend on the reduction's text and types alone, never on sizes, given or
// not, and a row's result never on how many rows there are.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TE_DEFAULTTERM_H
#define GIRIH_PASSES_TE_DEFAULTTERM_H

#include "compiler/arith/Term.h"
#include "dialects/te/Te.h"

namespace girih::te {

/// True when the reduction multiplies one element of a tensor by one of another
/// (through casts only), and some index of its compute stands only in the first
/// factor's subscripts and another only in the second's: a matrix product.
/// `reduce` is what `compute` yields.
bool isContraction(ComputeOp compute, ReduceOp reduce);

/// The term of a reduction over one index, or of a contraction, whose order is
/// `fixed`, of any kind. The first rule that applies:
///   1. a contraction: seq, over its indices as written; and so a sum of a
///      tensor's elements along a dimension along which a contraction sums
///      their products (attention's row sums), since it may join that chain;
///   2. a compute without indices (a whole sum):
///      seg(65536, lanes(1024, 4), m = lanes(1024, 1));
///   3. the reduced index is the last subscript of the first tensor read, in
///      the body's order, that it subscripts (a row): lanes(4096, w), w = 16
///      bytes of that tensor's elements;
///   4. otherwise (a column): seg(4096, lanes(64, 1), m = lanes(64, 1)).
arith::Term defaultTerm(ComputeOp compute, ReduceOp reduce);

/// True when the reduction is a sum whose body is a product in its type, so
/// that a leaf can be a fused multiply-add.
bool isSumOfProducts(ReduceOp reduce);

} // namespace girih::te

#endif // GIRIH_PASSES_TE_DEFAULTTERM_H
