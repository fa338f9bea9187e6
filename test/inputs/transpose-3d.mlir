func.func @transpose(%a: tensor<32x100x72xf32>, %out: tensor<72x32x100xf32>) -> tensor<72x32x100xf32> {
  %0 = linalg.transpose ins(%a : tensor<32x100x72xf32>) outs(%out : tensor<72x32x100xf32>) permutation = [2, 0, 1]
  return %0 : tensor<72x32x100xf32>
}
