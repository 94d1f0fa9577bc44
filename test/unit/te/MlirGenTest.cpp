//===- MlirGenTest.cpp - from checked text to te --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/te/Helpers.h"

using namespace girih;
using namespace girih::mlirgen;
using Strings = std::vector<std::string>;

namespace {

/// Y: f32[M, N] from X: f32[M, N] and B: bf16[M, N] by `body`.
std::string inOp(const std::string &body, const std::string &before = "") {
  return before + "op o(X: f32[M, N], B: bf16[M, N]) -> Y: f32[M, N] {\n" +
         body + "\n}\n";
}

/// The lines of Y's expression, without the reads of X and the yield.
void checkBody(const std::string &value, const std::string &wanted,
               const std::string &before = "") {
  Generated generated(inOp("  Y[i, j] = " + value, before));
  std::string text = generated.text();
  std::string start = "^bb0(%arg2: index, %arg3: index):\n";
  size_t from = text.find(start);
  REQUIRE(from != std::string::npos);
  from += start.size();
  std::istringstream lines(text.substr(from, text.find("te.return") - from));
  std::string line, body;
  while (std::getline(lines, line)) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.rfind("te.yield", 0) == 0)
      break;
    body += line + "\n";
  }
  INFO(value);
  CHECK(body == wanted);
  CHECK(generated.textAgain() == text);
}

} // namespace

//===----------------------------------------------------------------------===//
// The examples
//===----------------------------------------------------------------------===//

TEST_CASE("the examples: modules that verify, read back and get terms") {
  const std::pair<const char *, Strings> examples[] = {
      {"ffn_silu", {"seq fma"}},
      {"row_sum", {"lanes(4096, 4) plain"}},
      {"whole_sum", {"seg(65536, lanes(1024, 4), m = lanes(1024, 1)) plain"}},
      {"softmax", {"lanes(4096, 8) plain", "lanes(4096, 8) plain"}},
      {"swiglu", {}},
  };
  for (auto &[name, terms] : examples) {
    INFO(name);
    Generated generated(readExample(name));
    CHECK(succeeded(mlir::verify(generated.module())));
    CHECK(generated.textAgain() == generated.text());
    CHECK(generated.terms() == terms);
    CHECK(generated.textAgain() == generated.text());
  }
}

TEST_CASE("a product and its activation, whole") {
  Generated generated(readExample("ffn_silu"));
  CHECK(generated.text() == R"(module {
  te.func @matmul_silu sizes ["M", "K", "N"](%arg0 "A": !te.tensor<[M, K], bf16>, %arg1 "W": !te.tensor<[K, N], bf16>) -> ("Y": !te.tensor<[M, N], bf16>) functions fast {
    %0 = te.compute "C" ["i", "j"] : !te.tensor<[M, N], bf16> {
    ^bb0(%arg2: index, %arg3: index):
      %2 = te.reduce sum ["k"] in [K] order "fixed" leaf plain : f32 {
      ^bb0(%arg4: index):
        %4 = te.read %arg0[%arg2, %arg4] : !te.tensor<[M, K], bf16>
        %5 = te.cast %4 : bf16 to f32
        %6 = te.read %arg1[%arg4, %arg3] : !te.tensor<[K, N], bf16>
        %7 = te.cast %6 : bf16 to f32
        %8 = te.binary mul %5, %7 : f32
        te.yield %8 : f32
      }
      %3 = te.cast %2 : f32 to bf16
      te.yield %3 : bf16
    }
    %1 = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], bf16> {
    ^bb0(%arg2: index, %arg3: index):
      %2 = te.read %0[%arg2, %arg3] : !te.tensor<[M, N], bf16>
      %3 = te.cast %2 : bf16 to f32
      %4 = te.constant 1.000000e+00 : f32
      %5 = te.unary neg unset %3 : f32
      %6 = te.unary exp unset %5 : f32
      %7 = te.binary add %4, %6 : f32
      %8 = te.binary div %3, %7 : f32
      %9 = te.cast %8 : f32 to bf16
      te.yield %9 : bf16
    }
    te.return %1 : !te.tensor<[M, N], bf16>
  }
}
)");
}

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

