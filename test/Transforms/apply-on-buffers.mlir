// What is legal for an operation on the buffers that it will have can be
// applied, though it is not for the operation as it stands: a stepped slice has
// no dimension of unit stride there, a view an offset that is known, a body no
// number from outside.
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=t4},hw-tune{device=model trials=3 db=none},hw-apply)' 2>&1 | FileCheck %s

// CHECK-NOT: cannot be applied
// CHECK-NOT: stays on the host
// CHECK-NOT: hwtune.annotated
// CHECK-LABEL: func.func @stepped(
// CHECK: gpu.launch_func
func.func @stepped(%a: tensor<16x32xf32>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %s = tensor.extract_slice %a[0, 0] [16, 16] [1, 2] : tensor<16x32xf32> to tensor<16x16xf32>
  %t = linalg.transpose ins(%s : tensor<16x16xf32>) outs(%o : tensor<16x16xf32>) permutation = [1, 0]
  return %t : tensor<16x16xf32>
}
// CHECK-LABEL: func.func @known_offset(
// CHECK: gpu.launch_func
func.func @known_offset(%a: memref<2048x1024xf32>, %b: memref<1024x1024xf32>, %c: memref<1024x1024xf32>) {
  %c1024 = arith.constant 1024 : index
  %s = memref.subview %a[%c1024, 0] [1024, 1024] [1, 1] : memref<2048x1024xf32> to memref<1024x1024xf32, strided<[1024, 1], offset: ?>>
  linalg.matmul ins(%s, %b : memref<1024x1024xf32, strided<[1024, 1], offset: ?>>, memref<1024x1024xf32>) outs(%c : memref<1024x1024xf32>)
  return
}
// CHECK-LABEL: func.func @captured(
// CHECK: gpu.launch_func
func.func @captured(%a: tensor<64x64xf32>, %s: f32) -> tensor<64x64xf32> {
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%a : tensor<64x64xf32>) {
  ^bb0(%x: f32):
    %q = arith.mulf %x, %s : f32
    linalg.yield %q : f32
  } -> tensor<64x64xf32>
  return %t : tensor<64x64xf32>
}
