//===- TePartsTest.cpp - te passes on parts, versions and loops -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/TeTest.h"

using namespace girih::te;

static std::string func(const std::string &arguments, const std::string &result,
                        const std::string &body) {
  return "te.func @f sizes [\"N\", \"T\"] (" + arguments + ") -> (" + result +
         ") functions fast {\n" + body + "\n}\n";
}

static const std::string kVector = "!te.tensor<[N], f32>";
static const std::string kMatrix = "!te.tensor<[N, N], f32>";

/// Two versions of C; the second statement's sum reads X only.
static std::string partOfSum(const std::string &read) {
  return func("%X \"X\": " + kMatrix, "\"C\": " + kVector,
              R"(  %c0 = te.compute "C0" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %z = te.constant 0.0 : f32
    te.yield %z : f32
  }
  %c1 = te.compute "C" ["i"] in [N - 1] into %c0 : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    te.where [%i] by [-1] plus T
    %here = te.affine [%i] by [1] plus 1
    %s = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      te.where [%k, %i] by [-1, 1] plus 0
)" + read + R"(
      te.yield %v : f32
    }
    te.yield %s : f32 at [%here]
  }
  te.return %c1 : !te.tensor<[N], f32>)");
}

TEST_CASE("a reduction that writes a part moves to a tensor of its own") {
  TeTest test(
      partOfSum("      %v = te.read %X[%i, %k] : !te.tensor<[N, N], f32>"));
  REQUIRE(test.run(createHoistReductions()));
  REQUIRE(succeeded(mlir::verify(test.func())));
  // Its box is the part's, and so is what cuts it.
  CHECK(test.has(R"(te.compute "C_sum" ["i"] : !te.tensor<[N - 1], f32>)"));
  ComputeOp own = test.compute("C_sum");
  REQUIRE(own);
  CHECK(own.getReduction());
  CHECK(llvm::range_size(own.getBlock().getOps<WhereOp>()) == 1);
  CHECK(llvm::range_size(own.getReduction().getBlock().getOps<WhereOp>()) == 1);
  ComputeOp part = test.compute("C");
  CHECK(llvm::range_size(part.getBlock().getOps<WhereOp>()) == 1);
  CHECK(part.getInto());
  std::string once = test.text();
  REQUIRE(test.run(createHoistReductions()));
  CHECK(test.text() == once);
}

TEST_CASE("a reduction over what its own statement writes is refused") {
  TeTest test(partOfSum("      %v = te.read %c0[%k] : !te.tensor<[N], f32>"));
  CHECK_FALSE(test.run(createHoistReductions()));
  CHECK(test.diagnostics.find("'sum' over elements of 'C', which the same "
                              "statement writes, is not supported yet") !=
        std::string::npos);
}

TEST_CASE("an index that is left out of a hoisted tensor is at its best") {
  auto text = [](const std::string &wheres) {
    return func("%X \"X\": " + kMatrix, "\"Y\": " + kMatrix,
                R"(  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[N, N], f32> {
  ^bb0(%i: index, %j: index):
)" + wheres + R"(
    %s = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %v = te.read %X[%i, %k] : !te.tensor<[N, N], f32>
      te.yield %v : f32
    }
    %x = te.read %X[%i, %j] : !te.tensor<[N, N], f32>
    %y = te.binary sub %x, %s : f32
    te.yield %y : f32
  }
  te.return %Y : !te.tensor<[N, N], f32>)");
  };
  {
    // j >= i + 3 for some j below N: i <= N - 4, and there is some j.
    TeTest test(text("    te.where [%j, %i] by [1, -1] plus -3"));
    REQUIRE(test.run(createHoistReductions()));
    CHECK(test.has(R"(te.compute "Y_sum" ["i"])"));
    CHECK(test.has("by [] plus N - 1"));
    CHECK(test.has("by [-1] plus N - 4"));
  }
  {
    // j <= i - 3: the best j is 0.
    TeTest test(text("    te.where [%j, %i] by [-1, 1] plus -3"));
    REQUIRE(test.run(createHoistReductions()));
    CHECK(test.has(R"(te.compute "Y_sum" ["i"])"));
    CHECK(test.has("by [1] plus -3"));
  }
  {
    // Both tie j to i: it stays.
    TeTest test(text("    te.where [%j, %i] by [-1, 1] plus -3\n"
                     "    te.where [%j, %i] by [2, -1] plus 0"));
    REQUIRE(test.run(createHoistReductions()));
    CHECK(test.has(R"(te.compute "Y_sum" ["i", "j"])"));
  }
}