TEST_CASE("sizes stand in the order of the signature, given ones beside") {
  std::string text = "op f(Z: f32[N, 4], X: f32[M, N]) -> Y: f32[M, N] {\n"
                     "  Y[i, j] = X[i, j] + Z[j, 3]\n}\n";
  Generated dynamic(text);
  CHECK(dynamic.has(R"(sizes ["N", "M"](%arg0 "Z": !te.tensor<[N, 4], f32>)"));
  CHECK_FALSE(dynamic.has("given"));

  GenOptions options;
  options.given = {{"M", 1024}};
  Generated given(text, "", options);
  CHECK(given.has(R"(sizes ["N", "M"] given [-1, 1024](%arg0)"));
  CHECK(given.has("-> (\"Y\": !te.tensor<[M, N], f32>)"));
  CHECK(given.textAgain() == given.text());

  options.given = {{"M", 0}, {"N", 7}};
  CHECK(Generated(text, "", options).has("given [7, 0]"));
}

TEST_CASE("a given size changes no term") {
  GenOptions options;
  options.given = {{"M", 3}, {"N", 5}};
  CHECK(Generated(readExample("row_sum"), "", options).terms() ==
        Strings{"lanes(4096, 4) plain"});
}

TEST_CASE("constraints are inclusive bounds") {
  Generated generated(
      "op f(X: f32[M, N, K, L]) -> Y: f32[M, N, K, L] where M % 8 == 0, "
      "M < 10, N <= 10, K > 10, K >= 10, L == 10 {\n"
      "  Y[i, j, k, l] = X[i, j, k, l]\n}\n");
  CHECK(generated.has(
      R"(where [#te.constraint<"M", divisible, 8>, )"
      R"(#te.constraint<"M", at_most, 9>, #te.constraint<"N", at_most, 10>, )"
      R"(#te.constraint<"K", at_least, 11>, )"
      R"(#te.constraint<"K", at_least, 10>, )"
      R"(#te.constraint<"L", equal, 10>] functions)"));
  CHECK(generated.textAgain() == generated.text());
}

TEST_CASE("functions: the option, the operator's clause, fast") {
  auto text = [](const std::string &clause) {
    return "op f(X: f32[N]) -> Y: f32[N] {\n" + clause +
           "  Y[i] = exp(X[i]) + exp.fast(X[i]) * tanh.portable(X[i]) + "
           "abs(X[i])\n}\n";
  };
  GenOptions fast, portable;
  fast.functions = te::Accuracy::Fast;
  portable.functions = te::Accuracy::Portable;
  const std::string clause = "  numerics { functions = portable }\n";
  CHECK(Generated(text("")).has(") functions fast {"));
  CHECK(Generated(text(clause)).has(") functions portable {"));
  CHECK(Generated(text(""), "", portable).has(") functions portable {"));
  CHECK(Generated(text(clause), "", fast).has(") functions fast {"));

  // A suffix is the use's own; what has one accuracy only has none.
  Generated uses(text(""), "", portable);
  CHECK(uses.has("te.unary exp unset"));
  CHECK(uses.has("te.unary exp fast"));
  CHECK(uses.has("te.unary tanh portable"));
  CHECK(uses.has("te.unary abs unset"));
}

