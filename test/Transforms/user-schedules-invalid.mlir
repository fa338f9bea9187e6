// Each mistake in a file of schedules is one error that says where it is.

// RUN: split-file %s %t
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-enumerate{schedules=%t/missing.mlir})' 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}missing.mlir
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-score{schedules=%t/syntax.mlir})' 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: error: {{.*}}syntax.mlir:2:{{[0-9]+}}: the text is no module
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-tune{device=model schedules=%t/none.mlir})' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: {{.*}}none.mlir: no named sequence has 'hwtune.matches'
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-apply{schedules=%t/signature.mlir})' 2>&1 | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE: error: {{.*}}signature.mlir:2:{{[0-9]+}}: schedule 'mine' must have a body, take one handle on the operation and return nothing
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-export-schedule{file=%t/out schedules=%t/options.mlir})' 2>&1 | FileCheck %s --check-prefix=OPTIONS
// OPTIONS: error: {{.*}}options.mlir:3:{{[0-9]+}}: knob 'size' has no list of options, expected `options = [...]` with at least one
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-aware-tune{device=model schedules=%t/range.mlir})' 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: {{.*}}range.mlir:3:{{[0-9]+}}: knob 'size' has no list of options
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-enumerate{schedules=%t/twice.mlir})' 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: {{.*}}twice.mlir:4:{{[0-9]+}}: knob 'size' is there twice, with other options
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-enumerate{schedules=%t/equal.mlir})' 2>&1 | FileCheck %s --check-prefix=EQUAL
// EQUAL: error: {{.*}}equal.mlir:2:{{[0-9]+}}: schedule 'mine': knob 'size' lists the value 8 twice
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-enumerate{schedules=%t/region.mlir})' 2>&1 | FileCheck %s --check-prefix=REGION
// REGION: error: {{.*}}region.mlir:3:{{[0-9]+}}: alternatives 'way' have no region to choose
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-enumerate{schedules=%t/beyond.mlir})' 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: {{.*}}beyond.mlir:4:{{[0-9]+}}: alternatives 'way' have regions 0 to 0, knob 'which' has other options
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-enumerate{schedules=%t/tie.mlir})' 2>&1 | FileCheck %s --check-prefix=TIE
// TIE: error: {{.*}}tie.mlir:3:{{[0-9]+}}: 'hwtune.knobs' ties attribute 'factor' to "unrol", expected an attribute that is there, and names of open knobs of its kind and length
// One number for three, and a list of another length.
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-enumerate{schedules=%t/scalar.mlir})' 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: error: {{.*}}scalar.mlir:4:{{[0-9]+}}: 'hwtune.knobs' ties attribute 'n' to "size", expected an attribute that is there, and names of open knobs of its kind and length
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-enumerate{schedules=%t/length.mlir})' 2>&1 | FileCheck %s --check-prefix=LENGTH
// LENGTH: error: {{.*}}length.mlir:4:{{[0-9]+}}: 'hwtune.knobs' ties attribute 'n' to ["size"], expected
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-enumerate{schedules=%t/matcher.mlir})' 2>&1 | FileCheck %s --check-prefix=MATCHER
// MATCHER: error: {{.*}}matcher.mlir:2:{{[0-9]+}}: schedule 'mine': matcher '@nobody' must be a named sequence of this file that takes one `!transform.any_op {transform.readonly}` and returns it
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-enumerate{schedules=%t/kind.mlir})' 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error: {{.*}}kind.mlir:2:{{[0-9]+}}: schedule 'mine': 'hwtune.matches' must be the name of an operation, a list of names, or a matcher (@sequence)
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-enumerate{schedules=%t/taken.mlir})' 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: error: {{.*}}taken.mlir:2:{{[0-9]+}}: schedule 'matmul' has a name that is taken, expected another

// What fails when a configuration is compiled: a handle used after its
// operation is gone, and a schedule that leaves the operation as it was.
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=2 schedules=%t/handle.mlir})' 2>&1 | FileCheck %s --check-prefix=HANDLE
// HANDLE: error: cannot be tuned: {{.*}}op uses a handle invalidated by a previously executed transform op
// RUN: not hwtune-opt %t/op.mlir --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=2 schedules=%t/nothing.mlir})' 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: cannot be tuned: {{.*}}the schedule left an op unscheduled: linalg.copy

