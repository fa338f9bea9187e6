// Times that were recorded before answer in the place of a device: our own
// database, its export, or another tuner's file whose parameters are named as
// the knobs.
// RUN: rm -f %t.db
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=4 db=%t.db})' -o /dev/null 2>/dev/null
// RUN: hwtune-records export --db=%t.db --out=%t.jsonl
// RUN: hwtune-records export --db=%t.db --format=kernel-tuner --out=%t.json
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=replay:%t.db})' 2>&1 | FileCheck %s
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=replay:%t.jsonl})' 2>&1 | FileCheck %s
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=replay:%t.json})' 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: hwtune-records export --db=%t.db --format=t4 --out=%t.t4.json
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=replay:%t.t4.json})' 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %python %S/Inputs/cache-to-ktt.py %t.json > %t.ktt.json
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=replay:%t.ktt.json})' 2>&1 | FileCheck %s --check-prefix=OTHER
// CHECK: linalg.copy 300{{.*}} replayed
// CHECK: {{[0-9]+}} tried; every candidate was tried
// CHECK: warning: the recorded times are simulated
// CHECK: hwtune.result = #hwtune.result<replayed on "replay:{{.*}}"
// OTHER: linalg.copy 300{{.*}} replayed
// OTHER: hwtune.result = #hwtune.result<replayed on "replay:{{.*}}"

// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=replay:%t.none})' 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: echo '{"i": [["[1]", "cuda"], [[], [["SP", 1, 0, 8, [2], 1]]]], "r": [[1.0], 0, 1, 1]}' > %t.log
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=replay:%t.log})' 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: it is a log of TVM, whose steps do not name the knobs {{[a-z_, ]+}}; hwtune-replay reads it with a mapping
// RUN: echo hello > %t.txt
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=replay:%t.txt})' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: format not recognised, expected a tuning database or its JSON lines, a Kernel Tuner cache, KTT or T4 results
// RUN: sed 's/300xf32/301xf32/g' %s > %t.mlir
// RUN: not hwtune-opt %t.mlir --pass-pipeline='builtin.module(hw-tune{device=replay:%t.db})' 2>&1 | FileCheck %s --check-prefix=OP
// RUN: sed 's/"t4"/"a10"/' %s > %t.mlir
// RUN: not hwtune-opt %t.mlir --pass-pipeline='builtin.module(hw-tune{device=replay:%t.db})' 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: hwtune-opt %t.mlir --pass-pipeline='builtin.module(hw-tune{device=replay:%t.db allow-other-gpu})' 2>&1 | FileCheck %s
// MISSING: No such file or directory
// RUN: gzip -c %t.json > %t.packed.json.gz
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=replay:%t.packed.json.gz})' 2>&1 | FileCheck %s --check-prefix=OTHER
// Cold times do not stand for warm ones, and each is found beside the other.
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=replay:%t.db objective=throughput})' 2>&1 | FileCheck %s --check-prefix=STATE
// STATE: it holds this operation launched from idle, cold cache, expected back to back (`objective`)
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:t4 trials=4 objective=throughput db=%t.db})' -o /dev/null 2>/dev/null
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=replay:%t.db objective=throughput})' 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=replay:%t.db})' 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: hwtune-records export --db=%t.db --out=%t.both.jsonl
// RUN: not hwtune-replay --mapping=%S/../Search/Inputs/add-mapping.json %t.both.jsonl 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: holds the runs of 2 searches, expected one
// OP: it holds no time of this operation
// GPU: it holds this operation for t4, expected a10, or 'allow-other-gpu'
module attributes {hwtune.target = #hwtune.target<"t4">} {
  func.func @copy(%a: memref<300xf32>, %b: memref<300xf32>) {
    linalg.copy ins(%a : memref<300xf32>) outs(%b : memref<300xf32>)
    return
  }
}
