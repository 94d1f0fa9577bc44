// RUN: girih-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{has 2000 threads; 1 .. 1024 is possible}}
tile.kernel @threads threads 2000 () {
}

// -----

tile.kernel @frag threads 32 () {
  // expected-error@+1 {{makes a fragment over 8 threads in a kernel of 32}}
  %y = tile.fill 0.0 : f32 : !tile.frag<f32, "[8] r() t(8@0:1)">
}

// -----

!x = !tile.frag<f32, "[4, 32] r(4@1:1) t(8@1:4, 4@0:1)">
!s = !tile.frag<f32, "[4] r() t(8@-, 4@0:1)">
tile.kernel @reduce threads 32 () {
  %x = tile.fill 0.0 : f32 : !x
  %s = tile.fill 0.0 : f32 : !s
  // expected-error@+1 {{reduces dimension 1, which lies over threads}}
  %y = tile.reduce sum plain keeping 1 (%x) into %s : !x -> !s
}

// -----

!g = !tile.global<f32, 2, 4>
!x = !tile.frag<f32, "[4, 32] r(4@1:1) t(8@1:4, 4@0:1)">
tile.kernel @vector threads 32 (%X "X": !g, %M "M": index) {
  // expected-error@+1 {{uses vectors along dimension 1 of the box, which is not the tensor's last dimension with coefficient 1}}
  %y = tile.load %X[%M, %M] by [0, 1, 1, 0] {vector = 4 : i32} : !g -> !x
}

// -----

!g = !tile.global<f32, 1, 1>
!x = !tile.frag<f32, "[32] r() t(32@0:1)">
tile.kernel @rules threads 32 (%X "X": !g, %N "N": index) {
  %zero = arith.constant 0 : index
  // expected-error@+1 {{has 2 rules and 1 extents for 1 subscripts}}
  %x = tile.load_bound %X[%zero] by [1] rules [1, 2] in [%N] : !g -> !x
}

// -----

!g = !tile.global<f32, 1, 1>
!x = !tile.frag<f32, "[32] r() t(32@0:1)">
tile.kernel @rule threads 32 (%X "X": !g, %N "N": index) {
  %zero = arith.constant 0 : index
  // expected-error@+1 {{has the rule 9, which is none}}
  %x = tile.load_bound %X[%zero] by [1] rules [9] in [%N] : !g -> !x
}
