// softmax(q * k^T) * v for 24 queries, 40 keys and a head of 16.
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

func.func @attention(%q: memref<24x16xf32>, %k: memref<40x16xf32>, %v: memref<40x16xf32>, %out: memref<24x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %scores = memref.alloc() : memref<24x40xf32>
  %row = memref.alloc() : memref<24xf32>
  linalg.fill ins(%zero : f32) outs(%scores : memref<24x40xf32>)
  linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%q, %k : memref<24x16xf32>, memref<40x16xf32>) outs(%scores : memref<24x40xf32>)
  linalg.fill ins(%lowest : f32) outs(%row : memref<24xf32>)
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%scores : memref<24x40xf32>) outs(%row : memref<24xf32>) {
  ^bb0(%s: f32, %m: f32):
    %most = arith.maximumf %s, %m : f32
    linalg.yield %most : f32
  }
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%row : memref<24xf32>) outs(%scores : memref<24x40xf32>) {
  ^bb0(%m: f32, %s: f32):
    %less = arith.subf %s, %m : f32
    %scaled = arith.mulf %less, %scale : f32
    %weight = math.exp %scaled : f32
    linalg.yield %weight : f32
  }
  linalg.fill ins(%zero : f32) outs(%row : memref<24xf32>)
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%scores : memref<24x40xf32>) outs(%row : memref<24xf32>) {
  ^bb0(%s: f32, %m: f32):
    %sum = arith.addf %s, %m : f32
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%row : memref<24xf32>) outs(%scores : memref<24x40xf32>) {
  ^bb0(%m: f32, %s: f32):
    %share = arith.divf %s, %m : f32
    linalg.yield %share : f32
  }
  linalg.fill ins(%zero : f32) outs(%out : memref<24x16xf32>)
  linalg.matmul ins(%scores, %v : memref<24x40xf32>, memref<40x16xf32>) outs(%out : memref<24x16xf32>)
  memref.dealloc %scores : memref<24x40xf32>
  memref.dealloc %row : memref<24xf32>
  return
}

// -1.5 .. 1.5, by row and column.
func.func @init(%m: memref<?x16xf32>, %seed: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %f3 = arith.constant 3.0 : f32
  %half = arith.constant 0.5 : f32
  %rows = memref.dim %m, %c0 : memref<?x16xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %c16 step %c1 {
      %i3 = arith.muli %i, %c3 : index
      %j5 = arith.muli %j, %c5 : index
      %product = arith.muli %i, %j : index
      %sum = arith.addi %i3, %j5 : index
      %ij = arith.addi %sum, %product : index
      %at = arith.addi %ij, %seed : index
      %rest = arith.remui %at, %c7 : index
      %int = arith.index_cast %rest : index to i32
      %float = arith.sitofp %int : i32 to f32
      %centred = arith.subf %float, %f3 : f32
      %value = arith.mulf %centred, %half : f32
      memref.store %value, %m[%i, %j] : memref<?x16xf32>
    }
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %q = memref.alloc() : memref<24x16xf32>
  %k = memref.alloc() : memref<40x16xf32>
  %v = memref.alloc() : memref<40x16xf32>
  %out = memref.alloc() : memref<24x16xf32>
  %qd = memref.cast %q : memref<24x16xf32> to memref<?x16xf32>
  %kd = memref.cast %k : memref<40x16xf32> to memref<?x16xf32>
  %vd = memref.cast %v : memref<40x16xf32> to memref<?x16xf32>
  call @init(%qd, %c0) : (memref<?x16xf32>, index) -> ()
  call @init(%kd, %c1) : (memref<?x16xf32>, index) -> ()
  call @init(%vd, %c2) : (memref<?x16xf32>, index) -> ()
  call @attention(%q, %k, %v, %out) : (memref<24x16xf32>, memref<40x16xf32>, memref<40x16xf32>, memref<24x16xf32>) -> ()
  %u = memref.cast %out : memref<24x16xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  memref.dealloc %q : memref<24x16xf32>
  memref.dealloc %k : memref<40x16xf32>
  memref.dealloc %v : memref<40x16xf32>
  memref.dealloc %out : memref<24x16xf32>
  return
}
