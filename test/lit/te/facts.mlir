// What te.func says of its tensors besides types, and what it may not.
//
// RUN: girih-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: te.func @all
// CHECK-SAME: functions fast facts {X = #te.facts<groups [1, 2] leading layout [0, 1, 2] align 16 finite>, Y = #te.facts<layout [1, 0]>} {
te.func @all sizes ["R", "H"] (%X "X": !te.tensor<[R, H, 4], f32>) -> ("Y": !te.tensor<[R, H], f32>) functions fast facts {X = #te.facts<groups [1, 2] leading layout [0, 1, 2] align 16 finite>, Y = #te.facts<layout [1, 0]>} {
  %Y = te.compute "Y" ["r", "h"] : !te.tensor<[R, H], f32> {
  ^bb0(%r: index, %h: index):
    %0 = te.read %X[%r, %h, %h] : !te.tensor<[R, H, 4], f32>
    te.yield %0 : f32
  }
  te.return %Y : !te.tensor<[R, H], f32>
}

// -----

// expected-error@+1 {{has facts about 'Z', which is none of its tensors}}
te.func @unknown sizes [] (%X "X": !te.tensor<[], f32>) -> () functions fast facts {Z = #te.facts<finite>} {
  te.return
}

// -----

// expected-error@+1 {{has facts that are no #te.facts}}
te.func @other sizes [] (%X "X": !te.tensor<[], f32>) -> () functions fast facts {X = 1} {
  te.return
}

// -----

// expected-error@+1 {{has facts about 'X': its groups do not cover its dimensions}}
te.func @cover sizes ["N"] (%X "X": !te.tensor<[N, N, 2], f32>) -> () functions fast facts {X = #te.facts<groups [1, 1]>} {
  te.return
}

// -----

// expected-error@+1 {{has facts about 'X': a group without members}}
te.func @members sizes ["N"] (%X "X": !te.tensor<[N], f32>) -> () functions fast facts {X = #te.facts<groups [0, 1]>} {
  te.return
}

// -----

// expected-error@+1 {{has facts about 'X': leading dimensions are not one plain size}}
te.func @leading sizes ["N"] (%X "X": !te.tensor<[4, N], f32>) -> () functions fast facts {X = #te.facts<leading>} {
  te.return
}

// -----

// expected-error@+1 {{has facts about 'X': its layout does not name every dimension once}}
te.func @layout sizes ["N"] (%X "X": !te.tensor<[N, 4], f32>) -> () functions fast facts {X = #te.facts<layout [1, 1]>} {
  te.return
}

// -----

// expected-error@+1 {{has facts about 'X': its alignment is no power of two up to 4096}}
te.func @align sizes ["N"] (%X "X": !te.tensor<[N], f32>) -> () functions fast facts {X = #te.facts<align 24>} {
  te.return
}

// -----

// expected-error@+1 {{has facts about 'X': only an input of floats is assumed finite}}
te.func @finite sizes ["N"] (%X "X": !te.tensor<[N], i32>) -> () functions fast facts {X = #te.facts<finite>} {
  te.return
}

// -----

// expected-error@+1 {{promises a range that has no two ends}}
te.func @ends sizes ["N"] (%X "X" in [0]: !te.tensor<[N], i32>) -> () functions fast {
  te.return
}

// -----

// expected-error@+1 {{promises offsets that have not one dimension}}
te.func @offsets sizes ["N"] (%X "X" in [0, N + 1, N]: !te.tensor<[N, 4], i32>) -> () functions fast {
  te.return
}
