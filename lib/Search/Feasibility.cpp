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
// Variances before anything is learned, and how many weights that word counts
// for. Limits are steep, and of few parameters.
constexpr double kUsualEffect = 1, kUsualSlope = 2, kUsualLocal = 1;
constexpr double kUsualBend = 0.5; // over the number of coordinates
constexpr double kUsualCount = 0.2;
constexpr int kRounds = 4; // towards their fixed point
// Of the residual, in standardised coordinates, times their number's root.
constexpr double kLength = 0.7;
// Never excluded for ever.
constexpr float kFloor = 1e-3f;
// Observations that are learned from, spread over the run.
constexpr size_t kSampleSize = 128;
// Fits after this share of new observations, at first after each; the
// variances, which cost more and change less, after another.
constexpr size_t kFitShare = 24, kLearnShare = 8;
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
  double value = objective(weight, rest), gained = 1;
  Eigen::VectorXd curvature;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    Eigen::ArrayXd p = (rest.array() + mean).unaryExpr(&sigmoid);
    curvature = p * (1 - p);
    if (gained < kEnough)
      break;
    Eigen::VectorXd root = curvature.cwiseSqrt();
    Eigen::MatrixXd b = root.asDiagonal() * covariance * root.asDiagonal();
    b.diagonal().array() += 1;
    Eigen::LLT<Eigen::MatrixXd> llt(b);
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
  return {std::move(weight), std::move(curvature)};
}

/// Covariances among the observations, by part and of unit variance.
struct Feasibility::Sample {
  std::vector<size_t> observations;
  std::vector<Eigen::MatrixXd> covariance;
  Eigen::VectorXd sign; ///< 1: ran, -1: failed
};

Feasibility::Feasibility(const Eigen::MatrixXf &coordinates,
                         const Eigen::MatrixXf &values)
    : coords(coordinates.rows(), coordinates.cols()),
      codes(values.rows(), values.cols()),
      success(Eigen::VectorXf::Ones(coordinates.rows())) {
  Eigen::Index kept = 0;
  for (Eigen::Index j = 0; j < coordinates.cols(); ++j) {
    Eigen::ArrayXf column = coordinates.col(j);
    if (column.minCoeff() > 0) // products of the values are sums
      column = column.unaryExpr([](float x) {
        return float(std::log2(std::expm1(double(x) * M_LN2)));
      });
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
      codes(i, j) =
          int(std::lower_bound(sorted.begin(), sorted.end(), values(i, j)) -
              sorted.begin());
  }
  usual.assign(size_t(codes.cols()), kUsualEffect);
  usual.insert(usual.end(), size_t(coords.cols()), kUsualSlope);
  usual.push_back(kUsualBend / double(std::max<Eigen::Index>(kept, 1)));
  usual.push_back(kUsualLocal);
  variance = usual;
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
  s.covariance.assign(variance.size(), Eigen::MatrixXd(n, n));
  s.sign.resize(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    size_t observation = s.observations[size_t(j)];
    s.sign[j] = outcomes[observation] ? 1 : -1;
    Rep b = reps[observation];
    for (Eigen::Index i = 0; i < n; ++i) {
      Rep a = reps[s.observations[size_t(i)]];
      auto part = s.covariance.begin();
      for (Eigen::Index d = 0; d < codes.cols(); ++d)
        (*part++)(i, j) = codes(a, d) == codes(b, d);
      for (Eigen::Index d = 0; d < coords.cols(); ++d)
        (*part++)(i, j) = double(coords(a, d) * coords(b, d));
      (*++part)(i, j) = double(nearness(a, Eigen::Index(observation)));
    }
  }
  return s;
}

/// The squares are of the slopes' part as it is now, so that they are of the
/// coordinates that count.
Eigen::MatrixXd Feasibility::covarianceOf(Sample &s) const {
  auto n = s.sign.size();
  Eigen::MatrixXd k = Eigen::MatrixXd::Constant(n, n, kOffsetVariance);
  auto add = [&](size_t part) { k += variance[part] * s.covariance[part]; };
  for (size_t i = 0; i < firstSlope(); ++i)
    add(i);
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(n, n);
  for (size_t i = firstSlope(); i < bend(); ++i)
    slopes += variance[i] * s.covariance[i];
  k += slopes;
  // Of the coordinates that count by now.
  s.covariance[bend()] = slopes.cwiseAbs2();
  add(bend());
  add(bend() + 1);
  return k;
}

