// RUN: not hwtune-opt --pass-pipeline='builtin.module(hw-aware-tune{target=nowhere})' %s 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not hwtune-opt --pass-pipeline='builtin.module(hw-aware-tune{target=t4 emit=asm})' %s 2>&1 | FileCheck %s --check-prefix=EMIT
// RUN: not hwtune-opt --pass-pipeline='builtin.module(hw-aware-tune{traget=t4})' %s 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not hwtune-opt --pass-pipeline='builtin.module(hw-aware-tune{target=t4 device=model})' %S/Inputs/broken.mlir 2>&1 | FileCheck %s --check-prefix=PARSE

// TARGET: error: unknown target `nowhere`
// TARGET-NOT: func.func
// Said before the search, not after it.
// EMIT-NOT: hwtune:
// EMIT: option 'emit' is 'asm', expected config, loops, gpu, binary or runner
// OPTION: no such option traget
// PARSE: broken.mlir:1:
// PARSE-NOT: module
func.func @copy(%a: memref<64xf32>, %b: memref<64xf32>) {
  linalg.copy ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  return
}
