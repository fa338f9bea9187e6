// A tensor with an encoding is left alone with a remark, although its buffer would
// look like any other; what stands beside it is tuned.
// RUN: hwtune-opt --pass-pipeline='builtin.module(hw-aware-tune{target=t4 device=sim:t4 db=none trials=2 emit=config})' -verify-diagnostics=only-expected %s 2>/dev/null | FileCheck %s

// CHECK-LABEL: @dense
// CHECK: linalg.add {hwtune.config
func.func @dense(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.add ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%b : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// CHECK-LABEL: @encoded
// CHECK-NOT: hwtune.config
func.func @encoded(%a: tensor<64x64xf32, "rows">, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark @below {{cannot be tuned: operand 0: encoding of tensor<64x64xf32, "rows"> is not supported, expected a dense tensor}}
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32, "rows">, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
