// hwtune-opt has a database in the user's cache folder unless another is named.
// What was only predicted is stored, but it is no hit: nobody checked it.
// RUN: rm -rf %t.cache
// RUN: env XDG_CACHE_HOME=%t.cache hwtune-opt --hw-tune="device=model" %s -o %t.1 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: env XDG_CACHE_HOME=%t.cache not hwtune-opt --hw-tune="device=model require-hit" %s 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: hwtune-opt --hw-tune="device=model db=none" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE

// FIRST: records: {{.*}}database-command-line.mlir.tmp.cache/hwtune/records.db
// FIRST-NOT: from the records
// SECOND: error: cannot be tuned: no record for linalg.copy on t4: its winner was not verified
// NONE-NOT: records:
module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) {
    linalg.copy ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    return
  }
}
