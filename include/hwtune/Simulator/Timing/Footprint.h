//===- Footprint.h - which lines blocks touch -------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_FOOTPRINT_H
#define HWTUNE_SIMULATOR_TIMING_FOOTPRINT_H

#include "hwtune/Simulator/Exec/AccessCost.h"
#include "hwtune/Simulator/Exec/Trace.h"

#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace hwtune::timing {

/// Numbers of lines, kept as 64 to a word.
class LineSet {
public:
  /// Whether it is new.
  bool insert(uint64_t line) { return insert(line, 1) > 0; }
  /// How many are new of `first` and those behind it that `mask` has a bit for;
  /// none of them may lie in another word.
  unsigned insert(uint64_t first, uint8_t mask) {
    uint64_t page = first / 64;
    if (page != lastPage || !last) {
      last = &pages[page]; // stays valid: the map is node-based
      lastPage = page;
    }
    uint64_t bits = uint64_t(mask) << (first % 64) & ~*last;
    *last |= bits;
    return unsigned(std::popcount(bits));
  }
  std::vector<uint64_t> sorted() const;

private:
  std::unordered_map<uint64_t, uint64_t> pages;
  uint64_t lastPage = 0, *last = nullptr;
};

/// Lines of global memory that a block touches, sorted and distinct.
struct BlockLines {
  std::vector<uint64_t> read, written;
  std::vector<uint64_t> readOrder; ///< `read`, as they were first touched
  uint64_t readSectors = 0;        ///< of `read`, those that are asked for
};
using LinesByBlock = std::unordered_map<uint64_t, BlockLines>;

/// Atomic operations by their address in global memory: one a lane, or a warp
/// where they are joined.
using AtomicCounts = std::unordered_map<uint64_t, uint64_t>;
using AtomicsByBlock = std::unordered_map<uint64_t, AtomicCounts>;

/// Collects the lines of the blocks it is told to.
class FootprintRecorder : public exec::TraceHook {
public:
  /// `joined` is by instruction, see `joinedAtomics`.
  FootprintRecorder(std::span<const exec::InstMeta> insts,
                    std::vector<bool> joined, std::span<const uint64_t> blocks,
                    exec::AccessUnits units);
  bool accessesOnly() const override { return true; }
  void instruction(const exec::TraceEvent &event) override;
  LinesByBlock lines() const;
  const AtomicsByBlock &atomics() const { return counted; }

private:
  struct Sets {
    LineSet read, written, sectors; ///< `sectors`: those that are read
    std::vector<uint64_t> readOrder;
    uint64_t readSectors = 0;
  };
  std::span<const exec::InstMeta> insts;
  std::vector<bool> joined;
  exec::AccessUnits units;
  std::unordered_map<uint64_t, Sets> touched;
  AtomicsByBlock counted;
  exec::LineAccess scratch;
};

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_FOOTPRINT_H
