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

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace hwtune::timing {

/// Numbers of lines, kept as 64 to a word.
class LineSet {
public:
  /// Whether it is new.
  bool insert(uint64_t line) {
    uint64_t page = line / 64;
    if (page != lastPage || !last) {
      last = &pages[page]; // stays valid: the map is node-based
      lastPage = page;
    }
    uint64_t bit = uint64_t(1) << (line % 64);
    bool isNew = !(*last & bit);
    *last |= bit;
    return isNew;
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
    LineSet read, written;
    std::vector<uint64_t> readOrder;
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
