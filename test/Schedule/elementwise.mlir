// What each knob of the elementwise schedule changes in the PTX.

// RUN: rm -rf %t && mkdir -p %t
// RUN: hwtune-compile --schedule=elementwise %s -o %t --stats --config='{threads = 256, vector = 4, per_thread = 1}' | FileCheck %s
// CHECK: grid 64 x 1 x 1, block 256 x 1 x 1
// CHECK-DAG: {{^ *}}2 ld.global.nc.v4.b32
// CHECK-DAG: {{^ *}}1 st.global.v4.b32
// CHECK-DAG: {{^ *}}4 add.rn.f32

// threads: of a block, and so the blocks
// RUN: hwtune-compile --schedule=elementwise %s -o %t --stats --config='{threads = 128, vector = 4, per_thread = 1}' | FileCheck --check-prefix=THREADS %s
// THREADS: grid 128 x 1 x 1, block 128 x 1 x 1
// THREADS-DAG: {{^ *}}1 st.global.v4.b32

// vector: width of the accesses
// RUN: hwtune-compile --schedule=elementwise %s -o %t --stats --config='{threads = 256, vector = 2, per_thread = 1}' | FileCheck --check-prefix=VECTOR %s
// VECTOR: grid 128 x 1 x 1, block 256 x 1 x 1
// VECTOR-DAG: {{^ *}}2 ld.global.nc.v2.b32
// VECTOR-DAG: {{^ *}}1 st.global.v2.b32

// vector = 1: no vectors
// RUN: hwtune-compile --schedule=elementwise %s -o %t --stats --config='{threads = 256, vector = 1, per_thread = 1}' | FileCheck --check-prefix=SCALAR %s
// SCALAR-DAG: {{^ *}}2 ld.global.nc.b32
// SCALAR-DAG: {{^ *}}1 st.global.b32

// per_thread: vectors of one thread
// RUN: hwtune-compile --schedule=elementwise %s -o %t --stats --config='{threads = 256, vector = 4, per_thread = 4}' | FileCheck --check-prefix=PER %s
// PER: grid 16 x 1 x 1, block 256 x 1 x 1
// PER-DAG: {{^ *}}8 ld.global.nc.v4.b32
// PER-DAG: {{^ *}}4 st.global.v4.b32

func.func @kernel(%a: memref<64x1024xf32>, %b: memref<64x1024xf32>, %c: memref<64x1024xf32>) {
  linalg.add {hwtune.op} ins(%a, %b : memref<64x1024xf32>, memref<64x1024xf32>) outs(%c : memref<64x1024xf32>)
  return
}
