func.func @bias_relu(%a: tensor<512x777xf32>, %bias: tensor<777xf32>, %out: tensor<512x777xf32>) -> tensor<512x777xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {
         indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
         iterator_types = ["parallel", "parallel"]}
         ins(%a, %bias : tensor<512x777xf32>, tensor<777xf32>) outs(%out : tensor<512x777xf32>) {
  ^bb0(%x: f32, %b: f32, %o: f32):
    %sum = arith.addf %x, %b : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<512x777xf32>
  return %0 : tensor<512x777xf32>
}
