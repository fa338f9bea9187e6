// UNSUPPORTED: sanitize
// A stock tool, which is not instrumented, loads the library.
// RUN: mlir-opt %s --pass-pipeline="builtin.module(gpu-kernel-outlining,gpu-lower-to-nvvm-pipeline{cubin-format=isa cubin-chip=sm_80 cubin-features=+ptx80})" \
// RUN:   | mlir-runner --entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%hwtune_lib/libhwtune-gpu-runtime.so \
// RUN:   | FileCheck %s

// A kernel works in place on host memory; the sum of a block by all_reduce.

// CHECK: [528,  528,  528,  528]
// CHECK: [7,  7,  7]

module attributes {gpu.container_module} {
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %h = memref.alloc() : memref<4xi32>
    scf.for %i = %c0 to %c4 step %c1 {
      memref.store %zero, %h[%i] : memref<4xi32>
    }
    %u = memref.cast %h : memref<4xi32> to memref<*xi32>
    gpu.host_register %u : memref<*xi32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%bbx = %c32, %bby = %c1, %bbz = %c1) {
      %i = arith.index_cast %tx : index to i32
      %one = arith.constant 1 : i32
      %v = arith.addi %i, %one : i32
      %sum = gpu.all_reduce add %v uniform {} : (i32) -> (i32)
      memref.store %sum, %h[%bx] : memref<4xi32>
      gpu.terminator
    }
    call @printMemrefI32(%u) : (memref<*xi32>) -> ()
    gpu.host_unregister %u : memref<*xi32>
    memref.dealloc %h : memref<4xi32>

    // A fill of device memory.
    %c3 = arith.constant 3 : index
    %seven = arith.constant 7.0 : f32
    %g = memref.alloc() : memref<3xf32>
    %t0 = gpu.wait async
    %d, %t1 = gpu.alloc async [%t0] () : memref<3xf32>
    %t2 = gpu.memset async [%t1] %d, %seven : memref<3xf32>, f32
    %t3 = gpu.memcpy async [%t2] %g, %d : memref<3xf32>, memref<3xf32>
    %t4 = gpu.dealloc async [%t3] %d : memref<3xf32>
    gpu.wait [%t4]
    %ug = memref.cast %g : memref<3xf32> to memref<*xf32>
    call @printMemrefF32(%ug) : (memref<*xf32>) -> ()
    return
  }
  func.func private @printMemrefI32(memref<*xi32>)
  func.func private @printMemrefF32(memref<*xf32>)
}
