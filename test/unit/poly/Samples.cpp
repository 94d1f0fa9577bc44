//===- Samples.cpp - hand-made operators and schedules for tests ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/poly/Samples.h"
#include "compiler/support/Diagnostics.h"

#include <catch2/catch.hpp>

namespace girih::poly::test {

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  if (at == std::string::npos)
    FAIL("'" << from << "' does not occur");
  for (; at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

namespace {

using Values = std::vector<std::pair<std::string, int64_t>>;

/// Replaces $name by its value.
std::string filled(std::string text, const Values &values) {
  for (const auto &[name, value] : values)
    text = replaced(text, "$" + name, std::to_string(value));
  return text;
}

Scop scopOf(const std::string &text) {
  Diagnostics diags;
  std::optional<Scop> scop = readScop(text, diags);
  INFO(diags.renderText(false));
  REQUIRE(scop);
  return *scop;
}

} // namespace

ScheduleTree tree(const Scop &scop, const std::string &text) {
  Diagnostics diags;
  std::optional<ScheduleTree> result = readScheduleTree(scop, text, diags);
  INFO(text);
  INFO(diags.renderText(false));
  REQUIRE(result);
  return std::move(*result);
}

Scop matmulSilu() {
  return scopOf(R"(scop matmul_silu
  params M, N, K
  context 0 <= M and 0 <= N and 0 <= K
  array A input 2 [M, K]
  array W input 2 [K, N]
  array C_acc accumulator 4 [M, N]
  array C temporary 2 [M, N]
  array Y output 2 [M, N]
  statement C_init init
    domain [M, N, K] -> { C_init[i, j] : 0 <= i < M and 0 <= j < N }
    write [M, N, K] -> { C_init[i, j] -> C_acc[i, j] }
  statement C_sum update
    domain [M, N, K] -> { C_sum[i, j, k] : 0 <= i < M and 0 <= j < N and 0 <= k < K }
    read [M, N, K] -> { C_sum[i, j, k] -> C_acc[i, j] }
    read [M, N, K] -> { C_sum[i, j, k] -> A[i, k] }
    read [M, N, K] -> { C_sum[i, j, k] -> W[k, j] }
    write [M, N, K] -> { C_sum[i, j, k] -> C_acc[i, j] }
  statement C map
    domain [M, N, K] -> { C[i, j] : 0 <= i < M and 0 <= j < N }
    read [M, N, K] -> { C[i, j] -> C_acc[i, j] }
    write [M, N, K] -> { C[i, j] -> C[i, j] }
  statement Y map
    domain [M, N, K] -> { Y[i, j] : 0 <= i < M and 0 <= j < N }
    read [M, N, K] -> { Y[i, j] -> C[i, j] }
    write [M, N, K] -> { Y[i, j] -> Y[i, j] }
  reduction init C_init update C_sum accumulator C_acc value 2 cell 2 ordered term "seq"
)");
}

Scop rowSum(int64_t lanes, int64_t width) {
  return scopOf(filled(R"te(scop rowsum
  params M, N
  context 0 <= M and 0 <= N
  array X input 4 [M, N]
  array S_acc accumulator 4 [M, $V]
  array S output 4 [M]
  statement S_init init
    domain [M, N] -> { S_init[i, l] : 0 <= i < M and 0 <= l < $V }
    write [M, N] -> { S_init[i, l] -> S_acc[i, l] }
  statement S_sum update
    domain [M, N] -> { S_sum[i, l, q, e] : 0 <= i < M and 0 <= l < $V and 0 <= q and 0 <= e < $w and $Vw*q + $w*l + e < N }
    read [M, N] -> { S_sum[i, l, q, e] -> S_acc[i, l] }
    read [M, N] -> { S_sum[i, l, q, e] -> X[i, $Vw*q + $w*l + e] }
    write [M, N] -> { S_sum[i, l, q, e] -> S_acc[i, l] }
  statement S_merge merge
    domain [M, N] -> { S_merge[i] : 0 <= i < M }
    read [M, N] -> { S_merge[i] -> S_acc[i, c] : 0 <= c < $V }
    write [M, N] -> { S_merge[i] -> S[i] }
  reduction init S_init update S_sum merge S_merge accumulator S_acc value 1 cell 2 ordered term "lanes($V, $w)"
)te",
                       {{"Vw", lanes * width}, {"V", lanes}, {"w", width}}));
}

Scop softmax() {
  return scopOf(R"(scop softmax
  params M, N
  context 0 <= M and 0 <= N
  array X input 4 [M, N]
  array m_acc accumulator 4 [M]
  array m temporary 4 [M]
  array P temporary 4 [M, N]
  array s_acc accumulator 4 [M]
  array s temporary 4 [M]
  array Y output 4 [M, N]
  statement m_init init
    domain [M, N] -> { m_init[i] : 0 <= i < M }
    write [M, N] -> { m_init[i] -> m_acc[i] }
  statement m_max update
    domain [M, N] -> { m_max[i, j] : 0 <= i < M and 0 <= j < N }
    read [M, N] -> { m_max[i, j] -> m_acc[i] }
    read [M, N] -> { m_max[i, j] -> X[i, j] }
    write [M, N] -> { m_max[i, j] -> m_acc[i] }
  statement m map
    domain [M, N] -> { m[i] : 0 <= i < M }
    read [M, N] -> { m[i] -> m_acc[i] }
    write [M, N] -> { m[i] -> m[i] }
  statement P map
    domain [M, N] -> { P[i, j] : 0 <= i < M and 0 <= j < N }
    read [M, N] -> { P[i, j] -> X[i, j] }
    read [M, N] -> { P[i, j] -> m[i] }
    write [M, N] -> { P[i, j] -> P[i, j] }
  statement s_init init
    domain [M, N] -> { s_init[i] : 0 <= i < M }
    write [M, N] -> { s_init[i] -> s_acc[i] }
  statement s_sum update
    domain [M, N] -> { s_sum[i, j] : 0 <= i < M and 0 <= j < N }
    read [M, N] -> { s_sum[i, j] -> s_acc[i] }
    read [M, N] -> { s_sum[i, j] -> P[i, j] }
    write [M, N] -> { s_sum[i, j] -> s_acc[i] }
  statement s map
    domain [M, N] -> { s[i] : 0 <= i < M }
    read [M, N] -> { s[i] -> s_acc[i] }
    write [M, N] -> { s[i] -> s[i] }
  statement Y map
    domain [M, N] -> { Y[i, j] : 0 <= i < M and 0 <= j < N }
    read [M, N] -> { Y[i, j] -> P[i, j] }
    read [M, N] -> { Y[i, j] -> s[i] }
    write [M, N] -> { Y[i, j] -> Y[i, j] }
  reduction init m_init update m_max accumulator m_acc value 1 cell 1 associative term "max"
  reduction init s_init update s_sum accumulator s_acc value 1 cell 1 ordered term "seq"
)");
}

Scop wholeSum(int64_t segment) {
  return scopOf(filled(R"te(scop wholesum
  params N, P
  context 0 <= N and 0 <= P and N <= $L*P and $L*P < N + $L
  array X input 4 [N]
  array S_acc accumulator 4 [P]
  array S_acc2 accumulator 4 []
  array S output 4 []
  statement S_init init
    domain [N, P] -> { S_init[p] : 0 <= p < P }
    write [N, P] -> { S_init[p] -> S_acc[p] }
  statement S_sum update
    domain [N, P] -> { S_sum[p, k] : 0 <= p < P and $L*p <= k < $L*p + $L and k < N }
    read [N, P] -> { S_sum[p, k] -> S_acc[p] }
    read [N, P] -> { S_sum[p, k] -> X[k] }
    write [N, P] -> { S_sum[p, k] -> S_acc[p] }
  statement S_init2 init
    domain [N, P] -> { S_init2[] }
    write [N, P] -> { S_init2[] -> S_acc2[] }
  statement S_sum2 update
    domain [N, P] -> { S_sum2[p] : 0 <= p < P }
    read [N, P] -> { S_sum2[p] -> S_acc2[] }
    read [N, P] -> { S_sum2[p] -> S_acc[p] }
    write [N, P] -> { S_sum2[p] -> S_acc2[] }
  statement S map
    domain [N, P] -> { S[] }
    read [N, P] -> { S[] -> S_acc2[] }
    write [N, P] -> { S[] -> S[] }
  reduction init S_init update S_sum accumulator S_acc value 0 cell 1 ordered term "seg($L, seq)"
  reduction init S_init2 update S_sum2 accumulator S_acc2 value 0 cell 0 ordered term "seq"
)te",
                       {{"L", segment}}));
}

