// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=a100-sxm4})' 2>&1 | FileCheck %s --check-prefix=ID
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=%t-missing.json})' 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=%S/Inputs/bad-gpu.json})' 2>&1 | FileCheck %s --check-prefix=FIELD

// ID: error: unknown target `a100-sxm4`, did you mean one of: a100-sxm4-40gb, a100-sxm4-80gb
// ID-NOT: hwtune.target
// FILE: error: cannot read '{{.*}}-missing.json': No such file or directory
// FILE-NOT: hwtune.target
// FIELD: bad-gpu.json: {{.*}}sm_count
// FIELD-NOT: hwtune.target
module {}
