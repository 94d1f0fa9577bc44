// RUN: girih-opt %s --te-inline-producers | FileCheck %s

// C is read once for each of its elements: its rounding moves into Y.

// CHECK-LABEL: te.func @epilogue
te.func @epilogue sizes ["M", "N"] (%S "S": !te.tensor<[M, N], f32>)
    -> ("Y": !te.tensor<[N, M], f32>) functions fast {
  // CHECK-NOT:  te.compute "C"
  // CHECK:      te.compute "Y" ["j", "i"]
  // CHECK-NEXT: ^bb0(%[[J:.*]]: index, %[[I:.*]]: index):
  // CHECK-NEXT:   %[[S:.*]] = te.read %{{.*}}[%[[I]], %[[J]]] : !te.tensor<[M, N], f32>
  // CHECK-NEXT:   %[[C:.*]] = te.cast %[[S]] : f32 to bf16
  // CHECK-NEXT:   %[[Y:.*]] = te.cast %[[C]] : bf16 to f32
  // CHECK-NEXT:   te.yield %[[Y]] : f32
  %C = te.compute "C" ["i", "j"] : !te.tensor<[M, N], bf16> {
  ^bb0(%i: index, %j: index):
    %s = te.read %S[%i, %j] : !te.tensor<[M, N], f32>
    %c = te.cast %s : f32 to bf16
    te.yield %c : bf16
  }
  %Y = te.compute "Y" ["j", "i"] : !te.tensor<[N, M], f32> {
  ^bb0(%j: index, %i: index):
    %c = te.read %C[%i, %j] : !te.tensor<[M, N], bf16>
    %y = te.cast %c : bf16 to f32
    te.yield %y : f32
  }
  te.return %Y : !te.tensor<[N, M], f32>
}

// A broadcast would compute P's elements M times: it stays.

// CHECK-LABEL: te.func @broadcast
te.func @broadcast sizes ["M", "N"] (%S "S": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[M, N], f32>) functions fast {
  // CHECK: te.compute "P"
  // CHECK: te.compute "Y"
  %P = te.compute "P" ["j"] : !te.tensor<[N], f32> {
  ^bb0(%j: index):
    %s = te.read %S[%j] : !te.tensor<[N], f32>
    %p = te.unary exp unset %s : f32
    te.yield %p : f32
  }
  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %p = te.read %P[%j] : !te.tensor<[N], f32>
    te.yield %p : f32
  }
  te.return %Y : !te.tensor<[M, N], f32>
}
