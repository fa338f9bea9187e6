// RUN: hwtune-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(transform-interpreter)'

// What the launch ops refuse, and how they say it.

module attributes {transform.with_named_sequence} {
  func.func @points(%a: memref<64x6xf32>, %b: memref<64x6xf32>) {
    linalg.exp ins(%a : memref<64x6xf32>) outs(%b : memref<64x6xf32>)
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.exp"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'tile' must have one size per loop group (2)}}
    %l = transform.hwtune.launch_points %op threads 32 {collapse = array<i64: 1, 1>, tile = array<i64: 4>} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @points(%a: memref<64x6xf32>, %b: memref<64x6xf32>) {
    linalg.exp ins(%a : memref<64x6xf32>) outs(%b : memref<64x6xf32>)
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.exp"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'collapse' must sum to the op's 2 loops}}
    %l = transform.hwtune.launch_points %op threads 32 {collapse = array<i64: 1>, tile = array<i64: 4>} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Rows of 6 elements start at no multiple of 4.
module attributes {transform.with_named_sequence} {
  func.func @points(%a: memref<64x6xf32>, %b: memref<64x6xf32>) {
    linalg.exp ins(%a : memref<64x6xf32>) outs(%b : memref<64x6xf32>)
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.exp"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{operand 0 moves by no known multiple of 4 along loop group 0}}
    %l = transform.hwtune.launch_points %op threads 32 {collapse = array<i64: 1, 1>, tile = array<i64: 1, 4>, vector_loop = 1, widths = array<i64: 4, 4>} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @points(%a: memref<64x6xf32>, %b: memref<64x6xf32>) {
    linalg.exp ins(%a : memref<64x6xf32>) outs(%b : memref<64x6xf32>)
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.exp"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'threads', 'per_thread' and 'unroll' must be at least 1}}
    %l = transform.hwtune.launch_points %op threads 0 {collapse = array<i64: 1, 1>, tile = array<i64: 1, 1>} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @points(%a: memref<64x6xf32>, %b: memref<64x6xf32>) {
    linalg.exp ins(%a : memref<64x6xf32>) outs(%b : memref<64x6xf32>)
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.exp"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'order' must name every parallel loop group once}}
    %l = transform.hwtune.launch_points %op threads 32 {collapse = array<i64: 1, 1>, tile = array<i64: 1, 1>, order = array<i64: 1, 1>} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @points(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
    %r = linalg.exp ins(%a : tensor<64xf32>) outs(%b : tensor<64xf32>) -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.exp"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{the op is not on memrefs}}
    %l = transform.hwtune.launch_points %op threads 32 {collapse = array<i64: 1>, tile = array<i64: 1>} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @reduction(%a: memref<64x64xf32>, %b: memref<64xf32>) {
    linalg.reduce {arith.addf} ins(%a : memref<64x64xf32>) outs(%b : memref<64xf32>) dimensions = [1]
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.reduce"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'along' must be "reduction" or "parallel", not "rows"}}
    %l = transform.hwtune.launch_reduction %op threads 64 {collapse = array<i64: 1, 1>, lanes = 32, along = "rows"} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @transpose(%a: memref<64x64xf32>, %b: memref<64x64xf32>) {
    linalg.transpose ins(%a : memref<64x64xf32>) outs(%b : memref<64x64xf32>) permutation = [1, 0]
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.transpose"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'loops' and 'tile' must have two entries}}
    %l = transform.hwtune.launch_transpose %op threads 64 {collapse = array<i64: 1, 1>, loops = array<i64: 0>, tile = array<i64: 32, 32>, staged = array<i64: 0>} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @reduction(%a: memref<64x64xf32>, %b: memref<64xf32>) {
    linalg.reduce {arith.addf} ins(%a : memref<64x64xf32>) outs(%b : memref<64xf32>) dimensions = [1]
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.reduce"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'lanes' (48) must divide 'threads' (64)}}
    %l = transform.hwtune.launch_reduction %op threads 64 {collapse = array<i64: 1, 1>, lanes = 48, along = "reduction"} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @reduction(%a: memref<64x64xf32>, %b: memref<64xf32>) {
    linalg.reduce {arith.addf} ins(%a : memref<64x64xf32>) outs(%b : memref<64xf32>) dimensions = [1]
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.reduce"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'threads' (48) must be a multiple of 32}}
    %l = transform.hwtune.launch_reduction %op threads 48 {collapse = array<i64: 1, 1>, lanes = 16, along = "reduction"} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @reduction(%a: memref<64x64xf32>, %b: memref<64xf32>) {
    linalg.reduce {arith.addf} ins(%a : memref<64x64xf32>) outs(%b : memref<64xf32>) dimensions = [1]
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.reduce"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'width' and 'unroll' must be at least 1}}
    %l = transform.hwtune.launch_reduction %op threads 64 {collapse = array<i64: 1, 1>, lanes = 32, along = "reduction", unroll = 0} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @reduction(%a: memref<64x64xf32>, %b: memref<64xf32>) {
    linalg.reduce {arith.addf} ins(%a : memref<64x64xf32>) outs(%b : memref<64xf32>) dimensions = [1]
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.reduce"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'width' (3) does not divide loop group 1}}
    %l = transform.hwtune.launch_reduction %op threads 64 {collapse = array<i64: 1, 1>, lanes = 32, along = "reduction", width = 3} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @transpose(%a: memref<64x64xf32>, %b: memref<64x64xf32>) {
    linalg.transpose ins(%a : memref<64x64xf32>) outs(%b : memref<64x64xf32>) permutation = [1, 0]
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.transpose"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'loops' must name two different loop groups}}
    %l = transform.hwtune.launch_transpose %op threads 64 {collapse = array<i64: 1, 1>, loops = array<i64: 0, 0>, tile = array<i64: 32, 32>, staged = array<i64: 0>} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
