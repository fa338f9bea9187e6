// RUN: hwtune-opt %s | hwtune-opt | FileCheck %s

// The table form stays as it is written.
// CHECK: module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">}
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
}

// Fields of the table replaced.
// CHECK: module attributes
// CHECK-SAME: #hwtune.target<"a100-sxm4-80gb", {l2_bytes = 20971520, sm_count = 54}>
module attributes {hwtune.target =
    #hwtune.target<"a100-sxm4-80gb", {sm_count = 54, l2_bytes = 20971520}>} {
}

// CHECK: module {
module {
  // CHECK-LABEL: func.func @annotated
  func.func @annotated(%a: tensor<64xf32>) -> tensor<64xf32> {
    // CHECK: hwtune.candidates = [#hwtune.candidate<#hwtune.config<schedule = "elementwise", {vector = 4}>, {par = 1.0, time_us = 2.5}>]
    // CHECK-SAME: hwtune.config = #hwtune.config<schedule = "elementwise", {"odd knob" = -1, vector = 4}>
    // CHECK-SAME: hwtune.result = #hwtune.result<simulated on "sim:a100-sxm4-80gb", {speedup = 1.0e+06, time_us = 2.5, trials = 48}>
    %0 = linalg.copy {
        hwtune.candidates = [#hwtune.candidate<#hwtune.config<schedule = "elementwise", {vector = 4}>,
                                               {par = 1.0, time_us = 2.5}>],
        hwtune.config = #hwtune.config<schedule = "elementwise", {vector = 4, "odd knob" = -1}>,
        hwtune.result = #hwtune.result<simulated on "sim:a100-sxm4-80gb",
                                       {time_us = 2.5, speedup = 1.0e6, trials = 48}>}
        ins(%a : tensor<64xf32>) outs(%a : tensor<64xf32>) -> tensor<64xf32>
    return %0 : tensor<64xf32>
  }
}
