// Rounding just before a step may fall to either side of it: what a correct kernel
// gives then is not called wrong. Elsewhere integers are exact.
// RUN: hwtune-opt --pass-pipeline='builtin.module(hw-aware-tune{target=t4 device=sim:t4 db=none trials=2 strategy=random emit=config})' %s 2>/dev/null | FileCheck %s

#id = affine_map<(i) -> (i)>

// CHECK-LABEL: @quantise
// CHECK: hwtune.result = #hwtune.result<simulated
func.func @quantise(%a: tensor<8192xf16>, %o: tensor<8192xi8>) -> tensor<8192xi8> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8192xf16>) outs(%o : tensor<8192xi8>) {
  ^bb0(%x: f16, %y: i8):
    %scale = arith.constant 20.3 : f16
    %low = arith.constant -128.0 : f16
    %high = arith.constant 127.0 : f16
    %m = arith.mulf %x, %scale : f16
    %n = math.roundeven %m : f16
    %l = arith.maximumf %n, %low : f16
    %h = arith.minimumf %l, %high : f16
    %i = arith.fptosi %h : f16 to i8
    linalg.yield %i : i8
  } -> tensor<8192xi8>
  return %r : tensor<8192xi8>
}

// CHECK-LABEL: @overflow
// CHECK: hwtune.result = #hwtune.result<simulated
func.func @overflow(%a: tensor<8192xf16>, %o: tensor<8192xf16>) -> tensor<8192xf16> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8192xf16>) outs(%o : tensor<8192xf16>) {
  ^bb0(%x: f16, %y: f16):
    %scale = arith.constant 20.3 : f16
    %one = arith.constant 1.0 : f16
    %m = arith.mulf %x, %scale : f16
    %n = arith.negf %m : f16
    %e = math.exp %n : f16
    %d = arith.addf %e, %one : f16
    %s = arith.divf %m, %d : f16
    linalg.yield %s : f16
  } -> tensor<8192xf16>
  return %r : tensor<8192xf16>
}

// CHECK-LABEL: @bits
// CHECK: hwtune.result = #hwtune.result<simulated
func.func @bits(%a: tensor<8192xf32>, %o: tensor<8192xi32>) -> tensor<8192xi32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8192xf32>) outs(%o : tensor<8192xi32>) {
  ^bb0(%x: f32, %y: i32):
    %b = arith.bitcast %x : f32 to i32
    %l, %h = arith.mulsi_extended %b, %b : i32
    %s, %c = arith.addui_extended %l, %h : i32, i1
    %e = arith.extui %c : i1 to i32
    %r = arith.addi %s, %e : i32
    linalg.yield %r : i32
  } -> tensor<8192xi32>
  return %r : tensor<8192xi32>
}

// CHECK-LABEL: @pair
// CHECK: hwtune.result = #hwtune.result<simulated
func.func @pair(%a: tensor<8192xf32>, %o: tensor<8192xf32>) -> tensor<8192xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8192xf32>) outs(%o : tensor<8192xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s, %c = math.sincos %x : f32
    %t = arith.subf %s, %c : f32
    linalg.yield %t : f32
  } -> tensor<8192xf32>
  return %r : tensor<8192xf32>
}
