// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-export-schedule)' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-export-schedule{file=%t.mlir})' 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not hwtune-opt %S/export-schedule.mlir --pass-pipeline='builtin.module(hw-export-schedule{file=%t.missing/x.mlir})' 2>&1 | FileCheck %s --check-prefix=FILE

// OPTION: option 'file' is empty, expected the file to write
// NOTHING: no operation has 'hwtune.config', nothing can be exported
// FILE: error: cannot open output file
module attributes {hwtune.target = #hwtune.target<"t4">} {}
