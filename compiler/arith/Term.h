//===- Term.h - association terms of reductions -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A term says in which order a reduction over elements 0 .. n-1 combines its
// values (docs/numerics.md, "Association terms"). Text form:
//
//   term ::= `seq`
//          | `seg` `(` L `,` term [`,` `m` `=` term] `)`  m defaults to seq
//          | `tree` `(` n [`,` term] `)`           inner defaults to seq
//          | `lanes` `(` V `,` w [`,` term] `)`    inner must be seq
//          | `mma` `(` model `,` kc `)`            model is an identifier
//
// Meaning, with an accumulator that starts at the reduction's identity (+0.0
// for sums) in every chain:
//   seq          ascending, one at a time.
//   seg(L,t,m)   consecutive segments of L elements (the last may be short),
//                each reduced by t; the segments' results, in order, by m.
//   tree(n,t)    n equal consecutive segments (n must divide the extent, which
//                must be constant), each by t; then neighbours are combined in
//                pairs, (0,1) (2,3) ..., an odd last one passes up unchanged,
//                until one is left.
//   lanes(V,w,t) V a power of two: element k belongs to lane (k / w) mod V,
//                counting from the segment's first; each lane ascending; then
//                for h = V/2, V/4 .. 1: lane l becomes lane l + lane (l+h) for
//                l < h. Empty lanes hold the identity.
//   mma(...)     a tensor core's chain, see MmaModel.h.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARITH_TERM_H
#define GIRIH_COMPILER_ARITH_TERM_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace girih::arith {

struct Term {
  enum class Kind { Seq, Seg, Tree, Lanes, Mma };
  Kind kind = Kind::Seq;
  int64_t length = 0; ///< seg: L. tree: n. lanes: V. mma: kc.
  int64_t width = 0;  ///< lanes: w.
  std::string model;  ///< mma: the tensor core's name, e.g. "sm_90".
  std::shared_ptr<const Term> inner; ///< null means seq.
  std::shared_ptr<const Term> merge; ///< seg only; null means seq.

  const Term &innerOrSeq() const;
  const Term &mergeOrSeq() const;

  static Term seq();
  static Term seg(int64_t length, Term inner, Term merge);
  static Term tree(int64_t segments, Term inner);
  static Term lanes(int64_t lanes, int64_t width);
};

bool operator==(const Term &a, const Term &b);

/// The canonical text of `term`; parseTerm(printTerm(t)) == t.
std::string printTerm(const Term &term);

/// Reads the grammar above. On failure returns nothing and sets `error` to a
/// message and `errorOffset` to the byte where it applies. Refused: L, n, V, w
/// < 1 or > 2^30, V no power of two, an inner term of lanes that is not seq,
/// nesting deeper than 8, mma as a merge (it sums products), trailing text.
std::optional<Term> parseTerm(std::string_view text, std::string &error,
                              size_t &errorOffset);

/// Replays `term` over values[0 .. n) with `combine(a, b)` and `identity`; the
/// slow, obvious definition that every other implementation is tested against.
/// tree requires n % length == 0 (asserted). mma is not replayed here
/// (asserted): see mmaChain in MmaModel.h.
template <typename T, typename Combine>
T reduceByTerm(const Term &term, const T *values, int64_t n, T identity,
               Combine combine);

/// The general form: `step(accumulator, k)` adds element k to a chain, which
/// for a leaf fma is fma(a[k], b[k], accumulator); `combine` merges chains.
template <typename T, typename Step, typename Combine>
T foldByTerm(const Term &term, int64_t n, T identity, Step step,
             Combine combine);

} // namespace girih::arith

#include "compiler/arith/TermReplay.h" // the template's body

#endif // GIRIH_COMPILER_ARITH_TERM_H
