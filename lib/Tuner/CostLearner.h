//===- CostLearner.h - efficiency factors from trials ---*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TUNER_COSTLEARNER_H
#define HWTUNE_LIB_TUNER_COSTLEARNER_H

#include "hwtune/Tuner/Candidates.h"
#include "hwtune/Tuner/Tuner.h"

namespace hwtune {

/// Corrects the efficiency factor of each term (`correctWeights`) after each
/// trial, from those that `options` starts with.
class CostLearner final : public TuneLearner {
public:
  CostLearner(const Space &space, const ModelTarget &target,
              std::function<KernelFeatures(const Config &)> features,
              const CollectOptions &options);

  double expected(const Config &config) const override;
  void learn(const TrialRecord &trial) override;
  std::vector<std::pair<std::string, double>> weights() const override;

private:
  const Space &space;
  ModelTarget target;
  std::function<KernelFeatures(const Config &)> features;
  Ensemble ensemble;
  CostWeights start, current;
  std::vector<Prediction> predictions; ///< with eta = 1
  std::vector<double> seconds;
};

} // namespace hwtune

#endif // HWTUNE_LIB_TUNER_COSTLEARNER_H