/// The fixed point of MacKay (Neural Computation 4, 1992): a part's variance is
/// the squared length of its weights over how many of them the outcomes
/// determine, the usual one counted too.
void Feasibility::learnVariances(const Sample &s, const LogOdds &odds,
                                 const Eigen::MatrixXd &k) {
  Eigen::VectorXd root = odds.curvature.cwiseSqrt();
  Eigen::MatrixXd b = root.asDiagonal() * k * root.asDiagonal();
  b.diagonal().array() += 1;
  Eigen::MatrixXd r =
      Eigen::LLT<Eigen::MatrixXd>(b).solve(Eigen::MatrixXd(root.asDiagonal()));
  r = root.asDiagonal() * r;
  for (size_t i = 0; i < variance.size(); ++i) {
    const Eigen::MatrixXd &part = s.covariance[i];
    double v = variance[i];
    double squares = v * v * odds.weight.dot(part * odds.weight);
    double determined = v * r.cwiseProduct(part).sum();
    variance[i] =
        (squares + kUsualCount * usual[i]) / (determined + kUsualCount);
  }
}

/// All but the residual are sums over values and coordinates whose weights are
/// gathered first, whatever was observed.
void Feasibility::predict(const Sample &s, const Eigen::VectorXd &weight) {
  auto count = s.observations.size();
  float offset = float(kMeanOdds + kOffsetVariance * weight.sum());
  Eigen::VectorXf odds = Eigen::VectorXf::Constant(coords.rows(), offset);
  for (Eigen::Index j = 0; j < codes.cols(); ++j) {
    Eigen::VectorXf effect = Eigen::VectorXf::Zero(codes.col(j).maxCoeff() + 1);
    for (size_t i = 0; i < count; ++i)
      effect[codes(reps[s.observations[i]], j)] +=
          float(variance[size_t(j)] * weight[Eigen::Index(i)]);
    for (Eigen::Index i = 0; i < odds.size(); ++i)
      odds[i] += effect[codes(i, j)];
  }
  Eigen::VectorXf slope(coords.cols());
  for (Eigen::Index j = 0; j < slope.size(); ++j)
    slope[j] = float(variance[firstSlope() + size_t(j)]);
  Eigen::VectorXf linear = Eigen::VectorXf::Zero(slope.size());
  Eigen::MatrixXf square = Eigen::MatrixXf::Zero(slope.size(), slope.size());
  Eigen::VectorXf near = Eigen::VectorXf::Zero(Eigen::Index(known));
  for (size_t i = 0; i < count; ++i) {
    size_t observation = s.observations[i];
    float w = float(weight[Eigen::Index(i)]);
    Eigen::VectorXf x =
        slope.cwiseProduct(coords.row(reps[observation]).transpose());
    linear += w * x;
    square += float(variance[bend()]) * w * x * x.transpose();
    near[Eigen::Index(observation)] = float(variance.back()) * w;
  }
  odds += coords * linear + nearness.leftCols(near.size()) * near;
  odds += (coords * square).cwiseProduct(coords).rowwise().sum();
  success = (1 / (1 + (-odds.array()).exp())).max(kFloor);
  likeliest = success.maxCoeff();
}

void Feasibility::refit() {
  fitted = reps.size();
  Sample sample = sampleOf();
  if (fitted - learned > fitted / kLearnShare) {
    learned = fitted;
    for (int round = 0; round < kRounds; ++round) {
      Eigen::MatrixXd k = covarianceOf(sample);
      learnVariances(sample, fitLogOdds(k, sample.sign, kMeanOdds), k);
    }
  }
  predict(sample,
          fitLogOdds(covarianceOf(sample), sample.sign, kMeanOdds).weight);
}

} // namespace hwtune
