// Each tile alone, beside 128 x 128 x 16 with 256 threads of 8 x 8 (matmul.mlir):
// blocks, threads, bytes of two tiles of block_k values, and multiply-adds of 16
// steps of k for every value of a thread.

// RUN: rm -rf %t && mkdir -p %t
// block_m
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 64, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck --check-prefix=BLOCKM %s
// BLOCKM: grid 32 x 64 x 1, block 128 x 1 x 1, 12288 bytes
// BLOCKM-DAG: {{^ *}}1024 fma.rn.f32

// block_n
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 64, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck --check-prefix=BLOCKN %s
// BLOCKN: grid 64 x 32 x 1, block 128 x 1 x 1, 12288 bytes
// BLOCKN-DAG: {{^ *}}1024 fma.rn.f32

// block_k
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 128, block_k = 32, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck --check-prefix=BLOCKK %s
// BLOCKK: grid 32 x 32 x 1, block 256 x 1 x 1, 32768 bytes
// BLOCKK-DAG: {{^ *}}1024 fma.rn.f32

// thread_m
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 4, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck --check-prefix=THREADM %s
// THREADM: grid 32 x 32 x 1, block 512 x 1 x 1, 16384 bytes
// THREADM-DAG: {{^ *}}512 fma.rn.f32

// thread_n
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 4, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck --check-prefix=THREADN %s
// THREADN: grid 32 x 32 x 1, block 512 x 1 x 1, 16384 bytes
// THREADN-DAG: {{^ *}}512 fma.rn.f32

func.func @kernel(%a: memref<4096x4096xf32>, %b: memref<4096x4096xf32>, %c: memref<4096x4096xf32>) {
  linalg.matmul {hwtune.op} ins(%a, %b : memref<4096x4096xf32>, memref<4096x4096xf32>) outs(%c : memref<4096x4096xf32>)
  return
}
