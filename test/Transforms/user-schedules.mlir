// Schedules from a file: counted, tuned on the simulated device, edited by
// hand, exported and replayed like the built-in ones.

// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-enumerate{list=2 schedules=%hwtune_src/test/inputs/schedules/contraction.mlir})' 2>&1 >/dev/null | FileCheck %s --check-prefix=COUNT
// 2^3 blocks, rolled or one of two unrollings.
// COUNT: remark: contraction, schedule 'tiled_matmul': 32 configurations, 24 legal
// COUNT: note: rejected 8 by 'unused-knob'
// COUNT: note: {block_m = 64, block_n = 64, block_k = 8, inner_loop = 0, unroll = 2}
// COUNT: note: {block_m = 64, block_n = 64, block_k = 8, inner_loop = 1, unroll = 2}
// What no schedule of the file takes has a built-in one.
// COUNT: remark: elementwise, schedule 'elementwise'

// RUN: rm -f %t.db
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=5 db=%t.db schedules=%hwtune_src/test/inputs/schedules/contraction.mlir})' -o %t.mlir 2>%t.err
// RUN: FileCheck %s --check-prefix=TABLE < %t.err
// RUN: FileCheck %s --check-prefix=TUNED < %t.mlir
// TABLE: remark: schedule 'tiled_matmul' comes from a file: the model does not tell its configurations apart
// TABLE: {{^}}linalg.matmul 70x50{{.*}} simulated
// TABLE-NOT: NOT VERIFIED
// TUNED: linalg.matmul {hwtune.config = #hwtune.config<schedule = "tiled_matmul", {block_k =
// TUNED-SAME: #hwtune.result<simulated on "sim:t4"

// The model learns nothing from a schedule that it knows nothing of.
// RUN: hwtune-records export --db=%t.db --op=matmul | FileCheck %s --check-prefix=RECORD
// RECORD: "schedule":"tiled_matmul"
// RUN: hwtune-records export --db=%t.db --op=matmul | not grep weights
// RUN: hwtune-records export --db=%t.db --op=copy | grep -q weights

// The text of the schedule is part of a record's key.
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=5 db=%t.db require-hit schedules=%hwtune_src/test/inputs/schedules/contraction.mlir})' 2>&1 >/dev/null | FileCheck %s --check-prefix=HIT
// HIT: from the records
// RUN: sed 's/options = \[2, 4\]/options = [2, 1]/' %hwtune_src/test/inputs/schedules/contraction.mlir > %t.other.mlir
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=5 db=%t.db require-hit schedules=%t.other.mlir})' 2>&1 >/dev/null | FileCheck %s --check-prefix=OTHER
// OTHER: no record for linalg.matmul on t4

// A hand edit is applied: 70 rows are two blocks of 64, or one of 128.
// RUN: sed -e 's/block_m = [0-9]*/block_m = 64/' -e 's/block_n = [0-9]*/block_n = 64/' %t.mlir > %t.edited.mlir
// RUN: hwtune-opt %t.edited.mlir --pass-pipeline='builtin.module(hw-apply{memory=device schedules=%hwtune_src/test/inputs/schedules/contraction.mlir})' | FileCheck %s --check-prefix=ROWS64
// ROWS64: gpu.module @product_kernel_0 [
// ROWS64-NEXT: gpu.func @kernel_kernel{{.*}}known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 2, 1>
// ROWS64-NOT: hwtune.
// RUN: sed -e 's/block_m = [0-9]*/block_m = 128/' -e 's/block_n = [0-9]*/block_n = 64/' %t.mlir > %t.edited.mlir
// RUN: hwtune-opt %t.edited.mlir --pass-pipeline='builtin.module(hw-apply{memory=device schedules=%hwtune_src/test/inputs/schedules/contraction.mlir})' | FileCheck %s --check-prefix=ROWS128
// ROWS128: gpu.module @product_kernel_0 [
// ROWS128-NEXT: gpu.func @kernel_kernel{{.*}}known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>
// RUN: sed -e 's/block_m = [0-9]*/block_m = 96/' %t.mlir > %t.edited.mlir
// RUN: not hwtune-opt %t.edited.mlir --pass-pipeline='builtin.module(hw-apply{schedules=%hwtune_src/test/inputs/schedules/contraction.mlir})' 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: 'hwtune.config' cannot be applied: {{.*}}block_m
// Without the file nobody knows the name.
// RUN: not hwtune-opt %t.mlir --pass-pipeline='builtin.module(hw-apply)' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: 'hwtune.config' cannot be applied: schedule 'tiled_matmul' is not known, expected one of: matmul,

// The winner is exported with its choices filled in, and replayed.
// RUN: sed -e 's/inner_loop = [0-9]/inner_loop = 1/' -e 's/unroll = [0-9]/unroll = 4/' %t.mlir > %t.edited.mlir
// RUN: hwtune-opt %t.edited.mlir --pass-pipeline='builtin.module(hw-export-schedule{file=%t.lib.mlir schedules=%hwtune_src/test/inputs/schedules/contraction.mlir})' -o /dev/null
// RUN: FileCheck %s --check-prefix=EXPORT < %t.lib.mlir
// RUN: hwtune-opt %t.edited.mlir \
// RUN:   --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%t.lib.mlir},transform-interpreter)' \
// RUN:   | FileCheck %s --check-prefix=REPLAY
// EXPORT: // linalg.matmul, tuned for t4. Needs the plugin for: barrier,
// EXPORT: transform.named_sequence @hwtune_tiled_matmul_0_tiled_matmul
// EXPORT: transform.tune.knob<"block_m"> = {{[0-9]+}} : i64 from options = [64, 128]
// EXPORT: transform.include @hwtune_tiled_matmul_0_to_registers
// EXPORT: transform.tune.alternatives<"inner_loop"> selected_region = 1
// EXPORT: transform.loop.unroll %{{.*}} {factor = 4 : i64}
// EXPORT-NOT: hwtune.knobs
// REPLAY-LABEL: func.func @product
// REPLAY: gpu.launch
// REPLAY-NOT: linalg.matmul

module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @product(%a: memref<70x50xf32>, %b: memref<50x33xf32>, %c: memref<70x33xf32>) {
    linalg.matmul ins(%a, %b : memref<70x50xf32>, memref<50x33xf32>) outs(%c : memref<70x33xf32>)
    return
  }
  func.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) {
    linalg.copy ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    return
  }
}
