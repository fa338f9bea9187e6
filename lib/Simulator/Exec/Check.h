//===- Check.h - the shadows of a checked block -----------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds and alignment are checked by every launch. A checked one adds shadows:
// which bytes were ever written, and for shared memory who touched them when.
// "When" is a vector clock of the warps, which barriers join; so partial and
// named barriers order what they order and no more. Atomics, and accesses that
// are volatile, relaxed, acquire or release, order all that the warp did before
// with all that the next such access's warp does after.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_CHECK_H
#define HWTUNE_LIB_SIMULATOR_EXEC_CHECK_H

#include "Modes.h"

#include <algorithm>

namespace hwtune::exec {

/// Lanes of a register that were loaded from memory that nobody wrote.
struct UnwrittenValue {
  const Frame *frame = nullptr;
  uint32_t reg = 0; ///< of the function, as PTX numbers them
  uint32_t lanes = 0;
  const Inst *load = nullptr;
  uint64_t address = 0; ///< of the lane that came first
  bool isLocal = false; ///< where it was loaded
  std::string text;
};

struct CheckState {
  using Clock = std::vector<uint32_t>; ///< by warp
  CheckState(size_t warps, size_t sharedBytes, uint64_t localStride);

  size_t warps = 0;
  /// One entry below stands for a word of shared memory, 4 bytes, while all
  /// accesses are of whole words; from the first smaller one on for a byte.
  unsigned unitBits = 2;
  std::vector<uint8_t> written;
  std::vector<uint32_t> writeTime; ///< of the writer's own clock, 0: never
  std::vector<uint8_t> writer;
  std::vector<uint32_t> readTime; ///< by warp, then unit
  std::vector<uint32_t> lastRead; ///< the most of all warps' read times
  std::vector<Clock> clocks;
  /// The least of what a warp knows of the others' clocks: whatever happened
  /// until then, by whomever, happened before.
  Clock known;
  std::array<Clock, kBarriers + 1> barriers;
  Clock atomics;
  std::vector<std::vector<UnwrittenValue>> unwritten; ///< by warp

  size_t unit() const { return size_t(1) << unitBits; } ///< bytes
  size_t units() const { return written.size(); }
  uint32_t now(uint32_t warp) const { return clocks[warp][warp]; }
  /// Begins the next block.
  void reset();
  void useBytes();
  /// `warp` learns what happened before `time`.
  void learn(uint32_t warp, const Clock &time);
  /// What it did so far happened before `time`.
  void tell(Clock &time, uint32_t warp);

  /// Which bytes of a lane's local memory were written.
  bool localWritten(uint32_t warp, uint32_t lane, uint64_t at) const {
    return local[(warp * kLanes + lane) * localWords + at / 64] >> (at % 64) &
           1;
  }
  void setLocal(uint32_t warp, uint32_t lane, uint64_t at, uint64_t bytes,
                bool isWritten);

private:
  size_t localWords = 0; ///< of a lane
  struct Free {
    void operator()(uint64_t *p) const { free(p); }
  };
  std::unique_ptr<uint64_t[], Free> local;
};

} // namespace hwtune::exec

#endif // HWTUNE_LIB_SIMULATOR_EXEC_CHECK_H
