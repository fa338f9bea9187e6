// Softmax along rows, as linalg decomposes it: row maximum, exponentials, row
// sum, quotient.
#rows = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @softmax(%a: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty() : tensor<256xf32>
  %full = tensor.empty() : tensor<256x512xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%row : tensor<256xf32>) -> tensor<256xf32>
  %max = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
         ins(%a : tensor<256x512xf32>) outs(%max0 : tensor<256xf32>) {
  ^bb0(%x: f32, %m: f32):
    %next = arith.maxnumf %x, %m : f32
    linalg.yield %next : f32
  } -> tensor<256xf32>
  %exp = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
         ins(%a, %max : tensor<256x512xf32>, tensor<256xf32>) outs(%full : tensor<256x512xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<256x512xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%row : tensor<256xf32>) -> tensor<256xf32>
  %sum = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
         ins(%exp : tensor<256x512xf32>) outs(%sum0 : tensor<256xf32>) {
  ^bb0(%x: f32, %s: f32):
    %next = arith.addf %x, %s : f32
    linalg.yield %next : f32
  } -> tensor<256xf32>
  %out = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
         ins(%exp, %sum : tensor<256x512xf32>, tensor<256xf32>) outs(%full : tensor<256x512xf32>) {
  ^bb0(%x: f32, %s: f32, %o: f32):
    %q = arith.divf %x, %s : f32
    linalg.yield %q : f32
  } -> tensor<256x512xf32>
  return %out : tensor<256x512xf32>
}