TEST_CASE("outputs in declared order, each a tensor of its own") {
  Generated generated(R"(
op f(X: f32[N], c: f32) -> A: f32[N], B: f32[N], s: f32 {
  s = c
  B[i] = X[i]
  T[k] = B[k] + s
  A[j] = T[j]
})");
  te::FuncOp func = generated.func();
  Strings names;
  for (te::ComputeOp compute : func.getBlock().getOps<te::ComputeOp>())
    names.push_back(compute.getName().str());
  CHECK(names == Strings{"s", "B", "T", "A"});
  CHECK(generated.has(R"(%0 = te.compute "s" [] : !te.tensor<[], f32> {
      %4 = te.read %arg1[] : !te.tensor<[], f32>
      te.yield %4 : f32)"));
  CHECK(generated.has("te.return %3, %1, %0 : !te.tensor<[N], f32>, "
                      "!te.tensor<[N], f32>, !te.tensor<[], f32>"));
  CHECK(generated.textAgain() == generated.text());
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

TEST_CASE("casts round once, and only where the type changes") {
  checkBody("f32(f32(B[i, j]))",
            "%1 = te.read %arg1[%arg2, %arg3] : !te.tensor<[M, N], bf16>\n"
            "%2 = te.cast %1 : bf16 to f32\n");
  checkBody("f32(f16(f64(B[i, j])))",
            "%1 = te.read %arg1[%arg2, %arg3] : !te.tensor<[M, N], bf16>\n"
            "%2 = te.cast %1 : bf16 to f64\n"
            "%3 = te.cast %2 : f64 to f16\n"
            "%4 = te.cast %3 : f16 to f32\n");
}

TEST_CASE("indices, sizes and literals as values") {
  checkBody("f32(i) + f32(N)", "%1 = te.to_float %arg2 : index to f32\n"
                               "%2 = te.size \"N\"\n"
                               "%3 = te.to_float %2 : index to f32\n"
                               "%4 = te.binary add %1, %3 : f32\n");
  checkBody("f32(0.1bf16)", "%1 = te.constant 1.000980e-01 : bf16\n"
                            "%2 = te.cast %1 : bf16 to f32\n");
  checkBody("f32(0.1)", "%1 = te.constant 1.000000e-01 : f32\n");
  checkBody("-f32(inf) * C",
            "%1 = te.constant 0x7F800000 : f32\n"
            "%2 = te.unary neg unset %1 : f32\n"
            "%3 = te.constant 0.333333343 : f32\n"
            "%4 = te.binary mul %2, %3 : f32\n",
            "const C: f32 = 1 / 3\n");
}

TEST_CASE("sums, rules and guards as subscripts") {
  checkBody("X[M - 1 - i, j] * 2",
            "%1 = te.affine[%arg2] by [-1] plus M - 1\n"
            "%2 = te.read %arg0[%1, %arg3] : !te.tensor<[M, N], f32>\n"
            "%3 = te.constant 2.000000e+00 : f32\n"
            "%4 = te.binary mul %2, %3 : f32\n");
  checkBody("X[clamp(i - 1), wrap(3)]",
            "%1 = te.affine[%arg2] by [1] plus -1\n"
            "%2 = te.bound clamp %1 in M\n"
            "%3 = te.index_constant 3\n"
            "%4 = te.bound wrap %3 in N\n"
            "%5 = te.read %arg0[%2, %4] : !te.tensor<[M, N], f32>\n");
  // Only the bounds that may fail are asked for.
  checkBody("X[i - 1, j] else 7",
            "%1 = te.affine[%arg2] by [1] plus -1\n"
            "%2 = te.read %arg0[%1, %arg3] guarded : !te.tensor<[M, N], f32>\n"
            "%3 = te.index_constant 0\n"
            "%4 = te.compare ge %1, %3 : index\n"
            "%5 = te.constant 7.000000e+00 : f32\n"
            "%6 = te.select %4, %2, %5 : f32\n");
  checkBody("X[i, 2 * j] else 7",
            "%1 = te.affine[%arg3] by [2] plus 0\n"
            "%2 = te.read %arg0[%arg2, %1] guarded : !te.tensor<[M, N], f32>\n"
            "%3 = te.size \"N\"\n"
            "%4 = te.compare lt %1, %3 : index\n"
            "%5 = te.constant 7.000000e+00 : f32\n"
            "%6 = te.select %4, %2, %5 : f32\n");
}

TEST_CASE("an index that starts elsewhere is a sum where it is used") {
  Generated generated("op o(X: f32[N]) -> s: f32 where N >= 3 {\n"
                      "  s = sum[k in 2..N - 1](X[k + 1] * f32(k))\n}\n");
  std::string text = generated.text();
  CHECK(text.find("in [N - 3]") != std::string::npos);
  CHECK(text.find("te.affine[%arg1] by [1] plus 3\n") != std::string::npos);
  CHECK(text.find("te.affine[%arg1] by [1] plus 2\n") != std::string::npos);
}

TEST_CASE("choices evaluate both sides") {
  checkBody("if i < j and not (j >= 7) or i != N then 1f32 else f32(j)",
            "%1 = te.compare lt %arg2, %arg3 : index\n"
            "%2 = te.index_constant 7\n"
            "%3 = te.compare ge %arg3, %2 : index\n"
            "%4 = te.not %3\n"
            "%5 = te.logic and %1, %4\n"
            "%6 = te.size \"N\"\n"
            "%7 = te.compare ne %arg2, %6 : index\n"
            "%8 = te.logic or %5, %7\n"
            "%9 = te.constant 1.000000e+00 : f32\n"
            "%10 = te.to_float %arg3 : index to f32\n"
            "%11 = te.select %8, %9, %10 : f32\n");
  checkBody("if (if true then X[i, j] == 0 else X[i, j] > 1) then 1f32 else "
            "0f32",
            "%1 = te.constant true\n"
            "%2 = te.read %arg0[%arg2, %arg3] : !te.tensor<[M, N], f32>\n"
            "%3 = te.constant 0.000000e+00 : f32\n"
            "%4 = te.compare eq %2, %3 : f32\n"
            "%5 = te.read %arg0[%arg2, %arg3] : !te.tensor<[M, N], f32>\n"
            "%6 = te.constant 1.000000e+00 : f32\n"
            "%7 = te.compare gt %5, %6 : f32\n"
            "%8 = te.select %1, %4, %7 : i1\n"
            "%9 = te.constant 1.000000e+00 : f32\n"
            "%10 = te.constant 0.000000e+00 : f32\n"
            "%11 = te.select %8, %9, %10 : f32\n");
}

TEST_CASE("every built-in function") {
  for (const char *name :
       {"abs", "neg", "sqrt", "rsqrt", "rcp", "exp", "exp2", "log", "log2",
        "tanh", "floor", "ceil", "round", "trunc"})
    checkBody(std::string(name) + "(f32(i))",
              "%1 = te.to_float %arg2 : index to f32\n%2 = te.unary " +
                  std::string(name) + " unset %1 : f32\n");
  checkBody("min(f32(i), max(f32(j), 2))",
            "%1 = te.to_float %arg2 : index to f32\n"
            "%2 = te.to_float %arg3 : index to f32\n"
            "%3 = te.constant 2.000000e+00 : f32\n"
            "%4 = te.binary max %2, %3 : f32\n"
            "%5 = te.binary min %1, %4 : f32\n");
  checkBody("fma(f32(i), 2, f32(j)) - 1",
            "%1 = te.to_float %arg2 : index to f32\n"
            "%2 = te.constant 2.000000e+00 : f32\n"
            "%3 = te.to_float %arg3 : index to f32\n"
            "%4 = te.fma %1, %2, %3 : f32\n"
            "%5 = te.constant 1.000000e+00 : f32\n"
            "%6 = te.binary sub %4, %5 : f32\n");
}

TEST_CASE("functions are inlined, their arguments evaluated once") {
  checkBody("twice(twice(f32(i)))",
            "%1 = te.to_float %arg2 : index to f32\n"
            "%2 = te.binary add %1, %1 : f32\n"
            "%3 = te.binary add %2, %2 : f32\n",
            "fn twice(x: f32) -> f32 = x + x\n");
  // An inner call of the same function does not disturb the outer one's
  // second parameter.
  checkBody("sub(f32(i), sub(f32(j), f32(N)))",
            "%1 = te.to_float %arg2 : index to f32\n"
            "%2 = te.to_float %arg3 : index to f32\n"
            "%3 = te.size \"N\"\n"
            "%4 = te.to_float %3 : index to f32\n"
            "%5 = te.binary sub %2, %4 : f32\n"
            "%6 = te.binary sub %1, %5 : f32\n",
            "fn sub(a: f32, b: f32) -> f32 = a - b\n");
  checkBody("outer(f32(i), f32(j))",
            "%1 = te.to_float %arg2 : index to f32\n"
            "%2 = te.to_float %arg3 : index to f32\n"
            "%3 = te.binary div %2, %1 : f32\n"
            "%4 = te.binary mul %3, %1 : f32\n",
            "fn inner(a: f32, b: f32) -> f32 = a / b\n"
            "fn outer(a: f32, b: f32) -> f32 = inner(b, a) * a\n");
  checkBody("relu(f32(relu(B[i, j])))",
            "%1 = te.read %arg1[%arg2, %arg3] : !te.tensor<[M, N], bf16>\n"
            "%2 = te.constant 0.000000e+00 : bf16\n"
            "%3 = te.binary max %1, %2 : bf16\n"
            "%4 = te.cast %3 : bf16 to f32\n"
            "%5 = te.constant 0.000000e+00 : f32\n"
            "%6 = te.binary max %4, %5 : f32\n");
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

TEST_CASE("reductions: kinds, several indices, constant extents, nesting") {
  Generated generated(R"(
op f(X: f32[M, 16, K]) -> Y: f32[M] {
  Y[i] = sum[j, k](X[i, j, k]) + prod[a](max[b](X[i, a, b]))
})");
  CHECK(generated.has(
      R"(te.reduce sum ["j", "k"] in [16, K] order "fixed" leaf plain : f32 {
      ^bb0(%arg2: index, %arg3: index):)"));
  CHECK(generated.has(R"(te.reduce prod ["a"] in [16] order "fixed")"));
  CHECK(generated.has(R"(te.reduce max ["b"] in [K] order "fixed")"));
  CHECK(generated.textAgain() == generated.text());
}

TEST_CASE("order clauses") {
  auto orderOf = [](const std::string &clause, const std::string &kind) {
    Generated generated("op f(X: f32[M, 64]) -> Y: f32[M] {\n  Y[i] = " + kind +
                        "[k" + clause + "](X[i, k])\n}\n");
    std::string order;
    generated.module().walk(
        [&](te::ReduceOp reduce) { order = reduce.getOrder().str(); });
    CHECK(generated.textAgain() == generated.text());
    return order;
  };
  CHECK(orderOf("", "sum") == "fixed");
  CHECK(orderOf(", order=fixed", "sum") == "fixed");
  CHECK(orderOf(", order=sequential", "sum") == "sequential");
  CHECK(orderOf(", order=free", "sum") == "free");
  CHECK(orderOf(", order=free", "max") == "fixed");
  CHECK(orderOf(", order=seq", "sum") == "seq");
  CHECK(orderOf(", order=lanes(32,4,seq)", "sum") == "lanes(32, 4)");
  CHECK(orderOf(", order=tree(8, seq)", "prod") == "tree(8)");
  CHECK(orderOf(", order=seg(16, tree(4), m=lanes(4, 1))", "sum") ==
        "seg(16, tree(4), m = lanes(4, 1))");
  // The front end warns that these have no effect.
  CHECK(orderOf(", order=sequential", "max") == "fixed");
  CHECK(orderOf(", order=tree(8)", "min") == "fixed");
}

TEST_CASE("terms and leaves of pinned and sequential orders") {
  auto terms = [](const std::string &clause) {
    return Generated("op f(X: f32[M, K], W: f32[K, N]) -> Y: f32[M, N] {\n"
                     "  Y[i, j] = sum[k" +
                     clause + "](X[i, k] * W[k, j])\n}\n")
        .terms();
  };
  CHECK(terms("") == Strings{"seq fma"});
  CHECK(terms(", order=sequential") == Strings{"seq muladd"});
  CHECK(terms(", order=seg(512, seq)") == Strings{"seg(512, seq) fma"});
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

TEST_CASE("every op has its place in the text") {
  Generated generated(R"(fn half(x: f32) -> f32 =
    x / 2
op o(X: f32[M, 4]) -> S: f32[M] {
  T[i] = sum[k](X[i, k])
  S[i] = half(T[i]) + silu(X[i, 3])
}
)");
  Strings places;
  generated.module()->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    auto loc = llvm::dyn_cast<mlir::FileLineColLoc>(op->getLoc());
    REQUIRE(loc);
    CHECK(loc.getFilename() == "t.te");
    places.push_back(op->getName().getStringRef().str() + " " +
                     std::to_string(loc.getLine()) + ":" +
                     std::to_string(loc.getColumn()));
  });
  CHECK(places ==
        Strings{
            "builtin.module 1:1",     "te.func 3:4",    "te.compute 4:3",
            "te.reduce 4:10",         "te.read 4:17",   "te.yield 4:17",
            "te.yield 4:10",          "te.compute 5:3", "te.read 5:15",
            "te.constant 2:9",
            "te.binary 2:5", // in half's own text
            "te.index_constant 5:33", "te.read 5:28",
            "te.constant 5:23", // silu has no text here: its call
            "te.unary 5:23",          "te.unary 5:23",  "te.binary 5:23",
            "te.binary 5:23",         "te.binary 5:10", "te.yield 5:10",
            "te.return 3:4",
        });
  mlir::Block &body = generated.func().getBlock();
  auto place = [](mlir::BlockArgument argument) {
    auto loc = llvm::cast<mlir::FileLineColLoc>(argument.getLoc());
    return std::pair(loc.getLine(), loc.getColumn());
  };
  CHECK(place(body.getArgument(0)) == std::pair(3u, 6u));
  generated.module().walk([&](te::ReduceOp reduce) {
    CHECK(place(reduce.getBlock().getArgument(0)) == std::pair(4u, 14u));
  });
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

TEST_CASE("the deepest expressions that the front end lets through") {
  auto chain = [](std::string start, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      start += " + 1";
    return start;
  };
  // 20 functions of depth 95, each calling the one before.
  std::string functions = "fn step0(x: f32) -> f32 = x + 1\n";
  for (int i = 1; i <= 20; ++i)
    functions += "fn step" + std::to_string(i) + "(x: f32) -> f32 = " +
                 chain("step" + std::to_string(i - 1) + "(x)", 95) + "\n";
  for (const std::string &text :
       {inOp("  Y[i, j] = " + chain("X[i, j]", 990)),
        inOp("  Y[i, j] = step20(X[i, j])", functions)}) {
    Generated generated(text);
    unsigned additions = 0;
    generated.module().walk([&](te::BinaryOp) { ++additions; });
    CHECK(additions >= 900);
    CHECK(generated.terms().empty());
  }
}