Scop recurrence() {
  return scopOf(R"(scop recurrence
  params N
  context 0 <= N
  array x input 4 [N]
  array c output 4 [N]
  statement c0 map
    domain [N] -> { c0[i] : 0 <= i < N and i <= 0 }
    write [N] -> { c0[i] -> c[i] }
  statement c map
    domain [N] -> { c[i] : 1 <= i < N }
    read [N] -> { c[i] -> c[i - 1] }
    read [N] -> { c[i] -> x[i] }
    write [N] -> { c[i] -> c[i] }
)");
}

Scop parts() {
  return scopOf(R"(scop parts
  params H
  context 0 <= H
  array X input 4 [H, H]
  array Y temporary 4 [2H, H]
  array Z output 4 [2H, H]
  statement a map
    domain [H] -> { a[i, j] : 0 <= i < H and 0 <= j < H }
    read [H] -> { a[i, j] -> X[i, j] }
    write [H] -> { a[i, j] -> Y[i, j] }
  statement b map
    domain [H] -> { b[i, j] : 0 <= i < H and 0 <= j < H and j <= i }
    read [H] -> { b[i, j] -> Y[j, i] }
    write [H] -> { b[i, j] -> Y[i + H, j] }
  statement c map
    domain [H] -> { c[i, j] : 0 <= i < 2H and 0 <= j < H and j <= i and i + j < 2H }
    read [H] -> { c[i, j] -> Y[i, j] }
    write [H] -> { c[i, j] -> Z[i, j] }
)");
}

