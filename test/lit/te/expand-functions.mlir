// RUN: girih-opt %s --te-expand-functions | FileCheck %s

// CHECK-LABEL: te.func @portable
te.func @portable sizes ["N"] (%X "X": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[N], f32>) functions portable {
  // CHECK:     %[[X:.*]] = te.read
  // CHECK:     %[[ONE:.*]] = te.constant 1.000000e+00 : f32
  // CHECK:     %[[R:.*]] = te.binary div %[[ONE]], %[[X]] : f32
  // CHECK-NOT: te.unary exp2
  // CHECK:     te.fma
  // CHECK:     arith.shrsi
  // CHECK:     te.bits %{{.*}} : i32 to f32
  // An accuracy at the use wins over the function's.
  // CHECK:     te.unary tanh fast
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], f32>
    %r = te.unary rcp unset %x : f32
    %e = te.unary exp2 unset %r : f32
    %y = te.unary tanh fast %e : f32
    te.yield %y : f32
  }
  te.return %Y : !te.tensor<[N], f32>
}

// f64 has no fast unit: fast is portable there.

// CHECK-LABEL: te.func @wide
te.func @wide sizes ["N"] (%X "X": !te.tensor<[N], f64>)
    -> ("Y": !te.tensor<[N], f64>) functions fast {
  // CHECK-NOT: te.unary exp
  // CHECK:     te.bits %{{.*}} : i64 to f64
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f64> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], f64>
    %y = te.unary exp unset %x : f64
    te.yield %y : f64
  }
  te.return %Y : !te.tensor<[N], f64>
}

// Where nothing is said, functions are fast.

// CHECK-LABEL: te.func @unset
te.func @unset sizes ["N"] (%X "X": !te.tensor<[N], bf16>)
    -> ("Y": !te.tensor<[N], bf16>) functions unset {
  // CHECK: te.unary exp fast
  // CHECK: te.cast %{{.*}} : bf16 to f32
  // CHECK: te.unary sqrt
  // CHECK: te.cast %{{.*}} : f32 to bf16
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], bf16> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], bf16>
    %e = te.unary exp unset %x : bf16
    %y = te.unary rsqrt portable %e : bf16
    te.yield %y : bf16
  }
  te.return %Y : !te.tensor<[N], bf16>
}

// These have one form only.

// CHECK-LABEL: te.func @one_form
te.func @one_form sizes ["N"] (%X "X": !te.tensor<[N], f32>, %S "S": !te.tensor<[N], i64>)
    -> ("Y": !te.tensor<[N], f32>, "W": !te.tensor<[N], ui32>) functions fast {
  // CHECK-NOT: te.unary sin
  // CHECK-NOT: te.unary erf
  // CHECK-NOT: te.pow
  // CHECK-NOT: te.on_grid
  // CHECK-NOT: te.philox
  // CHECK:     te.return
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], f32>
    %a = te.unary sin fast %x : f32
    %b = te.unary cos unset %a : f32
    %c = te.unary erf portable %b : f32
    %d = te.pow %c, %x : f32
    %e = te.on_grid %d by -3 : f32
    te.yield %e : f32
  }
  %W = te.compute "W" ["i"] : !te.tensor<[N], ui32> {
  ^bb0(%i: index):
    %s = te.read %S[%i] : !te.tensor<[N], i64>
    %w = te.philox 3 of %s, %s
    te.yield %w : ui32
  }
  te.return %Y, %W : !te.tensor<[N], f32>, !te.tensor<[N], ui32>
}

// A grid that is fine enough is reached exactly in two steps.

// CHECK-LABEL: te.func @grid
te.func @grid sizes ["N"] (%X "X": !te.tensor<[N], f32>)
    -> ("Y": !te.tensor<[N], f32>) functions fast {
  // CHECK: %[[X:.*]] = te.read
  // CHECK: te.constant 1.638400e+04
  // CHECK: te.unary round
  // CHECK: te.select %{{.*}}, %{{.*}}, %[[X]] : f32
  %Y = te.compute "Y" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %x = te.read %X[%i] : !te.tensor<[N], f32>
    %y = te.on_grid %x by 28 : f32
    te.yield %y : f32
  }
  te.return %Y : !te.tensor<[N], f32>
}
