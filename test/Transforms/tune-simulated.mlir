// Compiled by workers, run and checked on the simulated device, stored; the
// second run finds the record and measures nothing.
// RUN: rm -f %t.db
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=2 db=%t.db})' -o %t.1 2>%t.err
// RUN: FileCheck %s < %t.1
// RUN: FileCheck %s --check-prefix=TABLE < %t.err
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=2 db=%t.db require-hit})' -o %t.2 2>&1 | FileCheck %s --check-prefix=HIT
// RUN: diff %t.1 %t.2

// A device that is not the target is refused, unless allowed.
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:a100-sxm4-80gb trials=1})' 2>&1 | FileCheck %s --check-prefix=OTHER

// TABLE: {{^}}linalg.copy 300{{.*}} simulated
// TABLE-NOT: NOT VERIFIED
// HIT: from the records
// HIT-SAME: nothing was measured
// OTHER: device `sim:a100-sxm4-80gb` is `a100-sxm4-80gb`, but the module is for `t4`; set the target to the device's, or 'allow-other-gpu'
module attributes {hwtune.target = #hwtune.target<"t4">} {
  // CHECK: hwtune.config = #hwtune.config<schedule = "elementwise"
  // CHECK-SAME: hwtune.result = #hwtune.result<simulated on "sim:t4", {energy_mj = {{[0-9.]+}}, generic_energy_mj = {{[0-9.]+}}, generic_us = {{[0-9.]+}}, heuristic_us = {{[0-9.]+}}, registers_estimate = {{[0-9.]+}}, shared_bytes = 0.0, speedup = {{[0-9.]+}}, time_us = {{[0-9.]+}}}>
  func.func @copy(%a: memref<300xf32>, %b: memref<300xf32>) {
    linalg.copy ins(%a : memref<300xf32>) outs(%b : memref<300xf32>)
    return
  }
}
