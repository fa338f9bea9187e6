// REQUIRES: ptxas
// hwtune-opt finds the assembler of the CUDA toolkit by itself; `ptxas=none`
// leaves it alone.
// RUN: hwtune-opt --hw-tune="db=none trials=2" %s 2>&1 | FileCheck %s
// RUN: hwtune-opt --hw-tune="db=none trials=2 ptxas=none" %s 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: registers and shared memory as ptxas reports them, 0 bytes spilled
// CHECK: registers_ptxas
// NONE: registers are the schedule's estimate
// NONE: registers_estimate
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @product(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
    linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
    return
  }
}
