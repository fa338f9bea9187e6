// Winners are timed on the other targets as a search would time them there.

// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{trials=2 targets=t4})' 2>&1 >/dev/null | FileCheck %s

// CHECK: each target's winner on each target, time over that of the column's own winner (simulated)
// CHECK: linalg.copy 1000x777  a100-sxm4-80gb {{ *}}1.000 {{ *}}{{[0-9.]+$}}
// CHECK-NEXT: {{^ *}}t4 {{ *}}{{[0-9]\.[0-9]+}} {{ *}}1.000
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @copy(%a: memref<1000x777xf32>, %b: memref<1000x777xf32>) {
    linalg.copy ins(%a : memref<1000x777xf32>) outs(%b : memref<1000x777xf32>)
    return
  }
}
