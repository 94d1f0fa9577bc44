// RUN: girih-opt %s --split-input-file --verify-diagnostics

te.func @size sizes ["N"] (%X "X": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[N], f32>) functions fast {
  // expected-error@+1 {{uses size 'K', which the function does not declare}}
  %Y = te.compute "Y" ["i"] : !te.tensor<[N + K], f32> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], f32>
    te.yield %x : f32
  }
  te.return %X : !te.tensor<[N], f32>
}

// -----

te.func @counts sizes ["N"] (%X "X": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[N], f32>) functions fast {
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    // expected-error@+1 {{has 1 indices but 2 coefficients}}
    %a = te.affine [%i] by [1, 2] plus 0
    %x = te.read %X[%a] : !te.tensor<[N], f32>
    te.yield %x : f32
  }
  te.return %Y : !te.tensor<[N], f32>
}

// -----

te.func @nested sizes ["N"] (%X "X": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[N], f32>) functions fast {
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %a = te.affine [%i] by [1] plus 1
    // expected-error@+1 {{sums something that is not an index of a region around it}}
    %b = te.affine [%a] by [1] plus 1
    %x = te.read %X[%b] : !te.tensor<[N], f32>
    te.yield %x : f32
  }
  te.return %Y : !te.tensor<[N], f32>
}

// -----

te.func @bound sizes ["N"] (%X "X": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[N], f32>) functions fast {
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    // expected-error@+1 {{is used by 'te.to_float': only a te.read's subscript may be}}
    %b = te.bound clamp %i in N
    %x = te.to_float %b : index to f32
    te.yield %x : f32
  }
  te.return %Y : !te.tensor<[N], f32>
}

// -----

// expected-error@+1 {{expected a size or an integer}}
te.func @text sizes ["N"] (%X "X": !te.tensor<[N + ], f32>)
    -> ("Y": !te.tensor<[N], f32>) functions fast {
}
