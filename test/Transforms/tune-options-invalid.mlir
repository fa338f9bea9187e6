// A wrong option is said once, before anything is done, and by the name it has.
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{seconds=-5})' 2>&1 | FileCheck %s --check-prefix=NEGATIVE --implicit-check-not=error:
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{seconds=nan})' 2>&1 | FileCheck %s --check-prefix=NAN --implicit-check-not=error:
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{seconds=inf})' 2>&1 | FileCheck %s --check-prefix=INF --implicit-check-not=error:
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{weight=1.5})' 2>&1 | FileCheck %s --check-prefix=WEIGHT --implicit-check-not=error:
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{weight=nan})' 2>&1 | FileCheck %s --check-prefix=WEIGHTNAN --implicit-check-not=error:
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{strategy=luck})' 2>&1 | FileCheck %s --check-prefix=STRATEGY --implicit-check-not=error:
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{objective=speed})' 2>&1 | FileCheck %s --check-prefix=OBJECTIVE --implicit-check-not=error:
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{device=gpu})' 2>&1 | FileCheck %s --check-prefix=DEVICE --implicit-check-not=error:

// NEGATIVE: error: option 'seconds' is -5, expected a time of 0 (no limit) or more
// NAN: error: option 'seconds' is nan, expected a time of 0 (no limit) or more
// INF: error: option 'seconds' is inf, expected a time of 0 (no limit) or more
// WEIGHT: error: option 'weight' is 1.5, expected 0 to 1
// WEIGHTNAN: error: option 'weight' is nan, expected 0 to 1
// STRATEGY: error: option 'strategy' is 'luck', expected one of exhaustive, random
// OBJECTIVE: error: option 'objective' is 'speed', expected latency, throughput
// DEVICE: error: device `gpu`:

// PTX is made for NVIDIA's alone: said before the search, not after it.
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{target=amd-w6600})' 2>&1 | FileCheck %s --check-prefix=VENDOR --implicit-check-not=error: --implicit-check-not=hwtune:
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{target=amd-w6600 emit=config})' 2>/dev/null | FileCheck %s --check-prefix=CONFIG
// VENDOR: error: option 'emit' is 'gpu', which makes PTX: {{.*}}only NVIDIA GPUs can; {{.*}}expected config or loops
// VENDOR-NOT: predicted
// CONFIG: hwtune.config

// A failed run leaves no folder.
// RUN: rm -rf %t.d
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-aware-tune{target=t4 device=model require-hit emit=runner runner-dir=%t.d/a/b})' 2>&1 | FileCheck %s --check-prefix=HIT
// RUN: not ls %t.d
// HIT: no record for linalg.copy
func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
  linalg.copy ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  return
}
