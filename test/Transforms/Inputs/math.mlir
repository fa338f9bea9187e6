func.func @math(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %empty = tensor.empty() : tensor<1000xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%empty : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %0 = math.exp %a : f32
    %1 = math.tanh %0 : f32
    %2 = math.sin %1 : f32
    %3 = math.log1p %2 : f32
    %4 = math.erf %3 : f32
    %5 = math.powf %4, %b : f32
    %6 = math.atan2 %5, %a : f32
    linalg.yield %6 : f32
  } -> tensor<1000xf32>
  return %result : tensor<1000xf32>
}
