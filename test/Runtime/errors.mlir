// UNSUPPORTED: sanitize
// A stock tool, which is not instrumented, loads the library.
// RUN: mlir-opt %s --pass-pipeline="builtin.module(gpu-kernel-outlining,gpu-lower-to-nvvm-pipeline{cubin-format=isa cubin-chip=sm_80 cubin-features=+ptx80})" \
// RUN:   | env HWTUNE_SIM_TARGET=v100-sxm2-16gb not mlir-runner --entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%hwtune_lib/libhwtune-gpu-runtime.so 2>&1 \
// RUN:   | FileCheck %s

// A module for a newer GPU than the one that is there: told, and the end.

// CHECK: hwtune-gpu-runtime: cuModuleLoadDataEx failed: CUDA_ERROR_NO_BINARY_FOR_GPU: {{.*}}: ptx: error: `.target sm_80` does not run on sm_70

module attributes {gpu.container_module} {
  func.func @main() {
    %c1 = arith.constant 1 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%bbx = %c1, %bby = %c1, %bbz = %c1) {
      gpu.terminator
    }
    return
  }
}
