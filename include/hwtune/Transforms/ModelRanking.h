//===- ModelRanking.h - configurations by predicted time --------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_MODELRANKING_H
#define HWTUNE_TRANSFORMS_MODELRANKING_H

#include "hwtune/Model/Cost.h"
#include "hwtune/Model/Score.h"
#include "hwtune/Schedule/Schedule.h"

#include <string>
#include <utility>
#include <vector>

namespace hwtune {

struct RankedConfig {
  Config config;
  uint64_t index = 0; ///< among the legal ones, in the space's order
  /// Terms under the reasoned constants; `seconds` is `expectedSeconds`, as the
  /// tuner's `device=model` says it.
  Prediction prediction;
  Score score;
};

struct Ranking {
  std::vector<RankedConfig> best; ///< by predicted time, ties by index
  RankedConfig generic;           ///< the fixed default; its index is 0
  uint64_t legal = 0;             ///< configurations seen
  uint64_t infeasible = 0;        ///< of these, refused by the model
};

/// The `top` configurations of `schedule` with the least expected time, of the
/// 2,048 that the reasoned constants like best. Pure; holds only these.
Ranking rankByModel(const Schedule &schedule, const Workload &w,
                    const TargetSpec &target, size_t top);

/// The configuration that `text` names: `best` (of `ranking`), `generic`, a
/// number (the place among the legal ones, from 0, in the space's order), or
/// knobs, `{vector = 4, ...}`. An error where it names none or an illegal one.
Expected<RankedConfig> configNamed(std::string_view text,
                                   const Ranking &ranking,
                                   const Schedule &schedule, const Workload &w,
                                   const TargetSpec &target);

/// Every term of a ranked configuration by name, units in the names.
std::vector<std::pair<std::string, double>> termsOf(const RankedConfig &ranked);

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_MODELRANKING_H
