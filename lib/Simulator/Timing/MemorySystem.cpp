//===- MemorySystem.cpp - one SM's way to its memories --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/MemorySystem.h"
#include "hwtune/Simulator/Timing/Formula.h"

#include <algorithm>
#include <bit>

using namespace hwtune;
using namespace hwtune::timing;

TagStore::TagStore(uint64_t bytes, unsigned lineBytes)
    : capacity(bytes / std::max(1u, lineBytes)) {}

uint8_t TagStore::access(uint64_t line, uint8_t mask) {
  if (capacity == 0)
    return 0;
  auto at = where.find(line);
  if (at != where.end()) {
    uint8_t hit = at->second->sectors & mask;
    at->second->sectors |= mask;
    order.splice(order.begin(), order, at->second);
    return hit;
  }
  if (where.size() >= capacity) {
    where.erase(order.back().line);
    order.pop_back();
  }
  order.push_front({line, mask});
  where[line] = order.begin();
  return 0;
}

MemorySystem::MemorySystem(const SmInput &input, const TargetSpec &target,
                           const Mechanisms &mechanisms)
    : input(input), target(target), on(mechanisms),
      l1(mechanisms.l1
             ? static_cast<uint64_t>(std::max<int64_t>(0, input.l1Bytes))
             : 0,
         static_cast<unsigned>(target.lineBytes)) {}

double MemorySystem::queueFree(std::vector<double> &queue, double now) const {
  std::erase_if(queue, [&](double served) { return served <= now; });
  if (!target.memoryQueuePerScheduler ||
      int64_t(queue.size()) < *target.memoryQueuePerScheduler)
    return now;
  return *std::min_element(queue.begin(), queue.end());
}

/// The load/store unit takes one instruction per `clocksPerMemoryInst` and
/// looks up `l1LinesPerClk`; the data stage behind it takes one wavefront per
/// `clocksPerWavefront`.
double MemorySystem::serve(double instructions, double wavefronts, double now,
                           double lookups) {
  double address =
      on.lsu ? instructions * target.clocksPerMemoryInst.value_or(1) : 0;
  if (on.lookups && target.l1LinesPerClk)
    address = std::max(address, lookups / *target.l1LinesPerClk);
  double data = wavefronts * target.clocksPerWavefront.value_or(1);
  lsuFree = std::max(lsuFree, now) + std::max(address, data);
  return lsuFree;
}

double MemorySystem::shuffle(double now) {
  return serve(1, 1, now) + target.shuffleLatency.value_or(0);
}

double MemorySystem::spill(double now) {
  double served = serve(1, 1, now);
  // Every other one is a store, which goes through to L2. What waits for the
  // loads is unknown: like stores, they only use the bandwidth.
  storeTurn = !storeTurn;
  spillMisses += storeTurn ? 0 : 1 - input.spillL1HitRate;
  auto sectors = unsigned(target.lineBytes / target.sectorBytes);
  if (storeTurn || spillMisses >= 1)
    beyondL1(sectors, true, input.localL2HitRate, served);
  if (spillMisses >= 1) {
    fill(sectors);
    spillMisses -= 1;
  }
  return served;
}

/// What arrives in L1 is written by passes of the data stage.
void MemorySystem::fill(unsigned sectors) {
  if (on.fill)
    lsuFree +=
        fillPasses(sectors, target) * target.clocksPerWavefront.value_or(1);
}

/// Atomics on one address wait for each other in L2, those of all SMs. No more
/// are accepted than are on their way. When its result is there.
double MemorySystem::serveAtomic(double now) {
  atomicFree = std::max(atomicFree, now) + input.clocksPerAtomicInst;
  double latency = target.atomicLatency.value_or(0);
  lsuFree = std::max(lsuFree, atomicFree - latency);
  return atomicFree + latency;
}

