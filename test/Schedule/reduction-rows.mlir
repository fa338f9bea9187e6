// What each knob of the reduction schedule changes in the PTX, where the fastest
// loop is a reduction: lanes meet by shuffles.

// RUN: rm -rf %t && mkdir -p %t
// RUN: hwtune-compile --schedule=reduction %s -o %t --stats --config='{threads = 256, lanes = 32, vector = 4, unroll = 1}' | FileCheck %s
// CHECK: grid 8 x 1 x 1, block 256 x 1 x 1, 0 bytes
// CHECK-DAG: {{^ *}}1 ld.global.nc.v4.b32
// CHECK-DAG: {{^ *}}5 shfl.sync.bfly.b32

// threads: results of a block
// RUN: hwtune-compile --schedule=reduction %s -o %t --stats --config='{threads = 128, lanes = 32, vector = 4, unroll = 1}' | FileCheck --check-prefix=THREADS %s
// THREADS: grid 16 x 1 x 1, block 128 x 1 x 1

// lanes: threads of one result; 2^3 of them meet in 3 shuffles
// RUN: hwtune-compile --schedule=reduction %s -o %t --stats --config='{threads = 256, lanes = 8, vector = 4, unroll = 1}' | FileCheck --check-prefix=LANES %s
// LANES: grid 2 x 1 x 1, block 256 x 1 x 1
// LANES-DAG: {{^ *}}3 shfl.sync.bfly.b32

// lanes beyond a warp: warps meet in workgroup memory
// RUN: hwtune-compile --schedule=reduction %s -o %t --stats --config='{threads = 256, lanes = 256, vector = 4, unroll = 1}' | FileCheck --check-prefix=BLOCK %s
// BLOCK: grid 64 x 1 x 1, block 256 x 1 x 1, 32 bytes of shared memory
// BLOCK-DAG: {{^ *}}1 bar.sync
// BLOCK-DAG: {{^ *}}8 shfl.sync.bfly.b32

// vector: width of a load
// RUN: hwtune-compile --schedule=reduction %s -o %t --stats --config='{threads = 256, lanes = 32, vector = 2, unroll = 1}' | FileCheck --check-prefix=VECTOR %s
// VECTOR-DAG: {{^ *}}1 ld.global.nc.v2.b32

// unroll: loads in flight
// RUN: hwtune-compile --schedule=reduction %s -o %t --stats --config='{threads = 256, lanes = 32, vector = 4, unroll = 4}' | FileCheck --check-prefix=UNROLL %s
// UNROLL-DAG: {{^ *}}4 ld.global.nc.v4.b32

func.func @kernel(%a: memref<64x4096xf32>, %c: memref<64xf32>) {
  linalg.reduce {arith.addf} ins(%a : memref<64x4096xf32>) outs(%c : memref<64xf32>) dimensions = [1] {hwtune.op}
  return
}
