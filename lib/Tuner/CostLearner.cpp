//===- CostLearner.cpp - efficiency factors from trials ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostLearner.h"

#include "hwtune/Model/ExpectedTime.h"
#include "hwtune/Model/Weights.h"

namespace hwtune {

namespace {

constexpr double kDoubt = 0.3; // of a log efficiency factor, before any trial

} // namespace

CostLearner::CostLearner(const Space &space, const ModelTarget &target,
                         std::function<KernelFeatures(const Config &)> features,
                         const CollectOptions &options)
    : space(space), target(target), features(std::move(features)),
      ensemble(makeEnsemble(options.expecting(), options.seed)),
      start(options.weights), current(options.weights) {}

double CostLearner::expected(const Config &config) const {
  return expectedSeconds(features(config), target, ensemble, current);
}

void CostLearner::learn(const TrialRecord &trial) {
  Expected<Config> config = configFromJson(space, trial.config);
  // A prediction teaches nothing about predictions.
  if (!trial.ok() || !config || trial.label == Label::Predicted ||
      trial.role == TrialRole::Final)
    return;
  KernelFeatures f = features(*config);
  predictions.push_back(predict(f, target, Constants::reasoned()));
  // What is corrected is what is expected, the ensemble's mean; the terms'
  // parts are those of one vector.
  seconds.push_back(*trial.medianNs * 1e-9 * predictions.back().seconds /
                    expectedSeconds(f, target, ensemble));
  current = correctWeights(predictions, seconds, kDoubt, start);
}

std::vector<std::pair<std::string, double>> CostLearner::weights() const {
  std::vector<std::pair<std::string, double>> named;
  for (unsigned k = 0; k < kNumTerms && !seconds.empty(); ++k)
    named.emplace_back(termName(Term(k)), current.eta[k]);
  if (!seconds.empty())
    named.emplace_back(kScaleName, current.scale);
  return named;
}

} // namespace hwtune
