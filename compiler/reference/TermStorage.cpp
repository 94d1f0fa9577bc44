//===- TermStorage.cpp - what a term needs of an extent and of memory -----===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/TermStorage.h"

#include <algorithm>
#include <bit>
#include <limits>

using namespace girih;
using arith::Term;

static int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

std::optional<std::string> reference::termProblem(const Term &term, int64_t n) {
  switch (term.kind) {
  case Term::Kind::Seq:
  case Term::Kind::Lanes:
  case Term::Kind::Mma:
    return std::nullopt;
  case Term::Kind::Tree:
    if (n % term.length != 0)
      return "tree(" + std::to_string(term.length) + ") cannot divide " +
             std::to_string(n) + " elements into equal segments";
    return termProblem(term.innerOrSeq(), n / term.length);
  case Term::Kind::Seg:
    if (n >= term.length)
      if (auto problem = termProblem(term.innerOrSeq(), term.length))
        return problem;
    if (n % term.length != 0)
      if (auto problem = termProblem(term.innerOrSeq(), n % term.length))
        return problem;
    return termProblem(term.mergeOrSeq(), ceilDiv(n, term.length));
  }
  return std::nullopt;
}

bool reference::needsConstantExtent(const Term &term) {
  return term.kind == Term::Kind::Tree ||
         (term.kind == Term::Kind::Seg &&
          needsConstantExtent(term.mergeOrSeq()));
}

bool reference::holdsMma(const Term &term) {
  return term.kind == Term::Kind::Mma ||
         (term.inner && holdsMma(*term.inner)) ||
         (term.merge && holdsMma(*term.merge));
}

static int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum)
             ? std::numeric_limits<int64_t>::max()
             : sum;
}

static int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

int64_t reference::scratchBytes(const Term &term, int64_t n,
                                int64_t entryBytes) {
  switch (term.kind) {
  case Term::Kind::Seq:
  case Term::Kind::Mma:
    return 0;
  case Term::Kind::Lanes: {
    // Only the lanes that hold elements, rounded up to a power of two.
    int64_t groups = std::max<int64_t>(ceilDiv(n, term.width), 1);
    int64_t lanes = groups >= term.length ? term.length
                                          : static_cast<int64_t>(std::bit_ceil(
                                                static_cast<uint64_t>(groups)));
    return saturatingMul(lanes, entryBytes);
  }
  case Term::Kind::Tree:
    return saturatingAdd(
        saturatingMul(term.length, entryBytes),
        scratchBytes(term.innerOrSeq(), n / term.length, entryBytes));
  case Term::Kind::Seg: {
    int64_t inner =
        scratchBytes(term.innerOrSeq(), std::min(term.length, n), entryBytes);
    if (term.mergeOrSeq().kind == Term::Kind::Seq)
      return inner; // merged as they come
    int64_t segments = ceilDiv(n, term.length);
    return saturatingAdd(
        saturatingMul(segments, entryBytes),
        std::max(inner, scratchBytes(term.mergeOrSeq(), segments, entryBytes)));
  }
  }
  return 0;
}

int64_t reference::fixedEntries(const Term &term) {
  int64_t entries =
      term.kind == Term::Kind::Lanes || term.kind == Term::Kind::Tree
          ? term.length
          : 1;
  if (term.inner)
    entries = std::max(entries, fixedEntries(*term.inner));
  if (term.merge)
    entries = std::max(entries, fixedEntries(*term.merge));
  return entries;
}
