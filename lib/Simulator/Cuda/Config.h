//===- Config.h - which GPU is simulated, and how ---------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_CUDA_CONFIG_H
#define HWTUNE_LIB_SIMULATOR_CUDA_CONFIG_H

#include "hwtune/Simulator/Timing/Timing.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Target/TargetSpec.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hwtune::simcuda {

/// Warp instructions after which the watchdog ends a launch, unless configured:
/// minutes of one host core.
inline constexpr uint64_t kDefaultWatchdog = 50'000'000'000;

struct Config {
  TargetSpec target;
  bool timed = false;
  bool check = false;
  /// Timed launches run every block, so that outputs are complete; else only
  /// what the time needs. A program that knows nothing of the simulation
  /// (`configFromText`) needs its outputs; `"mode": "timed"` asks for the time.
  bool wholeGrid = true;
  /// Blocks (x, y, z) to run; empty: all.
  std::vector<std::array<uint32_t, 3>> blocks;
  uint64_t watchdog = kDefaultWatchdog; ///< warp instructions; 0: never ends
  /// Registers of a thread as `ptxas` reports them; 0: our estimate.
  uint32_t registers = 0;
  uint32_t spillBytes = 0;
  /// What timed launches are taken to follow.
  timing::LaunchState state = timing::LaunchState::Stream;
};

/// The default target, functional.
Expected<Config> defaultConfig();

/// Reads `id-or-file[,timed][,check]`.
Expected<Config> configFromText(std::string_view text);

/// Changes `config` as the JSON object says (keys: `SimConfigureFn`, further
/// `whole_grid`, `watchdog`, `registers`, `spill_bytes`, `launch`).
/// `targetFixed`: the driver is initialised, so `target` is refused.
Status applyJson(Config &config, std::string_view json, bool targetFixed);
/// Whether that object has the key `target`.
bool namesTarget(std::string_view json);

} // namespace hwtune::simcuda

#endif // HWTUNE_LIB_SIMULATOR_CUDA_CONFIG_H
