//===- SolversTest.cpp - whole algorithms with loops and versions ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each against the loops that textbooks have, in the order that they have:
// every element sees the same operations one after the other, so that the bits
// must agree.
//
//===----------------------------------------------------------------------===//

#include "Versions.h"

#include <cmath>

using namespace girih;
using namespace girih::reference;
using namespace girih::reference::test;

namespace {

/// $M, $V and $S are matrices, vectors and numbers.
std::string expanded(std::string text) {
  for (auto [name, type] :
       {std::pair<std::string, std::string>{"$M", "!te.tensor<[N, N], f64>"},
        {"$V", "!te.tensor<[N], f64>"},
        {"$S", "!te.tensor<[], f64>"}})
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), type);
  return text;
}

/// for k { A[i, k] = A[i, k] / A[k, k] where i > k;
///         A[i, j] = A[i, j] - A[i, k] * A[k, j] where i > k, j > k }
const char *const kLu = R"(
te.func @lu sizes ["N"](%A "A": $M) -> ("A": $M in_place %A) functions fast {
  %r = te.for "k" in N (%A) : ($M) -> ($M) {
  ^bb0(%k: index, %a: $M):
    %a1 = te.compute "A" ["i"] in [N] into %a : $M {
    ^bb1(%i: index):
      te.where [%i, %k] by [1, -1] plus -1
      %x = te.read %a[%i, %k] : $M
      %d = te.read %a[%k, %k] : $M
      %q = te.binary div %x, %d : f64
      te.yield %q : f64 at [%i, %k]
    }
    %a2 = te.compute "A" ["i", "j"] into %a1 : $M {
    ^bb1(%i: index, %j: index):
      te.where [%i, %k] by [1, -1] plus -1
      te.where [%j, %k] by [1, -1] plus -1
      %x = te.read %a1[%i, %j] : $M
      %l = te.read %a1[%i, %k] : $M
      %u = te.read %a1[%k, %j] : $M
      %p = te.binary mul %l, %u : f64
      %s = te.binary sub %x, %p : f64
      te.yield %s : f64
    }
    te.next %a2 : $M
  }
  te.return %r : $M
})";

/// for k { A[k, k] = sqrt(A[k, k]); A[i, k] = A[i, k] / A[k, k] where i > k;
///         A[i, j] = A[i, j] - A[i, k] * A[j, k] where j > k, i >= j }
const char *const kCholesky = R"(
te.func @cholesky sizes ["N"](%A "A": $M) -> ("A": $M in_place %A) functions fast {
  %r = te.for "k" in N (%A) : ($M) -> ($M) {
  ^bb0(%k: index, %a: $M):
    %a1 = te.compute "A" [] in [] into %a : $M {
      %x = te.read %a[%k, %k] : $M
      %q = te.unary sqrt unset %x : f64
      te.yield %q : f64 at [%k, %k]
    }
    %a2 = te.compute "A" ["i"] in [N] into %a1 : $M {
    ^bb1(%i: index):
      te.where [%i, %k] by [1, -1] plus -1
      %x = te.read %a1[%i, %k] : $M
      %d = te.read %a1[%k, %k] : $M
      %q = te.binary div %x, %d : f64
      te.yield %q : f64 at [%i, %k]
    }
    %a3 = te.compute "A" ["i", "j"] into %a2 : $M {
    ^bb1(%i: index, %j: index):
      te.where [%j, %k] by [1, -1] plus -1
      te.where [%i, %j] by [1, -1] plus 0
      %x = te.read %a2[%i, %j] : $M
      %l = te.read %a2[%i, %k] : $M
      %u = te.read %a2[%j, %k] : $M
      %p = te.binary mul %l, %u : f64
      %s = te.binary sub %x, %p : f64
      te.yield %s : f64
    }
    te.next %a3 : $M
  }
  te.return %r : $M
})";

