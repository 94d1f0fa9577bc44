// RUN: girih-opt %s --split-input-file --verify-diagnostics

te.func @digits sizes ["N"] (%X "X": !te.tensor<[N], f16>)
    -> ("Y": !te.tensor<[N], f16>) functions fast {
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f16> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], f16>
    // expected-error @+1 {{counts digits from -15 to 24 in 'f16'}}
    %y = te.on_grid %x by 25 : f16
    te.yield %y : f16
  }
  te.return %Y : !te.tensor<[N], f16>
}

// -----

te.func @word sizes ["N"] (%S "S": !te.tensor<[N], i64>)
    -> ("W": !te.tensor<[N], ui32>) functions fast {
  %W = te.compute "W" ["i"] : !te.tensor<[N], ui32> {
  ^bb0(%i: index):
    %s = te.read %S[%i] : !te.tensor<[N], i64>
    // expected-error @+1 {{has words 0 to 3}}
    %w = te.philox 4 of %s, %s
    te.yield %w : ui32
  }
  te.return %W : !te.tensor<[N], ui32>
}
