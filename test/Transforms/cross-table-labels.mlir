// A winner that comes from the records with a simulated time is predicted anew
// where the device is the model: a column has times of one kind.
// RUN: rm -f %t.db
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=4 db=%t.db})' -o /dev/null 2>/dev/null
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=model targets=t4,a100-sxm4-80gb trials=4 db=%t.db})' -o %t.mlir 2>%t.err
// RUN: FileCheck %s --check-prefix=LABEL < %t.mlir
// RUN: FileCheck %s < %t.err
// LABEL: hwtune.result = #hwtune.result<simulated
// CHECK: time over that of the column's own winner (predicted)
module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @mm(%a: memref<96x96xf32>, %b: memref<96x96xf32>, %c: memref<96x96xf32>) {
    linalg.matmul ins(%a, %b : memref<96x96xf32>, memref<96x96xf32>) outs(%c : memref<96x96xf32>)
    return
  }
}
