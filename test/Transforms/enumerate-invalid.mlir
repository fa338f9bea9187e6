// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-enumerate)' --split-input-file --verify-diagnostics

// expected-error@+1 {{module has no 'hwtune.target', expected one; run 'hw-attach-target' first}}
module {
  func.func @copy(%a: memref<8xf32>, %b: memref<8xf32>) {
    linalg.copy ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
}
