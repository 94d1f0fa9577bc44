//===- TileKernels.cpp - hand-written tile kernels for tests --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/codegen/TileKernels.h"

namespace girih::codegen::test {

/// Y = X * X + 1 over [M, N], tiles of 8 x 128, tails masked; N a multiple of
/// 4. Grid: ceil(M / 8) * ceil(N / 128).
static const char *const kElementwise = R"mlir(
!g = !tile.global<f32, 2, 4>
!x = !tile.frag<f32, "[8, 128] r(4@1:1, 2@0:4) t(32@1:4, 4@0:1)">
tile.kernel @elementwise threads 128 (%X "X": !g, %Y "Y": !g, %M "M": index, %N "N": index) {
  %b = tile.block_id
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %across = arith.ceildivsi %N, %c128 : index
  %tile_i = arith.divui %b, %across : index
  %tile_j = arith.remui %b, %across : index
  %i = arith.muli %tile_i, %c8 : index
  %j = arith.muli %tile_j, %c128 : index
  %m1 = arith.subi %M, %c1 : index
  %n1 = arith.subi %N, %c1 : index
  %vi = arith.subi %m1, %i : index
  %vj = arith.subi %n1, %j : index
  %x = tile.load %X[%i, %j] by [1, 0, 0, 1] valid [%vi, %vj] by [-1, 0, 0, -1] {vector = 4 : i32} : !g -> !x
  %y = tile.map(%x) : (!x) -> !x {
  ^bb0(%a: f32):
    %one = te.constant 1.0 : f32
    %p = te.binary mul %a, %a : f32
    %s = te.binary add %p, %one : f32
    tile.yield %s : f32
  }
  tile.store %y, %Y[%i, %j] by [1, 0, 0, 1] valid [%vi, %vj] by [-1, 0, 0, -1] {vector = 4 : i32} : !x, !g
}
)mlir";

/// Y[i, j] = X[i, j] + c[j] + j with any strides, bf16, tiles of 16 x 32.
static const char *const kBroadcast = R"mlir(
!g = !tile.global<bf16, 2, 1>
!v = !tile.global<bf16, 1, 1>
!x = !tile.frag<bf16, "[16, 32] r(4@0:4) t(32@1:1, 4@0:1)">
tile.kernel @broadcast threads 128 (%X "X": !g, %C "C": !v, %Y "Y": !g, %M "M": index, %N "N": index) {
  %b = tile.block_id
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %across = arith.ceildivsi %N, %c32 : index
  %tile_i = arith.floordivsi %b, %across : index
  %tile_j = arith.remsi %b, %across : index
  %i = arith.muli %tile_i, %c16 : index
  %j = arith.muli %tile_j, %c32 : index
  %m1 = arith.subi %M, %c1 : index
  %n1 = arith.subi %N, %c1 : index
  %vi = arith.subi %m1, %i : index
  %vj = arith.subi %n1, %j : index
  %x = tile.load %X[%i, %j] by [1, 0, 0, 1] valid [%vi, %vj] by [-1, 0, 0, -1] : !g -> !x
  %c = tile.load %C[%j] by [0, 1] valid [%vj] by [0, -1] : !v -> !x
  %y = tile.map(%x, %c) index [%j] by [0, 1] : (!x, !x) -> !x {
  ^bb0(%a: bf16, %d: bf16, %k: index):
    %kf = te.to_float %k : index to bf16
    %s = te.binary add %a, %d : bf16
    %t = te.binary add %s, %kf : bf16
    tile.yield %t : bf16
  }
  tile.store %y, %Y[%i, %j] by [1, 0, 0, 1] valid [%vi, %vj] by [-1, 0, 0, -1] : !x, !g
}
)mlir";

