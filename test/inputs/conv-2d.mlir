func.func @conv(%input: tensor<1x57x57x16xf32>, %filter: tensor<3x3x16x32xf32>, %out: tensor<1x28x28x32xf32>) -> tensor<1x28x28x32xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : vector<2xi64>}
         ins(%input, %filter : tensor<1x57x57x16xf32>, tensor<3x3x16x32xf32>)
         outs(%out : tensor<1x28x28x32xf32>) -> tensor<1x28x28x32xf32>
  return %0 : tensor<1x28x28x32xf32>
}
