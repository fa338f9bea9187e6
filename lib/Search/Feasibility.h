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
//   a polynomial of degree 2   limits and bands of products of parameters,
//   in log2 of the parameters  which are sums there;
//   a Matern-5/2 residual      what fails in one corner.
// The logistic likelihood bounds what one failure says: to a neighbour no more
// than these variances. How much there is of each part is learned from the
// evidence, so that failures by chance keep nothing away. Laplace's
// approximation: Rasmussen and Williams, Gaussian Processes for Machine
// Learning, ch. 3.4.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SEARCH_FEASIBILITY_H
#define HWTUNE_LIB_SEARCH_FEASIBILITY_H

#include "History.h"

#include <Eigen/Core>
#include <array>

namespace hwtune {

/// A Gaussian process of log odds, observed through outcomes.
struct LogOdds {
  Eigen::VectorXd weight; ///< log odds of x: mean + sum of these x covariance(x, i)
  double logEvidence = 0; ///< log p(outcomes), Laplace's approximation
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
  enum Part { Effect, Polynomial, Local, Parts };
  using Scales = std::array<double, Parts>; ///< log standard deviations
  struct Sample;
  Sample sampleOf() const;
  static LogOdds fit(const Sample &sample, const Scales &scales);
  static double logPrior(const Scales &scales);
  /// Improves the scales.
  LogOdds learn(const Sample &sample);
  void predict(const Sample &sample, const Eigen::VectorXd &weight);
  void addNearness(); ///< of the next observation
  void refit();

  Eigen::MatrixXf coords;
  Eigen::MatrixXi codes;        ///< rank of each value in its column
  std::vector<Rep> reps;
  std::vector<bool> outcomes;
  size_t failures = 0;
  /// Observations at the last fit, at the last of the scales, and with a column
  /// of `nearness`.
  size_t fitted = 0, learned = 0, known = 0;
  Scales scales;
  Eigen::MatrixXf nearness;     ///< residual's correlation, class x observation
  Eigen::VectorXf success;
  float likeliest = 1;
};

} // namespace hwtune

#endif // HWTUNE_LIB_SEARCH_FEASIBILITY_H
