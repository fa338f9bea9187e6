//===- Feasibility.cpp - what runs at all ---------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Feasibility.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace hwtune {

namespace {

// Nine in ten run where nothing is known: log odds, and their variance.
constexpr double kMeanOdds = 2.2, kOffsetVariance = 4;
// Standard deviations of the parts' log odds before anything is learned, and
// that of their logarithms.
constexpr std::array<double, 3> kUsualScale = {1.4, 1.0, 1.0};
constexpr double kDoubt = 1.5;
// Of their logarithms, in the search for the best.
constexpr double kStep = 0.5;
// Of the residual, in standardised coordinates, times their number's root.
constexpr double kLength = 0.7;
// Never excluded for ever.
constexpr float kFloor = 1e-3f;
// Observations that are learned from, spread over the run.
constexpr size_t kSampleSize = 128;
// Fits after this share of new observations, at first after each; the scales,
// which cost more and change less, after another.
constexpr size_t kFitShare = 24, kScalesShare = 4;
constexpr Eigen::Index kGrow = 32;

double sigmoid(double odds) { return 1 / (1 + std::exp(-odds)); }

/// log of sigmoid, without overflow.
double logSigmoid(double odds) {
  return std::min(odds, 0.0) - std::log1p(std::exp(-std::abs(odds)));
}

double logLikelihood(const Eigen::VectorXd &sign, const Eigen::VectorXd &odds) {
  double sum = 0;
  for (Eigen::Index i = 0; i < sign.size(); ++i)
    sum += logSigmoid(sign[i] * odds[i]);
  return sum;
}

} // namespace

/// Newton's method for the mode: Algorithm 3.1 of the book.
LogOdds fitLogOdds(const Eigen::MatrixXd &covariance,
                   const Eigen::VectorXd &sign, double mean) {
  constexpr int kMostTurns = 20, kMostHalvings = 8;
  constexpr double kEnough = 1e-4; // of the logarithm
  auto n = sign.size();
  Eigen::VectorXd weight = Eigen::VectorXd::Zero(n), rest = weight;
  auto objective = [&](const Eigen::VectorXd &w, const Eigen::VectorXd &r) {
    return logLikelihood(sign, (r.array() + mean).matrix()) - 0.5 * w.dot(r);
  };
  double value = objective(weight, rest), halfLogDeterminant = 0, gained = 1;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    Eigen::ArrayXd p = (rest.array() + mean).unaryExpr(&sigmoid);
    Eigen::VectorXd curvature = p * (1 - p), root = curvature.cwiseSqrt();
    Eigen::MatrixXd b = root.asDiagonal() * covariance * root.asDiagonal();
    b.diagonal().array() += 1;
    Eigen::LLT<Eigen::MatrixXd> llt(b);
    halfLogDeterminant = llt.matrixLLT().diagonal().array().log().sum();
    if (gained < kEnough)
      break;
    Eigen::VectorXd right = curvature.cwiseProduct(rest);
    right.array() += 0.5 * (sign.array() + 1) - p;
    Eigen::VectorXd next =
        right -
        root.cwiseProduct(llt.solve(root.cwiseProduct(covariance * right)));
    Eigen::VectorXd nextRest = covariance * next;
    gained = objective(next, nextRest) - value;
    for (int i = 0; gained < 0 && i < kMostHalvings; ++i) { // it overshoots
      next = 0.5 * (next + weight);
      nextRest = 0.5 * (nextRest + rest);
      gained = objective(next, nextRest) - value;
    }
    if (gained < 0) // rounding: this is the mode
      break;
    weight = std::move(next);
    rest = std::move(nextRest);
    value += gained;
  }
  return {std::move(weight), value - halfLogDeterminant};
}

/// Covariances among the observations, by part and of unit scale.
struct Feasibility::Sample {
  std::vector<size_t> observations;
  std::array<Eigen::MatrixXd, Parts> covariance;
  Eigen::VectorXd sign; ///< 1: ran, -1: failed
};

Feasibility::Feasibility(const Eigen::MatrixXf &coordinates,
                         const Eigen::MatrixXf &values)
    : coords(coordinates.rows(), coordinates.cols()),
      codes(values.rows(), values.cols()),
      success(Eigen::VectorXf::Ones(coordinates.rows())) {
  for (size_t i = 0; i < Parts; ++i)
    scales[i] = std::log(kUsualScale[i]);
  Eigen::Index kept = 0;
  for (Eigen::Index j = 0; j < coordinates.cols(); ++j) {
    Eigen::ArrayXf column = coordinates.col(j);
    if (column.minCoeff() > 0) // products of the values are sums
      column = column.unaryExpr([](float x) { return std::log2(std::exp2(x) - 1); });
    column -= column.mean();
    float deviation = std::sqrt(column.square().mean());
    if (deviation > 1e-6f)
      coords.col(kept++) = column / deviation;
  }
  coords.conservativeResize(Eigen::NoChange, kept);
  for (Eigen::Index j = 0; j < values.cols(); ++j) {
    std::vector<float> sorted(values.col(j).begin(), values.col(j).end());
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (Eigen::Index i = 0; i < values.rows(); ++i)
      codes(i, j) = int(std::lower_bound(sorted.begin(), sorted.end(),
                                         values(i, j)) -
                        sorted.begin());
  }
}

