// What is made small is what the objective says, and each time says how it was
// taken: a launch from idle with cold caches takes longer than one of a row.
// DEFINE: %{objective} =
// DEFINE: %{tune} = hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:a100-sxm4-80gb trials=3 db=%t.db objective=%{objective}})' -o %t.%{objective}
// RUN: rm -f %t.db
// REDEFINE: %{objective} = latency
// RUN: %{tune} 2>&1 | FileCheck %s --check-prefix=LATENCY
// REDEFINE: %{objective} = throughput
// RUN: %{tune} 2>&1 | FileCheck %s --check-prefix=THROUGHPUT
// LATENCY: objective latency: one launch from idle, nothing in L2
// THROUGHPUT: objective throughput: launches back to back
// RUN: %python -c "import re, sys; a, b = (float(re.search(r'generic_us = ([0-9.e+-]+)', open(f).read())[1]) for f in sys.argv[1:]); sys.exit(not a > b + 2)" %t.latency %t.throughput

// Energy is labelled like the times it belongs to, stored, and found again.
// REDEFINE: %{objective} = energy
// RUN: %{tune} 2>&1 | FileCheck %s --check-prefix=ENERGY
// RUN: FileCheck %s --check-prefix=ANNOTATION < %t.energy
// RUN: cp %t.energy %t.first
// RUN: %{tune} 2>&1 | FileCheck %s --check-prefixes=ENERGY,HIT
// RUN: diff %t.energy %t.first
// ENERGY: objective energy: launches back to back
// ENERGY: energy of a launch: {{[0-9.e-]+}} mJ generic, {{[0-9.e-]+}} mJ tuned ({{[0-9.]+}}x), mean power {{[0-9]+}} W, simulated
// HIT: from the records
// ANNOTATION: hwtune.result = #hwtune.result<simulated on "sim:a100-sxm4-80gb", {energy_mj = {{.*}}, generic_energy_mj = {{.*}}, generic_us =
// REDEFINE: %{objective} = power
// RUN: %{tune} 2>&1 | FileCheck %s --check-prefix=POWER
// POWER: objective power: launches back to back
// REDEFINE: %{objective} = energy-delay
// RUN: %{tune} 2>&1 | FileCheck %s --check-prefix=DELAY
// DELAY: objective energy-delay: launches back to back

// The front is what nobody beats in both; one of it is picked by the weight.
// REDEFINE: %{objective} = pareto
// RUN: %{tune} 2>&1 | FileCheck %s --check-prefix=PARETO
// RUN: %{tune} 2>&1 | FileCheck %s --check-prefixes=PARETO,AGAIN
// Another weight picks from that front, and nothing is measured.
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:a100-sxm4-80gb trials=3 db=%t.db objective=pareto weight=1})' -o %t.weight 2>&1 | FileCheck %s --check-prefix=FASTEST
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=sim:a100-sxm4-80gb trials=3 db=%t.db objective=pareto weight=0})' -o %t.weight 2>&1 | FileCheck %s --check-prefix=THRIFTIEST
// PARETO: front: {{[0-9.]+ .?s}}, {{[0-9.e-]+}} mJ, simulated {threads = {{.*}}}
// AGAIN: from the records
// FASTEST: elementwise [[C:.threads[^}]*.]]
// FASTEST-NOT: front:
// FASTEST: front: {{.*}}[[C]]
// FASTEST: front:
// FASTEST: from the records
// THRIFTIEST: elementwise [[C:.threads[^}]*.]]
// THRIFTIEST: front:
// THRIFTIEST: front: {{.*}}[[C]]
// THRIFTIEST-NOT: front:
// THRIFTIEST: from the records

// The model knows no energy; a weight beyond its bounds is none.
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=model objective=energy})' 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=model objective=pareto weight=2})' 2>&1 | FileCheck %s --check-prefix=WEIGHT
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-tune{device=model objective=beauty})' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// MODEL: objective `energy`: the device reports no energy
// WEIGHT: error: option 'weight' is 2, expected 0 to 1
// UNKNOWN: error: option 'objective' is 'beauty', expected latency, throughput, energy, power, energy-delay or pareto
module attributes {hwtune.target = #hwtune.target<"a100-sxm4-80gb">} {
  func.func @copy(%a: memref<30000xf32>, %b: memref<30000xf32>) {
    linalg.copy ins(%a : memref<30000xf32>) outs(%b : memref<30000xf32>)
    return
  }
}
