// UNSUPPORTED: sanitize
// A stock tool, which is not instrumented, loads the library.
// RUN: mlir-opt %s --pass-pipeline="builtin.module(gpu-kernel-outlining,gpu-lower-to-nvvm-pipeline{cubin-format=isa cubin-chip=sm_80 cubin-features=+ptx80})" \
// RUN:   | mlir-runner --entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%hwtune_lib/libhwtune-gpu-runtime.so \
// RUN:   | FileCheck %s

// More dynamic shared memory than a block may have without asking: 64 KiB.
// The block reverses what its threads wrote.

// CHECK: [255,  254,  253,  252]

module attributes {gpu.container_module} {
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index
    %bytes = arith.constant 65536 : i32
    %h = memref.alloc() : memref<4xi32>
    %u = memref.cast %h : memref<4xi32> to memref<*xi32>
    gpu.host_register %u : memref<*xi32>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%bbx = %c256, %bby = %c1, %bbz = %c1)
               dynamic_shared_memory_size %bytes {
      %raw = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %tile = memref.view %raw[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<64x256xi32, #gpu.address_space<workgroup>>
      %row = arith.constant 63 : index
      %last = arith.constant 255 : index
      %i = arith.index_cast %tx : index to i32
      memref.store %i, %tile[%row, %tx] : memref<64x256xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %other = arith.subi %last, %tx : index
      %v = memref.load %tile[%row, %other] : memref<64x256xi32, #gpu.address_space<workgroup>>
      %in = arith.cmpi ult, %tx, %c4 : index
      scf.if %in {
        memref.store %v, %h[%tx] : memref<4xi32>
      }
      gpu.terminator
    }
    call @printMemrefI32(%u) : (memref<*xi32>) -> ()
    return
  }
  func.func private @printMemrefI32(memref<*xi32>)
}
