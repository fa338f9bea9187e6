//===- EarlierTimes.h - what the records say of an operation -*- C++ -*---===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TUNER_EARLIERTIMES_H
#define HWTUNE_TUNER_EARLIERTIMES_H

#include "hwtune/Records/Database.h"
#include "hwtune/Space/Space.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Target/TargetSpec.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hwtune {

/// The times of an operation on another GPU, or on this one in earlier runs.
struct EarlierTimes {
  TargetSpec target;
  double alpha = 0; ///< `transferAlpha` of the two targets
  /// Natural log of the seconds; a failure counts as twice the slowest.
  std::map<Config, double> logSeconds;

  /// "prior: 31 times of this operation on t4 (simulated), alpha 0.43".
  std::string note() const;
  /// Configurations that ran there, the fastest first.
  std::vector<Config> fastest(size_t count) const;

  Label label = Label::Simulated; ///< of the times
};

/// Of the finished runs of operation `op` by `schedule` for `objective`, the
/// one on the GPU that is most like `target`, the last of equals;
/// configurations that are legal in `space`. Times of `target` itself count
/// where their label is at least `least`: a simulated time says less than the
/// GPU would now. None where there is none or nothing was timed: predictions
/// say nothing of a GPU.
Expected<std::optional<EarlierTimes>>
earlierTimes(Database &database, const std::string &op,
             const std::string &schedule, const std::string &objective,
             const TargetSpec &target, Label least, const Space &space);

} // namespace hwtune

#endif // HWTUNE_TUNER_EARLIERTIMES_H
