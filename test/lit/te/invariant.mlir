// Sizes on which no result may depend, in te's text.
//
// RUN: girih-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: functions fast invariant ["N", "M"] {
te.func @kept sizes ["M", "N"] (%X "X": !te.tensor<[M, N], f32>) -> ("Y": !te.tensor<[M, N], f32>) functions fast invariant ["N", "M"] {
  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %0 = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    te.yield %0 : f32
  }
  te.return %Y : !te.tensor<[M, N], f32>
}

// -----

// expected-error@+1 {{is to be invariant in "K", which is not one of its sizes}}
te.func @unknown sizes ["M"] (%X "X": !te.tensor<[M], f32>) -> () functions fast invariant ["K"] {
  te.return
}
