//===- BlockWork.h - grids whose blocks do not do the same ------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grid takes at least as long as its busiest SM is busy, and as the longest
// row of blocks that follow each other in one place of an SM, each as long as
// it takes alone. For a mean block neither is seen.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_BLOCKWORK_H
#define HWTUNE_SIMULATOR_TIMING_BLOCKWORK_H

#include "hwtune/Simulator/Timing/WarpTrace.h"

#include <optional>

namespace hwtune::timing {

/// Of a grid run as a whole: the instructions of each block, and what the
/// longest of them did, from where it became the longest.
class BlockWorkRecorder : public exec::TraceHook {
public:
  BlockWorkRecorder(const JoinedInsts &insts, std::span<const uint8_t> hoist,
                    uint64_t gridBlocks, TraceRecorder::Limits limits)
      : insts(insts), hoist(hoist), limits(limits), counts(gridBlocks) {}

  void instruction(const exec::TraceEvent &event) override;
  std::vector<uint64_t> takeCounts() { return std::move(counts); }
  /// Empty where nothing ran.
  BlockTrace takeLongest();

private:
  const JoinedInsts &insts;
  std::span<const uint8_t> hoist;
  TraceRecorder::Limits limits;
  std::vector<uint64_t> counts; ///< warp instructions by block
  uint64_t current = ~uint64_t(0), recorded = ~uint64_t(0); ///< blocks
  uint64_t longest = 0; ///< instructions of the blocks before `current`
  std::optional<TraceRecorder> recorder;
};

/// Whether some block has much more to do than the mean.
bool isSkewed(std::span<const uint64_t> blockInsts);

/// Instructions of the SM that gets the most, over the mean of all `sms`: each
/// block goes where the least has been given out.
double busiestOverMean(std::span<const uint64_t> blockInsts, uint64_t sms);

/// Most instructions that follow each other in one of `places` for blocks:
/// each block goes to the place that is free first.
double longestRow(std::span<const uint64_t> blockInsts, uint64_t places);

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_BLOCKWORK_H
