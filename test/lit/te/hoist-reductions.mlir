// RUN: girih-opt %s --te-hoist-reductions | FileCheck %s

// Each reduction gets a tensor over the indices it uses; scalars that its body
// needs are computed inside it.

// CHECK-LABEL: te.func @layer_norm
te.func @layer_norm sizes ["M", "N"] (%X "X": !te.tensor<[M, N], f32>)
    -> ("Y": !te.tensor<[M, N], f32>) functions fast {
  // CHECK:      %[[SUM:.*]] = te.compute "Y_sum" ["i"] : !te.tensor<[M], f32>
  // CHECK-NEXT: ^bb0(%[[I:.*]]: index):
  // CHECK-NEXT:   %[[R:.*]] = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f32
  // CHECK-NEXT:   ^bb0(%[[K:.*]]: index):
  // CHECK-NEXT:     %[[V:.*]] = te.read %{{.*}}[%[[I]], %[[K]]]
  // CHECK-NEXT:     te.yield %[[V]] : f32
  // CHECK-NEXT:   }
  // CHECK-NEXT:   te.yield %[[R]] : f32

  // CHECK:      te.compute "Y_sum_2" ["i"] : !te.tensor<[M], f32>
  // CHECK:        te.reduce sum ["k"] in [N]
  // CHECK:          te.read %[[SUM]][
  // CHECK:          te.binary div
  // CHECK:          te.binary mul

  // CHECK:      te.compute "Y" ["i", "j"]
  // CHECK-NOT:    te.reduce
  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %s = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
      te.yield %x : f32
    }
    %n = te.size "N"
    %f = te.to_float %n : index to f32
    %m = te.binary div %s, %f : f32
    %v = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
      %d = te.binary sub %x, %m : f32
      %q = te.binary mul %d, %d : f32
      te.yield %q : f32
    }
    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    %d = te.binary sub %x, %m : f32
    %r = te.unary rsqrt unset %v : f32
    %y = te.binary mul %d, %r : f32
    te.yield %y : f32
  }
  te.return %Y : !te.tensor<[M, N], f32>
}

// A reduction inside a reduction takes the outer one's index too.

// CHECK-LABEL: te.func @nested
te.func @nested sizes ["M", "N"] (%X "X": !te.tensor<[M, N, N], f32>)
    -> ("Y": !te.tensor<[M], f32>) functions fast {
  // CHECK: te.compute "Y_max" ["i", "k"] : !te.tensor<[M, N], f32>
  // CHECK:   te.reduce max ["l"] in [N]
  // CHECK: te.compute "Y" ["i"] : !te.tensor<[M], f32>
  // CHECK:   te.reduce sum ["k"] in [N]
  %Y = te.compute "Y" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %s = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %m = te.reduce max ["l"] in [N] order "fixed" leaf plain : f32 {
      ^bb0(%l: index):
        %x = te.read %X[%i, %k, %l] : !te.tensor<[M, N, N], f32>
        te.yield %x : f32
      }
      te.yield %m : f32
    }
    te.yield %s : f32
  }
  te.return %Y : !te.tensor<[M], f32>
}
