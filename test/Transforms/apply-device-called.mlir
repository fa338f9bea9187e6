// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{memory=device})' --verify-diagnostics | FileCheck %s

// Host code of the module would pass host memory where device pointers are
// expected.
// CHECK-LABEL: func.func @called
// CHECK: linalg.copy ins
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  // expected-warning@+1 {{function 'called' stays on the host: it is called from this module, whose code passes host memory, and memory=device takes device pointers}}
  func.func @called(%a: memref<8xf32>, %b: memref<8xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
  func.func @caller(%a: memref<8xf32>, %b: memref<8xf32>) {
    call @called(%a, %b) : (memref<8xf32>, memref<8xf32>) -> ()
    return
  }
}
