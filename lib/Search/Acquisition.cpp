//===- Acquisition.cpp - what is worth measuring --------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Acquisition.h"

#include <cmath>

namespace hwtune {

namespace {

// Nine in ten run where nothing is known.
constexpr double kPriorSuccess = 0.9, kPriorFailure = 0.1;
// Sharper than the residual's correlation: limits are edges.
constexpr float kSharpness = 6;

} // namespace

double expectedImprovement(double best, double mean, double deviation) {
  double gain = best - mean;
  if (deviation <= 0)
    return std::max(0.0, gain);
  double z = gain / deviation;
  if (z < -8)
    return 0;
  constexpr double kInverseRoot2Pi = 0.3989422804014327;
  constexpr double kInverseRoot2 = 0.7071067811865476;
  double density = kInverseRoot2Pi * std::exp(-0.5 * z * z);
  double below = 0.5 * std::erfc(-z * kInverseRoot2);
  return gain * below + deviation * density;
}

void Feasibility::add(const Eigen::VectorXf &nearness, bool ok) {
  Eigen::VectorXf weight = nearness.array().pow(kSharpness).matrix();
  (ok ? success : failure) += weight;
  failures += !ok;
}

double Feasibility::probability(Rep rep) const {
  if (!failures)
    return 1;
  double yes = kPriorSuccess + double(success[rep]);
  double no = kPriorFailure + double(failure[rep]);
  return yes / (yes + no);
}

} // namespace hwtune
