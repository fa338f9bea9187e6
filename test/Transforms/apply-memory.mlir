// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply)' --split-input-file --verify-diagnostics | FileCheck %s
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=binary})' --split-input-file 2>/dev/null | FileCheck %s --check-prefix=BINARY

// What the operation does not write must come back as it was: the output is
// copied in although its values are not read.
// CHECK-LABEL: func.func @every_other
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<64xf32>, %[[B:[a-z0-9]+]]: memref<128xf32>
// CHECK: gpu.memcpy %{{.*}}, %[[B]]
// CHECK: gpu.launch_func
// CHECK: gpu.memcpy %[[B]], %
#id = affine_map<(d0) -> (d0)>
#even = affine_map<(d0) -> (d0 * 2)>
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @every_other(%a: memref<64xf32>, %b: memref<128xf32>) {
    linalg.generic {hwtune.config = #hwtune.config<schedule = "generic", {threads = 64, per_thread = 1, unroll = 1}>,
        indexing_maps = [#id, #even], iterator_types = ["parallel"]}
        ins(%a : memref<64xf32>) outs(%b : memref<128xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    }
    return
  }
}

// -----

// A write to a global would stay on the device.
// CHECK-LABEL: func.func @global
// CHECK: linalg.copy ins
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  memref.global @g : memref<8xf32> = uninitialized
  // expected-warning@+1 {{function 'global' stays on the host: 'memref.get_global' names a global that can be written}}
  func.func @global(%a: memref<8xf32>) {
    %g = memref.get_global @g : memref<8xf32>
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<8xf32>) outs(%g : memref<8xf32>)
    return
  }
}

// -----

// CHECK-NOT: hwtune
// CHECK: module @inner
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  module @inner {
    func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
      // expected-warning@+1 {{stays on the host: it is in no function of the outer module}}
      linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
          ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
      return
    }
  }
}

// -----

// The user's own kernels stay as they are.
// BINARY-DAG: gpu.module @theirs [#rocdl.target
// BINARY-DAG: gpu.binary @mine_kernel_0
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  gpu.module @theirs [#rocdl.target] {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @mine(%a: memref<8xf32>, %b: memref<8xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
}

// -----

// A result that is a view of an argument is that view of the host's memory.
// CHECK-LABEL: func.func @flat
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<4x8xf32>
// CHECK-NOT: memref.alloc
// CHECK: %[[R:.*]] = memref.collapse_shape %[[A]]
// CHECK: return %[[R]]
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @flat(%a: memref<4x8xf32>) -> memref<32xf32> {
    linalg.exp {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
    %r = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
    return %r : memref<32xf32>
  }
}

// -----

// Of one buffer the caller gets one, whatever the ways it is returned in.
// CHECK-LABEL: func.func @twice
// CHECK: %[[H:.*]] = memref.alloc() : memref<4x8xf32>
// CHECK-NOT: memref.alloc
// CHECK: %[[V:.*]] = memref.collapse_shape %[[H]]
// CHECK: return %[[H]], %[[V]], %[[H]]
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @twice(%a: memref<4x8xf32>) -> (memref<4x8xf32>, memref<32xf32>, memref<4x8xf32>) {
    %b = memref.alloc() : memref<4x8xf32>
    linalg.exp {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<4x8xf32>) outs(%b : memref<4x8xf32>)
    %r = memref.collapse_shape %b [[0, 1]] : memref<4x8xf32> into memref<32xf32>
    return %b, %r, %b : memref<4x8xf32>, memref<32xf32>, memref<4x8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @constant
// CHECK: %[[H:.*]] = memref.get_global @g
// CHECK: return %[[H]]
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  memref.global "private" constant @g : memref<8xf32> = dense<2.0>
  func.func @constant(%a: memref<8xf32>) -> memref<8xf32> {
    %g = memref.get_global @g : memref<8xf32>
    linalg.add {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a, %g : memref<8xf32>, memref<8xf32>) outs(%a : memref<8xf32>)
    return %g : memref<8xf32>
  }
}

// -----

// A temporary of the stack becomes one of the device, and a transposed view is
// a view like others.
// CHECK-LABEL: func.func @views
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<16x64xf32>, %[[B:[a-z0-9]+]]: memref<64x16xf32>
// CHECK-NOT: memref.alloca
// CHECK-COUNT-2: gpu.alloc
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [64, 16], strides: [1, 64] : memref<{{.*}}> to memref<64x16xf32, strided<[1, 64]>>
// CHECK-NEXT: gpu.alloc
// CHECK-COUNT-2: gpu.launch_func
#plane = affine_map<(d0, d1) -> (d0, d1)>
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @views(%a: memref<16x64xf32>, %b: memref<64x16xf32>) {
    %t = memref.transpose %a (i, j) -> (j, i) : memref<16x64xf32> to memref<64x16xf32, strided<[1, 64]>>
    %m = memref.alloca() : memref<64x16xf32>
    linalg.exp {hwtune.config = #hwtune.config<schedule = "generic", {threads = 64, per_thread = 1, unroll = 1}>}
        ins(%t : memref<64x16xf32, strided<[1, 64]>>) outs(%m : memref<64x16xf32>)
    linalg.abs {hwtune.config = #hwtune.config<schedule = "generic", {threads = 64, per_thread = 1, unroll = 1}>}
        ins(%m : memref<64x16xf32>) outs(%b : memref<64x16xf32>)
    return
  }
}
