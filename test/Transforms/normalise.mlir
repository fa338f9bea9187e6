// What `hw-aware-tune` makes of operations before it tunes them.

// RUN: hwtune-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(hw-aware-tune{device=model db=none trials=1 emit=config target=a100-sxm4-80gb})' 2>/dev/null | FileCheck %s

// Numbers from outside become operands; an index goes through i64.
// CHECK-LABEL: func.func @captured(
// CHECK-SAME: %[[A:.*]]: tensor<64xf32>, %[[ALPHA:.*]]: f32, %[[N:.*]]: index
// CHECK: %[[N64:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[A]], %[[N64]], %[[ALPHA]] : tensor<64xf32>, i64, f32)
// CHECK-SAME: hwtune.config
func.func @captured(%a: tensor<64xf32>, %alpha: f32, %n: index, %o: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.map ins(%a : tensor<64xf32>) outs(%o : tensor<64xf32>) (%x: f32, %i: f32) {
    %l = linalg.index 0 : index
    %c = arith.cmpi slt, %l, %n : index
    %m = arith.mulf %x, %alpha : f32
    %s = arith.select %c, %m, %x : f32
    linalg.yield %s : f32
  }
  return %r : tensor<64xf32>
}

// -----

// Nothing to add up leaves the sum as it was.
// CHECK-LABEL: func.func @empty(
// CHECK-SAME: %[[C:.*]]: tensor<16x128xf32>
// CHECK-NOT: linalg.matmul
// CHECK: linalg.exp
// CHECK-SAME: ins(%[[C]] :
func.func @empty(%c: tensor<16x128xf32>, %a: tensor<16x0xf32>, %b: tensor<0x128xf32>) -> tensor<16x128xf32> {
  // expected-remark @below {{'linalg.matmul' does nothing: its loop 2 has 0 iterations}}
  %r = linalg.matmul ins(%a, %b : tensor<16x0xf32>, tensor<0x128xf32>) outs(%c : tensor<16x128xf32>) -> tensor<16x128xf32>
  %e = linalg.exp ins(%r : tensor<16x128xf32>) outs(%r : tensor<16x128xf32>) -> tensor<16x128xf32>
  return %e : tensor<16x128xf32>
}

// -----

// One number from many: a grid of partial sums, then their sum.
// CHECK-LABEL: func.func @long(
// CHECK: tensor.expand_shape {{.*}} : tensor<1000000xf32> into tensor<1000x1000xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK-SAME: tensor<1000xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]
func.func @long(%a: tensor<1000000xf32>, %o: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce {arith.addf} ins(%a : tensor<1000000xf32>) outs(%o : tensor<f32>) dimensions = [0]
  return %r : tensor<f32>
}

// -----

// On buffers, too: bufferisation turns the tensors into the buffers again.
// CHECK-LABEL: func.func @buffers(
// CHECK-SAME: %[[A:.*]]: memref<1000000xf32>, %[[O:.*]]: memref<f32>
// CHECK-DAG: %[[IN:.*]] = bufferization.to_tensor %[[A]] restrict : memref<1000000xf32>
// CHECK-DAG: %[[OUT:.*]] = bufferization.to_tensor %[[O]] restrict writable
// CHECK: tensor.expand_shape %[[IN]] {{.*}} : tensor<1000000xf32> into tensor<1000x1000xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]{{.*}} outs(%[[OUT]] :
// CHECK: bufferization.materialize_in_destination %[[R]] in restrict writable %[[O]]
// Strided rows stay whole, and so does what combines by no one operation.
// CHECK: linalg.reduce
// CHECK: linalg.reduce
// CHECK-NOT: tensor.expand_shape
func.func @buffers(%a: memref<1000000xf32>, %o: memref<f32>, %s: memref<1000000xf32, strided<[2]>>) {
  linalg.reduce {arith.addf} ins(%a : memref<1000000xf32>) outs(%o : memref<f32>) dimensions = [0]
  linalg.reduce {arith.addf} ins(%s : memref<1000000xf32, strided<[2]>>) outs(%o : memref<f32>) dimensions = [0]
  linalg.reduce ins(%a : memref<1000000xf32>) outs(%o : memref<f32>) dimensions = [0] (%x: f32, %y: f32) {
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  }
  return
}

// -----

// Parts of equal length leave some iterations over, which follow.
// CHECK-LABEL: func.func @prime(
// CHECK: tensor.extract_slice {{.*}}[0] [999424] [1]
// CHECK: tensor.expand_shape {{.*}} : tensor<999424xf32> into tensor<512x1952xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: %[[MOST:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK: %[[REST:.*]] = tensor.extract_slice {{.*}}[999424] [559] [1]
// CHECK: linalg.reduce {{.*}} ins(%[[REST]] : tensor<559xf32>) outs(%[[MOST]] : tensor<f32>)
func.func @prime(%a: tensor<999983xf32>, %o: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce {arith.addf} ins(%a : tensor<999983xf32>) outs(%o : tensor<f32>) dimensions = [0]
  return %r : tensor<f32>
}

