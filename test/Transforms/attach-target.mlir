// RUN: hwtune-opt %s --split-input-file --pass-pipeline='builtin.module(hw-attach-target{target=h100-sxm})' | FileCheck %s --check-prefix=ID
// RUN: hwtune-opt %s --split-input-file --pass-pipeline='builtin.module(hw-attach-target)' | FileCheck %s --check-prefix=KEEP
// RUN: hwtune-opt %s --split-input-file --pass-pipeline='builtin.module(hw-attach-target{target=%S/Inputs/small-gpu.json})' | FileCheck %s --check-prefix=FILE

// An explicit target replaces what is there; without one, what is there stays.
// ID: module attributes {hwtune.target = #hwtune.target<"h100-sxm">}
// KEEP: module attributes {hwtune.target = #hwtune.target<"t4">}
// FILE: module attributes {hwtune.target = #hwtune.target<"small-gpu", {
// FILE-SAME: arch = "sm_80"
// FILE-SAME: clock_mhz = {basis = "measured", note = "counted", value = 1000}
// FILE-SAME: sm_count = 4
module attributes {hwtune.target = #hwtune.target<"t4">} {
  // ID: func.func @untouched
  // ID-NEXT: return
  func.func @untouched() {
    return
  }
}