Scop transposed() {
  return scopOf(R"(scop transposed
  params N
  context 0 <= N
  array X inout 4 [N, N]
  statement X map
    domain [N] -> { X[i, j] : 0 <= i < N and 0 <= j < N }
    read [N] -> { X[i, j] -> X[j, i] }
    write [N] -> { X[i, j] -> X[i, j] }
)");
}

Scop timedSum(bool ordered) {
  return scopOf(R"(scop timed
  params N, T
  context 0 <= N and 0 <= T
  time t in T
  array X inout 4 [N]
  array s temporary 4 []
  array s_acc accumulator 4 []
  statement s_init init in t
    domain [N, T] -> { s_init[t] : 0 <= t < T }
    write [N, T] -> { s_init[t] -> s_acc[] }
  statement s_upd update in t
    domain [N, T] -> { s_upd[t, k] : 0 <= t < T and 0 <= k < N }
    read [N, T] -> { s_upd[t, k] -> X[k] }
    read [N, T] -> { s_upd[t, k] -> s_acc[] }
    write [N, T] -> { s_upd[t, k] -> s_acc[] }
  statement s_merge merge in t
    domain [N, T] -> { s_merge[t] : 0 <= t < T }
    read [N, T] -> { s_merge[t] -> s_acc[] }
    write [N, T] -> { s_merge[t] -> s[] }
  statement X map in t
    domain [N, T] -> { X[t, i] : 0 <= t < T and 0 <= i < N }
    read [N, T] -> { X[t, i] -> X[i] }
    read [N, T] -> { X[t, i] -> s[] }
    write [N, T] -> { X[t, i] -> X[i] }
  reduction init s_init update s_upd merge s_merge accumulator s_acc value 1 cell 1 )" +
                std::string(ordered ? "ordered" : "associative") +
                " term \"seq\"\n");
}

