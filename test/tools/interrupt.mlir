// Ctrl-C stops the children, leaves no partial output and no damaged database,
// and keeps the best so far in the records: while a candidate is compiled, while
// one is measured, and between trials.
// RUN: %python %S/Inputs/interrupt.py compile %s %t.compile | FileCheck %s
// RUN: %python %S/Inputs/interrupt.py measure %s %t.measure | FileCheck %s
// RUN: %python %S/Inputs/interrupt.py search %s %t.search | FileCheck %s --check-prefixes=CHECK,BEST
// BEST: interrupted: the best so far
// CHECK: error: interrupted{{.*}} linalg.matmul
// CHECK: exit code 1, children left: 0
// CHECK: output written: False
// CHECK: folders left: 0
// CHECK: database: ok

// What was found is kept, but is no hit; a second run goes on from it.
// RUN: hwtune-records list --db=%t.search/records.db | FileCheck %s --check-prefix=LIST
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 db=%t.search/records.db require-hit})' 2>&1 | FileCheck %s --check-prefix=HIT
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=1 strategy=random db=%t.search/records.db})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=RESUME
// LIST: linalg.matmul
// HIT: no record for linalg.matmul on t4
// RESUME: 1 tried, 1 of them from records
module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @product(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
    linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
    return
  }
}
