// RUN: girih-opt %s | girih-opt | FileCheck %s

// Extents and subscripts that are sums; the same text comes back.

// CHECK-LABEL: te.func @f
// CHECK-SAME:  !te.tensor<[N + 2, 2 * M - 1, 4], f32>
// CHECK-SAME:  "Y": !te.tensor<[N, 3], f32>
te.func @f sizes ["M", "N"] (%X "X": !te.tensor<[N + 2, 2 * M - 1, 4], f32>)
    -> ("Y": !te.tensor<[N, 3], f32>) functions fast {
  // CHECK: te.compute "Y" ["i", "j"] : !te.tensor<[N, 3], f32>
  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[N, 1 + 2], f32> {
  ^bb0(%i: index, %j: index):
    %s = te.reduce sum ["k"] in [2 * M + N - 1] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      // CHECK: %[[A:.*]] = te.affine[%{{.*}}, %{{.*}}] by [1, -2] plus 2 * M - 1
      %a = te.affine [%i, %k] by [1, -2] plus M - 1 + M
      // CHECK: %[[B:.*]] = te.bound  reflect %[[A]] in N + 2
      %b = te.bound reflect %a in N + 2
      // CHECK: te.read %{{.*}}[%[[B]], %{{.*}}, %{{.*}}] guarded :
      %x = te.read %X[%b, %k, %j] guarded : !te.tensor<[N + 2, 2 * M - 1, 4], f32>
      te.yield %x : f32
    }
    te.yield %s : f32
  }
  te.return %Y : !te.tensor<[N, 3], f32>
}
