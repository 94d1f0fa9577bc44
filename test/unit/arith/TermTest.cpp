//===- TermTest.cpp - printing and parsing terms --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/Term.h"

#include <catch2/catch.hpp>

using namespace girih::arith;

static Term parsed(std::string_view text) {
  std::string error;
  size_t offset = 0;
  std::optional<Term> term = parseTerm(text, error, offset);
  INFO(text << ": " << error << " at " << offset);
  REQUIRE(term);
  return *term;
}

/// Asserts that `text` is refused with exactly these words at this offset.
static void refuses(std::string_view text, size_t offset,
                    const std::string &words) {
  std::string error;
  size_t errorOffset = 9999;
  INFO(text);
  REQUIRE_FALSE(parseTerm(text, error, errorOffset));
  CHECK(error == words);
  CHECK(errorOffset == offset);
}

TEST_CASE("terms print canonically and read back") {
  const char *canonical[] = {
      "seq",
      "seg(4096, seq)",
      "seg(4096, lanes(64, 1), m = lanes(64, 1))",
      "seg(65536, lanes(1024, 4), m = lanes(1024, 1))",
      "tree(8)",
      "tree(8, lanes(32, 1))",
      "tree(4, seg(16, tree(2), m = tree(2)))",
      "lanes(1, 1)",
      "lanes(4096, 4)",
      "lanes(1073741824, 1073741824)",
      "mma(sm_90, 16)",
      "seg(2048, mma(sm_90, 16))",
  };
  for (const char *text : canonical) {
    CHECK(printTerm(parsed(text)) == text);
    CHECK(parsed(printTerm(parsed(text))) == parsed(text));
  }
}

TEST_CASE("other spellings of a term") {
  CHECK(printTerm(parsed("  lanes ( 64 ,1, seq )\n")) == "lanes(64, 1)");
  CHECK(printTerm(parsed("tree(8,seq)")) == "tree(8)");
  CHECK(printTerm(parsed("seg(4,seq,m=seq)")) == "seg(4, seq)");
}

TEST_CASE("factories build what the parser builds") {
  CHECK(Term::seq() == parsed("seq"));
  CHECK(Term::seg(4096, Term::lanes(64, 1), Term::lanes(64, 1)) ==
        parsed("seg(4096, lanes(64, 1), m = lanes(64, 1))"));
  CHECK(Term::seg(7, Term::seq(), Term::tree(2, Term::seq())) ==
        parsed("seg(7, seq, m = tree(2))"));
  CHECK(Term::tree(8, Term::lanes(4, 2)) == parsed("tree(8, lanes(4, 2))"));
  CHECK(Term::seg(4, Term::seq(), Term::seq()).inner == nullptr);
}

TEST_CASE("different terms are not equal") {
  const char *texts[] = {"seq",
                         "seg(8, seq)",
                         "seg(4, seq)",
                         "seg(8, tree(2))",
                         "seg(8, seq, m = tree(2))",
                         "tree(8)",
                         "tree(4)",
                         "tree(8, lanes(2, 1))",
                         "lanes(8, 1)",
                         "lanes(8, 2)",
                         "lanes(16, 1)",
                         "mma(sm_90, 16)",
                         "mma(sm_80, 16)",
                         "mma(sm_90, 32)"};
  for (const char *a : texts)
    for (const char *b : texts)
      CHECK((parsed(a) == parsed(b)) == (a == b));
}

TEST_CASE("a null inner equals an explicit seq") {
  Term explicitSeq = Term::tree(8, Term::seq());
  explicitSeq.inner = std::make_shared<const Term>(Term::seq());
  CHECK(explicitSeq == Term::tree(8, Term::seq()));
  CHECK(printTerm(explicitSeq) == "tree(8)");
}

TEST_CASE("malformed terms are refused at their place") {
  refuses("", 0, "expected seq, seg, tree, lanes or mma");
  refuses("  (", 2, "expected seq, seg, tree, lanes or mma");
  refuses("wave(3)", 0,
          "unknown term 'wave' (known: seq, seg, tree, lanes, mma)");
  refuses("seq x", 4, "unexpected text after the term");
  refuses("tree(8))", 7, "unexpected text after the term");
  refuses("tree", 4, "expected '('");
  refuses("tree(8", 6, "expected ')'");
  refuses("tree()", 5, "expected the number of segments, a number");
  refuses("tree(-)", 5, "expected the number of segments, a number");
  refuses("seg(8)", 5, "expected ','");
  refuses("seg(L, seq)", 4, "expected the segment length, a number");
  refuses("seg(8, seq, seq)", 12, "expected 'm =' and the merge's term");
  refuses("seg(8, seq, m seq)", 12, "expected 'm =' and the merge's term");
  refuses("seg(8, seq, m = )", 16, "expected seq, seg, tree, lanes or mma");
  refuses("lanes(8)", 7, "expected ','");
  refuses("lanes(8, w)", 9, "expected the lane width, a number");
  refuses("mma(16)", 4, "expected the name of a tensor core, such as sm_90");
  refuses("mma(sm_90)", 9, "expected ','");
  refuses("mma(sm_90, x)", 11, "expected the chunk length, a number");
}

TEST_CASE("numbers out of range are refused") {
  refuses("seg(0, seq)", 4, "the segment length must be from 1 to 1073741824");
  refuses("tree(-3)", 5, "the number of segments must be from 1 to 1073741824");
  refuses("lanes(1073741825, 1)", 6,
          "the number of lanes must be from 1 to 1073741824");
  refuses("lanes(8, 99999999999999999999999999)", 9,
          "the lane width must be from 1 to 1073741824");
  refuses("mma(sm_90, 0)", 11, "the chunk length must be from 1 to 1073741824");
}

TEST_CASE("lanes and merges keep their rules") {
  refuses("lanes(12, 1)", 6,
          "the number of lanes must be a power of two, not 12");
  refuses("lanes(8, 1, tree(2))", 12, "the term inside lanes must be seq");
  refuses("seg(8, seq, m = mma(sm_90, 16))", 16,
          "a merge adds partial sums, so it cannot be mma, which sums "
          "products");
}

TEST_CASE("terms nest eight deep and no deeper") {
  auto nested = [](int depth) {
    std::string text;
    for (int i = 1; i < depth; ++i)
      text += "tree(2, ";
    text += "seq";
    return text + std::string(depth - 1, ')');
  };
  parsed(nested(8));
  refuses(nested(9), 64, "terms may be nested at most 8 deep");
  refuses(nested(100000), 64, "terms may be nested at most 8 deep");
}
