//===- Stop.h - when to stop measuring --------------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stop conditions know nothing of strategies. Time comes in from outside, so
// that tests and replays have a clock of their own.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SEARCH_STOP_H
#define HWTUNE_SEARCH_STOP_H

#include "hwtune/Search/SearchProblem.h"

#include <optional>
#include <string>

namespace hwtune {

/// Every condition that is set is tested; the first that holds stops.
struct StopOptions {
  size_t trials = 0;  ///< measurements, failures included; 0 = no limit
  double seconds = 0; ///< on the injected clock; 0 = no limit
  /// Convergence: no gain above `significance` (relative) in `patience` trials
  /// in a row; 0 = never.
  size_t patience = 0;
  double significance = 0.01;
  double target = 0; ///< stop at a value <= this; 0 = none
};

class StopRule {
public:
  explicit StopRule(const StopOptions &options) : options(options) {}

  /// Counts one observation.
  void tell(const Observation &observation);
  /// Why to stop now, if at all: "48 trials done", ... `elapsedSeconds` is
  /// read off the caller's clock.
  std::optional<std::string> reached(double elapsedSeconds) const;
  /// Whether the run ended by convergence rather than by budget.
  bool converged() const;
  size_t trials() const { return count; }
  double best() const { return bestValue; } ///< infinite before a success

private:
  StopOptions options;
  size_t count = 0, sinceGain = 0;
  double bestValue = __builtin_huge_val();
  double reference = __builtin_huge_val(); ///< best at the last gain
};

} // namespace hwtune

#endif // HWTUNE_SEARCH_STOP_H
