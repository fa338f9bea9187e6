//===- Problem.h - a data set as a search ------------------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_REPLAY_PROBLEM_H
#define HWTUNE_REPLAY_PROBLEM_H

#include "Mapping.h"

#include "hwtune/Model/Cost.h"
#include "hwtune/Search/SearchProblem.h"

#include <map>

namespace hwtune::replay {

/// One search with the answers: candidate i is row `rows[i]` of the data set.
struct ReplayProblem {
  std::string name;
  SearchProblem search; ///< without predictions: `addModel`
  std::vector<size_t> rows;
  std::vector<double> seconds;          ///< infinite where it failed
  std::vector<KernelFeatures> features; ///< empty without a model
  std::vector<std::vector<double>> parameterValues; ///< texts by code
  std::shared_ptr<const Texts> texts;
  double optimum = 0;
  size_t optimumAt = 0; ///< candidate
  size_t classCount = 0;
  std::map<std::string, size_t> removed; ///< ruled out, by reason
  size_t removedValid = 0;               ///< of them those that had run
  /// Configurations of several rows that differ in a column, by column.
  std::map<std::string, size_t> mixed;
  /// Kernels with more than one name that ran; of them those whose names'
  /// times differ by more than `kNoise`; the largest such factor.
  size_t manyNamed = 0, unlikeNames = 0;
  double mostUnlike = 1;
  TargetSpec target;

  Observation measure(size_t candidate) const;
};

/// Times of one kernel differ by less, measured twice.
inline constexpr double kNoise = 1.05;

struct ProblemOptions {
  std::string target; ///< id or file; "" = the mapping's
  bool mergeClasses = true;
};

/// The problems of a file: one, or one per group.
Expected<std::vector<ReplayProblem>> makeProblems(const Dataset &data,
                                                  const Mapping &mapping,
                                                  const ProblemOptions &);

/// Fills the predictions of `ensemble` and the hardware features. `log` of the
/// penalty is added to every candidate that has `penaltyValue` in parameter
/// `penaltyParameter` (a branch predicted too slow).
struct Penalty {
  size_t parameter = 0;
  double value = 0, factor = 1;
};
void addModel(ReplayProblem &problem, const Ensemble &ensemble,
              const Penalty *penalty = nullptr);

} // namespace hwtune::replay

#endif // HWTUNE_REPLAY_PROBLEM_H
