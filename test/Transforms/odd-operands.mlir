// Operands whose ends, rows or views are odd: no candidate that the space lets
// through fails, and what was tuned is what is rewritten.

// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{device=sim:rtx-4090 trials=12 strategy=random db=none})' -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=ALIGN --input-file=%t

// CHECK-NOT: {{failed: [0-9]+}}
// CHECK-NOT: is used: on the buffers
// CHECK-NOT: cannot be

module attributes {hwtune.target = #hwtune.target<"rtx-4090">} {
  // Three neighbours are not read as four past the end.
  // ALIGN: gpu.func {{.*}}memref<3xf32> {llvm.align = 4 : i64
  func.func @short_rows(%a: memref<96x3xf32>, %b: memref<3xf32>, %c: memref<96xf32>) {
    linalg.matvec ins(%a, %b : memref<96x3xf32>, memref<3xf32>) outs(%c : memref<96xf32>)
    return
  }

  // Elements of a row that lie apart are not copied in the background.
  func.func @columns(%a: memref<64x48xf32, strided<[1, 64]>>, %b: memref<48x32xf32>, %c: memref<64x32xf32>) {
    linalg.matmul ins(%a, %b : memref<64x48xf32, strided<[1, 64]>>, memref<48x32xf32>) outs(%c : memref<64x32xf32>)
    return
  }

  // A slice is tuned as the view that it becomes.
  func.func @slice(%a: tensor<64x128xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %s = tensor.extract_slice %a[0, 0] [64, 64] [1, 2] : tensor<64x128xf32> to tensor<64x64xf32>
    %r = linalg.matmul ins(%s, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
    return %r : tensor<64x64xf32>
  }

  // A known size below the block beside unknown ones.
  func.func @partly(%a: memref<?x8x?xf32>, %b: memref<?x?x64xf32>, %c: memref<?x8x64xf32>) {
    linalg.batch_matmul ins(%a, %b : memref<?x8x?xf32>, memref<?x?x64xf32>) outs(%c : memref<?x8x64xf32>)
    return
  }

  // A body in which something is dead or does nothing is a product all the same.
  func.func @dead(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %one = arith.constant 1.0 : f32
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%o : tensor<64x64xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %d = math.exp %x : f32
      %i = arith.mulf %x, %one : f32
      %p = arith.mulf %i, %y : f32
      %s = arith.addf %z, %p : f32
      linalg.yield %s : f32
    } -> tensor<64x64xf32>
    return %r : tensor<64x64xf32>
  }

  // An operand of which only the shape is used makes no transpose.
  func.func @shape(%a: tensor<64x48xf32>, %b: tensor<48x64xf32>, %o: tensor<64x48xf32>) -> tensor<64x48xf32> {
    %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<64x48xf32>, tensor<48x64xf32>) outs(%o : tensor<64x48xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %e = math.exp %x : f32
      linalg.yield %e : f32
    } -> tensor<64x48xf32>
    return %r : tensor<64x48xf32>
  }

  // A picture of unknown size that is read at every second place, and in turns.
  func.func @upsample(%a: memref<?x?xf32>, %b: memref<?xf32>, %c: memref<?x?xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j floordiv 2)>, affine_map<(i, j) -> (j mod 3)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : memref<?x?xf32>, memref<?xf32>) outs(%c : memref<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
    }
    return
  }

  // A pipeline starts and ends once for each turn of the outer sum.
  func.func @batches(%a: tensor<4x9x16xf16>, %b: tensor<4x16x24xf16>, %c: tensor<9x24xf32>) -> tensor<9x24xf32> {
    %0 = linalg.batch_reduce_matmul ins(%a, %b : tensor<4x9x16xf16>, tensor<4x16x24xf16>) outs(%c : tensor<9x24xf32>) -> tensor<9x24xf32>
    return %0 : tensor<9x24xf32>
  }
}
