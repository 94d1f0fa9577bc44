//===- FormatTest.cpp - the one style of a source text --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::frontend;

namespace {

std::string formatted(const std::string &text) {
  Diagnostics diagnostics;
  SourceFile source("t.te", text);
  auto result = formatText(source, diagnostics);
  INFO(text << "\n" << diagnostics.renderText(false));
  REQUIRE(result.has_value());
  return *result;
}

std::string ast(const std::string &text) {
  Diagnostics diagnostics;
  auto file = parseFile(SourceFile("t.te", text), diagnostics);
  REQUIRE(file != nullptr);
  return printAst(*file);
}

} // namespace

TEST_CASE("one style") {
  CHECK(formatted(
            "use   \"a.te\"\n\n\n\n"
            "const A:f32=-1   // one\nconst LONG :f32= 2 // two\n"
            "/// doc  \n"
            "op o<const B:bool=true,type T in { f16,f32 }>(X : f32 [ M,N ],b:"
            "f32[N] ?=none)->Y:f32[M] where M "
            "%8==0{numerics{functions=fast,invariant=M,N}\n"
            "\n\n   // about s\n s[i]=sum [ k , order = seg( 4,seq ,m=seq ) ] "
            "(X[ i,k ])*- 2+f32( i )  Y[i]=if not(s[i]<1)and b==none then "
            "exp . fast(s[i]) else\n(s[i]) // end\n\n}\n"
            "test \"t\"{run o(X=[[1,-2],\n[3,4]],B=false)expect Y~=fill( 1 )"
            "ulp 1}") ==
        "use \"a.te\"\n\n"
        "const A: f32 = -1    // one\nconst LONG: f32 = 2  // two\n\n"
        "/// doc\n"
        "op o<const B: bool = true, type T in {f16, f32}>(\n"
        "    X: f32[M, N],\n"
        "    b: f32[N]? = none) -> Y: f32[M] where M % 8 == 0 {\n"
        "  numerics { functions = fast, invariant = M, N }\n\n"
        "  // about s\n"
        "  s[i] = sum[k, order=seg(4, seq, m = seq)](X[i, k]) * -2 + f32(i)\n"
        "  Y[i] = if not (s[i] < 1) and b == none then exp.fast(s[i]) else\n"
        "      (s[i])  // end\n"
        "}\n\n"
        "test \"t\" {\n"
        "  run o(X = [[1, -2],\n"
        "      [3, 4]], B = false)\n"
        "  expect Y ~= fill(1) ulp 1\n"
        "}\n");
}

TEST_CASE("spaces around the operators of integers") {
  CHECK(formatted("op o(X: u8[N])->Y: u8[N]{Y[i]=~X[i]%3&~ 1|X[i]<<2^-X[i]>>"
                  "(~X[i]&1)}\n"
                  "test \"t\"{run o(X=[0x0F,-1])expect Y==fill(1)}\n") ==
        "op o(X: u8[N]) -> Y: u8[N] {\n"
        "  Y[i] = ~X[i] % 3 & ~1 | X[i] << 2 ^ -X[i] >> (~X[i] & 1)\n"
        "}\n\n"
        "test \"t\" {\n"
        "  run o(X = [0x0F, -1])\n"
        "  expect Y == fill(1)\n"
        "}\n");
  // The angles of parameters are none of them.
  CHECK(formatted("op o<const K:i32=1,type T in{i8,u8}>(X:T[N])->Y:T[N]"
                  "{Y[i]=X[i]<<T(K)}") ==
        "op o<const K: i32 = 1, type T in {i8, u8}>(X: T[N]) -> Y: T[N] {\n"
        "  Y[i] = X[i] << T(K)\n}\n");
}

TEST_CASE("comments stay where they are") {
  const std::string text = "// first\n\n"
                           "// above\n"
                           "op o(        // behind the name\n"
                           "    X: f32)  // behind X\n"
                           "    -> Y: f32\n"
                           "    // above the brace\n"
                           "{\n"
                           "  // alone\n\n"
                           "  Y = X +  // middle\n"
                           "      // own line\n"
                           "      1\n"
                           "  // last\n"
                           "}\n"
                           "// the end\n";
  CHECK(formatted(text) == text);
  CHECK(formatted("// only\r\n\r\n\r\n//x  ") == "// only\n\n//x\n");
  CHECK(formatted("") == "");
}

TEST_CASE("a list of parameters that is too long gets a line each") {
  const std::string one(60, 'x');
  // 80 columns with the brace stay, 81 do not.
  std::string fits = "op " + one + "(X: f32) -> Y: f32 {\n  Y = X\n}\n";
  fits.replace(3, 60, std::string(80 - 23, 'x'));
  REQUIRE(fits.find('\n') == 80);
  CHECK(formatted(fits) == fits);
  fits.insert(3, "x");
  std::string broken = fits;
  broken.replace(broken.find("(X"), 1, "(\n    ");
  CHECK(formatted(fits) == broken);
  CHECK(formatted(broken) == broken);
  std::string call = "test \"t\" {\n  run f(X = [[1, 2], [3, 4]], Z = fill(" +
                     std::string(40, '1') +
                     "), W = iota())\n  expect Y == "
                     "fill(1)\n}\n";
  CHECK(formatted(call) == "test \"t\" {\n  run f(\n"
                           "      X = [[1, 2], [3, 4]],\n      Z = fill(" +
                               std::string(40, '1') +
                               "),\n      W = iota())\n  expect Y == "
                               "fill(1)\n}\n");
  CHECK(formatted(formatted(call)) == formatted(call));
}

TEST_CASE("formatting keeps the tree and comes to rest") {
  for (const std::string &name : exampleNames()) {
    INFO(name);
    std::string text = readExample(name);
    std::string once = formatted(text);
    CHECK(formatted(once) == once);
    CHECK(ast(once) == ast(text));
    // Without white space that separates nothing, too.
    std::string wide;
    bool comment = false, quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
      wide += text[i];
      comment = text[i] != '\n' && (comment || text.substr(i, 2) == "//");
      quoted ^= !comment && text[i] == '"';
      if (!comment && !quoted && (text[i] == ',' || text[i] == '('))
        wide += "  ";
    }
    CHECK(ast(formatted(wide)) == ast(text));
    CHECK(formatted(formatted(wide)) == formatted(wide));
  }
}

TEST_CASE("a text that does not parse is not formatted") {
  Diagnostics diagnostics;
  CHECK_FALSE(formatText(SourceFile("t.te", "op o("), diagnostics));
  CHECK(diagnostics.hasErrors());
}
