//===- Footprint.cpp - which lines blocks touch ---------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/Footprint.h"

#include <algorithm>
#include <bit>

using namespace hwtune;
using namespace hwtune::timing;

std::vector<uint64_t> LineSet::sorted() const {
  std::vector<uint64_t> lines;
  for (auto [page, bits] : pages)
    for (; bits; bits &= bits - 1)
      lines.push_back(page * 64 + std::countr_zero(bits));
  std::sort(lines.begin(), lines.end());
  return lines;
}

FootprintRecorder::FootprintRecorder(std::span<const exec::InstMeta> insts,
                                     std::vector<bool> joined,
                                     std::span<const uint64_t> blocks,
                                     exec::AccessUnits units)
    : insts(insts), joined(std::move(joined)), units(units) {
  for (uint64_t block : blocks)
    touched.try_emplace(block);
}

void FootprintRecorder::instruction(const exec::TraceEvent &event) {
  if (event.space != ptx::Space::Global || !event.addresses || !event.predOn)
    return;
  auto at = touched.find(event.block);
  if (at == touched.end())
    return;
  const exec::InstMeta &inst = insts[event.inst];
  if (inst.isAtomic) {
    AtomicCounts &counts = counted[event.block];
    uint32_t first = event.predOn & -event.predOn;
    for (uint32_t lanes = joined[inst.id] ? first : event.predOn; lanes;
         lanes &= lanes - 1)
      ++counts[event.addresses[std::countr_zero(lanes)]];
  }
  Sets &sets = at->second;
  forEachAccess(inst, event, [&](const uint64_t *addresses, uint32_t bytes) {
    exec::coalesce(addresses, event.predOn, bytes, units, scratch);
    for (uint32_t i = 0; i < scratch.numLines; ++i) {
      uint64_t line = scratch.lines[i].line;
      bool isRead = inst.isLoad || inst.isAsync || inst.isAtomic;
      if (isRead) {
        if (sets.read.insert(line))
          sets.readOrder.push_back(line);
        sets.readSectors +=
            sets.sectors.insert(line << (units.lineBits - units.sectorBits),
                                scratch.lines[i].sectors);
      }
      if (inst.isStore || inst.isAtomic)
        sets.written.insert(line);
    }
  });
}

LinesByBlock FootprintRecorder::lines() const {
  LinesByBlock all;
  for (const auto &[block, sets] : touched)
    all[block] = {sets.read.sorted(), sets.written.sorted(), sets.readOrder,
                  sets.readSectors};
  return all;
}
