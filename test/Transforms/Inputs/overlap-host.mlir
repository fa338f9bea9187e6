// The same memory as input and output, once apart and once not.
func.func private @add(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>) {
  linalg.add {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
      ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%c : memref<64xf32>)
  return
}
func.func @main() {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %x = memref.alloc() : memref<64xf32>
  %y = memref.alloc() : memref<64xf32>
  %n = arith.constant 64 : index
  %step = arith.constant 1 : index
  scf.for %i = %zero to %n step %step {
    memref.store %one, %x[%i] : memref<64xf32>
  }
  // Two inputs may be one.
  func.call @add(%x, %x, %y) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  %value = memref.load %y[%zero] : memref<64xf32>
  vector.print %value : f32
  func.call @add(%x, %y, %y) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  return
}