// -----

// Of several loops the outermost one of the input is the parts, whatever its place.
// CHECK-LABEL: func.func @means(
// CHECK: %[[F:.*]] = linalg.fill {{.*}} -> tensor<64x4xf32>
// CHECK: %[[P:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK-SAME: outs(%[[F]] : tensor<64x4xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
// CHECK-SAME: ins(%[[P]] : tensor<64x4xf32>) outs(%{{.*}} : tensor<4xf32>)
func.func @means(%a: tensor<64x4x56x56xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.reduce {arith.addf} ins(%a : tensor<64x4x56x56xf32>) outs(%o : tensor<4xf32>) dimensions = [0, 2, 3]
  return %r : tensor<4xf32>
}

// -----

// A product of few results over many iterations.
// CHECK-LABEL: func.func @product(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK-SAME: schedule = "matmul"
// CHECK: linalg.generic {{.*}} iterator_types = [{{.*}}"reduction"{{.*}}]
// CHECK-SAME: schedule = "reduction"
func.func @product(%a: tensor<64x8192xf32>, %b: tensor<8192x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x8192xf32>, tensor<8192x64xf32>) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// Along columns a block covers some tens of results: more of them are few.
// CHECK-LABEL: func.func @columns(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]
// CHECK-SAME: outs(%{{.*}} : tensor<256x256xf32>)
// CHECK: linalg.reduce
// CHECK-SAME: ins(%{{.*}} : tensor<65536x512xf32>)
// CHECK: linalg.reduce
// CHECK-SAME: ins(%{{.*}} : tensor<16384x32xf32>)
func.func @columns(%a: tensor<65536x256xf32>, %o: tensor<256xf32>, %b: tensor<65536x512xf32>, %p: tensor<512xf32>, %c: tensor<16384x32xf32>, %q: tensor<32xf32>) -> (tensor<256xf32>, tensor<512xf32>, tensor<32xf32>) {
  %r = linalg.reduce {arith.addf} ins(%a : tensor<65536x256xf32>) outs(%o : tensor<256xf32>) dimensions = [0]
  %s = linalg.reduce {arith.addf} ins(%b : tensor<65536x512xf32>) outs(%p : tensor<512xf32>) dimensions = [0]
  %t = linalg.reduce {arith.addf} ins(%c : tensor<16384x32xf32>) outs(%q : tensor<32xf32>) dimensions = [0]
  return %r, %s, %t : tensor<256xf32>, tensor<512xf32>, tensor<32xf32>
}

// -----

// A convolution by windows of one element is a product, and one window of the
// whole picture a reduction; with a step between them windows stay windows.
// CHECK-LABEL: func.func @windows(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK-SAME: ins(%{{.*}} : tensor<2x5x7x6xf32>, tensor<6x8xf32>) outs(%{{.*}} : tensor<2x5x7x8xf32>)
// CHECK-SAME: schedule = "matmul"
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK-SAME: outs(%{{.*}} : tensor<2x6xf32>)
// CHECK-SAME: schedule = "reduction"
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @windows(%a: tensor<2x5x7x6xf32>, %w: tensor<1x1x6x8xf32>, %o: tensor<2x5x7x8xf32>, %b: tensor<2x6x5x7xf32>, %v: tensor<5x7xf32>, %p: tensor<2x6x1x1xf32>, %q: tensor<2x3x4x8xf32>) -> (tensor<2x5x7x8xf32>, tensor<2x6x1x1xf32>, tensor<2x3x4x8xf32>) {
  %r = linalg.conv_2d_nhwc_hwcf ins(%a, %w : tensor<2x5x7x6xf32>, tensor<1x1x6x8xf32>) outs(%o : tensor<2x5x7x8xf32>) -> tensor<2x5x7x8xf32>
  %s = linalg.pooling_nchw_max ins(%b, %v : tensor<2x6x5x7xf32>, tensor<5x7xf32>) outs(%p : tensor<2x6x1x1xf32>) -> tensor<2x6x1x1xf32>
  %t = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%a, %w : tensor<2x5x7x6xf32>, tensor<1x1x6x8xf32>) outs(%q : tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32>
  return %r, %s, %t : tensor<2x5x7x8xf32>, tensor<2x6x1x1xf32>, tensor<2x3x4x8xf32>
}

// -----

