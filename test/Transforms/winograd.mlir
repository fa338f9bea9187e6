// The parts of a winograd convolution are decomposed, and run.

// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{target=t4 trials=1 db=none})' -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=GPU --input-file=%t

// CHECK-NOT: cannot be
// CHECK: linalg.matmul 6x3,3x3,6x3
// GPU: gpu.launch_func
func.func @filter(%f: tensor<2x3x3x5xf32>, %o: tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32> {
  %r = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xf32>) outs(%o : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  return %r : tensor<6x6x5x2xf32>
}
