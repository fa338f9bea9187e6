//===- Traffic.h - bytes between L2 and DRAM --------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// L2 is shared by all SMs, so its hits cannot be seen from one of them. They
// follow from how much of what a block touches its neighbours touch too.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_TRAFFIC_H
#define HWTUNE_SIMULATOR_TIMING_TRAFFIC_H

#include "hwtune/Simulator/Timing/Footprint.h"
#include "hwtune/Simulator/Timing/Sampling.h"
#include "hwtune/Target/TargetSpec.h"

namespace hwtune::timing {

/// Share of `volume` bytes that is still in a cache after as many others went
/// through it: half of the cache works for each.
double surviving(double volume, double cacheBytes);

/// Share of what was used last before `distance` other bytes that a cache still
/// holds: all that it has room for, then less, none of twice as much (assumed:
/// no cache forgets exactly what is oldest).
double stillThere(double distance, double cacheBytes);

/// Bytes per clock between L2 and DRAM, for a mix of reads and writes: as many
/// of both sustain `dram_eff_mixed` of the peak, reads alone `dram_eff_read`.
/// 0: unknown.
double dramBytesPerClk(const TargetSpec &target, double readBytes,
                       double writeBytes);

/// Local memory of a launch: arrays that found no registers, and spills. Each
/// warp has its own, so that it competes for the caches with that of all
/// others that are resident.
struct LocalTraffic {
  double l1HitRate = 1, l2HitRate = 1;      ///< of loads; of what misses L1
  double l2ReadBytes = 0, l2WriteBytes = 0; ///< every store goes through
  double dramReadBytes() const { return (1 - l2HitRate) * l2ReadBytes; }
  double dramWriteBytes() const { return (1 - l2HitRate) * l2WriteBytes; }
};

struct DramTraffic {
  double readBytes = 0, writeBytes = 0;
  /// Sectors that blocks read at least once each, summed over blocks: what
  /// reaches L2 with a perfect L1.
  double blockReadSectors = 0;
  /// Distinct bytes that the grid reads.
  double uniqueReadBytes = 0;
  /// Share of what a block reads again that L2 still has.
  double againHitRate = 1;

  /// The same when the launch before was equal: what that left in L2 is neither
  /// read again nor written back.
  void followItself(double l2Bytes);
};

/// Lines of each block, per allocation: unique lines of n blocks in a row
/// along one dimension are lines * (1 + (n - 1) * (1 - overlap)), with the
/// overlap of two neighbours. One wave of `waveBlocks` blocks shares L2; from
/// wave to wave only what fits `l2Bytes` survives. No more lines are touched
/// than lie between the lowest and the highest that the blocks of `lines`
/// touch. Where one wave reads more than that, its blocks sweep over the same
/// lines at different times: what they find in L2 depends on how long ago that
/// was.
DramTraffic dramTraffic(const LinesByBlock &lines, const Neighbours &near,
                        exec::Dim3 grid, uint64_t waveBlocks, double l2Bytes,
                        unsigned lineBytes, const exec::GlobalMemory &memory,
                        bool byDistance = true);

/// Atomic operations of the grid on the address where most of them meet: where
/// a neighbour goes to it too, all blocks along that dimension do.
double hotAtomics(const AtomicsByBlock &atomics, const Neighbours &near,
                  exec::Dim3 grid);

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_TRAFFIC_H
