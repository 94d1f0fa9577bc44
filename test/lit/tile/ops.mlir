// RUN: girih-opt %s | girih-opt | FileCheck %s

!g = !tile.global<f32, 2, 4>
!x = !tile.frag<f32, "[8, 64] r(4@1:1) t(16@1:4, 8@0:1)">
!c = !tile.frag<f32, "[8, 16] r() t(16@1:1, 8@0:1)">
!v = !tile.frag<f32, "[8, 16, 4] r(4@2:1) t(16@1:1, 8@0:1)">
!s = !tile.frag<f32, "[8] r() t(16@-, 8@0:1)">
!sa = !tile.shared<f32, [8, 64], [68, 1]>

// CHECK: tile.kernel @all threads 128 (%[[X:.*]] "X": !tile.global<f32, 2, 4>, %[[Y:.*]] "Y": !tile.global<f32, 2, 4>, %[[M:.*]] "M": index) {
tile.kernel @all threads 128 (%X "X": !g, %Y "Y": !g, %M "M": index) {
  // CHECK: %[[B:.*]] = tile.block_id
  %b = tile.block_id
  %c0 = arith.constant 0 : index
  // CHECK: tile.load %[[X]][%[[B]], %{{.*}}] by [1, 0, 0, 1] valid[%[[M]]] by [-1, 0] {vector = 4 : i32} : <f32, 2, 4> -> <f32, "[8, 64] r(4@1:1) t(16@1:4, 8@0:1)">
  %x = tile.load %X[%b, %c0] by [1, 0, 0, 1] valid [%M] by [-1, 0] {vector = 4 : i32} : !g -> !x
  // CHECK: tile.map(%{{.*}}, %{{.*}}) index [%[[B]]] by [1, 0] : (!tile.frag
  %y = tile.map(%x, %x) index [%b] by [1, 0] : (!x, !x) -> !x {
  ^bb0(%a: f32, %d: f32, %i: index):
    %p = te.binary mul %a, %d : f32
    // CHECK: tile.yield %{{.*}} : f32
    tile.yield %p : f32
  }
  // CHECK: tile.fill 0.000000e+00 : f32 : <f32
  %zero = tile.fill 0.0 : f32 : !c
  %in = tile.fill 1.0 : f32 : !v
  // CHECK: tile.reduce sum fma keeping 2{{ ?}}(%{{.*}}, %{{.*}}) into %{{.*}} valid[%[[M]]] by [0, 0, -1]
  %r = tile.reduce sum fma keeping 2 (%in, %in) into %zero valid [%M] by [0, 0, -1] : !v, !v -> !c
  // CHECK: tile.merge sum halving %{{.*}} : {{.*}} -> <f32, "[8] r() t(16@-, 8@0:1)">
  %m = tile.merge sum halving %r : !c -> !s
  // CHECK: tile.merge max pairwise
  %n = tile.merge max pairwise %r : !c -> !s
  // CHECK: tile.convert %{{.*}} dims [0] :
  %q = tile.convert %m dims [0] : !s -> !x
  // CHECK: %[[A:.*]] = tile.alloc_shared "A" : <f32, [8, 64], [68, 1]>
  %sa = tile.alloc_shared "A" : !sa
  // CHECK: tile.store_shared %{{.*}}, %[[A]]
  tile.store_shared %q, %sa : !x, !sa
  // CHECK: tile.barrier
  tile.barrier
  // CHECK: tile.load_shared %[[A]]
  %back = tile.load_shared %sa : !sa -> !x
  // CHECK: tile.store %{{.*}}, %[[Y]][%[[B]], %{{.*}}] by [1, 0, 0, 1] {vector = 4 : i32} :
  tile.store %back, %Y[%b, %c0] by [1, 0, 0, 1] {vector = 4 : i32} : !x, !g
}