/// S[i] = sum of X[i, :] as lanes(1024, 4), one block a row; N a multiple of 4.
static const char *const kRowSum = R"mlir(
!g = !tile.global<f32, 2, 4>
!s = !tile.global<f32, 1, 1>
!x = !tile.frag<f32, "[1024, 4] r(4@1:1, 4@0:256) t(256@0:1)">
!c = !tile.frag<f32, "[1024] r(4@0:256) t(256@0:1)">
!r = !tile.frag<f32, "[] r() t(256@-)">
tile.kernel @row_sum threads 256 (%X "X": !g, %S "S": !s, %N "N": index) {
  %i = tile.block_id
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 4096 : index
  %zero = tile.fill 0.0 : f32 : !c
  %sum = scf.for %k = %c0 to %N step %step iter_args(%acc = %zero) -> (!c) {
    %n1 = arith.subi %N, %c1 : index
    %v = arith.subi %n1, %k : index
    %x = tile.load %X[%i, %k] by [0, 0, 4, 1] valid [%v] by [-4, -1] {vector = 4 : i32} : !g -> !x
    %next = tile.reduce sum plain keeping 1 (%x) into %acc valid [%v] by [-4, -1] : !x -> !c
    scf.yield %next : !c
  }
  %m = tile.merge sum halving %sum : !c -> !r
  tile.store %m, %S[%i] by [] : !r, !s
}
)mlir";

/// S[i] = sum over k of X[i, k] * Y[i, k] as lanes(128, 1) with leaf fma, two
/// rows a block, 64 threads a row; then Z[i, k] = X[i, k] - S[i].
static const char *const kTwoRows = R"mlir(
!g = !tile.global<f32, 2, 1>
!x = !tile.frag<f32, "[2, 128, 4] r(4@2:1, 2@1:64) t(64@1:1, 2@0:1)">
!c = !tile.frag<f32, "[2, 128] r(2@1:64) t(64@1:1, 2@0:1)">
!r = !tile.frag<f32, "[2] r() t(64@-, 2@0:1)">
tile.kernel @two_rows threads 128 (%X "X": !g, %Y "Y": !g, %Z "Z": !g, %M "M": index, %N "N": index) {
  %b = tile.block_id
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = arith.muli %b, %c2 : index
  %m1 = arith.subi %M, %c1 : index
  %n1 = arith.subi %N, %c1 : index
  %vi = arith.subi %m1, %i : index
  %zero = tile.fill 0.0 : f32 : !c
  %x = tile.load %X[%i, %c0] by [1, 0, 0, 0, 1, 128] valid [%vi, %n1] by [-1, 0, 0, 0, -1, -128] : !g -> !x
  %y = tile.load %Y[%i, %c0] by [1, 0, 0, 0, 1, 128] valid [%vi, %n1] by [-1, 0, 0, 0, -1, -128] : !g -> !x
  %s = tile.reduce sum fma keeping 2 (%x, %y) into %zero valid [%n1] by [0, -1, -128] : !x, !x -> !c
  %m = tile.merge sum halving %s : !c -> !r
  %all = tile.convert %m dims [0] : !r -> !x
  %z = tile.map(%x, %all) : (!x, !x) -> !x {
  ^bb0(%a: f32, %d: f32):
    %t = te.binary sub %a, %d : f32
    tile.yield %t : f32
  }
  tile.store %z, %Z[%i, %c0] by [1, 0, 0, 0, 1, 128] valid [%vi, %n1] by [-1, 0, 0, 0, -1, -128] : !x, !g
}
)mlir";