AccessTime MemorySystem::beyondL1(unsigned sectors, bool isStore,
                                  double hitRate, double now) {
  double bytes = double(sectors) * double(target.sectorBytes);
  double latency = target.l2Latency.value_or(0);
  l2Sectors += sectors;
  double done = now;
  if (on.l2 && target.l2BytesPerClk) {
    double share = *target.l2BytesPerClk / std::max(1.0, input.activeSMs);
    l2Free = std::max(l2Free, now) + bytes / share;
    done = l2Free;
  }
  missCredit += double(sectors) * (1 - hitRate);
  auto misses = static_cast<unsigned>(missCredit);
  missCredit -= misses;
  if (misses) {
    dramSectors += misses;
    latency = target.dramLatency.value_or(latency);
    if (on.dram && input.dramBytesPerClk > 0) {
      double perClk = input.dramBytesPerClk / std::max(1.0, input.activeSMs);
      dramFree = std::max(dramFree, now) +
                 double(misses) * double(target.sectorBytes) / perClk;
      done = std::max(done, dramFree);
    }
  }
  // Stores are not waited for, but they use the bandwidth, and no more are
  // accepted than are on their way.
  if (isStore)
    lsuFree = std::max(lsuFree, done - latency);
  Level from = misses ? Level::Dram : Level::L2;
  return {done, isStore ? now : std::max(done, now) + latency, from};
}

/// Of a lane; an access without conflicts takes as many wavefronts.
static double registersOf(const exec::InstMeta &inst) {
  return std::max(inst.accesses, inst.bytesPerLane / 4);
}

/// Of the sectors of `mask`, which L1 does not have, those that the block has
/// loaded before.
unsigned MemorySystem::loadAgain(uint64_t block, uint64_t line, uint8_t mask) {
  if (!mask)
    return 0;
  LineSet &sectors = loaded[block];
  auto perLine = uint64_t(target.lineBytes / target.sectorBytes);
  unsigned again = 0;
  for (unsigned left = mask; left; left &= left - 1)
    again += !sectors.insert(line * perLine + unsigned(std::countr_zero(left)));
  return again;
}

AccessTime MemorySystem::accessGlobal(const exec::InstMeta &inst,
                                      const AccessRecord &record,
                                      const BlockTrace &block, double now) {
  unsigned sectors = 0, hits = 0, again = 0;
  // Every store goes through to L2, but L1 keeps what local ones wrote.
  bool isLocal = inst.space == ptx::Space::Local;
  bool useL1 = on.l1 && (inst.isLoad || inst.isAsync || isLocal) &&
               !inst.bypassesL1 && !inst.isAtomic;
  bool isRead = on.reuse && !isLocal && (inst.isLoad || inst.isAsync);
  for (uint32_t i = 0; i < record.numLines; ++i) {
    const exec::LineRecord &line = block.lines[record.firstLine + i];
    sectors += std::popcount(line.sectors);
    uint8_t hit = useL1 ? l1.access(line.line, line.sectors) : 0;
    hits += std::popcount(hit);
    if (isRead)
      again += loadAgain(block.block, line.line, line.sectors & ~hit);
    if (inst.isStore)
      hits = 0;
  }
  double wavefronts = record.wavefronts, lookups = record.lookups;
  if (!on.bankConflicts)
    wavefronts = std::min<double>(wavefronts, registersOf(inst));
  if (!on.coalescing) {
    // As if all lanes lay side by side.
    sectors = std::min<unsigned>(
        sectors, (32 * inst.bytesPerLane + unsigned(target.sectorBytes) - 1) /
                     unsigned(target.sectorBytes));
    wavefronts = lookups = 1;
    hits = std::min(hits, sectors);
  }
  double served = serve(record.requests, wavefronts, now, lookups);
  // Asynchronous copies pass the data stage once, on their way to shared
  // memory.
  unsigned fills = useL1 && inst.isLoad && !inst.isAsync ? sectors - hits : 0;
  fill(fills);
  if (!inst.isStore && !inst.isAtomic && !isLocal) {
    l1Accesses += sectors;
    l1Hits += hits;
    l1Fills += fills;
  }
  AccessTime time{served, served + target.l1Latency.value_or(0)};
  if (sectors > hits || inst.isStore || inst.isAtomic) {
    double share = sectors > hits ? double(again) / (sectors - hits) : 0;
    double hitRate =
        input.l2HitRate +
        std::min(1.0, share) * (input.againHitRate - input.l2HitRate);
    bool isStore = inst.isStore && !inst.isAtomic;
    AccessTime far = beyondL1(sectors - hits, isStore,
                              isLocal   ? input.localL2HitRate
                              : isStore ? input.storeHitRate
                                        : hitRate,
                              served);
    if (far.ready > time.ready)
      time = {served, far.ready, far.from};
  }
  if (inst.isAtomic)
    if (double ready = serveAtomic(served); ready > time.ready)
      time = {served, ready, Level::Atomics};
  return time;
}

