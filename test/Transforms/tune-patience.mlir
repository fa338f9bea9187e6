// A search without a gain in so many trials has converged; a converged run is a
// hit whatever budget is asked for later.
// RUN: rm -f %t.db
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=60 patience=3 db=%t.db})' -o /dev/null 2>&1 | FileCheck %s
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=100 db=%t.db require-hit})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=HIT
// CHECK: tried; converged: no gain above 1 % in 3 trials
// HIT: from the records
module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @copy(%a: memref<300xf32>, %b: memref<300xf32>) {
    linalg.copy ins(%a : memref<300xf32>) outs(%b : memref<300xf32>)
    return
  }
}
