// UNSUPPORTED: sanitize
// A stock tool, which is not instrumented, loads the library.
// RUN: mlir-opt %s --pass-pipeline="builtin.module(gpu-kernel-outlining,gpu-lower-to-nvvm-pipeline{cubin-format=isa cubin-chip=sm_80 cubin-features=+ptx80})" \
// RUN:   | mlir-runner --entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%hwtune_lib/libhwtune-gpu-runtime.so \
// RUN:   | FileCheck %s

// CHECK: thread 0 of block 0: 2.500000
// CHECK: thread 1 of block 0: 2.500000
// CHECK: thread 0 of block 1: 2.500000
// CHECK: thread 1 of block 1: 2.500000

module attributes {gpu.container_module} {
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%bbx = %c2, %bby = %c1, %bbz = %c1) {
      %f = arith.constant 2.5 : f64
      %b = arith.index_cast %bx : index to i32
      %t = arith.index_cast %tx : index to i32
      gpu.printf "thread %d of block %d: %f\n", %t, %b, %f : i32, i32, f64
      gpu.terminator
    }
    return
  }
}
