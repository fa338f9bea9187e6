// Sums and maxima of eight rows on buffers, onto what is there. Parts of equal length
// leave some iterations of each over.
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

func.func @reduce(%a: memref<8x131101xf32>, %sum: memref<8xf32>, %most: memref<8xf32>) {
  linalg.reduce { arith.addf } ins(%a : memref<8x131101xf32>) outs(%sum : memref<8xf32>) dimensions = [1]
  linalg.reduce { arith.maximumf } ins(%a : memref<8x131101xf32>) outs(%most : memref<8xf32>) dimensions = [1]
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %rows = arith.constant 8 : index
  %n = arith.constant 131101 : index
  %three = arith.constant 3.0 : f32
  %a = memref.alloc() : memref<8x131101xf32>
  %sum = memref.alloc() : memref<8xf32>
  %most = memref.alloc() : memref<8xf32>
  // Small integers, so that sums are exact in any order.
  scf.for %i = %c0 to %rows step %c1 {
    %modulus = arith.addi %i, %c7 : index
    scf.for %j = %c0 to %n step %c1 {
      %r = arith.remui %j, %modulus : index
      %int = arith.index_cast %r : index to i32
      %value = arith.sitofp %int : i32 to f32
      memref.store %value, %a[%i, %j] : memref<8x131101xf32>
    }
    memref.store %three, %sum[%i] : memref<8xf32>
    memref.store %three, %most[%i] : memref<8xf32>
  }
  call @reduce(%a, %sum, %most) : (memref<8x131101xf32>, memref<8xf32>, memref<8xf32>) -> ()
  %both = memref.alloc() : memref<2x8xf32>
  scf.for %i = %c0 to %rows step %c1 {
    %s = memref.load %sum[%i] : memref<8xf32>
    memref.store %s, %both[%c0, %i] : memref<2x8xf32>
    %m = memref.load %most[%i] : memref<8xf32>
    memref.store %m, %both[%c1, %i] : memref<2x8xf32>
  }
  %printed = memref.cast %both : memref<2x8xf32> to memref<*xf32>
  call @printMemrefF32(%printed) : (memref<*xf32>) -> ()
  return
}
