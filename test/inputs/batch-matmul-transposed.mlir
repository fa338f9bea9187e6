// The second operand is stored n x k.
func.func @batch_matmul(%a: tensor<8x128x64xf32>, %b: tensor<8x256x64xf32>, %c: tensor<8x128x256xf32>) -> tensor<8x128x256xf32> {
  %0 = linalg.batch_matmul
         indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>,
                          affine_map<(b, m, n, k) -> (b, n, k)>,
                          affine_map<(b, m, n, k) -> (b, m, n)>]
         ins(%a, %b : tensor<8x128x64xf32>, tensor<8x256x64xf32>)
         outs(%c : tensor<8x128x256xf32>) -> tensor<8x128x256xf32>
  return %0 : tensor<8x128x256xf32>
}
