//===- WarpTrace.h - what the warps of a block executed ---------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_WARPTRACE_H
#define HWTUNE_SIMULATOR_TIMING_WARPTRACE_H

#include "hwtune/Simulator/Exec/AccessCost.h"
#include "hwtune/Simulator/Exec/Trace.h"
#include "hwtune/Simulator/Timing/JoinAccesses.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace hwtune::timing {

/// One memory access of one warp.
struct AccessRecord {
  uint16_t requests = 1; ///< the load/store unit takes one at a time
  uint16_t wavefronts = 0;
  uint16_t sectors = 0, lookups = 0;
  uint32_t firstLine = 0, numLines = 0; ///< into `BlockTrace::lines`
};

struct TraceRecord {
  uint32_t inst = 0;
  int32_t access = -1; ///< into `BlockTrace::accesses`
};

struct WarpTrace {
  std::vector<TraceRecord> records;
  bool cut = false; ///< it executed more
};

struct BlockTrace {
  uint64_t block = 0;
  std::vector<WarpTrace> warps;
  std::vector<AccessRecord> accesses;
  std::vector<exec::LineRecord> lines;
  uint64_t recorded = 0; ///< instructions of all warps
  uint64_t cutWarps = 0;
  bool truncated() const { return cutWarps > 0; }
};

/// Records the blocks it is told to, up to a number of instructions a warp.
class TraceRecorder : public exec::TraceHook {
public:
  struct Limits {
    exec::AccessUnits units;
    uint64_t instructionsPerWarp = 0;
    uint64_t warpsPerBlock = 0;
  };
  TraceRecorder(const JoinedInsts &joined, std::span<const uint8_t> hoist,
                std::span<const uint64_t> record, Limits limits);

  void instruction(const exec::TraceEvent &event) override;
  /// Once all warps of `block` have been cut.
  bool hasEnough(uint64_t block) const override;

  /// Instructions recorded of the blocks that ran.
  std::vector<uint64_t> recorded() const;

  /// In the order of `record`; blocks that did not run are empty.
  std::vector<BlockTrace> takeTraces();

private:
  void recordAccess(BlockTrace &trace, TraceRecord &record,
                    const exec::TraceEvent &event, const exec::InstMeta &inst);
  void recordConstant(BlockTrace &trace, TraceRecord &record,
                      const exec::TraceEvent &event);
  void addLines(BlockTrace &trace, AccessRecord &access);

  uint32_t sharedWavefronts(const uint64_t *addresses,
                            const exec::TraceEvent &event,
                            uint32_t bytes) const;

  const JoinedInsts &joined;
  std::span<const uint8_t> hoist;
  Limits limits;
  std::unordered_map<uint64_t, size_t> index;
  std::vector<BlockTrace> traces;
  exec::LineAccess scratch;
  /// Of the block that ran last: most instructions follow one of the same.
  uint64_t currentBlock = ~uint64_t(0);
  BlockTrace *current = nullptr; ///< null: not recorded
};

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_WARPTRACE_H
