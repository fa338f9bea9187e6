// Illegal configurations are refused before anything is compiled, with numbers.

// RUN: not hwtune-compile --schedule=matmul %s --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 2, thread_n = 4, vector_a = 1, vector_b = 1, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' 2>&1 | FileCheck --check-prefix=THREADS %s
// THREADS: the configuration is not legal: threads of a block: needs 2048, limit 1024
// RUN: not hwtune-compile --schedule=matmul %s --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 1, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' 2>&1 | FileCheck --check-prefix=VECTOR %s
// VECTOR: vector of A that divides its rows: needs 4, limit 1
// RUN: not hwtune-compile --schedule=matmul %s --target=t4 --config='{block_m = 64, block_n = 64, block_k = 16, thread_m = 4, thread_n = 4, vector_a = 1, vector_b = 1, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 2}' 2>&1 | FileCheck --check-prefix=STAGES %s
// STAGES: compute capability for more than one stage: needs 80, limit 75
// RUN: not hwtune-compile --schedule=matmul %s --config='{block_m = 128, block_n = 128, block_k = 64, thread_m = 8, thread_n = 8, vector_a = 1, vector_b = 1, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 4}' 2>&1 | FileCheck --check-prefix=SHARED %s
// SHARED: shared memory of a block (bytes): needs 262144, limit
// RUN: not hwtune-compile --schedule=matmul %s --config='{block_m = 64}' 2>&1 | FileCheck --check-prefix=MISSING %s
// MISSING: block_n
// RUN: not hwtune-compile --schedule=matmull %s 2>&1 | FileCheck --check-prefix=NAME %s
// NAME: unknown schedule `matmull`
// RUN: not hwtune-compile --schedule=matmul --shape=3 %s 2>&1 | FileCheck --check-prefix=FLAG %s
// FLAG: unknown option `--shape=3`
// RUN: not hwtune-compile --schedule=matmul --hshape %s 2>&1 | FileCheck --check-prefix=HFLAG %s
// HFLAG: unknown option `--hshape`

func.func @kernel(%a: memref<1000x333xf32>, %b: memref<333x777xf32>, %c: memref<1000x777xf32>) {
  linalg.matmul {hwtune.op} ins(%a, %b : memref<1000x333xf32>, memref<333x777xf32>) outs(%c : memref<1000x777xf32>)
  return
}
