// A further target that nobody knows: refused before anything is tuned.

// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=model targets=t4,t5000})' 2>&1 | FileCheck %s
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=model targets=%S/Inputs/bad-gpu.json})' 2>&1 | FileCheck %s --check-prefix=FILE

// CHECK-NOT: hwtune: linalg.copy
// CHECK: tune-targets-invalid.mlir:[[#@LINE+3]]:{{.*}} error: {{.*}}t5000
// FILE: error: {{.*}}bad-gpu.json
// FILE-NOT: #hwtune.config
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) {
    linalg.copy ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    return
  }
}
