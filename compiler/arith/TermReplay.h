//===- TermReplay.h - the defining replay of a term -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by Term.h only. Written to be read against the meanings in Term.h,
// not to be fast.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARITH_TERMREPLAY_H
#define GIRIH_COMPILER_ARITH_TERMREPLAY_H

#include "compiler/arith/Term.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace girih::arith {

namespace detail {

/// The step of a chain over values that are already computed: partial results
/// of segments, or the elements of reduceByTerm. A named type, because a lambda
/// would be a new type at every level of foldByTerm's recursion.
template <typename T, typename Combine> struct ValueStep {
  const T *values;
  Combine combine;
  T operator()(T accumulator, int64_t k) {
    return combine(accumulator, values[k]);
  }
};

template <typename T, typename Step, typename Combine>
T foldByTerm(const Term &term, int64_t begin, int64_t end, T identity,
             Step &step, Combine &combine);

/// Reduces partial results by `term`.
template <typename T, typename Combine>
T foldPartials(const Term &term, const std::vector<T> &partials, T identity,
               Combine &combine) {
  ValueStep<T, Combine> step{partials.data(), combine};
  return foldByTerm(term, 0, static_cast<int64_t>(partials.size()), identity,
                    step, combine);
}

/// Neighbours in pairs, an odd last one passing up, until one is left.
template <typename T, typename Combine>
T foldPairwise(std::vector<T> level, Combine &combine) {
  while (level.size() > 1) {
    std::vector<T> above;
    for (size_t i = 0; i + 1 < level.size(); i += 2)
      above.push_back(combine(level[i], level[i + 1]));
    if (level.size() % 2 != 0)
      above.push_back(level.back());
    level = std::move(above);
  }
  return level.front();
}

template <typename T, typename Step, typename Combine>
T foldByTerm(const Term &term, int64_t begin, int64_t end, T identity,
             Step &step, Combine &combine) {
  assert(begin <= end);
  switch (term.kind) {
  case Term::Kind::Seq: {
    T accumulator = identity;
    for (int64_t k = begin; k < end; ++k)
      accumulator = step(accumulator, k);
    return accumulator;
  }
  case Term::Kind::Seg: {
    assert(term.length >= 1);
    std::vector<T> partials;
    for (int64_t at = begin; at < end; at += term.length)
      partials.push_back(foldByTerm(term.innerOrSeq(), at,
                                    std::min(at + term.length, end), identity,
                                    step, combine));
    return foldPartials(term.mergeOrSeq(), partials, identity, combine);
  }
  case Term::Kind::Tree: {
    assert(term.length >= 1 && (end - begin) % term.length == 0 &&
           "tree(n) needs an extent that n divides");
    int64_t segment = (end - begin) / term.length;
    std::vector<T> partials;
    for (int64_t i = 0; i < term.length; ++i)
      partials.push_back(foldByTerm(term.innerOrSeq(), begin + i * segment,
                                    begin + (i + 1) * segment, identity, step,
                                    combine));
    return foldPairwise(std::move(partials), combine);
  }
  case Term::Kind::Lanes: {
    assert(term.length >= 1 && (term.length & (term.length - 1)) == 0 &&
           term.width >= 1 && term.innerOrSeq().kind == Term::Kind::Seq);
    std::vector<T> lanes(static_cast<size_t>(term.length), identity);
    for (int64_t k = begin; k < end; ++k) {
      T &lane = lanes[((k - begin) / term.width) % term.length];
      lane = step(lane, k);
    }
    for (int64_t half = term.length / 2; half >= 1; half /= 2)
      for (int64_t l = 0; l < half; ++l)
        lanes[l] = combine(lanes[l], lanes[l + half]);
    return lanes.front();
  }
  case Term::Kind::Mma:
    break;
  }
  assert(false && "mma chains are replayed by mmaChain (MmaModel.h)");
  return identity;
}

} // namespace detail

template <typename T, typename Step, typename Combine>
T foldByTerm(const Term &term, int64_t n, T identity, Step step,
             Combine combine) {
  return detail::foldByTerm(term, 0, n, identity, step, combine);
}

template <typename T, typename Combine>
T reduceByTerm(const Term &term, const T *values, int64_t n, T identity,
               Combine combine) {
  detail::ValueStep<T, Combine> step{values, combine};
  return detail::foldByTerm(term, 0, n, identity, step, combine);
}

} // namespace girih::arith

#endif // GIRIH_COMPILER_ARITH_TERMREPLAY_H
