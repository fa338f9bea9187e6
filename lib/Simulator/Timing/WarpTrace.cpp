//===- WarpTrace.cpp - what the warps of a block executed -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/WarpTrace.h"

#include <algorithm>
#include <array>
#include <bit>

using namespace hwtune;
using namespace hwtune::timing;

namespace {
/// Lanes served together: all of a 32-bit access, a half of 64, a quarter of
/// 128 bits.
unsigned lanesPerPhase(unsigned bytesPerLane) {
  if (bytesPerLane <= 4)
    return 32;
  return bytesPerLane <= 8 ? 16 : 8;
}
} // namespace

unsigned timing::sharedWavefronts(const uint64_t *addresses, uint32_t mask,
                                  unsigned bytesPerLane, unsigned banks,
                                  unsigned bankBytes) {
  unsigned phase = lanesPerPhase(bytesPerLane), total = 0;
  unsigned words = std::max(1u, bytesPerLane / bankBytes);
  std::vector<std::vector<uint64_t>> inBank(banks);
  for (unsigned first = 0; first < 32; first += phase) {
    for (auto &bank : inBank)
      bank.clear();
    unsigned deepest = 0;
    for (unsigned lane = first; lane < first + phase; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      uint64_t base = addresses[lane] / bankBytes;
      for (unsigned w = 0; w < words; ++w) {
        auto &bank = inBank[(base + w) % banks];
        if (std::find(bank.begin(), bank.end(), base + w) == bank.end())
          bank.push_back(base + w);
        deepest = std::max<unsigned>(deepest, bank.size());
      }
    }
    total += deepest;
  }
  return std::max(1u, total);
}

void timing::coalesce(const uint64_t *addresses, uint32_t mask,
                      unsigned bytesPerLane, unsigned lineBytes,
                      unsigned sectorBytes, Coalesced &out) {
  out.lines.clear();
  out.sectors = out.wavefronts = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    uint64_t begin = addresses[lane] / sectorBytes;
    uint64_t end = (addresses[lane] + bytesPerLane - 1) / sectorBytes;
    for (uint64_t sector = begin; sector <= end; ++sector) {
      uint64_t line = sector * sectorBytes / lineBytes;
      auto bit =
          static_cast<uint8_t>(1u << (sector % (lineBytes / sectorBytes)));
      // Consecutive lanes mostly touch the line of the lane before.
      auto at =
          std::find_if(out.lines.rbegin(), out.lines.rend(),
                       [&](const LineRecord &l) { return l.line == line; });
      if (at == out.lines.rend())
        out.lines.push_back({line, bit});
      else
        at->sectorMask |= bit;
    }
  }
  for (const LineRecord &line : out.lines)
    out.sectors += std::popcount(line.sectorMask);
  // The data stage moves one line a wavefront, and a wide access goes by
  // phases as in shared memory.
  unsigned phases = 32 / lanesPerPhase(bytesPerLane);
  unsigned active = std::popcount(mask);
  phases = std::max(1u, (active * phases + 31) / 32);
  out.wavefronts = std::max<unsigned>(out.lines.size(), phases);
}

/// Local memory is interleaved by lane, so that a word of all lanes is one
/// line; each warp has its own.
void TraceRecorder::coalesceLocal(const exec::TraceEvent &event,
                                  unsigned bytesPerLane) {
  constexpr unsigned kLanes = 32, kMostWarps = 64;
  constexpr uint64_t kFrameWords = uint64_t(1) << 24;
  uint64_t frame = (event.block * kMostWarps + event.warp) * kFrameWords;
  std::array<uint64_t, kLanes> spread{};
  std::vector<LineRecord> lines;
  unsigned words = std::max(1u, bytesPerLane / 4);
  for (unsigned word = 0; word < words; ++word) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (event.predOn >> lane & 1)
        spread[lane] =
            ((frame + event.addresses[lane] / 4 + word) * kLanes + lane) * 4;
    coalesce(spread.data(), event.predOn, 4, limits.lineBytes,
             limits.sectorBytes, scratch);
    lines.insert(lines.end(), scratch.lines.begin(), scratch.lines.end());
  }
  scratch.lines = std::move(lines);
  scratch.wavefronts = unsigned(scratch.lines.size());
  scratch.sectors = 0;
  for (const LineRecord &line : scratch.lines)
    scratch.sectors += std::popcount(line.sectorMask);
}

