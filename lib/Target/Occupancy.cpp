//===- Occupancy.cpp ------------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Target/Occupancy.h"

#include <fmt/format.h>

#include <algorithm>

using namespace hwtune;

namespace {

int64_t roundUp(int64_t value, int64_t unit) {
  return unit > 0 ? (value + unit - 1) / unit * unit : value;
}

int64_t divideUp(int64_t value, int64_t by) { return (value + by - 1) / by; }

std::string tooMuch(const char *what, int64_t needed, int64_t limit) {
  return fmt::format("{}: needs {}, limit {}", what, needed, limit);
}

/// Smallest carve-out of at least `bytes`; the largest there is if none is.
int64_t carveoutFor(const TargetSpec &t, int64_t bytes) {
  for (int64_t carveout : t.sharedCarveouts)
    if (carveout >= bytes)
      return carveout;
  return t.sharedPerSM;
}

void limitByWarps(const TargetSpec &t, int64_t threads, int64_t warps,
                  Occupancy &o) {
  if (threads > t.maxThreadsPerBlock) {
    o.whyNone = tooMuch("threads of a block", threads, t.maxThreadsPerBlock);
    o.byWarps = 0;
    return;
  }
  o.byWarps = t.maxWarpsPerSM / warps;
}

void limitByRegisters(const TargetSpec &t, const BlockNeeds &needs,
                      int64_t warps, Occupancy &o) {
  o.registersPerWarp =
      roundUp(needs.registersPerThread * t.warpSize, t.registerAllocUnit);
  o.byRegisters = 0;
  if (needs.registersPerThread > t.maxRegistersPerThread) {
    o.whyNone = tooMuch("registers of a thread", needs.registersPerThread,
                        t.maxRegistersPerThread);
    return;
  }
  // The launch check assumes that every sub-partition gets the same number of
  // warps; the resident blocks are then counted per sub-partition.
  int64_t assumed = o.registersPerWarp * roundUp(warps, t.warpAllocGranularity);
  if (assumed > t.registersPerBlock) {
    o.whyNone = tooMuch("registers of a block", assumed, t.registersPerBlock);
    return;
  }
  if (o.registersPerWarp == 0) {
    o.byRegisters = kNoLimit;
    return;
  }
  int64_t parts = t.schedulersPerSM;
  int64_t warpsOfPart = t.registersPerSM / parts / o.registersPerWarp;
  o.byRegisters = warpsOfPart * parts / warps;
}

void limitByShared(const TargetSpec &t, const BlockNeeds &needs, Occupancy &o) {
  o.sharedPerBlock =
      roundUp(needs.sharedBytes + t.sharedReservedPerBlock, t.sharedAllocUnit);
  int64_t limit = t.sharedPerBlockOptin + t.sharedReservedPerBlock;
  if (o.sharedPerBlock > limit) {
    o.byShared = 0;
    if (o.whyNone.empty())
      o.whyNone = tooMuch("shared memory of a block (bytes)", needs.sharedBytes,
                          t.sharedPerBlockOptin);
    return;
  }
  int64_t wish = needs.preferredCarveout < 0
                     ? t.sharedPerSM
                     : carveoutFor(t, needs.preferredCarveout);
  o.carveout =
      wish >= o.sharedPerBlock ? wish : carveoutFor(t, o.sharedPerBlock);
  o.byShared = o.sharedPerBlock > 0 ? o.carveout / o.sharedPerBlock : kNoLimit;
}

void limitByBarriers(const TargetSpec &t, const BlockNeeds &needs,
                     Occupancy &o) {
  o.byBarriers = needs.barriers > 0 && t.barriersPerSM > 0
                     ? t.barriersPerSM / needs.barriers
                     : kNoLimit;
}

unsigned limiters(const Occupancy &o) {
  unsigned bits = 0;
  for (auto [bit, blocks] : {std::pair{LimitedByWarps, o.byWarps},
                             {LimitedByRegisters, o.byRegisters},
                             {LimitedByShared, o.byShared},
                             {LimitedByBlocks, o.byBlocks},
                             {LimitedByBarriers, o.byBarriers}})
    if (blocks == o.blocksPerSM)
      bits |= bit;
  return bits;
}

} // namespace

Occupancy hwtune::occupancy(const TargetSpec &target, const BlockNeeds &needs) {
  Occupancy o;
  if (needs.threads <= 0) {
    o.whyNone = fmt::format("threads of a block: {}, expected 1 or more",
                            needs.threads);
    return o;
  }
  int64_t warps = divideUp(needs.threads, target.warpSize);
  limitByWarps(target, needs.threads, warps, o);
  limitByRegisters(target, needs, warps, o);
  limitByShared(target, needs, o);
  o.byBlocks = target.maxBlocksPerSM;
  limitByBarriers(target, needs, o);

  o.blocksPerSM = std::min(
      {o.byWarps, o.byRegisters, o.byShared, o.byBlocks, o.byBarriers});
  o.limiters = limiters(o);
  o.warpsPerSM = o.blocksPerSM * warps;
  o.occupancy = static_cast<double>(o.warpsPerSM) /
                static_cast<double>(target.maxWarpsPerSM);
  o.smallestCarveout = carveoutFor(target, o.blocksPerSM * o.sharedPerBlock);
  o.l1Bytes = target.l1PlusShared - o.smallestCarveout;
  return o;
}

std::string hwtune::limiterNames(unsigned bits) {
  std::string out;
  for (auto [bit, name] : {std::pair{LimitedByWarps, "warps"},
                           {LimitedByRegisters, "registers"},
                           {LimitedByShared, "shared memory"},
                           {LimitedByBlocks, "blocks"},
                           {LimitedByBarriers, "barriers"}})
    if (bits & bit)
      out += std::string(out.empty() ? "" : ", ") + name;
  return out;
}
