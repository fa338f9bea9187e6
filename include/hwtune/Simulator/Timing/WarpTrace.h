//===- WarpTrace.h - what the warps of a block executed ---------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_WARPTRACE_H
#define HWTUNE_SIMULATOR_TIMING_WARPTRACE_H

#include "hwtune/Simulator/Exec/Trace.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace hwtune::timing {

/// One memory access of one warp.
struct AccessRecord {
  uint16_t wavefronts = 1;
  uint16_t sectors = 0;
  uint32_t firstLine = 0, numLines = 0; ///< into `BlockTrace::lines`
};

/// A touched line: its number (address / line bytes) and its sectors.
struct LineRecord {
  uint64_t line = 0;
  uint8_t sectorMask = 0;
};

struct TraceRecord {
  uint32_t inst = 0;
  int32_t access = -1; ///< into `BlockTrace::accesses`
};

struct BlockTrace {
  uint64_t block = 0;
  std::vector<std::vector<TraceRecord>> warps;
  std::vector<AccessRecord> accesses;
  std::vector<LineRecord> lines;
  /// Instructions each warp executed in all, those not recorded included.
  std::vector<uint64_t> executed;
  uint64_t recorded = 0;
  bool truncated = false;
};

/// Wavefronts of one shared-memory access: lanes of the same bank and another
/// word queue up; 64-bit accesses go by half warps, 128-bit by quarters.
unsigned sharedWavefronts(const uint64_t *addresses, uint32_t mask,
                          unsigned bytesPerLane, unsigned banks,
                          unsigned bankBytes);

/// Sectors and lines of one access to global or local memory.
struct Coalesced {
  unsigned sectors = 0, wavefronts = 0;
  std::vector<LineRecord> lines;
};
void coalesce(const uint64_t *addresses, uint32_t mask, unsigned bytesPerLane,
              unsigned lineBytes, unsigned sectorBytes, Coalesced &out);

/// Records the blocks it is told to, up to a number of instructions a warp.
class TraceRecorder : public exec::TraceHook {
public:
  struct Limits {
    unsigned lineBytes, sectorBytes, banks, bankBytes;
    uint64_t instructionsPerWarp;
  };
  TraceRecorder(std::span<const exec::InstMeta> insts,
                std::span<const uint8_t> hoist,
                std::span<const uint64_t> record, Limits limits);

  void instruction(const exec::TraceEvent &event) override;

  /// In the order of `record`; blocks that did not run are empty.
  std::vector<BlockTrace> takeTraces();
  /// Lines read and written by each block that ran, sorted and distinct.
  struct BlockLines {
    std::vector<uint64_t> read, written;
  };
  std::unordered_map<uint64_t, BlockLines> takeLines();

private:
  void recordAccess(BlockTrace &trace, TraceRecord &record,
                    const exec::TraceEvent &event, const exec::InstMeta &inst);
  void coalesceLocal(const exec::TraceEvent &event, unsigned bytesPerLane);
  void enter(uint64_t block);
  void noteLines(const exec::InstMeta &inst);

  std::span<const exec::InstMeta> insts;
  std::span<const uint8_t> hoist;
  Limits limits;
  std::unordered_map<uint64_t, size_t> index;
  std::vector<BlockTrace> traces;
  std::unordered_map<uint64_t, BlockLines> touched;
  Coalesced scratch;
  /// Of the block that ran last: most instructions follow one of the same.
  struct {
    uint64_t block = 0;
    BlockTrace *trace = nullptr; ///< null: not recorded
    BlockLines *lines = nullptr;
  } current;
};

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_WARPTRACE_H
