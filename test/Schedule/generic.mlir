// What each knob of the generic schedule changes in the PTX: two outputs fit no other.

// RUN: rm -rf %t && mkdir -p %t
// RUN: hwtune-compile --schedule=generic %s -o %t --stats --config='{threads = 32, per_thread = 1, unroll = 1}' | FileCheck %s
// CHECK: grid 2 x 1 x 1, block 32 x 1 x 1
// CHECK-DAG: {{^ *}}1 mul.rn.f32

// threads: of a block
// RUN: hwtune-compile --schedule=generic %s -o %t --stats --config='{threads = 64, per_thread = 1, unroll = 1}' | FileCheck --check-prefix=THREADS %s
// THREADS: grid 1 x 1 x 1, block 64 x 1 x 1

// per_thread: results of one thread
// RUN: hwtune-compile --schedule=generic %s -o %t --stats --config='{threads = 32, per_thread = 2, unroll = 1}' | FileCheck --check-prefix=PER %s
// PER: grid 1 x 1 x 1, block 32 x 1 x 1
// PER-DAG: {{^ *}}2 mul.rn.f32

// unroll: copies of the body of the innermost reduction loop
// RUN: hwtune-compile --schedule=generic %s -o %t --stats --config='{threads = 32, per_thread = 1, unroll = 4}' | FileCheck --check-prefix=UNROLL %s
// UNROLL-DAG: {{^ *}}4 mul.rn.f32

func.func @kernel(%a: memref<33x64xf32>, %c: memref<33xf32>, %d: memref<33xf32>) {
  linalg.generic {hwtune.op, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<33x64xf32>) outs(%c, %d : memref<33xf32>, memref<33xf32>) {
  ^bb0(%x: f32, %s: f32, %q: f32):
    %t = arith.addf %s, %x : f32
    %u = arith.mulf %q, %x : f32
    linalg.yield %t, %u : f32, f32
  }
  return
}
