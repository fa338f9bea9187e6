// What `emit=gpu` leaves, lowered by the pipeline that it names, is what
// `emit=binary` gives, letter for letter.
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=gpu})' -o %t.gpu
// RUN: grep -o 'hw.lowering = "builtin.module(hw-lower-kernels)"' %t.gpu
// RUN: hwtune-opt %t.gpu --pass-pipeline='builtin.module(hw-lower-kernels)' -o %t.lowered
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=binary})' -o %t.binary
// RUN: diff %t.lowered %t.binary
// RUN: FileCheck %s < %t.binary

// A stock mlir-opt takes both with no flag.
// RUN: mlir-opt %t.gpu | FileCheck %s --check-prefix=STOCK
// RUN: mlir-opt %t.binary | FileCheck %s --check-prefix=STOCK

// CHECK: gpu.binary @f_kernel_0 {{.*}}.target sm_75
// STOCK: gpu.launch_func
module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
}
