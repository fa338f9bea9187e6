// Views: of tensors, of memrefs, and as arguments.

// RUN: hwtune-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(hw-apply)' | FileCheck %s
// RUN: hwtune-opt %s --split-input-file --pass-pipeline='builtin.module(hw-apply)' 2>/dev/null | mlir-opt --split-input-file -o /dev/null

// The slices stay views of the whole; what the copy back of the result would be
// is a kernel.
// CHECK-LABEL: func.func @slices
// CHECK: scf.for
// CHECK: memref.subview
// CHECK: gpu.launch_func
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @slices(%a: tensor<8x64xf32>, %o: tensor<8x64xf32>) -> tensor<8x64xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %o) -> (tensor<8x64xf32>) {
      %s = tensor.extract_slice %a[%i, 0] [1, 64] [1, 1] : tensor<8x64xf32> to tensor<64xf32>
      %d = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1] : tensor<8x64xf32> to tensor<64xf32>
      // A row at an unknown offset may start anywhere: no vectors.
      // expected-remark @below {{the generic configuration is used: on the buffers of this operation, 'hwtune.config' cannot be applied: elements of an access (16 bytes, rows and types allow): needs 4, limit 1}}
      %y = linalg.exp {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 4}>}
          ins(%s : tensor<64xf32>) outs(%d : tensor<64xf32>) -> tensor<64xf32>
      %z = tensor.insert_slice %y into %x[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<8x64xf32>
      scf.yield %z : tensor<8x64xf32>
    }
    return %r : tensor<8x64xf32>
  }
}

// -----

// An argument whose rows lie apart is copied whole, gaps included.
// CHECK-LABEL: func.func @argument(
// CHECK-SAME: %[[A:.*]]: memref<8x8xf32, strided<[16, 1], offset: ?>>
// CHECK: memref.extract_strided_metadata %[[A]]
// CHECK: %[[ROW:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%{{.*}}], strides: [1]
// CHECK: %[[LENGTH2:.*]] = memref.dim %[[ROW]]
// CHECK: %[[DEVICE:.*]] = gpu.alloc{{ +}}(%[[LENGTH2]]) : memref<?xf32>
// CHECK: gpu.memcpy %[[DEVICE]], %[[ROW]]
// CHECK: gpu.launch_func
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @argument(%a: memref<8x8xf32, strided<[16, 1], offset: ?>>, %b: memref<8x8xf32>) {
    linalg.exp {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<8x8xf32, strided<[16, 1], offset: ?>>) outs(%b : memref<8x8xf32>)
    return
  }
}
