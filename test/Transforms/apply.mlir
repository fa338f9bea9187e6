// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=gpu})' | FileCheck %s
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=gpu memory=device})' | FileCheck %s --check-prefix=DEVICE
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=loops})' | FileCheck %s --check-prefix=LOOPS
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=config})' | FileCheck %s --check-prefix=CONFIG
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=binary})' | FileCheck %s --check-prefix=BINARY
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-apply{emit=binary memory=device})' | FileCheck %s --check-prefix=GUARDED

// The guarded kernel makes no access that needs more than an element's
// alignment; the other one does.
// GUARDED-NOT: chain_kernel_0_guarded {{.*}}ld.global{{[.a-z]*}}.v
// GUARDED: gpu.binary @chain_kernel_0 {{.*}}ld.global.nc.v2.b32

// The annotations below are written by hand.

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK: module attributes {gpu.container_module, hw.lowering = "builtin.module(hw-lower-kernels)"}
// CHECK-NOT: hwtune
// CHECK: gpu.module @chain_kernel_1 [#nvvm.target<O = 3, chip = "sm_80">]
// CHECK: gpu.module @chain_kernel_0 [#nvvm.target<O = 3, chip = "sm_80">]
// CHECK: gpu.func {{.*}}llvm.align = 16 : i64, llvm.noalias

// BINARY: gpu.binary @chain_kernel_1 [#gpu.object<#nvvm.target<O = 3, chip = "sm_80">, assembly = "{{.*}}.target sm_80
// The vector width of the annotation is that of the accesses.
// BINARY: gpu.binary @chain_kernel_0 {{.*}}assembly = "{{.*}}.target sm_80{{.*}}ld.global.nc.v2.b32
// BINARY-NOT: hwtune.
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  // Two operations: arguments are copied in once and only if they are read,
  // the buffer between the kernels never leaves the device, results come back.
  // CHECK-LABEL: func.func @chain
  // CHECK-SAME: (%[[A:[a-z0-9]+]]: memref<1000x768xf32>, %[[B:[a-z0-9]+]]: memref<1000x768xf32>) -> memref<1000x768xf32>
  // CHECK: %[[DA:[a-z0-9_]+]] = gpu.alloc
  // CHECK: gpu.memcpy %[[DA]], %[[A]]
  // CHECK-NOT: gpu.memcpy
  // CHECK: gpu.launch_func @chain_kernel_0::@{{.*}} args(%[[DA]] :
  // CHECK-NOT: gpu.memcpy
  // CHECK: gpu.launch_func @chain_kernel_1::
  // CHECK: %[[R:[a-z0-9_]+]] = memref.alloc
  // CHECK: gpu.memcpy %[[R]], %
  // CHECK-NOT: gpu.memcpy
  // CHECK: gpu.dealloc
  // CHECK: return %[[R]]

  // DEVICE-LABEL: func.func @chain
  // DEVICE-SAME: (%[[A:[a-z0-9]+]]: memref<1000x768xf32>
  // DEVICE-NOT: gpu.memcpy
  // DEVICE: memref.extract_aligned_pointer_as_index %[[A]]
  // DEVICE: scf.if
  // DEVICE: gpu.launch_func @chain_kernel_0::
  // DEVICE: else
  // DEVICE: gpu.launch_func @chain_kernel_0_guarded::
  // The second one reads and writes what this function allocated: no test.
  // DEVICE-NOT: scf.if
  // DEVICE: gpu.launch_func @chain_kernel_1::
  // DEVICE: return

  // LOOPS-LABEL: func.func @chain
  // LOOPS: scf.forall
  // LOOPS: scf.forall
  // LOOPS: mapping = [#gpu.thread<x>]
  // LOOPS: mapping = [#gpu.block<
  // LOOPS: scf.forall
  // LOOPS-NOT: linalg
  // LOOPS: return

  // CONFIG-LABEL: func.func @chain
  // CONFIG-SAME: tensor<1000x768xf32>
  // CONFIG: hwtune.config = #hwtune.config<schedule = "elementwise"
  func.func @chain(%a: tensor<1000x768xf32>, %unused: tensor<1000x768xf32>) -> tensor<1000x768xf32> {
    %e = tensor.empty() : tensor<1000x768xf32>
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<1000x768xf32>) outs(%e : tensor<1000x768xf32>)
        attrs = {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 2, threads = 64, vector = 2}>} {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %x : f32
      linalg.yield %s : f32
    } -> tensor<1000x768xf32>
    %f = tensor.empty() : tensor<1000x768xf32>
    // No annotation: the generic schedule.
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : tensor<1000x768xf32>) outs(%f : tensor<1000x768xf32>) {
    ^bb0(%x: f32, %y: f32):
      %s = arith.mulf %x, %x : f32
      linalg.yield %s : f32
    } -> tensor<1000x768xf32>
    return %1 : tensor<1000x768xf32>
  }

  // Without an annotated operation nothing but bufferisation happens.
  // CHECK-LABEL: func.func @plain
  // CHECK-NEXT: linalg.copy
  // DEVICE-LABEL: func.func @plain
  // DEVICE-NEXT: linalg.copy
  func.func @plain(%a: memref<8xf32>, %b: memref<8xf32>) {
    linalg.copy ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }

  // What the host does with scalars stays; sizes that are not known are asked
  // for; an output that is only written is not copied in.
  // CHECK-LABEL: func.func @dynamic
  // CHECK-SAME: (%[[A:[a-z0-9]+]]: memref<?x128xf32>, %[[B:[a-z0-9]+]]: memref<?x128xf32>)
  // CHECK: gpu.memcpy %{{.*}}, %[[A]]
  // CHECK-NOT: gpu.memcpy
  // CHECK: gpu.launch_func @dynamic_kernel_0::
  // CHECK: gpu.memcpy %[[B]], %
  // CHECK-NOT: gpu.memcpy
  // CHECK: return
  func.func @dynamic(%a: memref<?x128xf32>, %b: memref<?x128xf32>) {
    linalg.copy {hwtune.config = #hwtune.config<schedule = "elementwise", {per_thread = 1, threads = 128, vector = 4}>}
        ins(%a : memref<?x128xf32>) outs(%b : memref<?x128xf32>)
    return
  }
}
