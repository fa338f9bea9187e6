// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune)' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=t4},hw-tune{device=gpu})' 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=t4},hw-tune{device=model objective=speed})' 2>&1 | FileCheck %s --check-prefix=OBJECTIVE
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=t4},hw-tune{device=model strategy=luck})' 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=t4},hw-tune{device=model require-hit})' 2>&1 | FileCheck %s --check-prefix=HIT
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=t4},hw-tune{device=model db=%S})' 2>&1 | FileCheck %s --check-prefix=DB

// TARGET: module has no 'hwtune.target', expected one; run 'hw-attach-target' first
// DEVICE: gpu
// OBJECTIVE: option 'objective' is 'speed', expected latency,
// STRATEGY: luck
// HIT: no record for linalg.copy on t4
// DB: error:
module {
  func.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) {
    linalg.copy ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    return
  }
}
