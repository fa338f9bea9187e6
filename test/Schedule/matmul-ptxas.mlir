// REQUIRES: ptxas
// What the assembler makes of the floor: no spill, at most 128 registers.

// RUN: rm -rf %t && mkdir -p %t
// RUN: hwtune-compile --schedule=matmul %s -o %t --ptxas=/usr/local/cuda/bin/ptxas --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck %s
// RUN: hwtune-compile --schedule=matmul %s -o %t --ptxas=/usr/local/cuda/bin/ptxas --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 3}' | FileCheck %s
// CHECK: {{(1[01][0-9]|12[0-8]|[0-9][0-9])}} registers (ptxas), 0 spill bytes

func.func @kernel(%a: memref<4096x4096xf32>, %b: memref<4096x4096xf32>, %c: memref<4096x4096xf32>) {
  linalg.matmul {hwtune.op} ins(%a, %b : memref<4096x4096xf32>, memref<4096x4096xf32>) outs(%c : memref<4096x4096xf32>)
  return
}
