// UNSUPPORTED: sanitize
// A stock tool, which is not instrumented, loads the library.
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-export-schedule{file=%t.lib.mlir})' | FileCheck %s --check-prefix=SAME
// RUN: FileCheck %s < %t.lib.mlir
// The library is valid, and replaying it in a stock mlir-opt schedules the op.
// RUN: mlir-opt --load-dialect-plugin=%hwtune_plugin %t.lib.mlir -o /dev/null
// RUN: mlir-opt --load-dialect-plugin=%hwtune_plugin %s \
// RUN:   --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%t.lib.mlir},transform-interpreter)' \
// RUN:   | FileCheck %s --check-prefix=REPLAY

// CHECK: // Made by hw-export-schedule
// CHECK: // linalg.copy, tuned for t4. Needs the plugin for: launch_points.
// CHECK: transform.named_sequence @hwtune_elementwise_0
// CHECK: #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>
// CHECK: transform.named_sequence @hwtune_elementwise_1
// CHECK-NOT: transform.named_sequence @hwtune_
// CHECK: transform.named_sequence @__transform_main
// CHECK: transform.include @hwtune_elementwise_0
// CHECK: transform.include @hwtune_elementwise_1

// REPLAY-LABEL: func.func @one
// REPLAY: gpu.launch {{.*}} threads
// REPLAY-LABEL: func.func @same
// REPLAY: gpu.launch
// REPLAY-LABEL: func.func @other
// REPLAY: gpu.launch
// REPLAY-NOT: linalg

// SAME-COUNT-3: linalg.copy {hwtune.config
module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @one(%a: memref<64xf32>, %b: memref<64xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    return
  }
  func.func @same(%a: memref<64xf32>, %b: memref<64xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 32, vector = 1}>}
        ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    return
  }
  func.func @other(%a: memref<64xf32>, %b: memref<64xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 64, vector = 1}>}
        ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    return
  }
}
