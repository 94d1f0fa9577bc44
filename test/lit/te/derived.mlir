// Sizes that other sizes say, and what they may not be.
//
// RUN: girih-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: te.func @pool sizes ["H", "OH", "H / 2"](
// CHECK-SAME: derived [#te.derived<"OH" = 3 * H + 1 by 2>, #te.derived<"H / 2" = OH - H by 2>] functions fast {
te.func @pool sizes ["H", "OH", "H / 2"] (%X "X": !te.tensor<[H], f32>) -> ("Y": !te.tensor<["H / 2"], f32>) derived [#te.derived<"OH" = 3 * H + 1 by 2>, #te.derived<"H / 2" = OH - H by 2>] functions fast {
  // CHECK: te.compute "Y" ["i"] : !te.tensor<["H / 2"], f32>
  %Y = te.compute "Y" ["i"] : !te.tensor<["H / 2"], f32> {
  ^bb0(%i: index):
    %0 = te.read %X[%i] : !te.tensor<[H], f32>
    te.yield %0 : f32
  }
  te.return %Y : !te.tensor<["H / 2"], f32>
}

// -----

// expected-error@+1 {{derives 'Q', which is not one of its sizes, or twice}}
te.func @unknown sizes ["H"] (%X "X": !te.tensor<[H], f32>) -> () derived [#te.derived<"Q" = H by 2>] functions fast {
  te.return
}

// -----

// expected-error@+1 {{derives 'Q', which is not one of its sizes, or twice}}
te.func @twice sizes ["H", "Q"] (%X "X": !te.tensor<[H], f32>) -> () derived [#te.derived<"Q" = H by 2>, #te.derived<"Q" = H by 3>] functions fast {
  te.return
}

// -----

// expected-error@+1 {{derives 'Q' from 'R', which is not known before it}}
te.func @later sizes ["H", "Q", "R"] (%X "X": !te.tensor<[H], f32>) -> () derived [#te.derived<"Q" = R by 2>, #te.derived<"R" = H by 2>] functions fast {
  te.return
}

// -----

// expected-error@+1 {{divides by 0 for 'Q'}}
te.func @zero sizes ["H", "Q"] (%X "X": !te.tensor<[H], f32>) -> () derived [#te.derived<"Q" = H by 0>] functions fast {
  te.return
}

// -----

// expected-error@+1 {{uses size 'W', which the function does not declare}}
te.func @undeclared sizes ["H", "Q"] (%X "X": !te.tensor<[H], f32>) -> () derived [#te.derived<"Q" = W by 2>] functions fast {
  te.return
}

// -----

// expected-error@+1 {{derives something that is no size}}
te.func @other sizes ["H"] (%X "X": !te.tensor<[H], f32>) -> () derived [1] functions fast {
  te.return
}