void Feasibility::addNearness() {
  auto column = Eigen::Index(known);
  Rep rep = reps[known++];
  if (nearness.cols() <= column)
    nearness.conservativeResize(coords.rows(), column + kGrow);
  Eigen::ArrayXf distance2 = Eigen::ArrayXf::Zero(coords.rows());
  for (Eigen::Index j = 0; j < coords.cols(); ++j)
    distance2 += (coords.col(j).array() - coords(rep, j)).square();
  float length2 = float(kLength * kLength) *
                  float(std::max<Eigen::Index>(coords.cols(), 1));
  Eigen::ArrayXf r = (distance2 * (5 / length2)).sqrt();
  nearness.col(column) = (r + 1 + r.square() / 3) * (-r).exp();
}

void Feasibility::add(Rep rep, bool ok) {
  reps.push_back(rep);
  outcomes.push_back(ok);
  failures += !ok;
  if (!failures)
    return;
  while (known < reps.size())
    addNearness();
  if (reps.size() - fitted > reps.size() / kFitShare || failures == 1)
    refit();
}

Feasibility::Sample Feasibility::sampleOf() const {
  Sample s;
  size_t count = std::min(reps.size(), kSampleSize);
  for (size_t i = 0; i < count; ++i)
    s.observations.push_back(i * reps.size() / count);
  auto n = Eigen::Index(count);
  for (Eigen::MatrixXd &part : s.covariance)
    part.resize(n, n);
  s.sign.resize(n);
  double dims = double(std::max<Eigen::Index>(coords.cols(), 1));
  for (Eigen::Index j = 0; j < n; ++j) {
    size_t observation = s.observations[size_t(j)];
    s.sign[j] = outcomes[observation] ? 1 : -1;
    Rep b = reps[observation];
    for (Eigen::Index i = 0; i < n; ++i) {
      Rep a = reps[s.observations[size_t(i)]];
      double same = double((codes.row(a).array() == codes.row(b).array()).count());
      double product = double(coords.row(a).dot(coords.row(b)));
      s.covariance[Effect](i, j) = same;
      s.covariance[Polynomial](i, j) = product + product * product / (2 * dims);
      s.covariance[Local](i, j) = double(nearness(a, Eigen::Index(observation)));
    }
  }
  return s;
}

double Feasibility::logPrior(const Scales &scales) {
  double sum = 0;
  for (size_t i = 0; i < Parts; ++i)
    sum += std::pow((scales[i] - std::log(kUsualScale[i])) / kDoubt, 2);
  return -0.5 * sum;
}

LogOdds Feasibility::fit(const Sample &s, const Scales &scales) {
  auto n = s.sign.size();
  Eigen::MatrixXd k = Eigen::MatrixXd::Constant(n, n, kOffsetVariance);
  for (size_t i = 0; i < Parts; ++i)
    k += std::exp(2 * scales[i]) * s.covariance[i];
  return fitLogOdds(k, s.sign, kMeanOdds);
}

/// One round of a pattern search: the next fit goes on from here.
LogOdds Feasibility::learn(const Sample &sample) {
  auto evidence = [](const LogOdds &fit, const Scales &of) {
    return fit.logEvidence + logPrior(of);
  };
  LogOdds best = fit(sample, scales);
  for (size_t i = 0; i < Parts; ++i)
    for (double sign : {1.0, -1.0}) {
      Scales trial = scales;
      trial[i] += sign * kStep;
      LogOdds other = fit(sample, trial);
      if (evidence(other, trial) > evidence(best, scales)) {
        best = std::move(other);
        scales = trial;
        break;
      }
    }
  return best;
}

/// The log odds of every class. All but the residual are sums over values and
/// coordinates whose weights are gathered first, whatever was observed.
void Feasibility::predict(const Sample &s, const Eigen::VectorXd &weight) {
  double dims = double(std::max<Eigen::Index>(coords.cols(), 1));
  std::array<double, Parts> variance;
  for (size_t i = 0; i < Parts; ++i)
    variance[i] = std::exp(2 * scales[i]);
  float offset = float(kMeanOdds + kOffsetVariance * weight.sum());
  Eigen::VectorXf odds = Eigen::VectorXf::Constant(coords.rows(), offset);
  for (Eigen::Index j = 0; j < codes.cols(); ++j) {
    Eigen::VectorXf effect = Eigen::VectorXf::Zero(codes.col(j).maxCoeff() + 1);
    for (size_t i = 0; i < s.observations.size(); ++i)
      effect[codes(reps[s.observations[i]], j)] +=
          float(variance[Effect] * weight[Eigen::Index(i)]);
    for (Eigen::Index i = 0; i < odds.size(); ++i)
      odds[i] += effect[codes(i, j)];
  }
  Eigen::VectorXf linear = Eigen::VectorXf::Zero(coords.cols());
  Eigen::MatrixXf square = Eigen::MatrixXf::Zero(coords.cols(), coords.cols());
  Eigen::VectorXf near = Eigen::VectorXf::Zero(Eigen::Index(known));
  for (size_t i = 0; i < s.observations.size(); ++i) {
    Eigen::VectorXf x = coords.row(reps[s.observations[i]]).transpose();
    float w = float(variance[Polynomial] * weight[Eigen::Index(i)]);
    linear += w * x;
    square += (w / float(2 * dims)) * x * x.transpose();
    near[Eigen::Index(s.observations[i])] =
        float(variance[Local] * weight[Eigen::Index(i)]);
  }
  odds += coords * linear + nearness.leftCols(near.size()) * near;
  odds += (coords * square).cwiseProduct(coords).rowwise().sum();
  success = (1 / (1 + (-odds.array()).exp())).max(kFloor);
  likeliest = success.maxCoeff();
}

void Feasibility::refit() {
  fitted = reps.size();
  Sample sample = sampleOf();
  bool learns = fitted - learned > fitted / kScalesShare;
  if (learns)
    learned = fitted;
  predict(sample, (learns ? learn(sample) : fit(sample, scales)).weight);
}

} // namespace hwtune