/// Levinson's recursion for a Toeplitz system, k = t + 1.
const char *const kDurbin = R"(
te.func @durbin sizes ["N"](%r "r": $V) -> ("y": $V) functions fast {
  %y0 = te.compute "y" [] in [] : $V {
    %zero = te.index_constant 0
    %x = te.read %r[%zero] : $V
    %n = te.unary neg unset %x : f64
    te.yield %n : f64 at [%zero]
  }
  %alpha0 = te.compute "alpha" [] : $S {
    %zero = te.index_constant 0
    %x = te.read %r[%zero] : $V
    %n = te.unary neg unset %x : f64
    te.yield %n : f64
  }
  %beta0 = te.compute "beta" [] : $S {
    %one = te.constant 1.0 : f64
    te.yield %one : f64
  }
  %y9, %alpha9, %beta9 = te.for "t" in N - 1 (%y0, %alpha0, %beta0)
      : ($V, $S, $S) -> ($V, $S, $S) {
  ^bb0(%t: index, %y: $V, %alpha: $S, %beta: $S):
    %beta1 = te.compute "beta" [] into %beta : $S {
      %one = te.constant 1.0 : f64
      %a = te.read %alpha[] : $S
      %b = te.read %beta[] : $S
      %aa = te.binary mul %a, %a : f64
      %d = te.binary sub %one, %aa : f64
      %v = te.binary mul %d, %b : f64
      te.yield %v : f64
    }
    %sum = te.compute "sum" [] : $S {
      %s = te.reduce sum ["i"] in [N] order "sequential" term <"seq"> leaf muladd : f64 {
      ^bb1(%i: index):
        te.where [%t, %i] by [1, -1] plus 0
        %back = te.affine [%t, %i] by [1, -1] plus 0
        %x = te.read %r[%back] : $V
        %v = te.read %y[%i] : $V
        %p = te.binary mul %x, %v : f64
        te.yield %p : f64
      }
      te.yield %s : f64
    }
    %alpha1 = te.compute "alpha" [] into %alpha : $S {
      %k = te.affine [%t] by [1] plus 1
      %x = te.read %r[%k] : $V
      %s = te.read %sum[] : $S
      %b = te.read %beta1[] : $S
      %n = te.binary add %x, %s : f64
      %m = te.unary neg unset %n : f64
      %q = te.binary div %m, %b : f64
      te.yield %q : f64
    }
    %z = te.compute "z" ["i"] : $V {
    ^bb1(%i: index):
      te.where [%t, %i] by [1, -1] plus 0
      %back = te.affine [%t, %i] by [1, -1] plus 0
      %a = te.read %alpha1[] : $S
      %u = te.read %y[%i] : $V
      %v = te.read %y[%back] : $V
      %p = te.binary mul %a, %v : f64
      %s = te.binary add %u, %p : f64
      te.yield %s : f64
    }
    %y1 = te.compute "y" ["i"] into %y : $V {
    ^bb1(%i: index):
      te.where [%t, %i] by [1, -1] plus 0
      %v = te.read %z[%i] : $V
      te.yield %v : f64
    }
    %y2 = te.compute "y" [] in [] into %y1 : $V {
      %k = te.affine [%t] by [1] plus 1
      %a = te.read %alpha1[] : $S
      te.yield %a : f64 at [%k]
    }
    te.next %y2, %alpha1, %beta1 : $V, $S, $S
  }
  te.return %y9 : $V
})";

/// Gauss-Seidel sweeps over a plate, each over what the one before left.
const char *const kSeidel2d = R"(
te.func @seidel sizes ["N"](%A "A": $M) -> ("A": $M in_place %A) functions fast {
  %r = te.for "t" in 4 (%A) : ($M) -> ($M) {
  ^bb0(%t: index, %a: $M):
    %a1 = te.compute "A" ["i", "j"] in [N - 2, N - 2] into %a : $M {
    ^bb1(%i: index, %j: index):
      %i1 = te.affine [%i] by [1] plus 1
      %i2 = te.affine [%i] by [1] plus 2
      %j1 = te.affine [%j] by [1] plus 1
      %j2 = te.affine [%j] by [1] plus 2
      %v1 = te.read %a[%i, %j1] : $M
      %v2 = te.read %a[%i1, %j] : $M
      %v3 = te.read %a[%i1, %j2] : $M
      %v4 = te.read %a[%i2, %j1] : $M
      %quarter = te.constant 0.25 : f64
      %s1 = te.binary add %v1, %v2 : f64
      %s2 = te.binary add %s1, %v3 : f64
      %s3 = te.binary add %s2, %v4 : f64
      %m = te.binary mul %s3, %quarter : f64
      te.yield %m : f64 at [%i1, %j1]
    }
    te.next %a1 : $M
  }
  te.return %r : $M
})";

