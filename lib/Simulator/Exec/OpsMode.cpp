//===- OpsMode.cpp - counting events and calling the trace hook -----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"
#include "Ops.h"
#include "hwtune/Simulator/Exec/AccessCost.h"

#include <algorithm>
#include <cstring>

namespace hwtune::exec {

// --- addresses --------------------------------------------------------------

ptx::Space laneAddresses(const MemDesc &D, const std::byte *R, uint32_t mask,
                         uint64_t *addresses) {
  if (D.wideBase) {
    memcpy(addresses, R + D.base, kLanes * 8);
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      addresses[lane] += uint64_t(D.imm);
  } else {
    uint32_t narrow[kLanes];
    memcpy(narrow, R + D.base, kLanes * 4);
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      addresses[lane] = narrow[lane] + uint32_t(D.imm);
  }
  switch (D.space) {
  case AddrSpace::Shared:
    return ptx::Space::Shared;
  case AddrSpace::Local:
    return ptx::Space::Local;
  case AddrSpace::Param:
    return ptx::Space::Param;
  case AddrSpace::Global:
    return ptx::Space::Global;
  case AddrSpace::Generic:
    break;
  }
  uint64_t first = addresses[mask ? __builtin_ctz(mask) : 0];
  struct {
    uint64_t window, bytes;
    ptx::Space space;
  } windows[] = {{kSharedWindow, kSharedWindowBytes, ptx::Space::Shared},
                 {kLocalWindow, kLocalWindowBytes, ptx::Space::Local},
                 {kParamWindow, kParamWindowBytes, ptx::Space::Param}};
  for (auto w : windows)
    if (first - w.window < w.bytes) {
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        addresses[lane] -= w.window;
      return w.space;
    }
  return ptx::Space::Global;
}

// --- counting ---------------------------------------------------------------

static size_t spaceIndex(ptx::Space s) {
  return s == ptx::Space::Shared ? 1 : s == ptx::Space::Local ? 2 : 0;
}

static MemCost costOf(const MemDesc &D, uint32_t laneBytes, ptx::Space space,
                      const uint64_t *addresses, uint32_t mask) {
  if (D.isConstant)
    return {0, 0, std::max(1u, distinctAddresses(addresses, mask)) - 1};
  if (space == ptx::Space::Shared) {
    SharedAccess kind = D.isAtomic  ? SharedAccess::Atomic
                        : D.isStore ? SharedAccess::Store
                                    : SharedAccess::Load;
    return {0, 0, sharedWavefronts(addresses, mask, laneBytes, kind)};
  }
  LineAccess access;
  if (space == ptx::Space::Local)
    coalesceLocal(addresses, mask, laneBytes, 0, {}, access);
  else
    coalesce(addresses, mask, laneBytes, {}, access);
  return {access.sectors, access.lookups, access.wavefronts};
}

static uint64_t leadingOf(const MemDesc &D, const InstMeta &meta,
                          const std::byte *R) {
  if (!D.leading)
    return meta.fragment->runElements;
  uint32_t leading;
  memcpy(&leading, R + D.leading, sizeof(leading));
  return leading;
}

/// All accesses of a wmma.load or wmma.store.
static void countFragment(Warp *W, const MemDesc &D, const std::byte *R,
                          uint32_t mask, CountMemo &memo) {
  const InstMeta &meta = W->launch->program->metas[D.meta];
  alignas(64) uint64_t addresses[kLanes];
  TraceEvent event;
  event.space = laneAddresses(D, R, mask, addresses);
  event.addresses = addresses;
  event.leading = leadingOf(D, meta, R);
  MemCount &c = memo.counts[spaceIndex(event.space)];
  c.runs += meta.accesses;
  c.lanes += uint64_t(meta.bytesPerLane / D.laneBytes) * kLanes;
  forEachAccess(meta, event, [&](const uint64_t *at, uint32_t laneBytes) {
    MemCost cost = costOf(D, laneBytes, event.space, at, mask);
    c.sectors += cost.sectors;
    c.lines += cost.lines;
    c.wavefronts += cost.wavefronts;
  });
}

void countMiss(Warp *W, uint32_t which, const std::byte *R, uint32_t mask) {
  const MemDesc &D = W->mem[which];
  if (D.isFragment)
    return countFragment(W, D, R, mask, W->memos[which]);
  mask &= D.lanes;
  alignas(64) uint64_t addresses[kLanes];
  ptx::Space space = laneAddresses(D, R, mask, addresses);
  CountMemo &memo = W->memos[which];
  MemCost cost = costOf(D, D.laneBytes, space, addresses, mask);
  MemCount &c = memo.counts[spaceIndex(space)];
  ++c.runs;
  c.sectors += cost.sectors;
  c.lines += cost.lines;
  c.wavefronts += cost.wavefronts;
  c.lanes += uint32_t(__builtin_popcount(mask));
  ++memo.misses;
  if (!memo.keepsThisMiss())
    return;
  uint64_t base = addresses[mask ? __builtin_ctz(mask) : 0];
  bool shared = D.space == AddrSpace::Shared;
  uint32_t way = shared ? 0 : base / 32 % 4;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    memo.deltas[way][lane] = (mask >> lane) & 1 ? addresses[lane] - base : 0;
  memo.mask[way] = mask;
  memo.phase[way] = uint32_t(base % (shared ? 4 : 128));
  memo.cost[way] = cost;
}

namespace {

/// d: program-wide number of the block.
void countBlock(HWTUNE_HANDLER_ARGS) {
  ++W->blockRuns[I->d];
  W->blockLanes[I->d] += uint32_t(__builtin_popcount(mask));
  HWTUNE_GO(I + 1);
}

// --- tracing ----------------------------------------------------------------

/// d: memory descriptor or none, a: instruction, b: guard, c: its negation.
void trace(HWTUNE_HANDLER_ARGS) {
  TraceEvent e;
  e.block = W->block->linear;
  e.warp = W->index;
  e.inst = I->a;
  e.mask = mask;
  uint32_t guard;
  memcpy(&guard, R + I->b, 4);
  e.predOn = (guard ^ I->c) & mask;
  alignas(64) uint64_t addresses[kLanes];
  if (I->d != kNoMeta) {
    const MemDesc &D = W->mem[I->d];
    e.predOn &= D.lanes;
    e.space = laneAddresses(D, R, e.predOn, addresses);
    e.addresses = addresses;
    if (D.isFragment)
      e.leading = leadingOf(D, W->launch->program->metas[I->a], R);
  }
  W->launch->request->options.trace->instruction(e);
  HWTUNE_GO(I + 1);
}

} // namespace

// --- before and after a launch ----------------------------------------------

static void addMemoryCounts(EventCounts &E, const MemDesc &D,
                            const MemCount *counts) {
  const MemCount &g = counts[0], &s = counts[1], &l = counts[2];
  uint64_t bytes = g.lanes * D.laneBytes;
  if (D.isAsync) {
    if (D.isStore) {
      E.asyncCopyWavefronts += s.wavefronts;
    } else {
      E.asyncCopies += g.runs;
      E.asyncCopySectors += g.sectors;
    }
    return;
  }
  if (D.isAtomic) {
    E.globalAtomics += g.runs;
    E.globalAtomicSectors += g.sectors;
    E.sharedAtomics += s.runs;
    E.sharedAtomicWavefronts += s.wavefronts;
    return;
  }
  if (D.isStore) {
    E.globalStores += g.runs, E.globalStoreSectors += g.sectors,
        E.globalStoreLines += g.lines;
    E.globalStoreWavefronts += g.wavefronts, E.globalStoreBytes += bytes;
    E.sharedStores += s.runs, E.sharedStoreWavefronts += s.wavefronts;
    E.localStores += l.runs, E.localStoreSectors += l.sectors;
  } else {
    E.globalLoads += g.runs, E.globalLoadSectors += g.sectors,
        E.globalLoadLines += g.lines;
    E.globalLoadWavefronts += g.wavefronts, E.globalLoadBytes += bytes;
    E.sharedLoads += s.runs, E.sharedLoadWavefronts += s.wavefronts;
    E.localLoads += l.runs, E.localLoadSectors += l.sectors;
  }
}

void endCounting(Launch &L) {
  const Program::Impl &P = *L.program;
  EventCounts &E = L.result.events;
  L.result.runs.assign(P.metas.size(), 0);
  for (uint32_t b = 0; b < P.numBlocks; ++b) {
    if (!L.blockRuns[b])
      continue;
    for (uint32_t i = 0; i < P.blockInfos[b].numMetas; ++i) {
      const InstMeta &m = P.metas[P.blockInfos[b].firstMeta + i];
      L.result.runs[P.blockInfos[b].firstMeta + i] += L.blockRuns[b];
      E.instExecuted += L.blockRuns[b];
      E.threadInstExecuted += L.blockLanes[b];
      E.instByClass[size_t(m.cls)] += L.blockRuns[b];
      E.threadInstByClass[size_t(m.cls)] += L.blockLanes[b];
      if (m.cls == InstClass::Barrier)
        E.barriers += L.blockRuns[b];
      if (m.cls == InstClass::Warp && m.name.starts_with("shfl"))
        E.shuffles += L.blockRuns[b];
      if (m.isBranch)
        E.branches += L.blockRuns[b];
      if (m.cls == InstClass::Matrix)
        E.matrix[m.name] += L.blockRuns[b];
    }
  }
  E.threadInstExecutedPredOn =
      E.threadInstExecuted - std::min(E.threadInstExecuted, L.predOff);
  for (size_t i = 0; i < L.mem.size(); ++i)
    if (L.mem[i].isConstant)
      E.constantReplays += L.memos[i].counts[0].wavefronts;
    else if (L.mem[i].space != AddrSpace::Param)
      addMemoryCounts(E, L.mem[i], L.memos[i].counts);
  L.result.warpInstructions = E.instExecuted;
}

EventCounts &EventCounts::operator+=(const EventCounts &o) {
  std::vector<uint64_t> theirs;
  EventCounts copy = o;
  forEachCount(copy, [&](uint64_t &count) { theirs.push_back(count); });
  size_t i = 0;
  forEachCount(*this, [&](uint64_t &count) { count += theirs[i++]; });
  for (const auto &[name, count] : o.matrix)
    matrix[name] += count;
  return *this;
}

void addAccessCheck(Registry &registry);
void addUseCheck(Registry &registry);

void addModeOps(Registry &r) {
  addEntry(r, "count.block", "", {&countBlock, &countBlock, ""});
  addEntry(r, "trace", "", {&trace, &trace, ""});
  addAccessCheck(r);
  addUseCheck(r);
}

} // namespace hwtune::exec