TEST_CASE("scalars are sunk behind the conditions of a reduction") {
  TeTest test(func("%X \"X\": " + kVector, "\"Y\": " + kVector,
                   R"(  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], f32>
    %s = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      te.where [%k, %i] by [-1, 1] plus 0
      %v = te.read %X[%k] : !te.tensor<[N], f32>
      %p = te.binary min %v, %x : f32
      te.yield %p : f32
    }
    te.yield %s : f32
  }
  te.return %Y : !te.tensor<[N], f32>)"));
  REQUIRE(test.run(createHoistReductions()));
  CHECK(succeeded(mlir::verify(test.func())));
  CHECK(test.compute("Y").getReduction());
}

TEST_CASE("a read does not move past what overwrites its tensor") {
  auto text = [](const std::string &into) {
    std::string x = "te.func @f sizes [\"N\"] (%X \"X\": !te.tensor<[N], f32>,"
                    " %Z \"Z\": !te.tensor<[N], f32>) -> (\"X\": "
                    "!te.tensor<[N], f32> in_place %X) functions fast {";
    return x + R"(
  %t = te.compute "t" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %v = te.read )" +
           into + R"([%i] : !te.tensor<[N], f32>
    %n = te.unary neg unset %v : f32
    te.yield %n : f32
  }
  %x = te.compute "X" ["i"] into %X : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %v = te.read %t[%i] : !te.tensor<[N], f32>
    te.yield %v : f32
  }
  te.return %x : !te.tensor<[N], f32>
})";
  };
  TeTest kept(text("%X"));
  REQUIRE(kept.run(createInlineProducers()));
  CHECK(kept.compute("t"));
  TeTest gone(text("%Z"));
  REQUIRE(gone.run(createInlineProducers()));
  CHECK_FALSE(gone.compute("t"));
}

/// `T[i] = X[i]`, partly, then read by Y.
TEST_CASE("a partial producer is not computed in place") {
  TeTest test(func("%X \"X\": " + kVector, "\"Y\": " + kVector,
                   R"(  %t = te.compute "t" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    te.where [%i] by [1] plus -1
    %v = te.read %X[%i] : !te.tensor<[N], f32>
    te.yield %v : f32
  }
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    te.where [%i] by [1] plus -1
    %v = te.read %t[%i] : !te.tensor<[N], f32>
    te.yield %v : f32
  }
  te.return %Y : !te.tensor<[N], f32>)"));
  REQUIRE(test.run(createInlineProducers()));
  CHECK(test.compute("t"));
}

/// Two tensors that take turns; `inside` is one more definition in the loop.
static std::string loop(const std::string &inside, const std::string &after) {
  return "te.func @f sizes [\"N\", \"T\"] (%A \"A\": !te.tensor<[N], f32>, "
         "%Z \"Z\": !te.tensor<[N], f32>) -> (\"A\": !te.tensor<[N], f32> "
         "in_place %A) functions fast {\n"
         "  %c = te.compute \"c\" [\"i\"] : !te.tensor<[N], f32> {\n"
         "  ^bb0(%i: index):\n"
         "    %v = te.read %Z[%i] : !te.tensor<[N], f32>\n"
         "    te.yield %v : f32\n"
         "  }\n"
         "  %last = te.for \"t\" in T (%A) : (!te.tensor<[N], f32>) -> "
         "!te.tensor<[N], f32> {\n"
         "  ^bb0(%t: index, %a: !te.tensor<[N], f32>):\n" +
         inside +
         "    %next = te.compute \"A\" [\"i\"] into %a : !te.tensor<[N], f32> "
         "{\n"
         "    ^bb0(%i: index):\n"
         "      %x = te.read %a[%i] : !te.tensor<[N], f32>\n"
         "      %y = te.read %c[%i] : !te.tensor<[N], f32>\n"
         "      %z = te.binary add %x, %y : f32\n"
         "      te.yield %z : f32\n"
         "    }\n"
         "    te.next %next : !te.tensor<[N], f32>\n"
         "  }\n" +
         after + "  te.return %last : !te.tensor<[N], f32>\n}\n";
}

