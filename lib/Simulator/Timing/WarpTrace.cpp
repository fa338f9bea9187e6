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

TraceRecorder::TraceRecorder(const JoinedInsts &joined,
                             std::span<const uint8_t> hoist,
                             std::span<const uint64_t> record, Limits limits)
    : joined(joined), hoist(hoist), limits(limits), traces(record.size()) {
  for (size_t i = 0; i < record.size(); ++i) {
    index.emplace(record[i], i);
    traces[i].block = record[i];
  }
}

bool TraceRecorder::hasEnough(uint64_t block) const {
  auto at = index.find(block);
  return at != index.end() &&
         traces[at->second].cutWarps >= limits.warpsPerBlock;
}

void TraceRecorder::addLines(BlockTrace &trace, AccessRecord &access) {
  access.wavefronts += static_cast<uint16_t>(scratch.wavefronts);
  access.lookups += static_cast<uint16_t>(scratch.lookups);
  access.sectors += static_cast<uint16_t>(scratch.sectors);
  access.numLines += scratch.numLines;
  trace.lines.insert(trace.lines.end(), scratch.lines.begin(),
                     scratch.lines.begin() + scratch.numLines);
}

/// A joined access passes the data stage as its words would apart: they fall
/// into the same banks, one further each.
uint32_t TraceRecorder::sharedWavefronts(const uint64_t *addresses,
                                         const exec::TraceEvent &event,
                                         uint32_t bytes) const {
  const exec::InstMeta &inst = joined.insts[event.inst];
  auto kind = inst.isAtomic ? exec::SharedAccess::Atomic
              : inst.isLoad ? exec::SharedAccess::Load
                            : exec::SharedAccess::Store;
  uint32_t standsFor = joined.standsFor[event.inst];
  if (standsFor > 1)
    bytes = joined.bytesApart[event.inst];
  return standsFor * exec::sharedWavefronts(addresses, event.predOn, bytes,
                                            kind, limits.units);
}

void TraceRecorder::recordAccess(BlockTrace &trace, TraceRecord &record,
                                 const exec::TraceEvent &event,
                                 const exec::InstMeta &inst) {
  AccessRecord access;
  access.requests = static_cast<uint16_t>(inst.accesses);
  access.firstLine = static_cast<uint32_t>(trace.lines.size());
  forEachAccess(inst, event, [&](const uint64_t *addresses, uint32_t bytes) {
    if (event.space == ptx::Space::Shared) {
      access.wavefronts +=
          static_cast<uint16_t>(sharedWavefronts(addresses, event, bytes));
      return;
    }
    if (event.space == ptx::Space::Local) { // each warp has its own
      constexpr uint64_t kMostWarps = 64, kFrameWords = uint64_t(1) << 24;
      exec::coalesceLocal(addresses, event.predOn, bytes,
                          (event.block * kMostWarps + event.warp) * kFrameWords,
                          limits.units, scratch);
    } else {
      exec::coalesce(addresses, event.predOn, bytes, limits.units, scratch);
    }
    addLines(trace, access);
  });
  record.access = static_cast<int32_t>(trace.accesses.size());
  trace.accesses.push_back(access);
}

/// A constant at one address for all lanes is an operand of what uses it.
void TraceRecorder::recordConstant(BlockTrace &trace, TraceRecord &record,
                                   const exec::TraceEvent &event) {
  AccessRecord access;
  access.requests = static_cast<uint16_t>(
      exec::distinctAddresses(event.addresses, event.predOn));
  if (access.requests <= 1)
    return;
  record.access = static_cast<int32_t>(trace.accesses.size());
  trace.accesses.push_back(access);
}

void TraceRecorder::instruction(const exec::TraceEvent &event) {
  if (currentBlock != event.block) {
    currentBlock = event.block;
    auto at = index.find(event.block);
    current = at == index.end() ? nullptr : &traces[at->second];
  }
  if (!current)
    return;
  BlockTrace &trace = *current;
  if (event.warp >= trace.warps.size())
    trace.warps.resize(event.warp + 1);
  auto &warp = trace.warps[event.warp];
  // Every warp is cut at the same length, so that they stay side by side.
  if (warp.records.size() >= limits.instructionsPerWarp) {
    trace.cutWarps += !warp.cut;
    warp.cut = true;
    return;
  }
  const exec::InstMeta &inst = joined.insts[event.inst];
  TraceRecord record{event.inst, -1};
  if (inst.isMemory && event.addresses && event.predOn && !inst.registerSlots &&
      event.space != ptx::Space::Param) {
    if (inst.cls == exec::InstClass::ConstLoad)
      recordConstant(trace, record, event);
    else
      recordAccess(trace, record, event, inst);
  }
  warp.records.push_back(record);
  ++trace.recorded;
  auto end = warp.records.end();
  size_t up = std::min<size_t>(hoist[event.inst], warp.records.size() - 1);
  std::rotate(end - 1 - up, end - 1, end);
}

std::vector<uint64_t> TraceRecorder::recorded() const {
  std::vector<uint64_t> counts;
  for (const BlockTrace &trace : traces)
    if (trace.recorded)
      counts.push_back(trace.recorded);
  return counts;
}

std::vector<BlockTrace> TraceRecorder::takeTraces() {
  return std::move(traces);
}
