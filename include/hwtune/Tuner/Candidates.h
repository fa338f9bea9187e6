//===- Candidates.h - the configurations worth measuring ------ -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collect: enumerate, predict, keep the best. No compiler and no device.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TUNER_CANDIDATES_H
#define HWTUNE_TUNER_CANDIDATES_H

#include "hwtune/Model/Constants.h"
#include "hwtune/Model/Cost.h"
#include "hwtune/Model/KernelFeatures.h"
#include "hwtune/Search/SearchProblem.h"
#include "hwtune/Space/Space.h"
#include "hwtune/Support/CancelToken.h"
#include "hwtune/Target/TargetSpec.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace hwtune {

struct CollectOptions {
  /// Candidates kept: the best by the reasoned constants, plus a tenth spread
  /// evenly over the rest, for where the model is wrong. A space of more than
  /// 300,000 legal configurations is sampled evenly, then searched downhill
  /// from the best, which adds up to 128.
  size_t keep = 2048;
  /// Vectors of constants for the columns of `SearchProblem::logTime`.
  unsigned ensemble = kSearchEnsembleSize;
  uint64_t seed = 0;
  /// What earlier runs have corrected of the model.
  CostWeights weights = {};
  /// Unless empty: what there is to choose from, in place of the whole space.
  std::vector<Config> only = {};
  /// Kept as well, where legal and feasible.
  std::vector<Config> also = {};

  /// Vectors whose mean is a predicted time, here as in the compiler's ranking.
  unsigned expecting() const {
    return std::min(ensemble, kDefaultEnsembleSize);
  }
};

struct Candidates {
  SpaceCounts counts; ///< of the whole space
  /// Legal configurations that the model finds infeasible, by its reason.
  std::map<std::string, uint64_t> infeasible;
  /// Kept ones, in a fixed order. Index = candidate of `problem`.
  std::vector<Config> configs;
  std::vector<double> predicted; ///< seconds, mean of `expecting` vectors
  SearchProblem problem;
  size_t best = 0; ///< lowest prediction: the untuned pick
};

/// An empty space, or one in which nothing is feasible, is an error that lists
/// the reasons with their counts.
Expected<Candidates>
collectCandidates(const Space &space, const TargetSpec &target,
                  const std::function<KernelFeatures(const Config &)> &features,
                  const CollectOptions &options,
                  const CancelToken &cancel = {});

/// What `Candidates::predicted` holds, of any configuration; infinite where it
/// is infeasible.
double candidatesTime(const KernelFeatures &features, const ModelTarget &target,
                      const CollectOptions &options);

/// "12,000 configurations: 3,411 legal, 8,000 rejected by shared-memory, ...".
std::string describeCounts(const SpaceCounts &counts);

} // namespace hwtune

#endif // HWTUNE_TUNER_CANDIDATES_H
