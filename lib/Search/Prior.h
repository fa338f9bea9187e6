//===- Prior.h - what the model expects, per class --*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ensemble's predictions as a Gaussian prior: each vector's column is
// centred (its scale is not to be trusted) and clipped, the mean over vectors
// is the prior mean, the deviations from it span the covariance.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SEARCH_PRIOR_H
#define HWTUNE_LIB_SEARCH_PRIOR_H

#include "History.h"

#include <Eigen/Core>

namespace hwtune {

struct Prior {
  Eigen::VectorXf mean;       ///< per class; zero where there is no model
  Eigen::MatrixXf deviation;  ///< class x vector, scaled by 1/sqrt(M - 1)
  std::vector<Rep> order;     ///< by mean, ties by index; empty without a model
  std::vector<bool> hopeless; ///< infeasible under most vectors

  static Prior of(const SearchProblem &problem,
                  const std::vector<size_t> &candidateOf);
  /// Nothing is known of any of `count` classes.
  static Prior none(size_t count);
};

/// What the model misses, in log time and beside a common scale: the usual
/// standard deviation, and how many observations that word counts for.
inline constexpr double kUsualError = 0.25, kUsualCount = 2;

/// The mean log time per class with each vector weighted by how likely the
/// successful ones of `seen` are under it, a common scale and an independent
/// normal error given. The error's variance is the best vector's, so that a
/// wrong ensemble keeps its doubt.
Eigen::VectorXf reweighted(const Prior &prior, const std::vector<Seen> &seen);

} // namespace hwtune

#endif // HWTUNE_LIB_SEARCH_PRIOR_H
