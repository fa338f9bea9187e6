// What each knob of the transpose schedule changes in the PTX.

// RUN: rm -rf %t && mkdir -p %t
// RUN: hwtune-compile --schedule=transpose %s -o %t --stats --config='{shared = 1, tile_in = 32, tile_out = 32, threads = 256, vector = 1, pad = 1}' | FileCheck %s
// CHECK: grid 32 x 1 x 1, block 256 x 1 x 1, 4224 bytes of shared memory
// CHECK-DAG: {{^ *}}1 bar.sync
// CHECK-DAG: {{^ *}}4 ld.global.nc.b32
// CHECK-DAG: {{^ *}}4 st.shared.b32
// CHECK-DAG: {{^ *}}4 ld.shared.b32

// shared off: no workgroup memory, no barrier
// RUN: hwtune-compile --schedule=transpose %s -o %t --stats --config='{shared = 0, tile_in = 32, tile_out = 32, threads = 256, vector = 1, pad = 0}' | FileCheck --check-prefix=DIRECT %s
// DIRECT: 0 bytes of shared memory
// DIRECT-NOT: bar.sync
// DIRECT-NOT: st.shared

// tile_in: columns of a tile
// RUN: hwtune-compile --schedule=transpose %s -o %t --stats --config='{shared = 1, tile_in = 64, tile_out = 32, threads = 256, vector = 1, pad = 1}' | FileCheck --check-prefix=IN %s
// IN: grid 16 x 1 x 1, block 256 x 1 x 1, 8320 bytes
// IN-DAG: {{^ *}}8 ld.global.nc.b32

// tile_out: rows of a tile
// RUN: hwtune-compile --schedule=transpose %s -o %t --stats --config='{shared = 1, tile_in = 32, tile_out = 64, threads = 256, vector = 1, pad = 1}' | FileCheck --check-prefix=OUT %s
// OUT: grid 16 x 1 x 1, block 256 x 1 x 1, 8448 bytes
// OUT-DAG: {{^ *}}8 ld.global.nc.b32

// threads: of a block; each does less
// RUN: hwtune-compile --schedule=transpose %s -o %t --stats --config='{shared = 1, tile_in = 32, tile_out = 32, threads = 512, vector = 1, pad = 1}' | FileCheck --check-prefix=THREADS %s
// THREADS: grid 32 x 1 x 1, block 512 x 1 x 1
// THREADS-DAG: {{^ *}}2 ld.global.nc.b32

// vector: width of the accesses along rows of the input
// RUN: hwtune-compile --schedule=transpose %s -o %t --stats --config='{shared = 1, tile_in = 32, tile_out = 32, threads = 256, vector = 4, pad = 4}' | FileCheck --check-prefix=VECTOR %s
// VECTOR-DAG: {{^ *}}1 ld.global.nc.v4.b32
// VECTOR-DAG: {{^ *}}1 st.shared.v4.b32

// pad: elements added to a row of the tile
// RUN: hwtune-compile --schedule=transpose %s -o %t --stats --config='{shared = 1, tile_in = 32, tile_out = 32, threads = 256, vector = 1, pad = 0}' | FileCheck --check-prefix=PAD %s
// PAD: 4096 bytes of shared memory

func.func @kernel(%a: memref<256x128xf32>, %b: memref<128x256xf32>) {
  linalg.transpose ins(%a : memref<256x128xf32>) outs(%b : memref<128x256xf32>) permutation = [1, 0] {hwtune.op}
  return
}
