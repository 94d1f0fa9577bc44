// RUN: girih-opt %s --te-assoc | FileCheck %s

// CHECK-LABEL: te.func @defaults
te.func @defaults sizes ["M", "N", "K"]
    (%A "A": !te.tensor<[M, K], bf16>, %B "B": !te.tensor<[K, N], bf16>)
    -> ("C": !te.tensor<[M, N], f32>, "R": !te.tensor<[M], f32>,
        "L": !te.tensor<[N], f32>, "W": !te.tensor<[], f32>) functions fast {
  // A matrix product is one chain of fused multiply-adds.
  // CHECK: te.compute "C"
  // CHECK: te.reduce sum ["k"] in [K] order "fixed" term <"seq"> leaf fma : f32
  %C = te.compute "C" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %s = te.reduce sum ["k"] in [K] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %a = te.read %A[%i, %k] : !te.tensor<[M, K], bf16>
      %b = te.read %B[%k, %j] : !te.tensor<[K, N], bf16>
      %fa = te.cast %a : bf16 to f32
      %fb = te.cast %b : bf16 to f32
      %p = te.binary mul %fa, %fb : f32
      te.yield %p : f32
    }
    te.yield %s : f32
  }
  // A row: lanes of 16 bytes.
  // CHECK: te.compute "R"
  // CHECK: te.reduce max ["k"] in [K] order "fixed" term <"lanes(4096, 8)"> leaf plain : f32
  %R = te.compute "R" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %s = te.reduce max ["k"] in [K] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %a = te.read %A[%i, %k] : !te.tensor<[M, K], bf16>
      %f = te.cast %a : bf16 to f32
      te.yield %f : f32
    }
    te.yield %s : f32
  }
  // A column: segments.
  // CHECK: te.compute "L"
  // CHECK: term <"seg(4096, lanes(64, 1), m = lanes(64, 1))"> leaf fma : f32
  %L = te.compute "L" ["j"] : !te.tensor<[N], f32> {
  ^bb0(%j: index):
    %s = te.reduce sum ["k"] in [K] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %b = te.read %B[%k, %j] : !te.tensor<[K, N], bf16>
      %f = te.cast %b : bf16 to f32
      %p = te.binary mul %f, %f : f32
      te.yield %p : f32
    }
    te.yield %s : f32
  }
  // A whole tensor: its rows, then the sum of their sums.
  // CHECK: te.compute "W_sum" ["i"] : !te.tensor<[M], f32>
  // CHECK: te.reduce sum ["k"] in [K] order "fixed" term <"lanes(4096, 8)"> leaf plain : f32
  // CHECK: te.compute "W" [] : !te.tensor<[], f32>
  // CHECK: te.reduce sum ["i"] in [M] order "fixed" term <"seg(65536, lanes(1024, 4), m = lanes(1024, 1))"> leaf plain : f32
  %W = te.compute "W" [] : !te.tensor<[], f32> {
    %s = te.reduce sum ["i", "k"] in [M, K] order "fixed" leaf plain : f32 {
    ^bb0(%i: index, %k: index):
      %a = te.read %A[%i, %k] : !te.tensor<[M, K], bf16>
      %f = te.cast %a : bf16 to f32
      te.yield %f : f32
    }
    te.yield %s : f32
  }
  te.return %C, %R, %L, %W : !te.tensor<[M, N], f32>, !te.tensor<[M], f32>,
      !te.tensor<[N], f32>, !te.tensor<[], f32>
}

// A sequential product is rounded before it is added; a pinned term fuses it.

// CHECK-LABEL: te.func @orders
te.func @orders sizes ["N"] given [64] (%X "X": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[], f32>, "Z": !te.tensor<[], f32>) functions fast {
  // CHECK: order "sequential" term <"seq"> leaf muladd : f32
  %Y = te.compute "Y" [] : !te.tensor<[], f32> {
    %s = te.reduce sum ["k"] in [N] order "sequential" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%k] : !te.tensor<[N], f32>
      %p = te.binary mul %x, %x : f32
      te.yield %p : f32
    }
    te.yield %s : f32
  }
  // CHECK: order "tree(8)" term <"tree(8)"> leaf fma : f32
  %Z = te.compute "Z" [] : !te.tensor<[], f32> {
    %s = te.reduce sum ["k"] in [N] order "tree(8)" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%k] : !te.tensor<[N], f32>
      %p = te.binary mul %x, %x : f32
      te.yield %p : f32
    }
    te.yield %s : f32
  }
  te.return %Y, %Z : !te.tensor<[], f32>, !te.tensor<[], f32>
}