TraceRecorder::TraceRecorder(std::span<const exec::InstMeta> insts,
                             std::span<const uint8_t> hoist,
                             std::span<const uint64_t> record, Limits limits)
    : insts(insts), hoist(hoist), limits(limits), traces(record.size()) {
  for (size_t i = 0; i < record.size(); ++i) {
    index.emplace(record[i], i);
    traces[i].block = record[i];
  }
}

void TraceRecorder::enter(uint64_t block) {
  current.block = block;
  auto at = index.find(block);
  current.trace = at == index.end() ? nullptr : &traces[at->second];
  current.lines = &touched[block];
}

void TraceRecorder::noteLines(const exec::InstMeta &inst) {
  BlockLines &lines = *current.lines;
  auto add = [&](std::vector<uint64_t> &list) {
    for (const LineRecord &line : scratch.lines)
      if (list.empty() || list.back() != line.line)
        list.push_back(line.line);
    // Bounded: sorted and made distinct whenever it has doubled.
    constexpr size_t kCompactAt = 1 << 16;
    if (list.size() >= kCompactAt && std::has_single_bit(list.size())) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  };
  if (inst.isLoad || inst.isAsync || inst.isAtomic)
    add(lines.read);
  if (inst.isStore || inst.isAtomic)
    add(lines.written);
}

void TraceRecorder::recordAccess(BlockTrace &trace, TraceRecord &record,
                                 const exec::TraceEvent &event,
                                 const exec::InstMeta &inst) {
  AccessRecord access;
  if (event.space == ptx::Space::Shared) {
    access.wavefronts = static_cast<uint16_t>(
        sharedWavefronts(event.addresses, event.predOn, inst.bytesPerLane,
                         limits.banks, limits.bankBytes));
  } else {
    access.wavefronts = static_cast<uint16_t>(scratch.wavefronts);
    access.sectors = static_cast<uint16_t>(scratch.sectors);
    access.firstLine = static_cast<uint32_t>(trace.lines.size());
    access.numLines = static_cast<uint32_t>(scratch.lines.size());
    trace.lines.insert(trace.lines.end(), scratch.lines.begin(),
                       scratch.lines.end());
  }
  record.access = static_cast<int32_t>(trace.accesses.size());
  trace.accesses.push_back(access);
}

void TraceRecorder::instruction(const exec::TraceEvent &event) {
  const exec::InstMeta &inst = insts[event.inst];
  if (!current.lines || current.block != event.block)
    enter(event.block);
  bool isAccess =
      inst.isMemory && event.addresses && event.predOn && !inst.registerSlots;
  bool isLocal = isAccess && event.space == ptx::Space::Local;
  bool isGlobal = isAccess && event.space == ptx::Space::Global;
  if (isLocal)
    coalesceLocal(event, inst.bytesPerLane);
  if (isGlobal) {
    coalesce(event.addresses, event.predOn, inst.bytesPerLane, limits.lineBytes,
             limits.sectorBytes, scratch);
    noteLines(inst);
  }
  if (!current.trace)
    return;
  BlockTrace &trace = *current.trace;
  if (event.warp >= trace.warps.size()) {
    trace.warps.resize(event.warp + 1);
    trace.executed.resize(event.warp + 1);
  }
  ++trace.executed[event.warp];
  auto &warp = trace.warps[event.warp];
  // Every warp is cut at the same length, so that they stay side by side.
  if (warp.size() >= limits.instructionsPerWarp) {
    trace.truncated = true;
    return;
  }
  TraceRecord record{event.inst, -1};
  if (isGlobal || isLocal || (isAccess && event.space == ptx::Space::Shared))
    recordAccess(trace, record, event, inst);
  warp.push_back(record);
  ++trace.recorded;
  size_t up = std::min<size_t>(hoist[event.inst], warp.size() - 1);
  std::rotate(warp.end() - 1 - up, warp.end() - 1, warp.end());
}

std::vector<BlockTrace> TraceRecorder::takeTraces() {
  return std::move(traces);
}

std::unordered_map<uint64_t, TraceRecorder::BlockLines>
TraceRecorder::takeLines() {
  for (auto &[block, lines] : touched)
    for (auto *list : {&lines.read, &lines.written}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
  return std::move(touched);
}
