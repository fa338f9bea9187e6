// What cannot be bufferised leaves the module as it was, with a warning at the
// operation that stands in the way.

// RUN: hwtune-opt --pass-pipeline='builtin.module(hw-apply{emit=gpu})' %s 2>&1 >%t | FileCheck %s --check-prefix=WARN
// RUN: FileCheck %s --input-file=%t

// WARN: not-bufferised.mlir:[[@LINE+6]]:8: warning: module cannot be bufferised, it stays as it was: op was not bufferized
// CHECK-LABEL: func.func @f
// CHECK: arith.extf
// CHECK: linalg.matmul
module attributes {hwtune.target = #hwtune.target<"t4">} {
func.func @f(%a: tensor<64x64xf16>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = arith.extf %a : tensor<64x64xf16> to tensor<64x64xf32>
  %r = linalg.matmul {hwtune.config = #hwtune.config<schedule = "generic", {threads = 32, per_thread = 1, unroll = 1}>} ins(%e, %e : tensor<64x64xf32>, tensor<64x64xf32>) outs(%b : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
}
