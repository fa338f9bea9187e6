// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply)' --split-input-file --verify-diagnostics

// expected-error@+1 {{module has no 'hwtune.target', expected one; run 'hw-attach-target' first}}
module {
  func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
}

// -----

module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
    // expected-error@+1 {{'hwtune.config' cannot be applied: schedule 'elemntwise' is not known, expected one of: }}
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elemntwise", {threads = 32}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
}

// -----

module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
    // expected-error@+1 {{'hwtune.config' cannot be applied: schedule 'matmul' does not fit: }}
    linalg.copy {hwtune.config = #hwtune.config<schedule = "matmul", {threads = 32}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
}

// -----

module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
    // expected-error@+1 {{'hwtune.config' cannot be applied: schedule 'elementwise' has no knob 'thread', expected: threads, vector, per_thread}}
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, thread = 32, vector = 1}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
}

// -----

module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
    // expected-error@+1 {{'hwtune.config' cannot be applied: knob 'threads' of schedule 'elementwise' is missing}}
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, vector = 1}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
}

// -----

module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
    // expected-error@+1 {{'hwtune.config' cannot be applied: }}
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 48, vector = 1}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
}

// -----

module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func private @f() attributes {hwtune.config = #hwtune.config<schedule = "elementwise", {threads = 32}>} // expected-error {{'hwtune.config' cannot be applied: 'func.func' does not implement the LinalgOp interface}}
}
