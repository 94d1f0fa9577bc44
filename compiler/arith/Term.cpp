//===- Term.cpp - making, comparing and printing terms --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/Term.h"

namespace girih::arith {

static const Term &seqTerm() {
  static const Term term;
  return term;
}

/// Null stands for seq, so that equal terms have one representation.
static std::shared_ptr<const Term> shared(Term term) {
  if (term.kind == Term::Kind::Seq)
    return nullptr;
  return std::make_shared<const Term>(std::move(term));
}

const Term &Term::innerOrSeq() const { return inner ? *inner : seqTerm(); }
const Term &Term::mergeOrSeq() const { return merge ? *merge : seqTerm(); }

Term Term::seq() { return Term(); }

Term Term::seg(int64_t length, Term inner, Term merge) {
  Term term;
  term.kind = Kind::Seg;
  term.length = length;
  term.inner = shared(std::move(inner));
  term.merge = shared(std::move(merge));
  return term;
}

Term Term::tree(int64_t segments, Term inner) {
  Term term;
  term.kind = Kind::Tree;
  term.length = segments;
  term.inner = shared(std::move(inner));
  return term;
}

Term Term::lanes(int64_t lanes, int64_t width) {
  Term term;
  term.kind = Kind::Lanes;
  term.length = lanes;
  term.width = width;
  return term;
}

bool operator==(const Term &a, const Term &b) {
  if (a.kind != b.kind)
    return false;
  switch (a.kind) {
  case Term::Kind::Seq:
    return true;
  case Term::Kind::Seg:
    return a.length == b.length && a.innerOrSeq() == b.innerOrSeq() &&
           a.mergeOrSeq() == b.mergeOrSeq();
  case Term::Kind::Tree:
    return a.length == b.length && a.innerOrSeq() == b.innerOrSeq();
  case Term::Kind::Lanes:
    return a.length == b.length && a.width == b.width;
  case Term::Kind::Mma:
    return a.length == b.length && a.model == b.model;
  }
  return false;
}

std::string printTerm(const Term &term) {
  std::string length = std::to_string(term.length);
  switch (term.kind) {
  case Term::Kind::Seq:
    return "seq";
  case Term::Kind::Seg: {
    std::string text = "seg(" + length + ", " + printTerm(term.innerOrSeq());
    if (term.mergeOrSeq().kind != Term::Kind::Seq)
      text += ", m = " + printTerm(term.mergeOrSeq());
    return text + ")";
  }
  case Term::Kind::Tree:
    if (term.innerOrSeq().kind == Term::Kind::Seq)
      return "tree(" + length + ")";
    return "tree(" + length + ", " + printTerm(term.innerOrSeq()) + ")";
  case Term::Kind::Lanes:
    return "lanes(" + length + ", " + std::to_string(term.width) + ")";
  case Term::Kind::Mma:
    return "mma(" + term.model + ", " + length + ")";
  }
  return "";
}

} // namespace girih::arith
