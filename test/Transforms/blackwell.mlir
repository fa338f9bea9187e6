// From sm_100 on LLVM packs f32 into pairs and adds halves to an f32 at once:
// no candidate is lost by it.
// RUN: hwtune-opt %s -o /dev/null --pass-pipeline='builtin.module(hw-attach-target{target=b200},hw-tune{trials=3 db=none})' 2>&1 | FileCheck %s
// RUN: hwtune-opt %s -o /dev/null --pass-pipeline='builtin.module(hw-attach-target{target=rtx-5090},hw-tune{trials=3 db=none})' 2>&1 | FileCheck %s

// CHECK-NOT: does not run
// CHECK-NOT: failed
// CHECK: linalg.add {{.*}} simulated
// CHECK: linalg.matvec 64x512,512,64 bf16,bf16,f32 {{.*}} simulated
// CHECK: linalg.matvec 64x512,512,64 f16,f16,f32 {{.*}} simulated
// CHECK-COUNT-3: 3 trials done
func.func @add(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %r = linalg.add ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>) outs(%a : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
func.func @bf16(%a: tensor<64x512xbf16>, %x: tensor<512xbf16>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.matvec ins(%a, %x : tensor<64x512xbf16>, tensor<512xbf16>) outs(%y : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
func.func @f16(%a: tensor<64x512xf16>, %x: tensor<512xf16>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.matvec ins(%a, %x : tensor<64x512xf16>, tensor<512xf16>) outs(%y : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
