//===- Feasibility.h - what runs at all -----------------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a candidate runs says nothing of its time, so it has a process of its
// own: the log odds of success are Gaussian, the sum of
//   an offset                  the rate of failure everywhere;
//   an effect per value        what fails by one value of one parameter;
//   a slope per coordinate     limits of products of parameters, which are
//                              planes in log2 of them;
//   a bend                     bands: the square of what the slopes give;
//   a Matern-5/2 residual      what fails in one corner.
// The logistic likelihood bounds what one failure says: to a neighbour no more
// than these variances. Each parameter's are learned (automatic relevance
// determination), so that few failures tell a limit, and those by chance keep
// nothing away. Laplace's approximation: Rasmussen and Williams, Gaussian
// Processes for Machine Learning, ch. 3.4.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SEARCH_FEASIBILITY_H
#define HWTUNE_LIB_SEARCH_FEASIBILITY_H

#include "History.h"

#include <Eigen/Core>

namespace hwtune {

/// A Gaussian process of log odds, observed through outcomes.
struct LogOdds {
  Eigen::VectorXd
      weight; ///< log odds of x: mean + sum of these x covariance(x, i)
  Eigen::VectorXd curvature; ///< of - log p(outcome) by its log odds
};

/// `covariance` among the observations; `sign` of each: 1 ran, -1 failed;
/// `mean`: the log odds where nothing is known.
LogOdds fitLogOdds(const Eigen::MatrixXd &covariance,
                   const Eigen::VectorXd &sign, double mean);

class Feasibility {
public:
  /// Class x dimension each: `coordinates` are standardised here, columns of
  /// log2(1 + v) with v > 0 taken as log2(v) first; `values` are those that
  /// have an effect each.
  Feasibility(const Eigen::MatrixXf &coordinates,
              const Eigen::MatrixXf &values);

  void add(Rep rep, bool ok);
  bool anyFailure() const { return failures > 0; }
  /// How likely `rep` is to run, 0 excluded: 1 before anything has failed.
  double probability(Rep rep) const {
    return failures ? double(success[rep]) : 1;
  }
  /// The same, relative to the likeliest of all.
  double chance(Rep rep) const {
    return failures ? double(success[rep] / likeliest) : 1;
  }

private:
  struct Sample;
  Sample sampleOf() const;
  Eigen::MatrixXd covarianceOf(Sample &sample) const;
  size_t firstSlope() const { return size_t(codes.cols()); }
  size_t bend() const { return firstSlope() + size_t(coords.cols()); }
  void learnVariances(const Sample &sample, const LogOdds &odds,
                      const Eigen::MatrixXd &covariance);
  void predict(const Sample &sample, const Eigen::VectorXd &weight);
  void addNearness(); ///< of the next observation
  void refit();

  Eigen::MatrixXf coords;
  Eigen::MatrixXi codes; ///< rank of each value in its column
  std::vector<Rep> reps;
  std::vector<bool> outcomes;
  size_t failures = 0;
  /// Observations at the last fit, at the last of the scales, and with a column
  /// of `nearness`.
  size_t fitted = 0, learned = 0, known = 0;
  /// Of each part: the effects of each parameter, the slope of each coordinate,
  /// the bend, the residual.
  std::vector<double> variance, usual;
  Eigen::MatrixXf nearness; ///< residual's correlation, class x observation
  Eigen::VectorXf success;
  float likeliest = 1;
};

} // namespace hwtune

#endif // HWTUNE_LIB_SEARCH_FEASIBILITY_H