Scop stencil() {
  return scopOf(R"(scop stencil
  params N, T
  context 0 <= N and 0 <= T
  time t in T
  array A inout 4 [N]
  array B temporary 4 [N]
  array S output 4 [N]
  statement B0 map
    domain [N, T] -> { B0[i] : 0 <= i < N }
    read [N, T] -> { B0[i] -> A[i] }
    write [N, T] -> { B0[i] -> B[i] }
  statement B1 map in t
    domain [N, T] -> { B1[t, i] : 0 <= t < T and 1 <= i < N - 1 }
    read [N, T] -> { B1[t, i] -> A[i - 1] }
    read [N, T] -> { B1[t, i] -> A[i + 1] }
    write [N, T] -> { B1[t, i] -> B[i] }
  statement A1 map in t
    domain [N, T] -> { A1[t, i] : 0 <= t < T and 1 <= i < N - 1 }
    read [N, T] -> { A1[t, i] -> B[i] }
    write [N, T] -> { A1[t, i] -> A[i] }
  statement S map
    domain [N, T] -> { S[i] : 0 <= i < N }
    read [N, T] -> { S[i] -> A[i] }
    write [N, T] -> { S[i] -> S[i] }
)");
}

std::string matmulSiluTree(int64_t ti, int64_t tj, int64_t tk) {
  return filled(R"(schedule matmul_silu
  sequence
    filter C_init, C_sum, C, Y
      kernel "matmul_silu_0" threads 256 { C_acc register, C shared }
        band permutable
          member io grid coincident: C_init -> floor(i/$ti); C_sum -> floor(i/$ti); C -> floor(i/$ti); Y -> floor(i/$ti)
          member jo grid coincident: C_init -> floor(j/$tj); C_sum -> floor(j/$tj); C -> floor(j/$tj); Y -> floor(j/$tj)
          sequence
            filter C_init
              tile [$ti, $tj] layout "simple"
                band
                  member ii point coincident: C_init -> i mod $ti
                  member jj point coincident: C_init -> j mod $tj
            filter C_sum
              band
                member ko loop: C_sum -> floor(k/$tk)
                stage A [$ti, $tk] layout "copy"
                  stage W [$tk, $tj] layout "copy"
                    tile [$ti, $tj, $tk] layout "simple"
                      band
                        member ii point coincident: C_sum -> i mod $ti
                        member jj point coincident: C_sum -> j mod $tj
                        member kk point: C_sum -> k mod $tk
            filter C
              tile [$ti, $tj] layout "simple"
                band
                  member ii point coincident: C -> i mod $ti
                  member jj point coincident: C -> j mod $tj
            filter Y
              tile [$ti, $tj] layout "simple"
                band
                  member ii point coincident: Y -> i mod $ti
                  member jj point coincident: Y -> j mod $tj
)",
                {{"ti", ti}, {"tj", tj}, {"tk", tk}});
}

std::string rowSumTree(int64_t rows, int64_t lanes, int64_t width) {
  return filled(R"(schedule rowsum
  sequence
    filter S_init, S_sum, S_merge
      kernel "rowsum_0" threads 512 { S_acc register }
        band
          member io grid coincident: S_init -> floor(i/$r); S_sum -> floor(i/$r); S_merge -> floor(i/$r)
          sequence
            filter S_init
              tile [$r, $V] layout "a \"quoted\" one"
                band
                  member ii point coincident: S_init -> i mod $r
                  member l point coincident: S_init -> l
            filter S_sum
              band
                member q loop: S_sum -> q
                tile [$r, $V, $w] layout ""
                  band
                    member ii point coincident: S_sum -> i mod $r
                    member l point coincident: S_sum -> l
                    member e point: S_sum -> e
            filter S_merge
              tile [$r] layout ""
                band
                  member ii point coincident: S_merge -> i mod $r
)",
                {{"r", rows}, {"V", lanes}, {"w", width}});
}

