// RUN: girih-opt %s --te-canonicalize | FileCheck %s

// Dead tensors go and equal scalars merge, but x + 0 and x * 1 stay: removing
// them would lose -0.0, or a rounding that the text wrote.

// CHECK-LABEL: te.func @f
te.func @f sizes ["N"] (%X "X": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[N], f32>) functions fast {
  // CHECK-NOT: "dead"
  %dead = te.compute "dead" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], f32>
    te.yield %x : f32
  }
  // CHECK:      te.compute "Y"
  // CHECK:        %[[X:.*]] = te.read
  // CHECK-NOT:    te.read
  // CHECK:        %[[ZERO:.*]] = te.constant -0.000000e+00 : f32
  // CHECK:        %[[A:.*]] = te.binary add %[[X]], %[[ZERO]] : f32
  // CHECK:        %[[B:.*]] = te.binary mul %[[X]], %{{.*}} : f32
  // CHECK:        te.binary sub %[[A]], %[[B]] : f32
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], f32>
    %x2 = te.read %X[%i] : !te.tensor<[N], f32>
    %zero = te.constant 0.0 : f32
    %negative = te.unary neg unset %zero : f32
    %one = te.constant 1.0 : f32
    %yes = te.constant true
    %c = te.select %yes, %negative, %one : f32
    %a = te.binary add %x, %c : f32
    %b = te.binary mul %x2, %one : f32
    %y = te.binary sub %a, %b : f32
    te.yield %y : f32
  }
  te.return %Y : !te.tensor<[N], f32>
}
