//===- Registers.cpp - registers of a thread on a target ------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/Registers.h"

#include <algorithm>

using namespace hwtune;
using namespace hwtune::timing;

// Fitted to what `ptxas` 13.0 reports of several hundred kernels.
/// What the best order does not reach, and what is kept beside values: the
/// stack pointer, pairs that must be aligned.
constexpr double kOverLeast = 1.08;
constexpr uint32_t kBesideLeast = 4, kBesideHoisted = 6;
/// Beside the fewest live values `ptxas` must find room for this many more, or
/// it no longer tries to leave all threads resident; then it does not find an
/// order across its windows.
constexpr uint32_t kRoomForResidence = 20;

/// Registers of a thread when `warps` share a file of `registers`.
static int64_t share(int64_t registers, int64_t warps, const TargetSpec &t) {
  int64_t unit = std::max<int64_t>(1, t.registerAllocUnit);
  int64_t perWarp = registers / std::max<int64_t>(1, warps) / unit * unit;
  return perWarp / std::max<int64_t>(1, t.warpSize);
}

int64_t timing::registerLimit(const exec::FunctionInfo &function,
                              const TargetSpec &t) {
  int64_t most = t.maxRegistersPerThread;
  if (function.maxRegisters)
    most = std::min<int64_t>(most, *function.maxRegisters);
  const auto &bound = function.reqNTid ? function.reqNTid : function.maxNTid;
  if (!bound)
    return most;
  auto roundUp = [](int64_t value, int64_t unit) {
    return (value + unit - 1) / unit * unit;
  };
  int64_t threads = int64_t((*bound)[0]) * (*bound)[1] * (*bound)[2];
  int64_t warps = roundUp(roundUp(threads, t.warpSize) / t.warpSize,
                          std::max<int64_t>(1, t.warpAllocGranularity));
  most = std::min(most, share(t.registersPerBlock, warps, t));
  if (function.minBlocksPerSM)
    most = std::min(
        most, share(t.registersPerSM, warps * *function.minBlocksPerSM, t));
  return most;
}

RegisterEstimate timing::estimateRegisters(const exec::FunctionInfo &function,
                                           const TargetSpec &t) {
  auto least =
      int64_t(kOverLeast * double(function.leastRegisters)) + kBesideLeast;
  int64_t hoisted = int64_t(function.hoistedRegisters) + kBesideHoisted;
  int64_t full = share(t.registersPerSM, t.maxWarpsPerSM, t);
  if (function.windowRegisters > function.leastRegisters &&
      (function.loadsMakeWindows ||
       function.leastRegisters + kRoomForResidence > full))
    least = std::max<int64_t>(least, function.windowRegisters + kBesideLeast);
  int64_t wanted = std::max(least, std::min(hoisted, full));
  int64_t most = registerLimit(function, t);
  RegisterEstimate result;
  result.registers = uint32_t(std::min(wanted, most));
  result.spillBytes =
      uint32_t(std::max<int64_t>(0, least - most) * t.bankBytes);
  return result;
}
