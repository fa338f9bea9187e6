func.func @sum(%a: memref<40x24xf32>, %b: memref<40x24xf32>, %c: memref<40x24xf32>) {
  linalg.add {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 2, threads = 64, vector = 4}>}
      ins(%a, %b : memref<40x24xf32>, memref<40x24xf32>) outs(%c : memref<40x24xf32>)
  return
}