/// Many merges in one kernel: f64 halving whose bits are mixed over registers,
/// lanes and warps, pairwise merges, halving over 96 threads' digits, max.
/// Input X[1024] f64 and F[1024] f32, output one value each; one block.
static const char *const kMerges = R"mlir(
!d = !tile.global<f64, 1, 1>
!f = !tile.global<f32, 1, 1>
!cd = !tile.frag<f64, "[1024] r(2@0:16, 4@0:256) t(4@0:4, 2@0:128, 4@0:1, 4@0:32)">
!rd = !tile.frag<f64, "[] r() t(4@-, 2@-, 4@-, 4@-)">
!cf = !tile.frag<f32, "[192] r(3@0:64) t(32@0:2, 2@0:1, 2@-)">
!rf = !tile.frag<f32, "[] r() t(32@-, 2@-, 2@-)">
!own = !tile.frag<f32, "[128, 5] r(5@1:1) t(128@0:1)">
!row = !tile.frag<f32, "[128] r() t(128@0:1)">
tile.kernel @merges threads 128 (%X "X": !d, %F "F": !f, %D "D": !d, %R "R": !f) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %x = tile.load %X[%c0] by [1] : !d -> !cd
  %s = tile.merge sum halving %x : !cd -> !rd
  tile.store %s, %D[%c0] by [] : !rd, !d
  %m = tile.merge max halving %x : !cd -> !rd
  tile.store %m, %D[%c1] by [] : !rd, !d
  %f = tile.load %F[%c0] by [1] : !f -> !cf
  %p = tile.merge sum pairwise %f : !cf -> !rf
  tile.store %p, %R[%c0] by [] : !rf, !f
  %o = tile.load %F[%c0] by [5, 1] : !f -> !own
  %q = tile.merge sum pairwise %o : !own -> !row
  tile.store %q, %R[%c1] by [1] : !row, !f
}
)mlir";

/// 96 threads: 32 cells whose thread digit stands above a digit of 3, so no
/// cell bit is a thread bit. R[r] = halving sum of F[32 * r + c], r < 3.
static const char *const kThirds = R"mlir(
!f = !tile.global<f32, 1, 1>
!c = !tile.frag<f32, "[3, 32] r() t(3@0:1, 32@1:1)">
!r = !tile.frag<f32, "[3] r() t(3@0:1, 32@-)">
tile.kernel @thirds threads 96 (%F "F": !f, %R "R": !f) {
  %c0 = arith.constant 0 : index
  %f = tile.load %F[%c0] by [32, 1] : !f -> !c
  %s = tile.merge sum halving %f : !c -> !r
  tile.store %s, %R[%c0] by [1] : !r, !f
}
)mlir";

/// Y = transpose of X for one 64 x 64 tile per block, through a convert, and a
/// predicate fragment that crosses threads. bf16.
static const char *const kTranspose = R"mlir(
!g = !tile.global<bf16, 2, 8>
!in = !tile.frag<bf16, "[64, 64] r(8@1:1, 4@0:16) t(8@1:8, 16@0:1)">
!out = !tile.frag<bf16, "[64, 64] r(8@1:1, 4@0:16) t(8@1:8, 16@0:1)">
!pin = !tile.frag<i1, "[64, 64] r(8@1:1, 4@0:16) t(8@1:8, 16@0:1)">
tile.kernel @transpose threads 128 (%X "X": !g, %Y "Y": !g) {
  %b = tile.block_id
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %i = arith.muli %b, %c64 : index
  %x = tile.load %X[%i, %c0] by [1, 0, 0, 1] {vector = 8 : i32} : !g -> !in
  %p = tile.map(%x) : (!in) -> !pin {
  ^bb0(%a: bf16):
    %zero = te.constant 0.0 : bf16
    %t = te.compare lt %a, %zero : bf16
    tile.yield %t : i1
  }
  %xt = tile.convert %x dims [1, 0] : !in -> !out
  %pt = tile.convert %p dims [1, 0] : !pin -> !pin
  %y = tile.map(%xt, %pt) : (!out, !pin) -> !out {
  ^bb0(%a: bf16, %neg: i1):
    %zero = te.constant 0.0 : bf16
    %v = te.select %neg, %zero, %a : bf16
    tile.yield %v : bf16
  }
  tile.store %y, %Y[%c0, %i] by [1, 0, 0, 1] {vector = 8 : i32} : !out, !g
}
)mlir";

