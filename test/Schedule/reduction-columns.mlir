// What each knob of the reduction schedule changes in the PTX, where the fastest
// loop is parallel: lanes meet in workgroup memory.

// RUN: rm -rf %t && mkdir -p %t
// RUN: hwtune-compile --schedule=reduction %s -o %t --stats --config='{threads = 256, lanes = 8, vector = 1, unroll = 1}' | FileCheck %s
// CHECK: grid 2 x 1 x 1, block 256 x 1 x 1, 1024 bytes of shared memory
// CHECK-DAG: {{^ *}}3 bar.sync
// CHECK-NOT: shfl

// threads: results of a block
// RUN: hwtune-compile --schedule=reduction %s -o %t --stats --config='{threads = 128, lanes = 8, vector = 1, unroll = 1}' | FileCheck --check-prefix=THREADS %s
// THREADS: grid 4 x 1 x 1, block 128 x 1 x 1

// lanes: threads of one result
// RUN: hwtune-compile --schedule=reduction %s -o %t --stats --config='{threads = 256, lanes = 4, vector = 1, unroll = 1}' | FileCheck --check-prefix=LANES %s
// LANES: grid 1 x 1 x 1, block 256 x 1 x 1
// LANES-DAG: {{^ *}}2 bar.sync

// vector: neighbouring results of a thread
// RUN: hwtune-compile --schedule=reduction %s -o %t --stats --config='{threads = 256, lanes = 8, vector = 2, unroll = 1}' | FileCheck --check-prefix=VECTOR %s
// VECTOR: grid 1 x 1 x 1, block 256 x 1 x 1, 2048 bytes of shared memory
// VECTOR-DAG: {{^ *}}1 ld.global.nc.v2.b32

// unroll: loads in flight
// RUN: hwtune-compile --schedule=reduction %s -o %t --stats --config='{threads = 256, lanes = 8, vector = 1, unroll = 4}' | FileCheck --check-prefix=UNROLL %s
// UNROLL-DAG: {{^ *}}4 ld.global.nc.b32

func.func @kernel(%a: memref<4096x64xf32>, %c: memref<64xf32>) {
  linalg.reduce {arith.addf} ins(%a : memref<4096x64xf32>) outs(%c : memref<64xf32>) dimensions = [0] {hwtune.op}
  return
}
