// Results that may be apart from the argument in whose place they are.
// RUN: girih-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: -> ("Y": !te.tensor<[M], f32> in_place %arg0) functions fast apart ["Y"] {
te.func @kept sizes ["M"] (%X "X": !te.tensor<[M], f32>) -> ("Y": !te.tensor<[M], f32> in_place %X) functions fast apart ["Y"] {
  %Y = te.compute "Y" ["i"] into %X : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %0 = te.read %X[%i] : !te.tensor<[M], f32>
    te.yield %0 : f32
  }
  te.return %Y : !te.tensor<[M], f32>
}

// -----

// expected-error@+1 {{may have "Y" apart, which is no result in place of an argument}}
te.func @own sizes ["M"] (%X "X": !te.tensor<[M], f32>) -> ("Y": !te.tensor<[M], f32>) functions fast apart ["Y"] {
  %Y = te.compute "Y" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %0 = te.read %X[%i] : !te.tensor<[M], f32>
    te.yield %0 : f32
  }
  te.return %Y : !te.tensor<[M], f32>
}

// -----

// expected-error@+1 {{may have "Z" apart, which is no result in place of an argument}}
te.func @unknown sizes ["M"] (%X "X": !te.tensor<[M], f32>) -> () functions fast apart ["Z"] {
  te.return
}