/// C = A B, f32, tiles of 128 x 128 x depth; 256 threads with 8 x 8
/// accumulators each or 512 with 4 x 8; sizes multiples of the tile.
/// Grid: (M / 128) * (N / 128).
static std::string matmul(const std::string &name, int depth, int threads,
                          const std::string &leaf) {
  auto number = [](int value) { return std::to_string(value); };
  const std::string k = number(depth);
  // A's tile: vectors along k, then rows; B's: vectors along j, then k.
  const int quarter = depth / 4, rows = threads / quarter;
  const std::string aFrag = "!tile.frag<f32, \"[" + k + ", 128] r(4@0:1, " +
                            number(128 / rows) + "@1:" + number(rows) + ") t(" +
                            number(quarter) + "@0:4, " + number(rows) +
                            "@1:1)\">";
  const int steps = threads / 32;
  const std::string bFrag = "!tile.frag<f32, \"[" + k + ", 128] r(4@1:1, " +
                            number(depth / steps) + "@0:" + number(steps) +
                            ") t(32@1:4, " + number(steps) + "@0:1)\">";
  const std::string acc =
      threads == 256 ? "r(4@1:1, 2@1:64, 4@0:1, 2@0:64) t(16@1:4, 16@0:4)"
                     : "r(4@1:1, 2@1:64, 4@0:1) t(16@1:4, 32@0:4)";
  // Loads of the next tile are in flight while threads still use the last one,
  // where registers suffice: a depth of 64 takes 64 of them.
  const std::string loadX = "    %x = tile.load %A[%i, %k] by [0, 1, 1, 0] "
                            "{vector = 4 : i32} : !g -> !a\n",
                    loadY = "    %y = tile.load %B[%k, %j] by [1, 0, 0, 1] "
                            "{vector = 4 : i32} : !g -> !b\n",
                    storeX = "    tile.store_shared %x, %sa : !a, !sa\n",
                    storeY = "    tile.store_shared %y, %sb : !b, !sb\n",
                    meet = "    tile.barrier\n";
  const std::string stage = depth < 64 ? loadX + loadY + meet + storeX + storeY
                                       : meet + loadX + storeX + loadY + storeY;
  return "!g = !tile.global<f32, 2, 4>\n"
         "!a = " +
         aFrag +
         "\n"
         "!b = " +
         bFrag +
         "\n"
         "!sa = !tile.shared<f32, [" +
         k +
         ", 128], [132, 1]>\n"
         "!sb = !tile.shared<f32, [" +
         k +
         ", 128], [128, 1]>\n"
         "!acc = !tile.frag<f32, \"[128, 128] " +
         acc +
         "\">\n"
         "tile.kernel @" +
         name + R"mlir( threads )mlir" + number(threads) +
         R"mlir( (%A "A": !g, %B "B": !g, %C "C": !g, %N "N": index, %K "K": index) {
  %b = tile.block_id
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %step = arith.constant )mlir" +
         k + R"mlir( : index
  %across = arith.divui %N, %c128 : index
  %ti = arith.divui %b, %across : index
  %tj = arith.remui %b, %across : index
  %i = arith.muli %ti, %c128 : index
  %j = arith.muli %tj, %c128 : index
  %sa = tile.alloc_shared "A" : !sa
  %sb = tile.alloc_shared "B" : !sb
  %zero = tile.fill 0.0 : f32 : !acc
  %c = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (!acc) {
)mlir" + stage +
         R"mlir(    tile.barrier
    %next = tile.contract )mlir" +
         leaf + R"mlir( %sa, %sb into %acc : !sa, !sb, !acc -> !acc
    scf.yield %next : !acc
  }
  tile.store %c, %C[%i, %j] by [1, 0, 0, 1] {vector = 4 : i32} : !acc, !g
}
)mlir";
}