TEST_CASE("nothing is computed anew in every turn of a loop") {
  TeTest test(loop("", ""));
  REQUIRE(test.run(createInlineProducers()));
  CHECK(test.compute("c"));
}

TEST_CASE("dead and equal tensors inside a loop go") {
  std::string dead = R"(    %d = te.compute "d" ["i"] : !te.tensor<[N], f32> {
    ^bb0(%i: index):
      %x = te.read %a[%i] : !te.tensor<[N], f32>
      te.yield %x : f32
    }
)";
  TeTest test(loop(dead, ""));
  REQUIRE(test.run(createCanonicalizeTe()));
  CHECK_FALSE(test.has("te.compute \"d\""));
  CHECK(test.has("te.compute \"A\""));

  std::string sums = R"(    %s = te.compute "s" [] : !te.tensor<[], f32> {
      %x = te.constant 1.0 : f32
      te.yield %x : f32
    }
    %r = te.compute "r" [] : !te.tensor<[], f32> {
      %x = te.constant 1.0 : f32
      te.yield %x : f32
    }
    %u = te.compute "u" ["i"] into %a : !te.tensor<[N], f32> {
    ^bb0(%i: index):
      %x = te.read %s[] : !te.tensor<[], f32>
      %y = te.read %r[] : !te.tensor<[], f32>
      %z = te.binary add %x, %y : f32
      te.yield %z : f32
    }
)";
  std::string text = loop(sums, "");
  for (size_t at = text.find("into %a :", text.find("%next"));
       at != std::string::npos; at = std::string::npos)
    text.replace(at, 9, "into %u :");
  size_t read = text.find("te.read %a[%i]");
  text.replace(read, 14, "te.read %u[%i]");
  TeTest merged(text);
  REQUIRE(merged.run(createCanonicalizeTe()));
  CHECK(merged.has("te.compute \"s\""));
  CHECK_FALSE(merged.has("te.compute \"r\""));
  // A version of the argument is never merged with another one.
  CHECK(merged.has("te.compute \"u\""));
}

TEST_CASE("a loop whose results nothing reads goes") {
  std::string text = loop("", "");
  size_t at = text.find("te.return %last");
  text.replace(at, 15, "te.return %w   ");
  text.insert(at, "%w = te.compute \"w\" [\"i\"] : !te.tensor<[N], f32> {\n"
                  "  ^bb0(%i: index):\n"
                  "    %v = te.read %Z[%i] : !te.tensor<[N], f32>\n"
                  "    te.yield %v : f32\n"
                  "  }\n");
  size_t place = text.find(" in_place %A");
  text.erase(place, 12);
  // Without an output in its place the argument cannot be written: begin with
  // a copy.
  text.replace(text.find("in T (%A)"), 9, "in T (%k)");
  text.insert(text.find("  %last"),
              "  %k = te.compute \"k\" [\"i\"] : !te.tensor<[N], f32> {\n"
              "  ^bb0(%i: index):\n"
              "    %v = te.read %A[%i] : !te.tensor<[N], f32>\n"
              "    te.yield %v : f32\n"
              "  }\n");
  TeTest test(text);
  REQUIRE(test.run(createCanonicalizeTe()));
  CHECK_FALSE(test.has("te.for"));
  CHECK(test.compute("w"));
}

TEST_CASE("reductions inside a loop have terms") {
  std::string inside = R"(    %s = te.compute "s" [] : !te.tensor<[], f32> {
      %r = te.reduce sum ["k"] in [N] order "sequential" leaf plain : f32 {
      ^bb0(%k: index):
        %v = te.read %a[%k] : !te.tensor<[N], f32>
        %e = te.unary exp unset %v : f32
        te.yield %e : f32
      }
      te.yield %r : f32
    }
    %u = te.compute "u" ["i"] into %a : !te.tensor<[N], f32> {
    ^bb0(%i: index):
      %x = te.read %s[] : !te.tensor<[], f32>
      te.yield %x : f32
    }
)";
  std::string text = loop(inside, "");
  text.replace(text.find("into %a :", text.find("%next")), 9, "into %u :");
  text.replace(text.find("te.read %a[%i]"), 14, "te.read %u[%i]");
  TeTest test(text);
  REQUIRE(test.runAll());
  CHECK(test.has("term <\"seq\">"));
  CHECK(test.has("te.unary exp fast"));
}
