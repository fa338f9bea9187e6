func.func @add(%a: tensor<1048576xf32>, %b: tensor<1048576xf32>, %c: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %0 = linalg.add ins(%a, %b : tensor<1048576xf32>, tensor<1048576xf32>) outs(%c : tensor<1048576xf32>) -> tensor<1048576xf32>
  return %0 : tensor<1048576xf32>
}
