// The floor: 128 x 128 x 16 with 256 threads of 8 x 8, and what each knob alone
// changes in the PTX.

// RUN: rm -rf %t && mkdir -p %t
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck %s
// RUN: FileCheck --check-prefix=PTX --input-file=%t/kernel.ptx %s

// CHECK: grid 32 x 32 x 1, block 256 x 1 x 1, 16384 bytes
// CHECK-DAG: {{^ *}}2 bar.sync
// CHECK-DAG: {{^ *}}1024 fma.rn.f32
// CHECK-DAG: {{^ *}}4 ld.global.nc.v4.b32
// CHECK-DAG: {{^ *}}64 ld.shared.v4.b32
// CHECK-DAG: {{^ *}}4 st.shared.v4.b32
// CHECK-NOT: ld.shared.b32
// CHECK-NOT: local

// Accumulators stay in registers: between the loop's start and its branch back
// nothing goes to or comes from C.
// PTX: .maxntid 256
// PTX-COUNT-16: ld.global.v4
// PTX: bar.sync
// PTX-NOT: st.global
// PTX: bra
// PTX-COUNT-16: st.global.v4

// vector_a
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 1, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck --check-prefix=VECA %s
// VECA-DAG: {{^ *}}8 ld.global.nc.b32
// VECA-DAG: {{^ *}}2 ld.global.nc.v4.b32
// VECA-DAG: {{^ *}}8 st.shared.b32
// VECA-DAG: {{^ *}}2 st.shared.v4.b32

// vector_b
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 2, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck --check-prefix=VECB %s
// VECB-DAG: {{^ *}}4 ld.global.nc.v2.b32
// VECB-DAG: {{^ *}}2 ld.global.nc.v4.b32

// vector_c
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 2, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck --check-prefix=VECC %s
// VECC-DAG: {{^ *}}32 st.global.v2.b32
// VECC-DAG: {{^ *}}64 ld.shared.v2.b32

// unroll
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 2, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck --check-prefix=UNROLL %s
// UNROLL-DAG: {{^ *}}512 fma.rn.f32
// UNROLL-DAG: {{^ *}}2 bra

// shared_a, shared_b
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 1, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 0, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck --check-prefix=DIRECTA %s
// DIRECTA: 8192 bytes of shared memory
// DIRECTA-DAG: {{^ *}}32 ld.shared.v4.b32
// DIRECTA-DAG: {{^ *}}34 ld.global.nc.v4.b32
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 1, vector_b = 1, vector_c = 4, unroll = 4, shared_a = 0, shared_b = 0, pad_a = 0, pad_b = 0, stages = 1}' | FileCheck --check-prefix=DIRECT %s
// DIRECT: 0 bytes of shared memory
// DIRECT-NOT: bar.sync
// DIRECT-NOT: st.shared

// pad_a and pad_b: pitch of a row
// RUN: hwtune-compile --schedule=matmul %s -o %t --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 4, pad_b = 0, stages = 1}' | FileCheck --check-prefix=PADA %s
// RUN: hwtune-compile --schedule=matmul %s -o %t --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 4, stages = 1}' | FileCheck --check-prefix=PADB %s
// PADA: 18432 bytes of shared memory
// PADB: 16640 bytes of shared memory

// stages: that many buffers, one barrier; beyond 48 KiB they are dynamic
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 2}' | FileCheck --check-prefix=TWO %s
// TWO: 32768 bytes of shared memory
// TWO-DAG: {{^ *}}1 bar.sync
// TWO-DAG: {{^ *}}8 cp.async.cg.shared.global
// TWO-DAG: {{^ *}}1024 fma.rn.f32
// TWO-NOT: st.shared
// RUN: hwtune-compile --schedule=matmul %s -o %t --stats --config='{block_m = 128, block_n = 128, block_k = 16, thread_m = 8, thread_n = 8, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 4, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 4}' | FileCheck --check-prefix=FOUR %s
// RUN: FileCheck --check-prefix=DYNAMIC --input-file=%t/kernel.ptx %s
// FOUR: 65536 bytes of shared memory
// FOUR-DAG: {{^ *}}1 bar.sync
// FOUR-DAG: {{^ *}}16 cp.async.cg.shared.global
// DYNAMIC: .extern .shared .align 16 .b8 dynamic_shared[]
// DYNAMIC-NOT: .shared .align 16 .b8 workgroup_buffer

func.func @kernel(%a: memref<4096x4096xf32>, %b: memref<4096x4096xf32>, %c: memref<4096x4096xf32>) {
  linalg.matmul {hwtune.op} ins(%a, %b : memref<4096x4096xf32>, memref<4096x4096xf32>) outs(%c : memref<4096x4096xf32>)
  return
}