/// bf16 factors in one 16 x 40 x 16 product (40 is no multiple of the unrolled
/// part), rounded products; factors read whole and back through shared memory.
static const char *const kSmallContract = R"mlir(
!g = !tile.global<bf16, 2, 1>
!o = !tile.global<f32, 2, 1>
!t = !tile.frag<bf16, "[40, 16] r(20@0:2) t(16@1:1, 2@0:1)">
!s = !tile.shared<bf16, [40, 16], [24, 1]>
!acc = !tile.frag<f32, "[16, 16] r(4@1:1, 2@0:8) t(4@1:4, 8@0:1)">
tile.kernel @small_contract threads 32 (%A "A": !g, %B "B": !g, %C "C": !o) {
  %c0 = arith.constant 0 : index
  %x = tile.load %A[%c0, %c0] by [0, 1, 1, 0] : !g -> !t
  %y = tile.load %B[%c0, %c0] by [1, 0, 0, 1] : !g -> !t
  %sa = tile.alloc_shared "A" : !s
  %sb = tile.alloc_shared "B" : !s
  tile.store_shared %x, %sa : !t, !s
  tile.store_shared %y, %sb : !t, !s
  tile.barrier
  %again = tile.load_shared %sb : !s -> !t
  tile.barrier
  tile.store_shared %again, %sb : !t, !s
  tile.barrier
  %zero = tile.fill 0.0 : f32 : !acc
  %r = tile.contract muladd %sa, %sb into %zero : !s, !s, !acc -> !acc
  tile.store %r, %C[%c0, %c0] by [1, 0, 0, 1] : !acc, !o
}
)mlir";

/// A workspace that threads hand values to each other through, a condition
/// with results, a loop with an index carried, a merge inside a loop.
/// W has 128 elements; R[i] = sum over rounds of W shifted, R[128] = a merge.
static const char *const kControl = R"mlir(
!f = !tile.global<f32, 1, 1>
!x = !tile.frag<f32, "[128] r() t(128@0:1)">
!r = !tile.frag<f32, "[] r() t(128@-)">
tile.kernel @control threads 128 (%W "W": !f, %R "R": !f, %n "n": index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %zero = tile.fill 0.0 : f32 : !x
  %none = tile.fill 0.0 : f32 : !r
  %sum, %total, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %t = %none, %index = %c0) -> (!x, !r, index) {
    // Thread p writes its number plus the round's, then reads its mirror's.
    %v = tile.map() index [%k] by [1] : () -> !x {
    ^bb0(%i: index):
      %f = te.to_float %i : index to f32
      tile.yield %f : f32
    }
    tile.store %v, %W[%c0] by [1] : !x, !f
    tile.barrier
    %w = tile.load %W[%c127] by [-1] : !f -> !x
    tile.barrier
    %odd = arith.andi %k, %c1 : index
    %is_odd = arith.cmpi eq, %odd, %c1 : index
    %add, %i2 = scf.if %is_odd -> (!x, index) {
      scf.yield %w, %k : !x, index
    } else {
      %i3 = arith.addi %index, %c1 : index
      scf.yield %zero, %i3 : !x, index
    }
    %m = tile.merge sum halving %add : !x -> !r
    %next = tile.map(%acc, %add) : (!x, !x) -> !x {
    ^bb0(%a: f32, %b: f32):
      %s = te.binary add %a, %b : f32
      tile.yield %s : f32
    }
    %t2 = tile.map(%t, %m) : (!r, !r) -> !r {
    ^bb0(%a: f32, %b: f32):
      %s = te.binary add %a, %b : f32
      tile.yield %s : f32
    }
    scf.yield %next, %t2, %i2 : !x, !r, index
  }
  tile.store %sum, %R[%c0] by [1] : !x, !f
  tile.store %total, %R[%c128] by [] : !r, !f
  %one = arith.addi %c128, %c1 : index
  %l = tile.map() index [%last] by [] : () -> !r {
  ^bb0(%i: index):
    %f = te.to_float %i : index to f32
    tile.yield %f : f32
  }
  tile.store %l, %R[%one] by [] : !r, !f
}
)mlir";

const std::map<std::string, std::string> &tileKernels() {
  static const std::map<std::string, std::string> kernels = {
      {"elementwise", kElementwise},
      {"broadcast", kBroadcast},
      {"row_sum", kRowSum},
      {"two_rows", kTwoRows},
      {"merges", kMerges},
      {"thirds", kThirds},
      {"transpose", kTranspose},
      {"matmul16", matmul("matmul16", 16, 256, "fma")},
      {"matmul32", matmul("matmul32", 32, 256, "fma")},
      {"matmul64", matmul("matmul64", 64, 512, "muladd")},
      {"small_contract", kSmallContract},
      {"control", kControl}};
  return kernels;
}

} // namespace girih::codegen::test
