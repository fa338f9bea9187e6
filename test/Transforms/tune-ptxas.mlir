// Registers and spills of what is measured come from ptxas where one is named;
// they are labelled so, and the simulated device counts with them.
// DEFINE: %{tune} = hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=a100-sxm4-80gb},hw-tune{trials=2 db=%t.db ptxas=%S/Inputs/fake-ptxas.py})'
// RUN: rm -f %t.db
// RUN: env FAKE_REGISTERS=40 %{tune} -o %t.40 2>%t.err
// RUN: FileCheck %s --check-prefix=FORTY < %t.40
// RUN: FileCheck %s --check-prefix=TABLE < %t.err
// FORTY: registers_ptxas = 40.0, shared_bytes = 0.0, speedup = {{.*}}, spill_bytes = 0.0
// TABLE: simulated {{.*}} 40 {{.*}} 75 %
// TABLE: registers and shared memory as ptxas reports them, 0 bytes spilled

// The record tells the same; ptxas is part of its key.
// RUN: env FAKE_REFUSES=1 %{tune} -o %t.hit 2>&1 | FileCheck %s --check-prefix=HIT
// RUN: diff %t.40 %t.hit
// HIT: simulated {{.*}} 40 {{.*}} 75 %
// HIT: registers and shared memory as ptxas reports them, 0 bytes spilled
// HIT: from the records
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=a100-sxm4-80gb},hw-tune{trials=2 db=%t.db require-hit})' 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: no record for linalg.copy on a100-sxm4-80gb: it differs in toolchain

// Spilled registers cost simulated time.
// RUN: rm -f %t.db
// RUN: env FAKE_REGISTERS=40 FAKE_SPILLS=800 %{tune} -o %t.spilled 2>/dev/null
// RUN: %python -c "import re, sys; a, b = (float(re.search(' time_us = ([0-9.e+-]+)', open(f).read())[1]) for f in sys.argv[1:]); sys.exit(not b > 1.2 * a)" %t.40 %t.spilled

// What ptxas refuses is no candidate.
// RUN: rm -f %t.db
// RUN: not env FAKE_REFUSES=1 %{tune} -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: ptxas refuses the PTX: ptxas fatal   : out of luck

// An architecture that it does not know leaves the estimate.
// RUN: hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=t4},hw-tune{trials=1 ptxas=%S/Inputs/fake-ptxas.py})' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: remark: ptxas 99.1.7 does not assemble for sm_75: registers and spills are estimates
// OTHER: registers are the schedule's estimate
// OTHER: registers_estimate = {{[0-9.]+}},

// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=t4},hw-tune{ptxas=%t.none})' 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not hwtune-opt %s --pass-pipeline='builtin.module(hw-attach-target{target=t4},hw-tune{ptxas=/bin/echo})' 2>&1 | FileCheck %s --check-prefix=ECHO
// MISSING: error: cannot run ptxas `{{.*}}.none`:
// ECHO: error: `/bin/echo` is no ptxas: `--version` does not tell a release
func.func @copy(%a: memref<30000xf32>, %b: memref<30000xf32>) {
  linalg.copy ins(%a : memref<30000xf32>) outs(%b : memref<30000xf32>)
  return
}
