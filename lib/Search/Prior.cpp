//===- Prior.cpp - what the model expects, per class ----------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prior.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hwtune {

namespace {

// Beyond this much above a column's best (33 times as slow) a prediction says
// "bad" and no more.
constexpr float kClip = 3.5f;

} // namespace

Prior Prior::none(size_t count) {
  Prior prior;
  prior.mean = Eigen::VectorXf::Zero(Eigen::Index(count));
  prior.deviation.resize(Eigen::Index(count), 0);
  prior.hopeless.resize(count);
  return prior;
}

Prior Prior::of(const SearchProblem &problem,
                const std::vector<size_t> &candidateOf) {
  Prior prior = none(candidateOf.size());
  if (problem.logTime.empty())
    return prior;
  auto n = static_cast<Eigen::Index>(candidateOf.size());
  auto m = static_cast<Eigen::Index>(problem.logTime.columns);
  Eigen::MatrixXf &dev = prior.deviation;
  dev.resize(n, m);
  for (Eigen::Index i = 0; i < n; ++i) {
    const float *row = problem.logTime.row(candidateOf[size_t(i)]);
    Eigen::Index infeasible = 0;
    for (Eigen::Index j = 0; j < m; ++j) {
      dev(i, j) = row[j];
      infeasible += !std::isfinite(row[j]);
    }
    prior.hopeless[size_t(i)] = 2 * infeasible > m;
  }
  for (Eigen::Index j = 0; j < m; ++j) {
    float best = dev.col(j).minCoeff();
    if (!std::isfinite(best)) // nothing is feasible under this vector
      best = 0;
    dev.col(j) = dev.col(j).array().min(best + kClip);
    dev.col(j).array() -= dev.col(j).mean();
  }
  prior.mean = dev.rowwise().mean();
  dev.colwise() -= prior.mean;
  dev /= std::sqrt(float(std::max<Eigen::Index>(m - 1, 1)));
  prior.order.resize(candidateOf.size());
  std::iota(prior.order.begin(), prior.order.end(), Rep(0));
  std::sort(prior.order.begin(), prior.order.end(), [&](Rep a, Rep b) {
    if (prior.hopeless[a] != prior.hopeless[b])
      return bool(prior.hopeless[b]);
    return prior.mean[a] != prior.mean[b] ? prior.mean[a] < prior.mean[b]
                                          : a < b;
  });
  return prior;
}

Eigen::VectorXf reweighted(const Prior &prior, const std::vector<Seen> &seen) {
  auto vectors = prior.deviation.cols();
  if (vectors == 0)
    return prior.mean;
  double count = 0;
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(vectors), squares = sum;
  float scale = std::sqrt(float(std::max<Eigen::Index>(vectors - 1, 1)));
  for (const Seen &s : seen) {
    if (!s.ok)
      continue;
    Eigen::ArrayXd rest =
        s.logValue - double(prior.mean[s.rep]) -
        (scale * prior.deviation.row(s.rep)).transpose().array().cast<double>();
    ++count;
    sum += rest;
    squares += rest.square();
  }
  if (count < 2) // one time only sets the scale
    return prior.mean;
  Eigen::ArrayXd error = squares - sum.square() / count;
  double least = error.minCoeff();
  double variance = (kUsualCount * kUsualError * kUsualError + least) /
                    (kUsualCount + count - 1);
  Eigen::ArrayXd weight = (-0.5 * (error - least) / variance).exp();
  weight /= weight.sum();
  return prior.mean + scale * prior.deviation * weight.matrix().cast<float>();
}

} // namespace hwtune
