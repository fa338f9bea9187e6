// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{seconds=-5})' 2>&1 | FileCheck %s
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{seconds=nan})' 2>&1 | FileCheck %s --check-prefix=NAN

// CHECK: error: option 'seconds' is -5, expected a time of 0 (no limit) or more
// NAN: error: option 'seconds' is nan, expected a time of 0 (no limit) or more
func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
  linalg.copy ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  return
}
