// Sum of squares of each row.
func.func @row_norms(%a: tensor<512x1024xf32>, %out: tensor<512xf32>) -> tensor<512xf32> {
  %0 = linalg.generic {
         indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
         iterator_types = ["parallel", "reduction"]}
         ins(%a : tensor<512x1024xf32>) outs(%out : tensor<512xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<512xf32>
  return %0 : tensor<512xf32>
}
