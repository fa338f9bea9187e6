// A schedule of upstream ops alone, chosen by a matcher: tuned and checked on
// the simulated device, then replayed by a stock mlir-opt without the plugin.

// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=4 schedules=%hwtune_src/test/inputs/schedules/upstream.mlir})' -o %t.mlir 2>%t.err
// RUN: FileCheck %s --check-prefix=TABLE < %t.err
// RUN: FileCheck %s < %t.mlir
// TABLE-NOT: NOT VERIFIED
// CHECK: linalg.add {hwtune.config = #hwtune.config<schedule = "rows", {rows = {{[0-9]}}, threads = {{[0-9]+}}}>
// The matcher refuses the others.
// CHECK: linalg.add {hwtune.config = #hwtune.config<schedule = "elementwise"

// A parameter and an attribute follow the knobs: 8 rows in blocks of 4.
// RUN: sed -e 's/rows = [0-9]/rows = 4/' -e 's/threads = [0-9]*}>, hwtune.result = #hwtune.result<simulated on "sim:t4"/threads = 128}>, hwtune.result = #hwtune.result<simulated on "sim:t4"/' %t.mlir > %t.edited.mlir
// RUN: hwtune-opt %t.edited.mlir --pass-pipeline='builtin.module(hw-apply{memory=device schedules=%hwtune_src/test/inputs/schedules/upstream.mlir})' | FileCheck %s --check-prefix=EDITED
// EDITED: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 2, 1>
// EDITED-COUNT-2: vector.load {{.*}} vector<2xf32>

// An annotation for an operation that the schedule is not for.
// RUN: sed 's/#hwtune.config<schedule = "elementwise"[^>]*>/#hwtune.config<schedule = "rows", {rows = 1, threads = 64}>/' %t.mlir > %t.wrong.mlir
// RUN: not hwtune-opt %t.wrong.mlir --pass-pipeline='builtin.module(hw-apply{schedules=%hwtune_src/test/inputs/schedules/upstream.mlir})' 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: 'hwtune.config' cannot be applied: schedule 'rows' does not fit: its 'hwtune.matches' does not hold

// RUN: sed '/@other/,$d' %t.edited.mlir > %t.one.mlir && echo '}' >> %t.one.mlir
// RUN: hwtune-opt %t.one.mlir --pass-pipeline='builtin.module(hw-export-schedule{file=%t.lib.mlir schedules=%hwtune_src/test/inputs/schedules/upstream.mlir})' -o /dev/null
// RUN: mlir-opt --allow-unregistered-dialect %t.one.mlir \
// RUN:   --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%t.lib.mlir},transform-interpreter)' \
// RUN:   | FileCheck %s --check-prefix=REPLAY
// REPLAY: gpu.launch {{.*}} threads
// REPLAY: vector.load {{.*}} vector<2xf32>
// REPLAY-NOT: linalg.add

module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @add(%a: memref<8x1024xf32>, %b: memref<8x1024xf32>, %c: memref<8x1024xf32>) {
    linalg.add ins(%a, %b : memref<8x1024xf32>, memref<8x1024xf32>) outs(%c : memref<8x1024xf32>)
    return
  }
  func.func @other(%a: memref<8x64xf32>, %b: memref<8x64xf32>, %c: memref<8x64xf32>) {
    linalg.add ins(%a, %b : memref<8x64xf32>, memref<8x64xf32>) outs(%c : memref<8x64xf32>)
    return
  }
}
