// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=ptx})' 2>&1 | FileCheck %s --check-prefix=EMIT
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{memory=host})' 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=runner})' 2>&1 | FileCheck %s --check-prefix=RUNNER
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-apply)' 2>&1 | FileCheck %s --check-prefix=VENDOR

// EMIT: option 'emit' is 'ptx', expected config, loops, gpu, binary or runner
// MEMORY: option 'memory' is 'host', expected copy or device
// RUNNER: option 'runner-dir' is empty, expected the folder that 'emit=runner' writes
// VENDOR: cannot run PTX: only NVIDIA GPUs can
module attributes {hwtune.target = #hwtune.target<"amd-w6600">} {
  func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
}
