// UNSUPPORTED: sanitize
// A stock tool, which is not instrumented, loads the library.
// RUN: mlir-opt %s --pass-pipeline="builtin.module(gpu-kernel-outlining,gpu-lower-to-nvvm-pipeline{cubin-format=isa cubin-chip=sm_80 cubin-features=+ptx80})" \
// RUN:   | mlir-runner --entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%hwtune_lib/libhwtune-gpu-runtime.so \
// RUN:   | FileCheck %s

// Two chains of work on streams of their own; a third one waits for both.

// CHECK: [111,  111,  111,  111]

module attributes {gpu.container_module} {
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %f1 = arith.constant 1.0 : f32
    %f10 = arith.constant 10.0 : f32
    %f100 = arith.constant 100.0 : f32
    %h = memref.alloc() : memref<4xf32>
    %t0 = gpu.wait async
    %a, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
    %s0 = gpu.wait async
    %b, %s1 = gpu.alloc async [%s0] () : memref<4xf32>
    %t2 = gpu.memset async [%t1] %a, %f1 : memref<4xf32>, f32
    %s2 = gpu.memset async [%s1] %b, %f10 : memref<4xf32>, f32
    %j = gpu.wait async [%t2, %s2]
    %t3 = gpu.launch async [%j] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%bbx = %c4, %bby = %c1, %bbz = %c1) {
      %v = memref.load %a[%tx] : memref<4xf32>
      %w = memref.load %b[%tx] : memref<4xf32>
      %x = arith.addf %v, %w : f32
      %y = arith.addf %x, %f100 : f32
      memref.store %y, %a[%tx] : memref<4xf32>
      gpu.terminator
    }
    %t4 = gpu.memcpy async [%t3] %h, %a : memref<4xf32>, memref<4xf32>
    gpu.wait [%t4]
    %u = memref.cast %h : memref<4xf32> to memref<*xf32>
    call @printMemrefF32(%u) : (memref<*xf32>) -> ()
    return
  }
  func.func private @printMemrefF32(memref<*xf32>)
}
