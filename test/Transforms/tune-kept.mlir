// What has a configuration keeps it, which is said, with where it comes from.
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{device=model emit=config})' -o %t 2>&1 | FileCheck %s --check-prefix=KEPT --implicit-check-not=warning:
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{target=v100-sxm2-16gb device=model emit=config})' -o %t 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: FileCheck %s < %t
// KEPT: remark: keeps the configuration it has (simulated on 'sim:t4'); without 'hwtune.config' it would be tuned
// KEPT: remark: keeps the configuration it has; without 'hwtune.config' it would be tuned
// OTHER: warning: 2 configurations were chosen for 't4', the target is now 'v100-sxm2-16gb'
// CHECK: {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>
module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>,
                 hwtune.result = #hwtune.result<simulated on "sim:t4", {time_us = 2.0}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%b : memref<8xf32>) outs(%a : memref<8xf32>)
    return
  }
}
