//===- Occupancy.h - resident blocks of one SM ------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's occupancy rules (`cuda_occupancy.h` of CUDA 13.0) on the numbers of
// any `TargetSpec`. Checked against every case of that calculator.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TARGET_OCCUPANCY_H
#define HWTUNE_TARGET_OCCUPANCY_H

#include "hwtune/Target/TargetSpec.h"

#include <cstdint>
#include <string>

namespace hwtune {

/// What one block needs.
struct BlockNeeds {
  int64_t threads = 0;
  int64_t registersPerThread = 0;
  int64_t sharedBytes = 0; ///< static + dynamic, without the reserved part
  int64_t barriers = 1;    ///< named barriers (bar.sync 0 is one)
  /// Shared memory the SM is asked to be split for, in bytes; negative: the
  /// largest carve-out (the driver's default). A wish below one block is
  /// raised to the next carve-out that holds one.
  int64_t preferredCarveout = -1;
};

/// What stops more blocks from being resident; several at once are possible.
/// The values are the calculator's own bits.
enum OccupancyLimiter : unsigned {
  LimitedByWarps = 1,
  LimitedByRegisters = 2,
  LimitedByShared = 4,
  LimitedByBlocks = 8,
  LimitedByBarriers = 16,
};

inline constexpr int64_t kNoLimit = INT64_MAX;

struct Occupancy {
  int64_t blocksPerSM = 0;
  int64_t warpsPerSM = 0;
  double occupancy = 0;  ///< warps / the SM's warps
  unsigned limiters = 0; ///< OccupancyLimiter bits
  /// Blocks each resource alone would allow; `kNoLimit` where it sets none.
  int64_t byWarps = 0, byRegisters = 0, byShared = 0, byBlocks = 0,
          byBarriers = 0;
  int64_t sharedPerBlock = 0;   ///< bytes allocated, reserved part included
  int64_t registersPerWarp = 0; ///< allocated
  int64_t carveout = 0;         ///< bytes the SM is split for
  /// L1 left beside the smallest carve-out that keeps this occupancy (the
  /// driver's usual choice).
  int64_t smallestCarveout = 0;
  int64_t l1Bytes = 0;
  /// Why no block fits: "registers: needs 131072, block limit 65536"; else "".
  std::string whyNone;
};

Occupancy occupancy(const TargetSpec &target, const BlockNeeds &needs);

/// "registers, shared memory".
std::string limiterNames(unsigned limiters);

} // namespace hwtune

#endif // HWTUNE_TARGET_OCCUPANCY_H
