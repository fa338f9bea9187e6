//===- MemorySystem.h - one SM's way to its memories ------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_MEMORYSYSTEM_H
#define HWTUNE_SIMULATOR_TIMING_MEMORYSYSTEM_H

#include "hwtune/Simulator/Timing/Footprint.h"
#include "hwtune/Simulator/Timing/SmSimulation.h"

#include <list>
#include <unordered_map>

namespace hwtune::timing {

/// Sectored LRU tags of `bytes` capacity. Fully associative: conflicts between
/// sets are noise at this level of detail.
class TagStore {
public:
  TagStore(uint64_t bytes, unsigned lineBytes);
  /// The sectors of `mask` that were there; all of them are afterwards.
  uint8_t access(uint64_t line, uint8_t mask);

private:
  struct Entry {
    uint64_t line;
    uint8_t sectors;
  };
  uint64_t capacity;      ///< lines
  std::list<Entry> order; ///< most recent first
  std::unordered_map<uint64_t, std::list<Entry>::iterator> where;
};

/// What a warp waits for: where a value comes from, or its block's start.
enum class Level : uint8_t { Arithmetic, Near, L2, Dram, Atomics, Start };

struct AccessTime {
  double served = 0; ///< the load/store unit has taken it
  double ready = 0;  ///< its result can be used
  Level from = Level::Near;
};

/// Servers in a row: load/store unit and data stage, L1 tags, L2, DRAM.
class MemorySystem {
public:
  MemorySystem(const SmInput &input, const TargetSpec &target,
               const Mechanisms &mechanisms);

  /// `record` is null where no lane was active.
  AccessTime access(const exec::InstMeta &inst, const AccessRecord *record,
                    const BlockTrace &block, double now);
  /// One access to a spilled word; when the load/store unit has taken it.
  double spill(double now);
  /// When a shuffle's result is ready.
  double shuffle(double now);
  /// When a scheduler's queue before the load/store unit has room.
  double queueFree(std::vector<double> &queue, double now) const;
  /// Clocks a matrix instruction keeps its sub-partition's unit busy.
  double matrixClocks(const exec::InstMeta &inst, const SassCost &cost) const;
  /// When the last byte has been moved, and by what.
  AccessTime drained() const;
  void addTo(SmResult &result) const;

private:
  double serve(double instructions, double wavefronts, double now,
               double lookups = 0);
  AccessTime accessGlobal(const exec::InstMeta &inst,
                          const AccessRecord &record, const BlockTrace &block,
                          double now);
  unsigned loadAgain(uint64_t block, uint64_t line, uint8_t mask);
  AccessTime beyondL1(unsigned sectors, bool isStore, double hitRate,
                      double now);
  void fill(unsigned sectors);
  double serveAtomic(double now);

  const SmInput &input;
  const TargetSpec &target;
  const Mechanisms &on;
  TagStore l1;
  std::unordered_map<uint64_t, LineSet> loaded; ///< sectors, by block
  bool storeTurn = false;
  double spillMisses = 0; ///< fraction of the next one, as `missCredit`
  double lsuFree = 0, l2Free = 0, dramFree = 0, atomicFree = 0;
  double missCredit = 0; ///< spreads DRAM accesses evenly over L1 misses
  uint64_t l1Accesses = 0, l1Hits = 0, l1Fills = 0;
  uint64_t l2Sectors = 0, dramSectors = 0;
};

/// Multiply-adds per clock and SM for a matrix instruction's types.
double matrixRate(std::string_view name, const TargetSpec &target);

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_MEMORYSYSTEM_H
