func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

// Two kernels: %t = %a + %a, %c = %t + %t.
func.func @four_times(%a: memref<2x8xf32>, %c: memref<2x8xf32>) {
  %t = memref.alloc() : memref<2x8xf32>
  linalg.add {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 2}>}
      ins(%a, %a : memref<2x8xf32>, memref<2x8xf32>) outs(%t : memref<2x8xf32>)
  linalg.add ins(%t, %t : memref<2x8xf32>, memref<2x8xf32>) outs(%c : memref<2x8xf32>)
  memref.dealloc %t : memref<2x8xf32>
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<2x8xf32>
  %c = memref.alloc() : memref<2x8xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %row = arith.muli %i, %c8 : index
      %at = arith.addi %row, %j : index
      %at32 = arith.index_cast %at : index to i32
      %value = arith.sitofp %at32 : i32 to f32
      memref.store %value, %a[%i, %j] : memref<2x8xf32>
    }
  }
  call @four_times(%a, %c) : (memref<2x8xf32>, memref<2x8xf32>) -> ()
  %u = memref.cast %c : memref<2x8xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  memref.dealloc %a : memref<2x8xf32>
  memref.dealloc %c : memref<2x8xf32>
  return
}
