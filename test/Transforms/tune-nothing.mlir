// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune)' --verify-diagnostics | FileCheck %s

// Nothing to tune: a warning, success, and the module exactly as it came.
// CHECK: module {
// CHECK-NEXT: func.func @add
// CHECK-NEXT: arith.addf
// CHECK-NEXT: return
// expected-warning@+1 {{nothing in the module can be tuned}}
module {
  func.func @add(%a: f32) -> f32 {
    %0 = arith.addf %a, %a : f32
    return %0 : f32
  }
}
