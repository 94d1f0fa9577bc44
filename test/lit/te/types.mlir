// Integers, booleans and f8 in te, and what its verifiers refuse of them.
//
// RUN: girih-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: te.func @all
// CHECK: !te.tensor<[N], ui8>
// CHECK: te.cast %{{.*}} : ui8 to i32
// CHECK: te.binary floordiv %{{.*}} : i32
// CHECK: te.reduce max ["k"] in [N] order "fixed" leaf plain : i1
te.func @all sizes ["N"] (%U "U": !te.tensor<[N], ui8>, %G "G": !te.tensor<[N], f8E4M3FN>) -> ("Y": !te.tensor<[N], f8E5M2>, "A": !te.tensor<[], i1>) functions fast {
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f8E5M2> {
  ^bb0(%i: index):
    %u = te.read %U[%i] : !te.tensor<[N], ui8>
    %w = te.cast %u : ui8 to i32
    %c = te.constant 3 : i32
    %q = te.binary floordiv %w, %c : i32
    %r = te.cast %q : i32 to f8E5M2
    te.yield %r : f8E5M2
  }
  %A = te.compute "A" [] : !te.tensor<[], i1> {
    %s = te.reduce max ["k"] in [N] order "fixed" leaf plain : i1 {
    ^bb0(%k: index):
      %g = te.read %G[%k] : !te.tensor<[N], f8E4M3FN>
      %b = te.cast %g : f8E4M3FN to i1
      te.yield %b : i1
    }
    te.yield %s : i1
  }
  te.return %Y, %A : !te.tensor<[N], f8E5M2>, !te.tensor<[], i1>
}

// -----

// expected-error@+1 {{element type must be f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i1, or i or ui of 8, 16, 32 or 64 bits, not 'i24'}}
te.func @odd sizes ["N"] (%X "X": !te.tensor<[N], i24>) -> () functions fast {
  te.return
}

// -----

te.func @div sizes ["N"] (%X "X": !te.tensor<[N], i32>) -> ("Y": !te.tensor<[N], i32>) functions fast {
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], i32> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], i32>
    // expected-error@+1 {{has no div of 'i32'}}
    %y = te.binary div %x, %x : i32
    te.yield %y : i32
  }
  te.return %Y : !te.tensor<[N], i32>
}

// -----

te.func @shift sizes ["N"] (%X "X": !te.tensor<[N], f32>) -> ("Y": !te.tensor<[N], f32>) functions fast {
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], f32>
    // expected-error@+1 {{has no shl of 'f32'}}
    %y = te.binary shl %x, %x : f32
    te.yield %y : f32
  }
  te.return %Y : !te.tensor<[N], f32>
}

// -----

te.func @exp sizes ["N"] (%X "X": !te.tensor<[N], ui8>) -> ("Y": !te.tensor<[N], ui8>) functions fast {
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], ui8> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], ui8>
    // expected-error@+1 {{has no exp of 'ui8'}}
    %y = te.unary exp unset %x : ui8
    te.yield %y : ui8
  }
  te.return %Y : !te.tensor<[N], ui8>
}

// -----

te.func @tf32 sizes ["N"] (%X "X": !te.tensor<[N], f64>) -> ("Y": !te.tensor<[N], f64>) functions fast {
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f64> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], f64>
    // expected-error@+1 {{rounds f32 to tf32, not 'f64'}}
    %y = te.unary tf32 unset %x : f64
    te.yield %y : f64
  }
  te.return %Y : !te.tensor<[N], f64>
}

// -----

te.func @sum sizes ["N"] (%X "X": !te.tensor<[N], i1>) -> ("S": !te.tensor<[], i1>) functions fast {
  %S = te.compute "S" [] : !te.tensor<[], i1> {
    // expected-error@+1 {{has a sum of 'i1'}}
    %s = te.reduce sum ["k"] in [N] order "fixed" leaf plain : i1 {
    ^bb0(%k: index):
      %x = te.read %X[%k] : !te.tensor<[N], i1>
      te.yield %x : i1
    }
    te.yield %s : i1
  }
  te.return %S : !te.tensor<[], i1>
}

// -----

te.func @fma sizes ["N"] (%X "X": !te.tensor<[N], i32>) -> ("S": !te.tensor<[], i32>) functions fast {
  %S = te.compute "S" [] : !te.tensor<[], i32> {
    // expected-error@+1 {{has leaf fma, but 'i32' is no float}}
    %s = te.reduce sum ["k"] in [N] order "fixed" leaf fma : i32 {
    ^bb0(%k: index):
      %x = te.read %X[%k] : !te.tensor<[N], i32>
      %p = te.binary mul %x, %x : i32
      te.yield %p : i32
    }
    te.yield %s : i32
  }
  te.return %S : !te.tensor<[], i32>
}
