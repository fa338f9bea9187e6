// UNSUPPORTED: sanitize
// A stock tool, which is not instrumented, loads the library.
// hwtune-opt and the plugin in a stock mlir-opt do the same, and stock mlir-opt
// takes what comes out with no flag. Softmax is taken apart first.
// RUN: hwtune-opt --pass-pipeline='builtin.module(hw-aware-tune{target=t4 device=model})' %s -o %t.long 2>/dev/null
// RUN: mlir-opt --load-dialect-plugin=%hwtune_plugin --pass-pipeline='builtin.module(hw-aware-tune{target=t4 device=model})' %s -o %t.plugin 2>/dev/null
// RUN: diff %t.long %t.plugin
// RUN: FileCheck %s < %t.long
// RUN: mlir-opt %t.long | FileCheck %s

// RUN: hwtune-opt --pass-pipeline='builtin.module(hw-aware-tune{target=t4 device=model emit=config})' %s 2>/dev/null | FileCheck %s --check-prefix=CONFIG

// CHECK-NOT: hwtune
// CHECK-COUNT-4: gpu.module @softmax_kernel_
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: linalg
// CHECK: return

// CONFIG: hwtune.target = #hwtune.target<"t4">
// CONFIG-LABEL: func.func @softmax
// CONFIG-NOT: linalg.softmax
// CONFIG: hwtune.config = #hwtune.config<schedule = "reduction"
// CONFIG: hwtune.config = #hwtune.config<schedule = "elementwise"
func.func @softmax(%a: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %0 = linalg.softmax dimension(1) ins(%a : tensor<256x512xf32>)
                                   outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
  return %0 : tensor<256x512xf32>
}
