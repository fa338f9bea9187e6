// What the rewrite would leave on the host is said before it is tuned.
// RUN: hwtune-opt %s --verify-diagnostics --pass-pipeline='builtin.module(hw-tune{device=model trials=1 db=none})' 2>/dev/null | FileCheck %s
// CHECK: hwtune.config
module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func private @other(memref<64xf32>)
  // expected-remark @below {{function 'f' is tuned, but would stay on the host: 'func.call' uses a buffer on the host}}
  func.func @f(%a: memref<64xf32>, %b: memref<64xf32>) {
    linalg.copy ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    call @other(%b) : (memref<64xf32>) -> ()
    return
  }
  // Nothing here is tuned: one reason is enough.
  func.func @g(%a: memref<64xi4>, %b: memref<64xi4>) {
    // expected-remark @below {{cannot be tuned: operand 0: element type i4 is not supported}}
    linalg.copy ins(%a : memref<64xi4>) outs(%b : memref<64xi4>)
    return
  }
}
