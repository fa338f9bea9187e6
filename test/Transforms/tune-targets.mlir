// One module for several targets, one of them no more than a description: the
// module keeps its own target's winner, the table shows each on each.

// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=model targets=t4,%S/Inputs/small-gpu.json,a100-sxm4-80gb})' 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=TABLE < %t.err
// On another target the columns follow it.
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{device=model emit=config target=t4 targets=a100-sxm4-80gb})' 2>&1 >/dev/null | FileCheck %s --check-prefix=FIRST

// CHECK: module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">}
// CHECK: hwtune.config

// TABLE: target a100-sxm4-80gb
// TABLE: target t4
// TABLE: target small-gpu
// TABLE: each target's winner on each target, time over that of the column's own winner (predicted)
// TABLE: operation {{ *}}winner of {{ *}}on a100-sxm4-80gb  on t4  on small-gpu
// TABLE: linalg.matmul 256x256x256  a100-sxm4-80gb {{ *}}1.000 {{.*}}
// TABLE-NEXT: {{^ *}}t4 {{.*}} 1.000 {{.*}}
// TABLE-NEXT: {{^ *}}small-gpu {{.*}} 1.000{{$}}
// What cannot run on another target says why.
// TABLE: linalg.matmul, winner of a100-sxm4-80gb on t4: compute capability

// FIRST: operation {{ *}}winner of {{ *}}on t4  on a100-sxm4-80gb
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @mm(%a: memref<256x256xf32>, %b: memref<256x256xf32>, %c: memref<256x256xf32>) {
    linalg.matmul ins(%a, %b : memref<256x256xf32>, memref<256x256xf32>) outs(%c : memref<256x256xf32>)
    return
  }
}
