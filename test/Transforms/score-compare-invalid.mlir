// What `compare` does not understand: one error, nothing written.

// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-score{compare="best"})' 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-score{compare="best vs fastest"})' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-score{compare="99999999 vs best"})' 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-score{compare="{threads = 7, vector = 1, per_thread = 1} vs best"})' 2>&1 | FileCheck %s --check-prefix=ILLEGAL
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-score{compare="{block = 7} vs best"})' 2>&1 | FileCheck %s --check-prefix=KNOB

// ONE: error: option 'compare' is 'best', expected 'A vs B'
// NAME: score-compare-invalid.mlir:[[#@LINE+6]]:{{.*}} error: option 'compare': 'fastest' names no configuration, expected 'best', 'generic', a number, or knobs in braces
// PLACE: error: option 'compare': no configuration 99999999, the last is {{[0-9]+}}
// ILLEGAL: error: option 'compare': {threads = 7, vector = 1, per_thread = 1} is not legal:
// KNOB: error: option 'compare': {{.*}}block
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @copy(%a: memref<1000x777xf32>, %b: memref<1000x777xf32>) {
    linalg.copy ins(%a : memref<1000x777xf32>) outs(%b : memref<1000x777xf32>)
    return
  }
}
