//===- Weights.cpp - weights corrected by measurements --------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Model/Weights.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hwtune {

namespace {

constexpr unsigned kUnknowns = kNumTerms + 1; // log eta, and log scale
constexpr double kNoise = 0.2;    // of a log time, model's own error
constexpr double kScaleSigma = 3; // the scale is all but free
constexpr int kRounds = 20;

using Vector = std::array<double, kUnknowns>;
using Matrix = std::array<Vector, kUnknowns>;

struct Sample {
  std::array<double, kNumTerms> part; ///< of the predicted time
  double gap;                         ///< log measured - log predicted
};

/// Solves a positive definite system by elimination.
Vector solve(Matrix a, Vector b) {
  for (unsigned i = 0; i < kUnknowns; ++i)
    for (unsigned j = i + 1; j < kUnknowns; ++j) {
      double factor = a[j][i] / a[i][i];
      for (unsigned k = i; k < kUnknowns; ++k)
        a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  Vector x{};
  for (unsigned i = kUnknowns; i-- > 0;) {
    double sum = b[i];
    for (unsigned k = i + 1; k < kUnknowns; ++k)
      sum -= a[i][k] * x[k];
    x[i] = sum / a[i][i];
  }
  return x;
}

std::vector<Sample> samplesOf(std::span<const Prediction> predictions,
                              std::span<const double> seconds) {
  std::vector<Sample> samples;
  size_t count = std::min(predictions.size(), seconds.size());
  for (size_t i = 0; i < count; ++i) {
    const Prediction &p = predictions[i];
    if (p.infeasible || !(p.seconds > 0) || !(seconds[i] > 0) ||
        !std::isfinite(seconds[i]))
      continue;
    Sample s;
    s.part = secondsByTerm(p);
    for (double &part : s.part)
      part /= p.seconds;
    s.gap = std::log(seconds[i] / p.seconds);
    samples.push_back(s);
  }
  return samples;
}

} // namespace

CostWeights correctWeights(std::span<const Prediction> predictions,
                           std::span<const double> seconds, double sigma,
                           const CostWeights &start) {
  std::vector<Sample> samples = samplesOf(predictions, seconds);
  Vector before{};
  before[kNumTerms] = std::log(start.scale);
  for (unsigned i = 0; i < kNumTerms; ++i)
    before[i] = std::log(start.eta[i]);
  Vector x = before;
  for (int round = 0; round < kRounds && !samples.empty(); ++round) {
    Matrix a{};
    Vector b{};
    for (unsigned i = 0; i < kUnknowns; ++i) {
      double doubt = i < kNumTerms ? sigma : kScaleSigma;
      a[i][i] = 1 / (doubt * doubt);
      b[i] = (before[i] - x[i]) * a[i][i];
    }
    for (const Sample &s : samples) {
      double sum = 0;
      Vector slope{};
      for (unsigned i = 0; i < kNumTerms; ++i) {
        slope[i] = std::exp(x[i]) * s.part[i];
        sum += slope[i];
      }
      for (unsigned i = 0; i < kNumTerms; ++i)
        slope[i] /= sum;
      slope[kNumTerms] = 1;
      double rest = s.gap - std::log(sum) - x[kNumTerms];
      for (unsigned i = 0; i < kUnknowns; ++i) {
        b[i] += slope[i] * rest / (kNoise * kNoise);
        for (unsigned j = 0; j < kUnknowns; ++j)
          a[i][j] += slope[i] * slope[j] / (kNoise * kNoise);
      }
    }
    Vector step = solve(a, b);
    for (unsigned i = 0; i < kUnknowns; ++i)
      x[i] += std::clamp(step[i], -1.0, 1.0);
  }
  CostWeights weights;
  for (unsigned i = 0; i < kNumTerms; ++i)
    weights.eta[i] = std::exp(x[i]);
  weights.scale = std::exp(x[kNumTerms]);
  return weights;
}

} // namespace hwtune
