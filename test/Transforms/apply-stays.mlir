// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply)' --split-input-file --verify-diagnostics | FileCheck %s

// A function that touches a buffer on the host stays as it was.
// CHECK-LABEL: func.func @host_load
// CHECK: linalg.copy ins
// CHECK: memref.load
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  // expected-warning@+1 {{function 'host_load' stays on the host: 'memref.load' uses a buffer on the host}}
  func.func @host_load(%a: memref<8xf32>, %b: memref<8xf32>) -> f32 {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    %c0 = arith.constant 0 : index
    %0 = memref.load %b[%c0] : memref<8xf32>
    return %0 : f32
  }
}

// -----

// CHECK-LABEL: func.func @blocks
// CHECK: linalg.copy ins
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  // expected-warning@+1 {{function 'blocks' stays on the host: function has 3 blocks, expected structured control flow}}
  func.func @blocks(%a: memref<8xf32>, %b: memref<8xf32>, %again: i1) {
    cf.br ^loop
  ^loop:
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    cf.cond_br %again, ^loop, ^next
  ^next:
    return
  }
}

// -----

// One function stays, the other is rewritten.
// CHECK: gpu.module @good_kernel_0
// CHECK-LABEL: func.func @elsewhere
// CHECK: linalg.copy
// CHECK-LABEL: func.func @good
// CHECK: gpu.launch_func
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  // expected-warning@+1 {{function 'elsewhere' stays on the host: 'linalg.copy': operand 0: memory space of memref<8xf32, 1> is not the default one}}
  func.func @elsewhere(%a: memref<8xf32, 1>, %b: memref<8xf32>, %c: memref<8xf32>) {
    linalg.copy ins(%a : memref<8xf32, 1>) outs(%b : memref<8xf32>)
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%b : memref<8xf32>) outs(%c : memref<8xf32>)
    return
  }
  func.func @good(%a: memref<8xf32>, %b: memref<8xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
}

// -----

// CHECK-LABEL: func.func @unannotated
// CHECK: linalg.copy
// expected-warning@+1 {{no operation has 'hwtune.config', nothing is rewritten}}
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @unannotated(%a: memref<8xf32>, %b: memref<8xf32>) {
    linalg.copy ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
}
