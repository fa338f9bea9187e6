// The knob `mma`: products on the matrix units. A warp has 32 x 32 results, 2 x 4
// fragments of them, and two steps of k in the unrolled body.

// RUN: rm -rf %t && mkdir -p %t
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 64, block_n = 64, block_k = 32, thread_m = 4, thread_n = 8, vector_a = 8, vector_b = 8, vector_c = 2, unroll = 2, shared_a = 1, shared_b = 1, pad_a = 8, pad_b = 8, stages = 1, mma = 1}' | FileCheck %s
// CHECK: grid 16 x 16 x 1, block 128 x 1 x 1, 9728 bytes of shared memory
// CHECK-DAG: {{^ *}}16 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-DAG: {{^ *}}4 ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-DAG: {{^ *}}4 ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-DAG: {{^ *}}2 bar.sync
// CHECK-NOT: fma.rn
// CHECK-NOT: local

// Off: the same tile in multiply-adds.
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 64, block_n = 64, block_k = 32, thread_m = 4, thread_n = 8, vector_a = 8, vector_b = 8, vector_c = 2, unroll = 2, shared_a = 1, shared_b = 1, pad_a = 8, pad_b = 8, stages = 1, mma = 0}' | FileCheck --check-prefix=OFF %s
// OFF-NOT: mma.sync
// OFF-NOT: ldmatrix
// OFF: fma.rn.f32

// Stages: copies run ahead, one barrier a step.
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 64, block_n = 64, block_k = 32, thread_m = 4, thread_n = 8, vector_a = 8, vector_b = 8, vector_c = 2, unroll = 2, shared_a = 1, shared_b = 1, pad_a = 8, pad_b = 8, stages = 3, mma = 1}' | FileCheck --check-prefix=STAGES %s
// STAGES: 29184 bytes of shared memory
// STAGES-DAG: {{^ *}}1 bar.sync
// STAGES-DAG: {{^ *}}16 mma.sync

// What the matrix units refuse.
// RUN: not hwtune-compile --schedule=matmul %s --target=t4 --config='{block_m = 64, block_n = 64, block_k = 32, thread_m = 4, thread_n = 8, vector_a = 8, vector_b = 8, vector_c = 2, unroll = 2, shared_a = 1, shared_b = 1, pad_a = 8, pad_b = 8, stages = 1, mma = 1}' 2>&1 | FileCheck --check-prefix=OLD %s
// OLD: compute capability for mma.m16n8k16: needs 80, limit 75
// RUN: not hwtune-compile --schedule=matmul %s --config='{block_m = 64, block_n = 64, block_k = 32, thread_m = 4, thread_n = 8, vector_a = 1, vector_b = 8, vector_c = 2, unroll = 2, shared_a = 0, shared_b = 1, pad_a = 0, pad_b = 8, stages = 1, mma = 1}' 2>&1 | FileCheck --check-prefix=DIRECT %s
// DIRECT: operands of the matrix units not in shared memory: needs 1, limit 0
// RUN: not hwtune-compile --schedule=matmul %s --config='{block_m = 64, block_n = 64, block_k = 32, thread_m = 1, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 2, unroll = 2, shared_a = 1, shared_b = 1, pad_a = 8, pad_b = 8, stages = 1, mma = 1}' 2>&1 | FileCheck --check-prefix=ROWS %s
// ROWS: rows left over by whole warps' fragments: needs 8, limit 0

func.func @kernel(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf32>) {
  linalg.matmul {hwtune.op} ins(%a, %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf32>)
  return
}
