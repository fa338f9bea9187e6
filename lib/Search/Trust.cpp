//===- Trust.cpp - how far the model is followed --------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trust.h"

#include <algorithm>
#include <cmath>

namespace hwtune {

namespace {

constexpr double kMostDoubt = 0.9;
// Of the random numbers, apart from those of the picks themselves.
constexpr uint64_t kCoinStream = uint64_t(1) << 32;

} // namespace

void ModelError::add(double residual) {
  ++count; // Welford, Technometrics 4 (1962)
  double step = residual - mean;
  mean += step / count;
  squares += step * (residual - mean);
}

double ModelError::value() const {
  double freedom = std::max(0.0, count - 1);
  return std::sqrt((kUsualCount * kUsualError * kUsualError + squares) /
                   (kUsualCount + freedom));
}

double indistinctShare(const Prior &prior, const std::vector<Rep> &favourites,
                       double error) {
  if (prior.order.empty() || favourites.empty())
    return 0;
  std::vector<float> means;
  for (Rep favourite : favourites)
    means.push_back(prior.mean[favourite]);
  std::sort(means.begin(), means.end());
  float limit = means[means.size() / 2] + float(error);
  size_t close = 0;
  for (Rep rep : prior.order)
    close += !prior.hopeless[rep] && prior.mean[rep] < limit;
  return double(close) / double(prior.order.size());
}

double Trust::doubt() const {
  double wins = start;
  if (!with.empty()) {
    std::vector<double> sorted = with;
    auto middle = sorted.begin() + ptrdiff_t(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    for (double log : without)
      wins += log < *middle ? 1 : log == *middle ? 0.5 : 0;
  }
  return std::min(kMostDoubt, 2 * wins / double(1 + without.size()));
}

bool Trust::doesWithout(size_t trial) const {
  return trial >= following && start > 0 &&
         Random(seed, kCoinStream + trial).uniform() < doubt();
}

void Trust::add(const Seen &seen) {
  bool isWithout = doesWithout(with.size() + without.size());
  (isWithout ? without : with).push_back(seen.ok ? seen.logValue : INFINITY);
}

} // namespace hwtune
