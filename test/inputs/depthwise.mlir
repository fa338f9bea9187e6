func.func @depthwise(%input: tensor<1x30x30x64xf32>, %filter: tensor<3x3x64xf32>, %out: tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwc
         ins(%input, %filter : tensor<1x30x30x64xf32>, tensor<3x3x64xf32>)
         outs(%out : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  return %0 : tensor<1x28x28x64xf32>
}