AccessTime MemorySystem::access(const exec::InstMeta &inst,
                                const AccessRecord *record,
                                const BlockTrace &block, double now) {
  if (!record)
    return {serve(1, 0, now), now + 1};
  if (record->numLines)
    return accessGlobal(inst, *record, block, now);
  double wavefronts = record->wavefronts;
  if (!on.bankConflicts)
    wavefronts = std::min(wavefronts, registersOf(inst));
  double served = serve(record->requests, wavefronts, now);
  double extra = std::max(0.0, wavefronts - registersOf(inst)) *
                 target.bankConflictLatency.value_or(0);
  double start = served - wavefronts * target.clocksPerWavefront.value_or(1);
  return {served, std::max(start, now) + target.sharedLatency.value_or(0) +
                      std::max(extra, served - start)};
}

AccessTime MemorySystem::drained() const {
  double last = std::max({lsuFree, l2Free, dramFree, atomicFree});
  return {last, last,
          last == lsuFree      ? Level::Near
          : last == l2Free     ? Level::L2
          : last == atomicFree ? Level::Atomics
                               : Level::Dram};
}

void MemorySystem::addTo(SmResult &result) const {
  result.l1Accesses = l1Accesses;
  result.l1Hits = l1Hits;
  result.l1Fills = l1Fills;
  result.l2Sectors = l2Sectors;
  result.dramSectors = dramSectors;
}

/// Types stand as .D.A.B.C at the end of an mma's name.
double timing::matrixRate(std::string_view name, const TargetSpec &target) {
  std::vector<std::string_view> parts;
  while (!name.empty()) {
    size_t dot = name.rfind('.');
    if (dot == std::string_view::npos)
      break;
    parts.push_back(name.substr(dot + 1));
    name = name.substr(0, dot);
  }
  auto has = [&](std::string_view type) {
    return std::find(parts.begin(), parts.end(), type) != parts.end();
  };
  const TensorRates &rates = target.tensorFma;
  std::optional<int64_t> rate;
  if (has("bf16"))
    rate = rates.bf16;
  else if (has("tf32"))
    rate = rates.tf32;
  else if (has("f64"))
    rate = rates.f64;
  else if (has("s8") || has("u8"))
    rate = rates.i8;
  else if (has("s4") || has("u4"))
    rate = rates.i4;
  else if (has("e4m3") || has("e5m2"))
    rate = rates.f8;
  else if (has("f32"))
    rate = rates.f16AccF32;
  else
    rate = rates.f16AccF16;
  return double(rate.value_or(0));
}

double MemorySystem::matrixClocks(const exec::InstMeta &inst,
                                  const SassCost &cost) const {
  double rate = matrixRate(inst.name, target);
  if (rate <= 0 || cost.matrixFma <= 0)
    return 1;
  return cost.matrixFma * double(target.schedulersPerSM) / rate;
}
