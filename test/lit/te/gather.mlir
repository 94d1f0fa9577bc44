// RUN: girih-opt %s | girih-opt | FileCheck %s

// CHECK: te.func @f sizes ["T", "N"](%{{.*}} "id" in [0, N - 1]: !te.tensor<[T], i32>
te.func @f sizes ["T", "N"](%id "id" in [0, N - 1]: !te.tensor<[T], i32>, %w "w": !te.tensor<[T], f32>) -> ("H": !te.tensor<[N], f32>) functions fast {
  %0 = te.compute "start" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %1 = te.constant 0.0 : f32
    te.yield %1 : f32
  }
  // CHECK: te.scatter add "H" ["t"] in [T] into %{{.*}} drop : !te.tensor<[N], f32>
  %2 = te.scatter add "H" ["t"] in [T] into %0 drop : !te.tensor<[N], f32> {
  ^bb0(%t: index):
    %3 = te.read %id[%t] : !te.tensor<[T], i32>
    %4 = te.cast %3 : i32 to i64
    %5 = te.to_index %4
    %6 = te.read %w[%t] : !te.tensor<[T], f32>
    // CHECK: te.put %{{.*}} at[%{{.*}}] : f32
    te.put %6 at [%5] : f32
  }
  te.return %2 : !te.tensor<[N], f32>
}
