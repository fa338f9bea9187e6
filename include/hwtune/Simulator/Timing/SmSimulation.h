//===- SmSimulation.h - the resident blocks of one SM -----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recorded warps issue in order on the SM's schedulers, greedy then oldest,
// each register with the clock at which it is ready. The load/store unit and
// the shared data stage are one server for all schedulers, with a short queue
// before it for each; L1 is a tag store, L2 and DRAM are servers with this SM's
// share of their bandwidth. Blocks that do not fit wait for one to end.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_SMSIMULATION_H
#define HWTUNE_SIMULATOR_TIMING_SMSIMULATION_H

#include "hwtune/Simulator/Timing/PseudoSass.h"
#include "hwtune/Simulator/Timing/Timing.h"
#include "hwtune/Simulator/Timing/WarpTrace.h"

namespace hwtune::timing {

struct SmInput {
  std::span<const exec::InstMeta> insts;
  std::span<const SassCost> costs;
  std::span<const BlockTrace> blocks; ///< in launch order
  double instsPerBlock = 0; ///< mean of the grid, for blocks that were cut
  int64_t residentBlocks = 1;
  int64_t l1Bytes = 0;
  double l2HitRate = 1;      ///< of loads that miss L1
  double storeHitRate = 1;   ///< of stores that L2 merges with others
  double againHitRate = 1;   ///< of what the block has loaded before
  double localL2HitRate = 1; ///< the same of local memory
  double spillL1HitRate = 1; ///< of loads of spilled words
  /// Of the grid, what the mix of reads and writes sustains; 0: no bound.
  double dramBytesPerClk = 0;
  /// That the hottest address is busy, spread over the atomic instructions of
  /// this SM.
  double clocksPerAtomicInst = 0;
  double codeBytes = 0;             ///< of the kernel's main loop
  double spilledBytesPerThread = 0; ///< stored, and as many loaded
  /// SMs that draw on L2 and DRAM at the same time.
  double activeSMs = 1;
};

struct SmResult {
  /// Until the last simulated block ended, or until the first warp came to the
  /// end of what was recorded of it.
  double cycles = 0;
  std::vector<double> blockEnds; ///< in order of ending
  uint64_t issued = 0;           ///< recorded instructions
  /// About when half of them had been issued, for the slope.
  double halfCycles = 0;
  uint64_t halfIssued = 0;
  Breakdown spent; ///< clocks of a scheduler, the mean of all: adds to `cycles`
  uint64_t l1Accesses = 0, l1Hits = 0; ///< sectors
  uint64_t l1Fills = 0;                ///< sectors that missed and were kept
  uint64_t l2Sectors = 0, dramSectors = 0;
};

/// Warp instructions of all blocks, those not recorded included.
double executedInsts(const SmInput &input);

SmResult simulateSM(const SmInput &input, const TargetSpec &target,
                    const Mechanisms &mechanisms);

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_SMSIMULATION_H