// Windows that need not cover the picture, by sizes that are known or not, stay
// windows: the picture's size is not the loop's.
// CHECK-LABEL: func.func @slack(
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK: linalg.pooling_nhwc_max
// CHECK: linalg.pooling_nhwc_sum
func.func @slack(%a: tensor<2x6x7x6xf32>, %w: tensor<1x1x6x8xf32>, %o: tensor<2x5x7x8xf32>, %d: tensor<2x?x?x6xf32>, %b: tensor<1x8x8x4xf32>, %v: tensor<7x7xf32>, %p: tensor<1x1x1x4xf32>, %e: tensor<1x?x?x4xf32>) -> (tensor<2x5x7x8xf32>, tensor<2x5x7x8xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>) {
  %r = linalg.conv_2d_nhwc_hwcf ins(%a, %w : tensor<2x6x7x6xf32>, tensor<1x1x6x8xf32>) outs(%o : tensor<2x5x7x8xf32>) -> tensor<2x5x7x8xf32>
  %s = linalg.conv_2d_nhwc_hwcf ins(%d, %w : tensor<2x?x?x6xf32>, tensor<1x1x6x8xf32>) outs(%o : tensor<2x5x7x8xf32>) -> tensor<2x5x7x8xf32>
  %t = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%b, %v : tensor<1x8x8x4xf32>, tensor<7x7xf32>) outs(%p : tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
  %u = linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>} ins(%e, %v : tensor<1x?x?x4xf32>, tensor<7x7xf32>) outs(%p : tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
  return %r, %s, %t, %u : tensor<2x5x7x8xf32>, tensor<2x5x7x8xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>
}

// -----

// A short reduction is left whole, and so are many results.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT: tensor.expand_shape
func.func @whole(%a: tensor<65536xf32>, %o: tensor<f32>, %b: tensor<32x262144xf32>, %p: tensor<32xf32>) -> (tensor<f32>, tensor<32xf32>) {
  %r = linalg.reduce {arith.addf} ins(%a : tensor<65536xf32>) outs(%o : tensor<f32>) dimensions = [0]
  %s = linalg.reduce {arith.addf} ins(%b : tensor<32x262144xf32>) outs(%p : tensor<32xf32>) dimensions = [1]
  return %r, %s : tensor<f32>, tensor<32xf32>
}

// -----

// What no schedule can run says why.
// CHECK-LABEL: func.func @refused(
// expected-warning @below {{nothing in the module can be tuned}}
module {
  func.func @refused(%a: tensor<4xcomplex<f32>>, %o: tensor<4xcomplex<f32>>, %m: memref<4x4xf32>) -> tensor<4xcomplex<f32>> {
    // expected-remark @below {{cannot be tuned: operand 0: element type complex<f32> is not supported}}
    %r = linalg.copy ins(%a : tensor<4xcomplex<f32>>) outs(%o : tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    // expected-remark @below {{cannot be tuned: 'linalg.softmax' does not implement the LinalgOp interface; on tensors, hw-aware-tune tunes its parts}}
    linalg.softmax dimension(1) ins(%m : memref<4x4xf32>) outs(%m : memref<4x4xf32>)
    return %r : tensor<4xcomplex<f32>>
  }
}

// -----

// A body that reads its position, and operands that are not indexed by one loop
// a dimension, stay whole: parts would have other positions.
// CHECK-LABEL: func.func @position(
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @grouped(
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @row_of_three(
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @taps(
// CHECK: linalg.conv_1d
// CHECK-NOT: linalg.generic
#a = affine_map<(i, j) -> (i, j)>
#o = affine_map<(i, j) -> (i)>
func.func @position(%a: tensor<3x262144xi64>, %o: tensor<3xi64>) -> tensor<3xi64> {
  %r = linalg.generic {indexing_maps = [#a, #o], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x262144xi64>) outs(%o : tensor<3xi64>) {
  ^bb0(%x: i64, %s: i64):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %p = arith.muli %n, %x : i64
    %m = arith.maxsi %p, %s : i64
    linalg.yield %m : i64
  } -> tensor<3xi64>
  return %r : tensor<3xi64>
}
func.func @grouped(%a: tensor<2x262144xf32>, %w: tensor<256xf32>, %o: tensor<2xf32>) -> tensor<2xf32> {
  %r = linalg.generic {indexing_maps = [#a, affine_map<(i, j) -> (j floordiv 1024)>, #o], iterator_types = ["parallel", "reduction"]}
      ins(%a, %w : tensor<2x262144xf32>, tensor<256xf32>) outs(%o : tensor<2xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %m = arith.addf %p, %s : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @row_of_three(%a: tensor<2x2x262144xf32>, %o: tensor<2xf32>) -> tensor<2xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 1, j)>, #o], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x2x262144xf32>) outs(%o : tensor<2xf32>) {
  ^bb0(%x: f32, %s: f32):
    %m = arith.addf %x, %s : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @taps(%a: tensor<262151xf32>, %w: tensor<262144xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.conv_1d ins(%a, %w : tensor<262151xf32>, tensor<262144xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
