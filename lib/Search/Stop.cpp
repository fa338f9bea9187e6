//===- Stop.cpp - when to stop measuring ----------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Search/Stop.h"

#include <algorithm>
#include <fmt/format.h>

namespace hwtune {

void StopRule::tell(const Observation &observation) {
  ++count;
  ++sinceGain;
  if (!observation.ok)
    return;
  bestValue = std::min(bestValue, observation.value);
  // Against the value of the last gain, so that many small steps add up.
  if (observation.value < reference * (1 - options.significance)) {
    reference = observation.value;
    sinceGain = 0;
  }
}

bool StopRule::converged() const {
  // Nothing converges before something has run.
  return options.patience && bestValue < __builtin_huge_val() &&
         sinceGain >= options.patience;
}

std::optional<std::string> StopRule::reached(double elapsedSeconds) const {
  if (options.target > 0 && bestValue <= options.target)
    return fmt::format("target {:g} reached with {:g}", options.target,
                       bestValue);
  if (options.trials && count >= options.trials)
    return fmt::format("{} trials done", count);
  if (options.seconds > 0 && elapsedSeconds >= options.seconds)
    return fmt::format("{:g} seconds passed", options.seconds);
  if (converged())
    return fmt::format("converged: no gain above {:g} % in {} trials",
                       options.significance * 100, options.patience);
  return std::nullopt;
}

} // namespace hwtune
