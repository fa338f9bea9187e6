// Ctrl-C stops the children, leaves no temporary file and no damaged database,
// and keeps the best so far, in the output and in the records: while a candidate
// is compiled, while one is measured, and between trials. The output file holds
// what it held before until there is something to write.
// RUN: %python %S/Inputs/interrupt.py compile %s %t.compile | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: %python %S/Inputs/interrupt.py measure %s %t.measure | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: %python %S/Inputs/interrupt.py search %s %t.search | FileCheck %s --check-prefixes=BEST,CHECK,NEW
// BEST: interrupted: the best so far
// NEW: warning: interrupted while linalg.matmul was being tuned; {{.*}}; the best so far is used
// OLD: error: interrupted{{.*}} linalg.matmul
// CHECK: exit code 130, children left: 0
// NEW: output: new
// NEW: configurations in it: 1
// OLD: output: old
// CHECK: temporary files left: 0
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
