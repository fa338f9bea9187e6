// Three layers, each relu(x * w + bias), on small whole numbers: every sum is
// exact in f32, whatever its order.
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

#id = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>

func.func @layer(%x: memref<24x32xf32>, %w: memref<32x32xf32>, %bias: memref<32xf32>, %out: memref<24x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%out : memref<24x32xf32>)
  linalg.matmul ins(%x, %w : memref<24x32xf32>, memref<32x32xf32>) outs(%out : memref<24x32xf32>)
  linalg.generic {indexing_maps = [#columns, #id], iterator_types = ["parallel", "parallel"]}
      ins(%bias : memref<32xf32>) outs(%out : memref<24x32xf32>) {
  ^bb0(%b: f32, %o: f32):
    %sum = arith.addf %o, %b : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  }
  return
}

// -3 .. 3, by row and column.
func.func @init(%m: memref<?x?xf32>, %seed: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %f3 = arith.constant 3.0 : f32
  %rows = memref.dim %m, %c0 : memref<?x?xf32>
  %columns = memref.dim %m, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %i3 = arith.muli %i, %c3 : index
      %j5 = arith.muli %j, %c5 : index
      %product = arith.muli %i, %j : index
      %sum = arith.addi %i3, %j5 : index
      %ij = arith.addi %sum, %product : index
      %at = arith.addi %ij, %seed : index
      %rest = arith.remui %at, %c7 : index
      %int = arith.index_cast %rest : index to i32
      %float = arith.sitofp %int : i32 to f32
      %value = arith.subf %float, %f3 : f32
      memref.store %value, %m[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %x = memref.alloc() : memref<24x32xf32>
  %y = memref.alloc() : memref<24x32xf32>
  %w = memref.alloc() : memref<32x32xf32>
  %bias = memref.alloc() : memref<32xf32>
  %xd = memref.cast %x : memref<24x32xf32> to memref<?x?xf32>
  %wd = memref.cast %w : memref<32x32xf32> to memref<?x?xf32>
  call @init(%xd, %c0) : (memref<?x?xf32>, index) -> ()
  call @init(%wd, %c1) : (memref<?x?xf32>, index) -> ()
  scf.for %i = %c0 to %c32 step %c1 {
    %value = memref.load %w[%c2, %i] : memref<32x32xf32>
    memref.store %value, %bias[%i] : memref<32xf32>
  }
  call @layer(%x, %w, %bias, %y) : (memref<24x32xf32>, memref<32x32xf32>, memref<32xf32>, memref<24x32xf32>) -> ()
  call @init(%wd, %c2) : (memref<?x?xf32>, index) -> ()
  call @layer(%y, %w, %bias, %x) : (memref<24x32xf32>, memref<32x32xf32>, memref<32xf32>, memref<24x32xf32>) -> ()
  call @init(%wd, %c3) : (memref<?x?xf32>, index) -> ()
  call @layer(%x, %w, %bias, %y) : (memref<24x32xf32>, memref<32x32xf32>, memref<32xf32>, memref<24x32xf32>) -> ()
  %u = memref.cast %y : memref<24x32xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  memref.dealloc %x : memref<24x32xf32>
  memref.dealloc %y : memref<24x32xf32>
  memref.dealloc %w : memref<32x32xf32>
  memref.dealloc %bias : memref<32xf32>
  return
}