std::string softmaxTree(int64_t rows, int64_t columns) {
  auto vector = [](const std::string &s) {
    return "            filter " + s + R"(
              tile [$r] layout ""
                band
                  member ii point coincident: )" +
           s + " -> i mod $r\n";
  };
  auto matrix = [](const std::string &s, const std::string &point) {
    return "            filter " + s + R"(
              band
                member jo loop: )" +
           s + R"( -> floor(j/$c)
                tile [$r, $c] layout ""
                  band
                    member ii point coincident: )" +
           s + R"( -> i mod $r
                    member jj )" +
           point + ": " + s + " -> j mod $c\n";
  };
  std::string text = R"(schedule softmax
  sequence
    filter m_init, m_max, m, P, s_init, s_sum, s, Y
      kernel "softmax_0" threads 128
        band
          member io grid coincident: m_init -> floor(i/$r); m_max -> floor(i/$r); m -> floor(i/$r); P -> floor(i/$r); s_init -> floor(i/$r); s_sum -> floor(i/$r); s -> floor(i/$r); Y -> floor(i/$r)
          sequence
)";
  text += vector("m_init") + matrix("m_max", "point") + vector("m") +
          matrix("P", "point coincident") + vector("s_init") +
          matrix("s_sum", "point") + vector("s") +
          matrix("Y", "point coincident");
  return filled(text, {{"r", rows}, {"c", columns}});
}

std::string wholeSumTree(int64_t segment) {
  return filled(R"(schedule wholesum
  sequence
    filter S_init, S_sum
      kernel "wholesum_0" threads 128
        band
          member po grid coincident: S_init -> p; S_sum -> p
          sequence
            filter S_init
              tile [1] layout ""
                band
                  member u point coincident: S_init -> 0
            filter S_sum
              band
                member ko loop: S_sum -> floor((k mod $L)/2)
                tile [2] layout ""
                  band
                    member kk point: S_sum -> k mod 2
    filter S_init2, S_sum2, S
      kernel "wholesum_1" threads 32
        sequence
          filter S_init2
            tile [] layout ""
          filter S_sum2
            band
              member po loop: S_sum2 -> floor(p/2)
              tile [2] layout ""
                band
                  member pp point: S_sum2 -> p mod 2
          filter S
            tile [] layout ""
)",
                {{"L", segment}});
}

std::vector<std::vector<int64_t>> allSizes(size_t count, int64_t low,
                                           int64_t high) {
  std::vector<std::vector<int64_t>> result{{}};
  for (size_t i = 0; i < count; ++i) {
    std::vector<std::vector<int64_t>> longer;
    for (const auto &sizes : result)
      for (int64_t size = low; size <= high; ++size) {
        longer.push_back(sizes);
        longer.back().push_back(size);
      }
    result = std::move(longer);
  }
  return result;
}

int64_t value(const Affine &affine, const std::vector<int64_t> &dims,
              const std::vector<int64_t> &params) {
  int64_t result = affine.constant;
  for (size_t d = 0; d < affine.dims.size(); ++d)
    result += affine.dims[d] * dims.at(d);
  for (size_t p = 0; p < affine.params.size(); ++p)
    result += affine.params[p] * params.at(p);
  return result;
}

int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

bool admits(const Scop &scop, const std::vector<int64_t> &sizes) {
  for (const Affine &constraint : scop.context)
    if (value(constraint, {}, sizes) < 0)
      return false;
  return true;
}

std::vector<std::vector<int64_t>> points(const Scop &scop, unsigned s,
                                         const std::vector<int64_t> &sizes) {
  // All samples have 0 <= dim <= the largest number in sight.
  int64_t high = 8;
  for (int64_t size : sizes)
    high = std::max(high, size);
  std::vector<std::vector<int64_t>> result;
  for (const auto &point :
       allSizes(scop.statements[s].dims.size(), 0, high - 1)) {
    bool inside = true;
    for (const Affine &constraint : scop.statements[s].constraints)
      inside = inside && value(constraint, point, sizes) >= 0;
    if (inside)
      result.push_back(point);
  }
  return result;
}

} // namespace girih::poly::test
