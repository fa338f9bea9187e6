// Options that are no integers are values by position; a knob may be any
// attribute of an op.

// RUN: split-file %s %t
// RUN: hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-enumerate{list=9 schedules=%t/mine.mlir})' 2>&1 >/dev/null | FileCheck %s --check-prefix=COUNT
// COUNT: schedule 'points': 4 configurations, 4 legal
// COUNT: note: {tile = 0, vector_on = 0}
// COUNT: note: {tile = 1, vector_on = 1}

// RUN: hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-apply{memory=device schedules=%t/mine.mlir})' | FileCheck %s --check-prefix=APPLY
// tile = 1: four elements of a thread, so 16 threads have work; one access.
// APPLY-LABEL: gpu.module @copy_kernel_0 [
// APPLY: vector.load {{.*}} vector<4xf32>

// RUN: hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-export-schedule{file=%t/lib.mlir schedules=%t/mine.mlir})' -o /dev/null
// RUN: FileCheck %s --check-prefix=EXPORT < %t/lib.mlir
// EXPORT: tune.knob<"tile"> = array<i64: 4> from options = [array<i64: 1>, array<i64: 4>]
// EXPORT: launch_points %{{.*}} threads 32 {{.*}}tile = array<i64: 4>, {{.*}}widths = array<i64: 4, 4>

//--- op.mlir
module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "points", {tile = 1, vector_on = 1}>}
      ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    return
  }
}
//--- mine.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @points(%op: !transform.any_op {transform.consumed})
      attributes {hwtune.matches = "linalg.copy"} {
    %tile = transform.tune.knob<"tile"> options = [array<i64: 1>, array<i64: 4>] -> !transform.any_param
    %on = transform.tune.knob<"vector_on"> options = [array<i64: 1, 1>, array<i64: 4, 4>] -> !transform.any_param
    %launch = transform.hwtune.launch_points %op threads 32
        {collapse = array<i64: 1>, tile = array<i64: 1>, vector_loop = 0 : i64, widths = array<i64: 1, 1>,
         hwtune.knobs = {tile = "tile", widths = "vector_on"}} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
