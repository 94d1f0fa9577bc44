// RUN: girih-opt %s --te-assoc --split-input-file --verify-diagnostics

te.func @dynamic_tree sizes ["N"] (%X "X": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[], f32>) functions fast {
  %Y = te.compute "Y" [] : !te.tensor<[], f32> {
    // expected-error@+1 {{order 'tree(8)': tree(8) needs a constant extent, and N is not given at compile time}}
    %s = te.reduce sum ["k"] in [N] order "tree(8)" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%k] : !te.tensor<[N], f32>
      te.yield %x : f32
    }
    te.yield %s : f32
  }
  te.return %Y : !te.tensor<[], f32>
}

// -----

te.func @indivisible_tree sizes ["N"] given [100] (%X "X": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[], f32>) functions fast {
  %Y = te.compute "Y" [] : !te.tensor<[], f32> {
    // expected-error@+1 {{order 'tree(8)': tree(8) does not divide 100 elements}}
    %s = te.reduce sum ["k"] in [N] order "tree(8)" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%k] : !te.tensor<[N], f32>
      te.yield %x : f32
    }
    te.yield %s : f32
  }
  te.return %Y : !te.tensor<[], f32>
}

// -----

te.func @several_indices sizes ["M", "N"] (%X "X": !te.tensor<[M, N], f32>)
    -> ("Y": !te.tensor<[], f32>) functions fast {
  %Y = te.compute "Y" [] : !te.tensor<[], f32> {
    // expected-error@+1 {{order 'lanes(32, 4)' over several indices is not supported yet; nest the sums}}
    %s = te.reduce sum ["i", "k"] in [M, N] order "lanes(32, 4)" leaf plain : f32 {
    ^bb0(%i: index, %k: index):
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
      te.yield %x : f32
    }
    te.yield %s : f32
  }
  te.return %Y : !te.tensor<[], f32>
}

// -----

te.func @no_order sizes ["N"] (%X "X": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[], f32>) functions fast {
  %Y = te.compute "Y" [] : !te.tensor<[], f32> {
    // expected-error@+1 {{order 'sideways' is neither fixed, free, sequential nor a term: }}
    %s = te.reduce sum ["k"] in [N] order "sideways" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%k] : !te.tensor<[N], f32>
      te.yield %x : f32
    }
    te.yield %s : f32
  }
  te.return %Y : !te.tensor<[], f32>
}

// -----

te.func @negative_extent sizes ["N"] (%X "X": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[], f32>) functions fast {
  %Y = te.compute "Y" [] : !te.tensor<[], f32> {
    // expected-error@+1 {{'te.reduce' op has the extent -9223372036854775807, but extents lie in 0 .. 1099511627775}}
    %s = te.reduce sum ["k"] in [-9223372036854775807] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%k] : !te.tensor<[N], f32>
      te.yield %x : f32
    }
    te.yield %s : f32
  }
  te.return %Y : !te.tensor<[], f32>
}
