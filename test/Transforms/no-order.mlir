// Operations whose iterations cannot run in any order are refused with the
// reason, and stay as they are.

// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-enumerate)' 2>&1 | FileCheck %s

module attributes {hwtune.target = #hwtune.target<"t4">} {
  // CHECK: remark: cannot be tuned: operand 1 is written at index 'd0 floordiv 2', expected a parallel loop that indexes no other dimension
  func.func @halves(%a: memref<20xf32>, %c: memref<10xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i floordiv 2)>], iterator_types = ["reduction"]} ins(%a : memref<20xf32>) outs(%c : memref<10xf32>) {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.addf %x, %y : f32
      linalg.yield %0 : f32
    }
    return
  }
  // CHECK: remark: cannot be tuned: operand 1 is written at index 'd0 + d1'
  func.func @sums(%a: memref<4x5xf32>, %c: memref<8xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + j)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<4x5xf32>) outs(%c : memref<8xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    }
    return
  }
  // CHECK: remark: cannot be tuned: operands 0 and 1 are one buffer, which is written while it is read in another order
  func.func @itself(%a: memref<64x64xf32>) {
    linalg.transpose ins(%a : memref<64x64xf32>) outs(%a : memref<64x64xf32>) permutation = [1, 0]
    return
  }
  // In place and element by element is fine.
  // CHECK: schedule 'elementwise'
  func.func @inplace(%a: memref<64xf32>) {
    linalg.exp ins(%a : memref<64xf32>) outs(%a : memref<64xf32>)
    return
  }
}
