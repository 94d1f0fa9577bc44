//===- LayoutTextTest.cpp - unit tests of the text of layouts -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/layout/Layout.h"

#include <catch2/catch.hpp>

#include <random>

using namespace girih::layout;

TEST_CASE("layouts are read back as printed") {
  for (const char *text : {"[4096] r(4@0:1, 4@0:1024) t(256@0:4)",
                           "[128, 64] r(4@1:1, 8@0:1) t(16@1:4, 16@0:8)",
                           "[16] r(2@-, 2@0:1) t(32@-, 8@0:2)",
                           "[] r() t(256@-)", "[1] r() t()"}) {
    std::string error;
    std::optional<Layout> layout = parseLayout(text, error);
    REQUIRE(layout);
    CHECK(print(*layout) == text);
    CHECK(*parseLayout(print(*layout), error) == *layout);
  }
}

TEST_CASE("blanks are free") {
  std::string error;
  std::optional<Layout> layout =
      parseLayout(" [ 8,4 ]r( 2 @ 0 : 4 ,2@-)t(4@1:1,4@0:1 ) ", error);
  REQUIRE(layout);
  CHECK(print(*layout) == "[8, 4] r(2@0:4, 2@-) t(4@1:1, 4@0:1)");
}

TEST_CASE("what is no layout is refused with its place") {
  auto errorOf = [](const std::string &text) {
    std::string error;
    CHECK_FALSE(parseLayout(text, error));
    return error;
  };
  CHECK(errorOf("") == "expected '[' at byte 0");
  CHECK(errorOf("[8") == "expected ']' at byte 2");
  CHECK(errorOf("[8,]") == "expected a number at byte 3");
  CHECK(errorOf("[-8]") == "expected a number at byte 1");
  CHECK(errorOf("[8] t()") == "expected 'r' at byte 4");
  CHECK(errorOf("[8] r(8@0:1)") == "expected 't' at byte 12");
  CHECK(errorOf("[8] r(8@0) t()") == "expected ':' at byte 9");
  CHECK(errorOf("[8] r(8:1) t()") == "expected '@' at byte 7");
  CHECK(errorOf("[8] r(8@0:1) t() x") == "unexpected text at byte 17");
  CHECK(errorOf("[99999999999999999999] r() t()") ==
        "number too large at byte 13");
  CHECK(errorOf("[8] r(8@99:1) t()") == "dimension too large at byte 10");
  std::string many = "[8] r(1@-";
  for (int i = 0; i < 40; ++i)
    many += ", 1@-";
  CHECK(errorOf(many + ") t()").find("too many digits") == 0);
}

TEST_CASE("damaged text never harms the reader") {
  const std::string good = "[128, 64] r(4@1:1, 8@0:1) t(16@1:4, 16@0:8)";
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (int edits = 1 + random() % 3; edits--;) {
      size_t place = random() % text.size();
      if (random() % 2)
        text[place] = static_cast<char>(random());
      else
        text.erase(place, 1 + random() % 3);
      if (text.empty())
        break;
    }
    std::string error, why;
    if (std::optional<Layout> layout = parseLayout(text, error)) {
      // What is read is printed and read again; validity may be asked.
      REQUIRE(*parseLayout(print(*layout), error) == *layout);
      layout->isValid(why);
    } else {
      REQUIRE_FALSE(error.empty());
    }
  }
}
