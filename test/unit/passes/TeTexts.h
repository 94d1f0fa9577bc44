//===- TeTexts.h - te programs that several tests use -----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PASSES_TETEXTS_H
#define GIRIH_TEST_UNIT_PASSES_TETEXTS_H

#include "test/unit/passes/TeInterpreter.h"
#include "test/unit/passes/TeTest.h"

#include "compiler/arith/Formats.h"

#include <random>

namespace girih::te {

/// A function over X: [M, N] f32 and Z: [N, K] f32 that returns `outputs`.
inline std::string
funcOf(const std::string &body, const std::string &outputType = "[M, N], f32",
       const std::string &header = R"(sizes ["M", "N", "K"])") {
  return "te.func @f " + header +
         R"( (%X "X": !te.tensor<[M, N], f32>, )"
         R"(%Z "Z": !te.tensor<[N, K], f32>))"
         R"( -> ("Y": !te.tensor<)" +
         outputType + ">) functions fast {\n" + body +
         "\n  te.return %Y : !te.tensor<" + outputType + ">\n}\n";
}

/// Y[i, j] = exp(X[i, j] - max[k](X[i, k])) / sum[k](exp(X[i, k] - max...)).
inline const char *const kSoftmax = R"(
  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %m = te.reduce max ["l"] in [N] order "sequential" leaf plain : f32 {
    ^bb0(%l: index):
      %x = te.read %X[%i, %l] : !te.tensor<[M, N], f32>
      te.yield %x : f32
    }
    %s = te.reduce sum ["k"] in [N] order "sequential" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
      %d = te.binary sub %x, %m : f32
      %e = te.unary exp portable %d : f32
      te.yield %e : f32
    }
    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    %d = te.binary sub %x, %m : f32
    %e = te.unary exp portable %d : f32
    %y = te.binary div %e, %s : f32
    te.yield %y : f32
  })";

/// C = X Z, D = bf16(C), Y = X times the sum over columns of C + f32(D) of C's
/// row: nested reductions, a chain of maps.
inline const char *const kNested = R"(
  %C = te.compute "C" ["i", "j"] : !te.tensor<[M, K], f32> {
  ^bb0(%i: index, %j: index):
    %half = te.constant 0.5 : f32
    %p = te.reduce sum ["k"] in [N] order "sequential" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
      %z = te.read %Z[%k, %j] : !te.tensor<[N, K], f32>
      %h = te.binary add %z, %half : f32
      %q = te.binary mul %x, %h : f32
      te.yield %q : f32
    }
    te.yield %p : f32
  }
  %D = te.compute "D" ["i", "j"] : !te.tensor<[M, K], bf16> {
  ^bb0(%i: index, %j: index):
    %c = te.read %C[%i, %j] : !te.tensor<[M, K], f32>
    %d = te.cast %c : f32 to bf16
    te.yield %d : bf16
  }
  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %s = te.reduce sum ["k"] in [K] order "sequential" leaf plain : f32 {
    ^bb0(%k: index):
      %d = te.read %D[%i, %k] : !te.tensor<[M, K], bf16>
      %f = te.cast %d : bf16 to f32
      %t = te.reduce prod ["l"] in [3] order "sequential" leaf plain : f32 {
      ^bb0(%l: index):
        %z = te.read %Z[%l, %k] : !te.tensor<[N, K], f32>
        %g = te.binary mul %z, %f : f32
        te.yield %g : f32
      }
      %u = te.binary add %t, %f : f32
      te.yield %u : f32
    }
    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    %y = te.binary mul %x, %s : f32
    te.yield %y : f32
  })";

/// One reduction `kind` over `indices` with `body`, as Y over `shape`.
inline std::string reductionOf(const std::string &shape,
                               const std::string &names,
                               const std::string &arguments,
                               const std::string &reduce,
                               const std::string &body) {
  return funcOf("  %Y = te.compute \"Y\" [" + names + "] : !te.tensor<[" +
                    shape + "], f32> {\n  ^bb0" + arguments +
                    "\n    %r = te.reduce " + reduce + " {\n" + body +
                    "\n      te.yield %v : f32\n    }\n"
                    "    te.yield %r : f32\n  }",
                "[" + shape + "], f32");
}

inline TestTensor randomTensor(std::vector<int64_t> shape) {
  std::mt19937 random(3);
  TestTensor tensor{shape, {}};
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  for (int64_t i = 0; i < count; ++i)
    tensor.data.push_back(float(int32_t(random())) * 0x1p-30f);
  return tensor;
}

inline std::vector<double> runFunc(TeTest &test) {
  return interpret(test.func(), {{"M", 5}, {"N", 37}, {"K", 6}},
                   {randomTensor({5, 37}), randomTensor({37, 6})})[0]
      .data;
}

inline void checkSameBits(const std::vector<double> &a,
                          const std::vector<double> &b) {
  REQUIRE(a.size() == b.size());
  REQUIRE_FALSE(a.empty());
  for (size_t i = 0; i < a.size(); ++i)
    REQUIRE(girih::arith::sameValue(a[i], b[i]));
}

/// Every compute holds no reduction or yields its only one.
inline void checkHoisted(TeTest &test) {
  for (auto compute : test.func().getBlock().getOps<ComputeOp>()) {
    int reductions = 0;
    compute.walk([&](ReduceOp) { ++reductions; });
    INFO(compute.getName().str());
    CHECK(reductions == (compute.getReduction() ? 1 : 0));
  }
}

} // namespace girih::te

#endif // GIRIH_TEST_UNIT_PASSES_TETEXTS_H
