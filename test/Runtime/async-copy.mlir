// UNSUPPORTED: sanitize
// A stock tool, which is not instrumented, loads the library.
// RUN: mlir-opt %s --pass-pipeline="builtin.module(gpu-kernel-outlining,gpu-lower-to-nvvm-pipeline{cubin-format=isa cubin-chip=sm_80 cubin-features=+ptx80})" \
// RUN:   | mlir-runner --entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%hwtune_lib/libhwtune-gpu-runtime.so \
// RUN:   | FileCheck %s

// Copies to and from the device in an order that only tokens tell.

// CHECK: [1.5,  2.5,  3.5,  4.5,  5.5,  6.5,  7.5,  8.5]

module attributes {gpu.container_module} {
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %f1 = arith.constant 1.5 : f32
    %h = memref.alloc() : memref<8xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      memref.store %f1, %h[%i] : memref<8xf32>
    }
    %u = memref.cast %h : memref<8xf32> to memref<*xf32>
    %t0 = gpu.wait async
    %d, %t1 = gpu.alloc async [%t0] () : memref<8xf32>
    %t2 = gpu.memcpy async [%t1] %d, %h : memref<8xf32>, memref<8xf32>
    %t3 = gpu.launch async [%t2] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%bbx = %c8, %bby = %c1, %bbz = %c1) {
      %v = memref.load %d[%tx] : memref<8xf32>
      %i = arith.index_cast %tx : index to i32
      %fi = arith.sitofp %i : i32 to f32
      %w = arith.addf %v, %fi : f32
      memref.store %w, %d[%tx] : memref<8xf32>
      gpu.terminator
    }
    %t4 = gpu.memcpy async [%t3] %h, %d : memref<8xf32>, memref<8xf32>
    %t5 = gpu.dealloc async [%t4] %d : memref<8xf32>
    gpu.wait [%t5]
    call @printMemrefF32(%u) : (memref<*xf32>) -> ()
    memref.dealloc %h : memref<8xf32>
    return
  }
  func.func private @printMemrefF32(memref<*xf32>)
}
