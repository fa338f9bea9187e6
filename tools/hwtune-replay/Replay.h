//===- Replay.h - searches over recorded times -------------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_REPLAY_REPLAY_H
#define HWTUNE_REPLAY_REPLAY_H

#include "Problem.h"

#include <array>

namespace hwtune::replay {

/// Numbers of measurements after which best/optimum is reported.
inline constexpr std::array<size_t, 6> kCheckpoints = {5, 10, 20, 50, 100, 220};

struct ReplayOptions {
  size_t seeds = 10;
  uint64_t firstSeed = 0;
  size_t budget = 220;
  unsigned ensemble = kSearchEnsembleSize;
  Constants center = Constants::reasoned(); ///< first vector of the ensemble
  bool blackBox = false;
  double wrongConstants = 1; ///< every constant off by this, by seed
  bool randomChoice = false; ///< no expected improvement, to judge it
  bool listAlone = false;    ///< `model` without draws, the same
  bool trace = false;        ///< print every trial
  double wrongBranch = 1;    ///< the optimum's branch this much too slow
};

/// One search with one seed.
struct Trace {
  std::vector<double> best; ///< best/optimum after each measurement
  size_t failures = 0;
  size_t to5 = 0, to1 = 0; ///< measurements to within 5 % and 1 %; 0 = never
  double askSeconds = 0, worstAsk = 0;
  /// Best/optimum after k measurements (k beyond the end: the last).
  double after(size_t k) const;
};

Expected<Trace> replayOnce(ReplayProblem &problem, std::string_view strategy,
                           uint64_t seed, const ReplayOptions &options);

struct Quartiles {
  double q25 = 0, median = 0, q75 = 0;
};
/// Infinities count as larger than every number.
Quartiles quartiles(std::vector<double> values);

struct Summary {
  std::string problem, strategy;
  size_t seeds = 0, candidates = 0, classes = 0;
  uint64_t firstSeed = 0;
  std::array<Quartiles, kCheckpoints.size()> after;
  Quartiles to5, to1;                ///< infinite where it never arrived
  double arrived5 = 0, arrived1 = 0; ///< shares of seeds within the budget
  double arrived5in25 = 0;
  double failures = 0;                  ///< mean a run
  std::vector<double> to5Of, after50Of; ///< of each seed, in order
  double meanAskMs = 0, worstAskMs = 0;
};
Expected<Summary> replaySeeds(ReplayProblem &problem, std::string_view strategy,
                              const ReplayOptions &options);

/// The model without a measurement.
struct ModelOnly {
  std::string problem;
  size_t candidates = 0;
  double rank = 0;             ///< Spearman over all that ran
  double rankFast = 0;         ///< the same within the fastest tenth
  std::array<double, 4> top{}; ///< best of the top 1, 5, 10, 50 over optimum
  size_t first = 0;            ///< place on the list of the first within 5 %
};
inline constexpr std::array<size_t, 4> kTops = {1, 5, 10, 50};
ModelOnly modelOnly(ReplayProblem &problem, const ReplayOptions &options);
/// The model's favourites, one line each: place, time over the optimum,
/// parameters, and the terms under the reasoned constants.
std::string listFavourites(ReplayProblem &problem, const Mapping &mapping,
                           const ReplayOptions &options, size_t count);
/// Par * fit, the coarse score, judged the same way.
ModelOnly parFitOnly(const ReplayProblem &problem);

double spearman(const std::vector<double> &a, const std::vector<double> &b);

} // namespace hwtune::replay

#endif // HWTUNE_REPLAY_REPLAY_H
