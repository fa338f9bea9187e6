//===- GridSample.h - the blocks that are run to time a grid ----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three things are wanted of a grid: its event counts, what the blocks of one
// SM do instruction by instruction, and which lines neighbours share. Blocks
// run for the first only count, which is fast; those for the second stop where
// recording ends.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_GRIDSAMPLE_H
#define HWTUNE_SIMULATOR_TIMING_GRIDSAMPLE_H

#include "hwtune/Simulator/Timing/Footprint.h"
#include "hwtune/Simulator/Timing/Timing.h"
#include "hwtune/Simulator/Timing/WarpTrace.h"

namespace hwtune::timing {

struct GridSample {
  /// Of all blocks that ran, its events scaled to the grid.
  exec::LaunchResult launch;
  bool sampled = false;     ///< else the whole grid ran, once
  std::vector<double> runs; ///< `LaunchResult::runs`, scaled to the grid
  /// Of the blocks of one SM, in launch order: some rounds of resident
  /// blocks, or one where these are longer than what is recorded.
  std::vector<BlockTrace> traces;
  /// Warp instructions of each block, where all were counted, and the longest
  /// of them, or its end.
  std::vector<uint64_t> blockInsts;
  BlockTrace longest;
  LinesByBlock lines;     ///< of `neighbours(grid)`
  AtomicsByBlock atomics; ///< of the same
};

/// `insts` are those of the program, accesses joined or not.
/// Runs a sample of the launch (`options.wholeGrid`: all of it). On a fault
/// only `launch` is filled.
GridSample sampleGrid(const exec::Program &program, const JoinedInsts &insts,
                      exec::GlobalMemory &memory,
                      const exec::LaunchRequest &request,
                      const TargetSpec &target, const TimingOptions &options,
                      uint64_t blocksPerSM);

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_GRIDSAMPLE_H
