func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

// Every element of A is its row number, every element of B its column number.
func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul {hwtune.config = #hwtune.config<schedule = "matmul", {block_m = 16, block_n = 16, block_k = 8, thread_m = 2, thread_n = 4, vector_a = 4, vector_b = 4, vector_c = 4, unroll = 2, shared_a = 1, shared_b = 1, pad_a = 0, pad_b = 0, stages = 1}>}
      ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

func.func @run(%m: index, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc(%m, %k) : memref<?x?xf32>
  %b = memref.alloc(%k, %n) : memref<?x?xf32>
  %c = memref.alloc(%m, %n) : memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    %i32 = arith.index_cast %i : index to i32
    %value = arith.sitofp %i32 : i32 to f32
    scf.for %j = %c0 to %k step %c1 {
      memref.store %value, %a[%i, %j] : memref<?x?xf32>
    }
    scf.for %j = %c0 to %n step %c1 {
      memref.store %zero, %c[%i, %j] : memref<?x?xf32>
    }
  }
  scf.for %j = %c0 to %n step %c1 {
    %j32 = arith.index_cast %j : index to i32
    %value = arith.sitofp %j32 : i32 to f32
    scf.for %i = %c0 to %k step %c1 {
      memref.store %value, %b[%i, %j] : memref<?x?xf32>
    }
  }
  call @matmul(%a, %b, %c) : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
  %u = memref.cast %c : memref<?x?xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  memref.dealloc %a : memref<?x?xf32>
  memref.dealloc %b : memref<?x?xf32>
  memref.dealloc %c : memref<?x?xf32>
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  call @run(%c3, %c4, %c12) : (index, index, index) -> ()
  call @run(%c2, %c3, %c5) : (index, index, index) -> ()
  call @run(%c0, %c4, %c12) : (index, index, index) -> ()
  call @run(%c2, %c3, %c0) : (index, index, index) -> ()
  return
}
