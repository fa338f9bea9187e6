// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=model})' 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=TABLE < %t.err
// One seed, one result.
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=model})' -o %t.1 2>/dev/null
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=model})' -o %t.2 2>/dev/null
// RUN: diff %t.1 %t.2

// TABLE: {{^}}linalg.copy 1000x777{{.*}} predicted
// TABLE-NOT: {{^}}linalg.copy 1000x777{{.*}} predicted
// TABLE: NOT VERIFIED
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  // CHECK-LABEL: func.func @copy
  // CHECK: linalg.copy {hwtune.config = [[CONFIG:#hwtune.config<schedule = "elementwise", {.*}>]], hwtune.result = [[RESULT:#hwtune.result<predicted on "model", {.*time_us = .*}>]]}
  // The same workload is the same result.
  // CHECK: linalg.copy {hwtune.config = [[CONFIG]], hwtune.result = [[RESULT]]}
  func.func @copy(%a: memref<1000x777xf32>, %b: memref<1000x777xf32>, %c: memref<1000x777xf32>) {
    linalg.copy ins(%a : memref<1000x777xf32>) outs(%b : memref<1000x777xf32>)
    linalg.copy ins(%b : memref<1000x777xf32>) outs(%c : memref<1000x777xf32>)
    return
  }
  // What has a configuration keeps it.
  // CHECK-LABEL: func.func @kept
  // CHECK: linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>} ins
  func.func @kept(%a: memref<64xf32>, %b: memref<64xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    return
  }
}
