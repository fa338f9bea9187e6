func.func @max_pool(%input: tensor<1x57x57x64xf32>, %out: tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32> {
  %window = tensor.empty() : tensor<3x3xf32>
  %0 = linalg.pooling_nhwc_max {strides = dense<2> : vector<2xi64>}
         ins(%input, %window : tensor<1x57x57x64xf32>, tensor<3x3xf32>)
         outs(%out : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  return %0 : tensor<1x28x28x64xf32>
}
