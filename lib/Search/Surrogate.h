//===- Surrogate.h - a Gaussian process over all classes -*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Log time is modelled as
//   prior mean + offset + scale * (ensemble deviation) + value effects
//   + smooth residual + irregularity,
// all Gaussian: the offset wide, the deviation with the ensemble's covariance,
// one effect per value of each of some parameters, the residual a
// Matern-5/2 process on the given coordinates, each of which has a weight of
// its own, the irregularity independent per class (what the compiler does to
// one kernel and not to its neighbour). Rasmussen and Williams, Gaussian
// Processes for Machine Learning, ch. 2, 4, 5.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SEARCH_SURROGATE_H
#define HWTUNE_LIB_SEARCH_SURROGATE_H

#include "Prior.h"

#include <Eigen/Core>
#include <array>

namespace hwtune {

/// Standard deviations in log time, and lengths in standardised coordinates.
/// Kept as logarithms.
struct Hyper {
  enum Id { Ensemble, Effect, Residual, Length, Nugget, Count };
  std::array<double, Count> log{};
  double operator[](Id id) const { return std::exp(log[id]); }
};

class Surrogate {
public:
  /// `coordinates` (class x dimension) are standardised here. `effectValues`
  /// are those of the parameters that have an effect per value, class x
  /// parameter.
  Surrogate(const Prior &prior, const Eigen::MatrixXf &coordinates,
            const Eigen::MatrixXf &effectValues, bool hasModel);

  /// Appends one observation (log time) and updates the posterior, O(n t).
  void add(Rep rep, double value);
  /// Drops all but the first `count` observations; mean and variance are stale
  /// until `restore`.
  void truncate(size_t count);
  /// Chooses hyperparameters by marginal likelihood with a weak prior, then
  /// recomputes the posterior of the same observations.
  void refit();

  size_t size() const { return reps.size(); }
  const Eigen::VectorXf &mean() const { return posteriorMean; }
  /// Of an unmeasured class, irregularity included.
  const Eigen::VectorXf &variance() const { return posteriorVariance; }
  const Hyper &hyper() const { return parameters; }
  void save();    ///< remembers the posterior
  void restore(); ///< back to `save`, with its number of observations

private:
  /// Parts of an observation's covariance with every class that do not depend
  /// on the hyperparameters, computed once.
  struct Parts {
    Eigen::VectorXf distance2, ensemble, effect;
  };
  const Parts &partsOf(size_t observation);
  void rebuild();
  Eigen::VectorXf covarianceRow(const Parts &parts) const;
  Eigen::VectorXf squaredDistance(Rep rep) const;
  Eigen::VectorXf priorVariance() const;
  /// Covariance parts among a sample of the observations.
  struct Evidence {
    Eigen::MatrixXd ensemble, effect, distance2;
    Eigen::VectorXd rest; ///< values less the prior mean
  };
  std::vector<size_t> evidenceSample() const;
  Evidence evidenceOf(const std::vector<size_t> &sample);
  double logEvidence(const Hyper &hyper, const Evidence &evidence) const;
  void fitHyper(const Evidence &evidence);
  /// Chooses the weights of the coordinates; changes them and `evidence`.
  void fitWeights(const std::vector<size_t> &sample, Evidence &evidence);

  const Prior &prior;
  Eigen::MatrixXf coords;     ///< standardised, times exp of `logWeights`
  Eigen::VectorXd logWeights; ///< one a coordinate, about 0
  Eigen::MatrixXf effects;    ///< values with an effect each
  Hyper parameters, center;
  std::vector<Rep> reps;
  std::vector<double> values;
  std::vector<Parts> parts;   ///< of the first observations
  std::vector<Rep> partsReps; ///< whose they are
  Eigen::MatrixXf rows;     ///< L^-1 K(observed, all), one column a observation
  Eigen::MatrixXd lower;    ///< Cholesky factor L
  std::vector<double> beta; ///< L^-1 (values - prior)
  Eigen::VectorXf posteriorMean, posteriorVariance;
  Eigen::VectorXf savedMean, savedVariance;
  size_t savedSize = 0;
};

} // namespace hwtune

#endif // HWTUNE_LIB_SEARCH_SURROGATE_H
