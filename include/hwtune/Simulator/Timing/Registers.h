//===- Registers.h - registers of a thread on a target ----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_REGISTERS_H
#define HWTUNE_SIMULATOR_TIMING_REGISTERS_H

#include "hwtune/Simulator/Exec/Exec.h"
#include "hwtune/Target/TargetSpec.h"

namespace hwtune::timing {

struct RegisterEstimate {
  uint32_t registers = 0;  ///< 32-bit, of a thread
  uint32_t spillBytes = 0; ///< of a thread that find no register
};

/// What `ptxas` would report: registers are spent on hiding latency as long as
/// as many threads stay resident as without, beyond that only as the values
/// need; the kernel's bounds (`.maxntid`, `.minnctapersm`, `.maxnreg`) and the
/// target's limit cut both off, at the price of spills. How far it is off:
/// docs/simulator.md.
RegisterEstimate estimateRegisters(const exec::FunctionInfo &function,
                                   const TargetSpec &target);

/// The most registers that the kernel's bounds leave a thread.
int64_t registerLimit(const exec::FunctionInfo &function,
                      const TargetSpec &target);

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_REGISTERS_H