/// Symmetric, with a large diagonal.
std::vector<double> dominant(int64_t n) {
  std::vector<double> a(n * n);
  Random random(n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j)
      a[i * n + j] = a[j * n + i] = random.unit() + (i == j ? 4.0 * n : 0.0);
  return a;
}

void checkMatrix(const char *text,
                 void (*solve)(std::vector<double> &, int64_t n)) {
  Everywhere program(expanded(text));
  for (int64_t n : {2, 3, 17, 40}) {
    Array<double> a = doubles({n, n}), r = a;
    a.data = dominant(n);
    std::vector<double> expected = a.data;
    solve(expected, n);
    CAPTURE(n);
    program.gives({a.view(), r.view()}, r, expected);
  }
}

} // namespace

TEST_CASE("LU decomposition", "[reference]") {
  checkMatrix(kLu, [](std::vector<double> &a, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        for (int64_t k = 0; k < j; ++k)
          a[i * n + j] -= a[i * n + k] * a[k * n + j];
        a[i * n + j] /= a[j * n + j];
      }
      for (int64_t j = i; j < n; ++j)
        for (int64_t k = 0; k < i; ++k)
          a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
  });
}

TEST_CASE("Cholesky decomposition", "[reference]") {
  checkMatrix(kCholesky, [](std::vector<double> &a, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        for (int64_t k = 0; k < j; ++k)
          a[i * n + j] -= a[i * n + k] * a[j * n + k];
        a[i * n + j] /= a[j * n + j];
      }
      for (int64_t k = 0; k < i; ++k)
        a[i * n + i] -= a[i * n + k] * a[i * n + k];
      a[i * n + i] = std::sqrt(a[i * n + i]);
    }
  });
}

TEST_CASE("Gauss-Seidel sweeps", "[reference]") {
  checkMatrix(kSeidel2d, [](std::vector<double> &a, int64_t n) {
    for (int t = 0; t < 4; ++t)
      for (int64_t i = 1; i + 1 < n; ++i)
        for (int64_t j = 1; j + 1 < n; ++j)
          a[i * n + j] = (a[(i - 1) * n + j] + a[i * n + j - 1] +
                          a[i * n + j + 1] + a[(i + 1) * n + j]) *
                         0.25;
  });
}

TEST_CASE("Levinson's recursion", "[reference]") {
  Everywhere program(expanded(kDurbin));
  for (int64_t n : {1, 2, 3, 40}) {
    Array<double> r = doubles({n}), y = r;
    Random random(n);
    for (double &value : r.data)
      value = random.unit() * 0.02;
    std::vector<double> expected(n), z(n);
    expected[0] = -r.data[0];
    double alpha = -r.data[0], beta = 1;
    for (int64_t k = 1; k < n; ++k) {
      beta = (1 - alpha * alpha) * beta;
      double sum = 0;
      for (int64_t i = 0; i < k; ++i)
        sum += r.data[k - i - 1] * expected[i];
      alpha = -(r.data[k] + sum) / beta;
      for (int64_t i = 0; i < k; ++i)
        z[i] = expected[i] + alpha * expected[k - i - 1];
      for (int64_t i = 0; i < k; ++i)
        expected[i] = z[i];
      expected[k] = alpha;
    }
    CAPTURE(n);
    program.gives({r.view(), y.view()}, y, expected);
  }
}