//--- op.mlir
module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) {
    linalg.copy ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    return
  }
}
//--- syntax.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(
}
//--- none.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.readonly}) { transform.yield }
}
//--- signature.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.readonly}, %other: !transform.any_op {transform.readonly})
      attributes {hwtune.matches = "linalg.copy"} { transform.yield }
}
//--- options.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.readonly}) attributes {hwtune.matches = "linalg.copy"} {
    %size = transform.tune.knob<"size"> options = [] -> !transform.param<i64>
    transform.yield
  }
}
//--- range.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.readonly}) attributes {hwtune.matches = "linalg.copy"} {
    %size = transform.tune.knob<"size"> options = {from = 1 : i64, to = 8 : i64} -> !transform.param<i64>
    transform.yield
  }
}
//--- twice.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.readonly}) attributes {hwtune.matches = "linalg.copy"} {
    %a = transform.tune.knob<"size"> options = [4, 8] -> !transform.param<i64>
    %b = transform.tune.knob<"size"> options = [4, 16] -> !transform.param<i64>
    transform.yield
  }
}
//--- equal.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.readonly}) attributes {hwtune.matches = "linalg.copy"} {
    %a = transform.tune.knob<"size"> options = [8, 8] -> !transform.param<i64>
    transform.yield
  }
}
//--- region.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.readonly}) attributes {hwtune.matches = "linalg.copy"} {
    "transform.tune.alternatives"() <{name = "way"}> : () -> ()
    transform.yield
  }
}
//--- beyond.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.readonly}) attributes {hwtune.matches = "linalg.copy"} {
    %which = transform.tune.knob<"which"> options = [0, 1] -> !transform.any_param
    transform.tune.alternatives<"way"> selected_region = %which : !transform.any_param {
    }
    transform.yield
  }
}
//--- tie.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.consumed}) attributes {hwtune.matches = "linalg.copy"} {
    transform.loop.unroll %op {factor = 2 : i64, hwtune.knobs = {factor = "unrol"}} : !transform.any_op
    transform.yield
  }
}
//--- scalar.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.consumed}) attributes {hwtune.matches = "linalg.copy"} {
    %size = transform.tune.knob<"size"> options = [1, 2] -> !transform.any_param
    transform.annotate %op "x" {n = array<i64: 1, 1>, hwtune.knobs = {n = "size"}} : !transform.any_op
    transform.yield
  }
}
//--- length.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.consumed}) attributes {hwtune.matches = "linalg.copy"} {
    %size = transform.tune.knob<"size"> options = [1, 2] -> !transform.any_param
    transform.annotate %op "x" {n = array<i64: 1, 1>, hwtune.knobs = {n = ["size"]}} : !transform.any_op
    transform.yield
  }
}
//--- matcher.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.readonly}) attributes {hwtune.matches = @nobody} { transform.yield }
}
//--- kind.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.readonly}) attributes {hwtune.matches = 7} { transform.yield }
}
//--- taken.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @matmul(%op: !transform.any_op {transform.readonly}) attributes {hwtune.matches = "linalg.copy"} { transform.yield }
}
//--- handle.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.consumed}) attributes {hwtune.matches = "linalg.copy"} {
    %f = transform.get_parent_op %op {op_name = "func.func"} : (!transform.any_op) -> !transform.any_op
    %part, %loops = transform.structured.tile_using_forall %op num_threads [64] (mapping = [#gpu.block<x>]) : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %launch = transform.gpu.map_forall_to_blocks %f generate_gpu_launch : (!transform.any_op) -> !transform.any_op
    transform.apply_cse to %f : !transform.any_op
    transform.yield
  }
}
//--- nothing.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine(%op: !transform.any_op {transform.readonly}) attributes {hwtune.matches = "linalg.copy"} {
    transform.yield
  }
}
