// RUN: hwtune-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(transform-interpreter)'

func.func @kernel(%a: memref<100x64xf32>, %b: memref<64x96xf32>, %c: memref<100x96xf32>) {
  linalg.matmul ins(%a, %b : memref<100x64xf32>, memref<64x96xf32>) outs(%c : memref<100x96xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expected one tile size and one multiple for each of 3 loops, found 2 and 2}}
    %t, %l = transform.hwtune.tile_to_grid %op tile_sizes [32, 32] threads 256 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @kernel(%a: memref<100x64xf32>, %b: memref<64x96xf32>, %c: memref<100x96xf32>) {
  linalg.matmul ins(%a, %b : memref<100x64xf32>, memref<64x96xf32>) outs(%c : memref<100x96xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{threads 0 < 1}}
    %t, %l = transform.hwtune.tile_to_grid %op tile_sizes [32, 32, 0] threads 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @kernel(%a: memref<100x64xf32>, %b: memref<64x96xf32>, %c: memref<100x96xf32>) {
  linalg.matmul ins(%a, %b : memref<100x64xf32>, memref<64x96xf32>) outs(%c : memref<100x96xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expected a linalg op on memrefs, found 'func.func'}}
    %t, %l = transform.hwtune.tile_to_grid %f tile_sizes [32, 32, 0] threads 64 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @kernel(%a: memref<100x64xf32>, %b: memref<64x96xf32>, %c: memref<100x96xf32>) {
  linalg.matmul ins(%a, %b : memref<100x64xf32>, memref<64x96xf32>) outs(%c : memref<100x96xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.hwtune.tile_to_grid %op tile_sizes [32, 32, 0] threads 64 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @below {{extent 32 of loop 0 is no multiple of 5 threads of tile 4}}
    %p = transform.hwtune.tile_to_threads %t tile_sizes [4, 4, 0] num_threads [5, 8, 0] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @kernel(%a: memref<100x64xf32>, %b: memref<64x96xf32>, %c: memref<100x96xf32>) {
  linalg.matmul ins(%a, %b : memref<100x64xf32>, memref<64x96xf32>) outs(%c : memref<100x96xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.hwtune.tile_to_grid %op tile_sizes [32, 32, 0] threads 32 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @below {{needs 64 threads, the launch has 32}}
    %p = transform.hwtune.tile_to_threads %t tile_sizes [4, 4, 0] num_threads [8, 8, 0] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @kernel(%a: memref<100x64xf32>, %b: memref<64x96xf32>, %c: memref<100x96xf32>) {
  linalg.matmul ins(%a, %b : memref<100x64xf32>, memref<64x96xf32>) outs(%c : memref<100x96xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expected dim in [0, 3) and size >= 1, found 3 and 16}}
    %t, %l = transform.hwtune.tile_loop %op dim 3 size 16 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @kernel(%a: memref<100x64xf32>, %b: memref<64x96xf32>, %c: memref<100x96xf32>) {
  linalg.matmul ins(%a, %b : memref<100x64xf32>, memref<64x96xf32>) outs(%c : memref<100x96xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expected an input in [0, 2), found 2}}
    %p, %c = transform.hwtune.promote %op operand 2 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @kernel(%a: memref<?x64xf32>, %b: memref<64x96xf32>, %c: memref<?x96xf32>) {
  linalg.matmul ins(%a, %b : memref<?x64xf32>, memref<64x96xf32>) outs(%c : memref<?x96xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expected an operand of static shape, found 'memref<?x64xf32>'}}
    %p, %c = transform.hwtune.promote %op operand 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @kernel(%a: memref<100x64xf32>, %b: memref<64x96xf32>, %c: memref<100x96xf32>) {
  linalg.matmul ins(%a, %b : memref<100x64xf32>, memref<64x96xf32>) outs(%c : memref<100x96xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.hwtune.tile_to_grid %op tile_sizes [32, 32, 0] threads 32 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %p, %c = transform.hwtune.promote %t operand 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @below {{a vector of 3 elements does not divide the last extent of}}
    transform.hwtune.distribute_copy %c vector 3 : !transform.any_op
    transform.yield
  }
}

// -----

func.func @kernel(%a: memref<100x64xf32>, %b: memref<64x96xf32>, %c: memref<100x96xf32>) {
  linalg.matmul ins(%a, %b : memref<100x64xf32>, memref<64x96xf32>) outs(%c : memref<100x96xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.hwtune.tile_loop %op dim 2 size 16 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @below {{the loop has no copies to workgroup buffers made with 3 buffers}}
    transform.hwtune.pipeline %l stages 3 : !transform.any_op
    transform.yield
  }
}

// -----

func.func @kernel(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  linalg.add ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.add"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expected a multiply-add of two memrefs of static shape, indexed by projected permutations, found 'linalg.add'}}
    transform.hwtune.vectorize_contraction %op : !transform.any_op
    transform.yield
  }
}
