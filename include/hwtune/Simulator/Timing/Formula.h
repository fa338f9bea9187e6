//===- Formula.h - time from event counts -----------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// T = (sum T_i^3)^(1/3) over what each resource alone would need, in clocks,
// and what the resident blocks wait. The exponent was found best on measured
// convolutions; a hard maximum and a plain sum are both worse
// (docs/simulator.md).
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_FORMULA_H
#define HWTUNE_SIMULATOR_TIMING_FORMULA_H

#include "hwtune/Simulator/Timing/PseudoSass.h"
#include "hwtune/Simulator/Timing/Timing.h"

#include <array>

namespace hwtune::timing {

/// Passes of the L1 data stage that `sectors` take which arrive in L1; none on
/// a target that does not say how wide that path is.
inline double fillPasses(double sectors, const TargetSpec &t) {
  return t.l1FillBytes ? sectors * double(t.sectorBytes) / *t.l1FillBytes : 0;
}

/// Work of the whole grid in hardware instructions (warp level).
struct GridWork {
  double issue = 0;
  double codeBytes = 0;
  std::array<double, size_t(Pipe::Control) + 1> pipeOps{};
  double matrixClocks = 0; ///< per sub-partition unit, summed over warps
  double memoryInsts = 0;  ///< through the load/store unit
  double lookupClocks = 0; ///< for lines, beyond the clocks of `memoryInsts`
  double wavefronts = 0;   ///< shared and L1 data stage
  double hotAtomics = 0;   ///< on the one address where most meet
  double fillSectors = 0;  ///< that arrive in L1
  double l2Bytes = 0, dramReadBytes = 0, dramWriteBytes = 0;
  double blocks = 0, blocksPerSM = 1;
  double aloneCycles = 0; ///< one block by itself on an SM
};

ModelTime formulaTime(const GridWork &work, const TargetSpec &target,
                      const Mechanisms &mechanisms);

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_FORMULA_H
