// Operations whose iterations cannot run in any order are refused with the
// reason, and so is what no kernel or reference can compute.

// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-enumerate)' 2>&1 | FileCheck %s
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{trials=1 db=none})' 2>&1 | FileCheck %s --check-prefix=TUNE

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
  // CHECK: remark: cannot be tuned: operand 1 is written and its rows overlap, expected one place for each element
  func.func @rows(%a: memref<8x8xf32>, %b: memref<64xf32>) {
    %t = memref.reinterpret_cast %b to offset: [0], sizes: [8, 8], strides: [4, 1] : memref<64xf32> to memref<8x8xf32, strided<[4, 1]>>
    linalg.exp ins(%a : memref<8x8xf32>) outs(%t : memref<8x8xf32, strided<[4, 1]>>)
    return
  }
  // Columns of every other place and rows of one element do not.
  // CHECK-NOT: cannot be tuned
  func.func @spread(%a: memref<8x1x4xf32>, %b: memref<8x1x4xf32, strided<[7, 1, 2]>>) {
    linalg.exp ins(%a : memref<8x1x4xf32>) outs(%b : memref<8x1x4xf32, strided<[7, 1, 2]>>)
    return
  }
  // CHECK: remark: cannot be tuned: operands 0 and 1 are one buffer, which is written while it is read in another order
  func.func @itself(%a: memref<64x64xf32>) {
    linalg.transpose ins(%a : memref<64x64xf32>) outs(%a : memref<64x64xf32>) permutation = [1, 0]
    return
  }
  // Views of one buffer may overlap, or lie apart.
  // CHECK: remark: cannot be tuned: operands 0 and 1 are views of one buffer that may overlap, expected views that lie apart
  func.func @overlap(%a: memref<32x64xf32>) {
    %s = memref.subview %a[0, 0] [32, 32] [1, 1] : memref<32x64xf32> to memref<32x32xf32, strided<[64, 1]>>
    %t = memref.subview %a[0, 1] [32, 32] [1, 1] : memref<32x64xf32> to memref<32x32xf32, strided<[64, 1], offset: 1>>
    linalg.transpose ins(%s : memref<32x32xf32, strided<[64, 1]>>) outs(%t : memref<32x32xf32, strided<[64, 1], offset: 1>>) permutation = [1, 0]
    return
  }
  // CHECK: remark: cannot be tuned: operands 0 and 1 are views of one buffer that may overlap
  func.func @part(%a: memref<64xf32>) {
    %t = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i + 32)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<64xf32>) outs(%t : memref<32xf32, strided<[1]>>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    }
    return
  }
  // CHECK: schedule 'transpose'
  func.func @apart(%a: memref<32x64xf32>) {
    %s = memref.subview %a[0, 0] [32, 32] [1, 1] : memref<32x64xf32> to memref<32x32xf32, strided<[64, 1]>>
    %t = memref.subview %a[0, 32] [32, 32] [1, 1] : memref<32x64xf32> to memref<32x32xf32, strided<[64, 1], offset: 32>>
    linalg.transpose ins(%s : memref<32x32xf32, strided<[64, 1]>>) outs(%t : memref<32x32xf32, strided<[64, 1], offset: 32>>) permutation = [1, 0]
    return
  }
  // What PTX has no arithmetic on is moved, and nothing else.
  // CHECK: remark: cannot be tuned: body operation 'arith.extf' computes with f8E4M3FN, which can only be moved
  func.func @narrow(%a: memref<64xf8E4M3FN>, %b: memref<64xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<64xf8E4M3FN>) outs(%b : memref<64xf32>) {
    ^bb0(%x: f8E4M3FN, %y: f32):
      %w = arith.extf %x : f8E4M3FN to f32
      linalg.yield %w : f32
    }
    return
  }
  // CHECK: schedule 'elementwise'
  func.func @moved(%a: memref<64xf8E4M3FN>, %b: memref<64xf8E4M3FN>) {
    linalg.copy ins(%a : memref<64xf8E4M3FN>) outs(%b : memref<64xf8E4M3FN>)
    return
  }
  // In place and element by element is fine.
  // CHECK: schedule 'elementwise'
  func.func @inplace(%a: memref<64xf32>) {
    linalg.exp ins(%a : memref<64xf32>) outs(%a : memref<64xf32>)
    return
  }
  // Nothing is measured of what could not be verified.
  // TUNE: remark: cannot be tuned, for no result could be checked: the reference does not know 'scf.if'
  func.func @branches(%a: memref<64xf32>, %b: memref<64xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.map ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) (%x: f32, %o: f32) {
      %c = arith.cmpf ogt, %x, %zero : f32
      %v = scf.if %c -> f32 {
        %e = math.exp2 %x : f32
        scf.yield %e : f32
      } else {
        scf.yield %zero : f32
      }
      linalg.yield %v : f32
    }
    return
  }
}
