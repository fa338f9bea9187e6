func.func @add(%a: tensor<4096xf32>, %b: tensor<4096xf32>, %c: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = linalg.add ins(%a, %b : tensor<4096xf32>, tensor<4096xf32>) outs(%c : tensor<4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
