// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=gpu})' | FileCheck %s
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=binary})' | FileCheck %s --check-prefix=BINARY

// Equal operations of equal configuration share a kernel, also those of other
// functions; one with another configuration has its own.

// CHECK-COUNT-2: gpu.module @
// CHECK-NOT: gpu.module @
// CHECK-LABEL: func.func @layers
// CHECK: gpu.launch_func @layers_kernel_0::@
// CHECK: gpu.launch_func @layers_kernel_0::@
// CHECK: gpu.launch_func @layers_kernel_2::@
// CHECK-LABEL: func.func @again
// CHECK: gpu.launch_func @layers_kernel_0::@
// CHECK-NOT: gpu.module @

// BINARY-COUNT-2: gpu.binary @layers_kernel_{{[02]}}
// BINARY-NOT: gpu.binary
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @layers(%a: tensor<64x96xf32>) -> (tensor<64x96xf32>, tensor<64x96xf32>, tensor<64x96xf32>) {
    %e = tensor.empty() : tensor<64x96xf32>
    %0 = linalg.exp {hwtune.config = #hwtune.config<schedule = "elementwise", {threads = 128, vector = 4, per_thread = 1}>} ins(%a : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
    %1 = linalg.exp {hwtune.config = #hwtune.config<schedule = "elementwise", {threads = 128, vector = 4, per_thread = 1}>} ins(%0 : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
    %2 = linalg.exp {hwtune.config = #hwtune.config<schedule = "elementwise", {threads = 64, vector = 4, per_thread = 1}>} ins(%1 : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
    return %0, %1, %2 : tensor<64x96xf32>, tensor<64x96xf32>, tensor<64x96xf32>
  }
  func.func @again(%a: tensor<64x96xf32>) -> tensor<64x96xf32> {
    %e = tensor.empty() : tensor<64x96xf32>
    %0 = linalg.exp {hwtune.config = #hwtune.config<schedule = "elementwise", {threads = 128, vector = 4, per_thread = 1}>} ins(%a : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
    return %0 : tensor<64x96xf32>
  }
}
