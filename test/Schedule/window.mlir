// What each knob of the window schedule changes in the PTX.

// RUN: rm -rf %t && mkdir -p %t
// RUN: hwtune-compile --schedule=window %s -o %t --stats --config='{threads = 128, tile_x = 4, tile_y = 1, unroll = 1}' | FileCheck %s
// CHECK: grid 64 x 1 x 1, block 128 x 1 x 1
// CHECK-DAG: {{^ *}}4 fma.rn.f32
// CHECK-DAG: {{^ *}}1 st.global.v4.b32

// threads: of a block
// RUN: hwtune-compile --schedule=window %s -o %t --stats --config='{threads = 256, tile_x = 4, tile_y = 1, unroll = 1}' | FileCheck --check-prefix=THREADS %s
// THREADS: grid 32 x 1 x 1, block 256 x 1 x 1

// tile_x: outputs of a thread along the rows of the output
// RUN: hwtune-compile --schedule=window %s -o %t --stats --config='{threads = 128, tile_x = 8, tile_y = 1, unroll = 1}' | FileCheck --check-prefix=X %s
// X: grid 32 x 1 x 1, block 128 x 1 x 1
// X-DAG: {{^ *}}8 fma.rn.f32
// X-DAG: {{^ *}}2 st.global.v4.b32

// tile_y: outputs of a thread along the other loop
// RUN: hwtune-compile --schedule=window %s -o %t --stats --config='{threads = 128, tile_x = 4, tile_y = 2, unroll = 1}' | FileCheck --check-prefix=Y %s
// Y: grid 32 x 1 x 1, block 128 x 1 x 1
// Y-DAG: {{^ *}}8 fma.rn.f32
// Y-DAG: {{^ *}}2 st.global.v4.b32

// unroll: copies of the body of the innermost loop
// RUN: hwtune-compile --schedule=window %s -o %t --stats --config='{threads = 128, tile_x = 4, tile_y = 1, unroll = 4}' | FileCheck --check-prefix=UNROLL %s
// UNROLL-DAG: {{^ *}}16 fma.rn.f32

func.func @kernel(%a: memref<1x34x34x16xf32>, %f: memref<3x3x16x32xf32>, %c: memref<1x32x32x32xf32>) {
  linalg.conv_2d_nhwc_hwcf {hwtune.op} ins(%a, %f : memref<1x34x34x16xf32>, memref<3x3x16x32xf32>) outs(%c : memref<1x32x32x32xf32>)
  return
}
