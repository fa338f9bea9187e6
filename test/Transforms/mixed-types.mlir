// Products whose factors are converted first: each is tuned, and its results compared with the reference's.
// RUN: hwtune-opt --pass-pipeline='builtin.module(hw-aware-tune{target=t4 device=sim:t4 db=none trials=2 strategy=random emit=config})' %s 2>/dev/null | FileCheck %s

// CHECK-LABEL: @narrow
// CHECK: hwtune.config = #hwtune.config<schedule = "matmul"
// CHECK-SAME: simulated
func.func @narrow(%a: tensor<40x36xf32>, %b: tensor<36x48xf32>, %c: tensor<40x48xf16>) -> tensor<40x48xf16> {
  %r = linalg.matmul ins(%a, %b : tensor<40x36xf32>, tensor<36x48xf32>) outs(%c : tensor<40x48xf16>) -> tensor<40x48xf16>
  return %r : tensor<40x48xf16>
}

// CHECK-LABEL: @weights
// CHECK: hwtune.config = #hwtune.config<schedule = "matmul"
// CHECK-SAME: simulated
func.func @weights(%a: tensor<40x36xf16>, %b: tensor<36x48xi8>, %c: tensor<40x48xf16>) -> tensor<40x48xf16> {
  %r = linalg.matmul ins(%a, %b : tensor<40x36xf16>, tensor<36x48xi8>) outs(%c : tensor<40x48xf16>) -> tensor<40x48xf16>
  return %r : tensor<40x48xf16>
}

// CHECK-LABEL: @to_real
// CHECK: hwtune.config = #hwtune.config<schedule = "matmul"
// CHECK-SAME: simulated
func.func @to_real(%a: tensor<40x36xi8>, %b: tensor<36x48xi8>, %c: tensor<40x48xf32>) -> tensor<40x48xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<40x36xi8>, tensor<36x48xi8>) outs(%c : tensor<40x48xf32>) -> tensor<40x48xf32>
  return %r : tensor<40x48xf32>
}

// CHECK-LABEL: @to_integer
// CHECK: hwtune.config = #hwtune.config<schedule = "matmul"
// CHECK-SAME: simulated
func.func @to_integer(%a: tensor<40x36xi32>, %b: tensor<36x48xi32>, %c: tensor<40x48xi8>) -> tensor<40x48xi8> {
  %r = linalg.matmul ins(%a, %b : tensor<40x36xi32>, tensor<36x48xi32>) outs(%c : tensor<40x48xi8>) -> tensor<40x48xi8>
  return %r : tensor<40x48xi8>
}

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: @fused
// CHECK: hwtune.config = #hwtune.config<schedule = "matmul"
// CHECK-SAME: simulated
func.func @fused(%a: tensor<40x36xf32>, %b: tensor<36x48xf32>, %c: tensor<40x48xf32>) -> tensor<40x48xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x36xf32>, tensor<36x48xf32>) outs(%c : tensor<40x48xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = math.fma %x, %y, %z : f32
    linalg.yield %s : f32
  } -> tensor<40x48xf32>
  return %r : tensor<40x48xf32>
}

// Two conversions of one factor, one of the product: no schedule of products takes
// that apart, the one of reductions runs the body as it stands.
// CHECK-LABEL: @twice
// CHECK: hwtune.config = #hwtune.config<schedule = "reduction"
// CHECK-SAME: simulated
func.func @twice(%a: tensor<40x36xi8>, %b: tensor<36x48xf32>, %c: tensor<40x48xf32>) -> tensor<40x48xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x36xi8>, tensor<36x48xf32>) outs(%c : tensor<40x48xf32>) {
  ^bb0(%x: i8, %y: f32, %z: f32):
    %i = arith.extsi %x : i8 to i32
    %f = arith.uitofp %i : i32 to f32
    %p = arith.mulf %f, %y : f32
    %s = arith.addf %p, %z : f32
    linalg.yield %s : f32
  } -> tensor<40x48xf32>
  return %r : tensor<40x48xf32>
}

// CHECK-LABEL: @product_widened
// CHECK: hwtune.config = #hwtune.config<schedule = "reduction"
// CHECK-SAME: simulated
func.func @product_widened(%a: tensor<40x36xf16>, %b: tensor<36x48xf16>, %c: tensor<40x48xf32>) -> tensor<40x48xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x36xf16>, tensor<36x48xf16>) outs(%c : tensor<40x48xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %p = arith.mulf %y, %x : f16
    %w = arith.extf %p : f16 to f32
    %s = arith.addf %w, %z : f32
    linalg.yield %s : f32
  } -> tensor<40x48xf32>
  return %r : tensor<40x48xf32>
}
