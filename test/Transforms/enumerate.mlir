// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-enumerate{list=2})' 2>&1 >/dev/null | FileCheck %s
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-enumerate{count-only})' 2>&1 >/dev/null | FileCheck %s --check-prefix=COUNT
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-enumerate)' 2>/dev/null | FileCheck %s --check-prefix=SAME

// SAME: module attributes {hwtune.target = #hwtune.target<"t4">}
// SAME-NOT: hwtune.c
module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @copy(%a: memref<1000x777xf32>, %b: memref<1000x777xf32>) {
    // CHECK: [[@LINE+5]]:5: remark: elementwise, schedule 'elementwise': {{[1-9][0-9]*}} configurations, {{[1-9][0-9]*}} legal
    // CHECK: note: rejected {{[1-9][0-9]*}} by '{{.*}}'
    // CHECK: note: {threads = {{.*}}}
    // CHECK: note: {threads = {{.*}}}
    // CHECK-NOT: note:
    linalg.copy ins(%a : memref<1000x777xf32>) outs(%b : memref<1000x777xf32>)
    // COUNT: remark: elementwise, schedule 'elementwise': {{[1-9][0-9]*}} configurations, {{[1-9][0-9]*}} legal
    // COUNT-NOT: note:
    // COUNT: remark: cannot be tuned
    return
  }
  func.func @complex(%a: memref<4xcomplex<f32>>, %b: memref<4xcomplex<f32>>) {
    // CHECK: remark: cannot be tuned: operand 0: element type complex<f32> is not supported
    linalg.copy ins(%a : memref<4xcomplex<f32>>) outs(%b : memref<4xcomplex<f32>>)
    return
  }
}
