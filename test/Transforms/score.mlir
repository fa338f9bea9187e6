// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-score{top=2 explain})' 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=EXPLAIN < %t.err
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-score{compare="5 vs generic"})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=COMPARE
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-score{compare="{threads = 64, vector = 1, per_thread = 2} vs {threads = 128, vector = 1, per_thread = 1}"})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=KNOBS

// A place in the space's order against the default, and any two by their knobs.
// COMPARE: remark: {threads = {{.*}}} against {threads = {{.*}}}: predicted {{.*}} times as {{fast|slow}} ({{.*}} us){{.*}}; occupancy
// KNOBS: remark: {threads = 64, vector = 1, per_thread = 2} against {threads = 128, vector = 1, per_thread = 1}: predicted
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  // Two candidates, each with all terms; the first is predicted no slower.
  // CHECK-LABEL: func.func @copy
  // CHECK: hwtune.candidates = [#hwtune.candidate<#hwtune.config<schedule = "elementwise", {per_thread = {{[0-9]+}}, threads = {{[0-9]+}}, vector = {{[0-9]+}}}>
  // CHECK-SAME: fit = {{[0-9.]+}}
  // CHECK-SAME: l2_mem_ratio = {{[0-9.]+}}
  // CHECK-SAME: par = {{[0-9.]+}}
  // CHECK-SAME: time_us = {{[0-9.]+}}
  // CHECK-SAME: #hwtune.candidate<
  // CHECK-NOT: #hwtune.candidate<
  // EXPLAIN: remark: best against generic:
  func.func @copy(%a: memref<1000x777xf32>, %b: memref<1000x777xf32>) {
    linalg.copy ins(%a : memref<1000x777xf32>) outs(%b : memref<1000x777xf32>)
    return
  }
  // CHECK-LABEL: func.func @complex
  // CHECK-NOT: hwtune.candidates
  // CHECK: return
  // EXPLAIN: remark: cannot be tuned: operand 0: element type complex<f32>
  func.func @complex(%a: memref<4xcomplex<f32>>, %b: memref<4xcomplex<f32>>) {
    linalg.copy ins(%a : memref<4xcomplex<f32>>) outs(%b : memref<4xcomplex<f32>>)
    return
  }
}
