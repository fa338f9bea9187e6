//===- Limits.h - what one block may use -------------------------*- C++
//-*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_MODEL_LIMITS_H
#define HWTUNE_LIB_MODEL_LIMITS_H

#include "hwtune/Target/Occupancy.h"

#include <algorithm>
#include <cmath>

namespace hwtune {

struct BlockLimits {
  double registersPerThread = 255;
};

inline double roundUp(double value, double unit) {
  return unit > 0 ? std::ceil(value / unit) * unit : value;
}

/// Registers a thread may have for a block of `threads` to launch at all.
inline BlockLimits blockLimits(const TargetSpec &t, double threads) {
  double perBlock = static_cast<double>(
      t.registersPerBlock > 0 ? t.registersPerBlock : t.registersPerSM);
  if (perBlock <= 0)
    return {static_cast<double>(t.maxRegistersPerThread)};
  double warps = roundUp(std::ceil(threads / static_cast<double>(t.warpSize)),
                         static_cast<double>(t.warpAllocGranularity));
  double unit = static_cast<double>(t.registerAllocUnit);
  double perWarp = perBlock / warps;
  if (unit > 0)
    perWarp = std::floor(perWarp / unit) * unit;
  return {std::min(static_cast<double>(t.maxRegistersPerThread),
                   std::floor(perWarp / static_cast<double>(t.warpSize)))};
}

inline const char *blockMisfit(const TargetSpec &t, double threads,
                               double shared, double registers) {
  if (threads < 1)
    return "a block has no threads";
  if (threads > static_cast<double>(t.maxThreadsPerBlock))
    return "more threads than a block may have";
  if (shared >
      static_cast<double>(std::max(t.sharedPerBlock, t.sharedPerBlockOptin)))
    return "more shared memory than a block may have";
  if (registers > 0 && registers > blockLimits(t, threads).registersPerThread)
    return "more registers than a block may have";
  return nullptr;
}

/// Blocks of one SM by the vendor's rules; fractions of a register count whole.
inline double residentBlocks(const TargetSpec &t, double threads,
                             double registers, double shared) {
  BlockNeeds needs;
  needs.threads = static_cast<int64_t>(threads);
  if (t.registersPerSM > 0)
    needs.registersPerThread = static_cast<int64_t>(std::ceil(registers));
  needs.sharedBytes = static_cast<int64_t>(std::ceil(shared));
  return static_cast<double>(occupancy(t, needs).blocksPerSM);
}

} // namespace hwtune

#endif // HWTUNE_LIB_MODEL_LIMITS_H
