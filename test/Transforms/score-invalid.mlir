// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-score)' --split-input-file --verify-diagnostics
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=t4},hw-score{top=0})' 2>&1 | FileCheck %s

// CHECK: option 'top' is 0, expected at least one candidate
// expected-error@+1 {{module has no 'hwtune.target', expected one; run 'hw-attach-target' first}}
module {}
