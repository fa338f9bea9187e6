//===- Surrogate.cpp - a Gaussian process over all classes ----------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Surrogate.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace hwtune {

namespace {

// Times of one search share an unknown scale: a variance of 4 is x/÷ 7.
constexpr double kOffsetVariance = 4;
// Standard deviations of the logarithms of the hyperparameters: weak.
constexpr std::array<double, Hyper::Count> kDoubt = {0.7, 0.7, 0.7, 0.6, 0.6};
// The same of a coordinate's weight, which needs a few observations.
constexpr double kWeightDoubt = 0.5;
constexpr size_t kWeightsFrom = 6;
constexpr double kJitter = 1e-6;
constexpr Eigen::Index kGrow = 32;
// Observations the hyperparameters are judged on, spread over the run: more
// cost time and change little.
constexpr size_t kEvidenceSize = 48;

/// Matern-5/2 correlation of a squared distance already divided by length^2.
template <typename Array> auto matern(const Array &distance2) {
  auto r = (distance2 * 5).sqrt().eval();
  return ((r + 1 + r.square() / 3) * (-r).exp()).eval();
}

void standardise(Eigen::MatrixXf &m) {
  Eigen::Index kept = 0;
  for (Eigen::Index j = 0; j < m.cols(); ++j) {
    Eigen::ArrayXf column = m.col(j).array() - m.col(j).mean();
    float deviation = std::sqrt(column.square().mean());
    if (deviation > 1e-6f)
      m.col(kept++) = column / deviation;
  }
  m.conservativeResize(Eigen::NoChange, kept);
}

} // namespace

Surrogate::Surrogate(const Prior &prior, const Eigen::MatrixXf &coordinates,
                     const Eigen::MatrixXf &effectValues, bool hasModel)
    : prior(prior), coords(coordinates), effects(effectValues) {
  standardise(coords);
  logWeights = Eigen::VectorXd::Zero(coords.cols());
  double dims = double(std::max<Eigen::Index>(coords.cols(), 1));
  center.log[Hyper::Ensemble] = std::log(1.0);
  // Without a model the effects and the residual have all there is to say.
  center.log[Hyper::Effect] = std::log(hasModel ? 0.15 : 0.3);
  center.log[Hyper::Residual] = std::log(hasModel ? 0.25 : 0.4);
  center.log[Hyper::Length] = std::log(1.5 * std::sqrt(dims));
  center.log[Hyper::Nugget] = std::log(hasModel ? 0.1 : 0.04);
  parameters = center;
  posteriorMean = prior.mean;
  posteriorVariance = priorVariance();
}

Eigen::VectorXf Surrogate::priorVariance() const {
  auto square = [](double x) { return x * x; };
  float flat =
      float(kOffsetVariance + square(parameters[Hyper::Residual]) +
            square(parameters[Hyper::Nugget]) +
            square(parameters[Hyper::Effect]) * double(effects.cols()));
  Eigen::VectorXf result = Eigen::VectorXf::Constant(prior.mean.size(), flat);
  if (prior.deviation.cols())
    result += float(square(parameters[Hyper::Ensemble])) *
              prior.deviation.rowwise().squaredNorm();
  return result;
}

Eigen::VectorXf Surrogate::squaredDistance(Rep rep) const {
  Eigen::ArrayXf distance2 = Eigen::ArrayXf::Zero(prior.mean.size());
  for (Eigen::Index j = 0; j < coords.cols(); ++j)
    distance2 += (coords.col(j).array() - coords(rep, j)).square();
  return distance2.matrix();
}

const Surrogate::Parts &Surrogate::partsOf(size_t observation) {
  Rep rep = reps[observation];
  if (observation < parts.size() && partsReps[observation] == rep)
    return parts[observation];
  parts.resize(observation); // what follows was of other observations
  partsReps.resize(observation);
  Parts p;
  p.distance2 = squaredDistance(rep);
  if (prior.deviation.cols())
    p.ensemble = prior.deviation * prior.deviation.row(rep).transpose();
  if (effects.cols())
    p.effect = Eigen::VectorXf::Zero(prior.mean.size());
  for (Eigen::Index j = 0; j < effects.cols(); ++j)
    p.effect +=
        (effects.col(j).array() == effects(rep, j)).cast<float>().matrix();
  parts.push_back(std::move(p));
  partsReps.push_back(rep);
  return parts.back();
}

Eigen::VectorXf Surrogate::covarianceRow(const Parts &p) const {
  auto square = [](double x) { return float(x * x); };
  float length2 = square(parameters[Hyper::Length]);
  Eigen::VectorXf row = square(parameters[Hyper::Residual]) *
                        matern(p.distance2.array() / length2).matrix();
  row.array() += float(kOffsetVariance);
  if (p.ensemble.size())
    row += square(parameters[Hyper::Ensemble]) * p.ensemble;
  if (p.effect.size())
    row += square(parameters[Hyper::Effect]) * p.effect;
  return row;
}

void Surrogate::add(Rep rep, double value) {
  auto t = static_cast<Eigen::Index>(reps.size());
  if (rows.cols() <= t) {
    rows.conservativeResize(prior.mean.size(), t + kGrow);
    lower.conservativeResize(t + kGrow, t + kGrow);
  }
  reps.push_back(rep);
  values.push_back(value);
  Eigen::VectorXf row = covarianceRow(partsOf(size_t(t)));
  Eigen::VectorXf left = rows.row(rep).head(t).transpose();
  double nugget = parameters[Hyper::Nugget];
  double diagonal = double(row[rep]) + nugget * nugget + kJitter -
                    left.cast<double>().squaredNorm();
  double pivot = std::sqrt(std::max(diagonal, kJitter));
  lower.row(t).head(t) = left.cast<double>().transpose();
  lower(t, t) = pivot;
  if (t)
    row.noalias() -= rows.leftCols(t) * left;
  row /= float(pivot);
  double rest = value - double(prior.mean[rep]);
  for (Eigen::Index j = 0; j < t; ++j)
    rest -= lower(t, j) * beta[size_t(j)];
  beta.push_back(rest / pivot);
  rows.col(t) = row;
  posteriorMean += float(beta.back()) * row;
  posteriorVariance -= row.cwiseAbs2();
}

void Surrogate::truncate(size_t count) {
  reps.resize(count);
  values.resize(count);
  beta.resize(count);
}

void Surrogate::save() {
  savedMean = posteriorMean;
  savedVariance = posteriorVariance;
  savedSize = reps.size();
}

void Surrogate::restore() {
  posteriorMean = savedMean;
  posteriorVariance = savedVariance;
  truncate(savedSize);
}

/// The same as adding one by one, as one triangular solve over all classes.
void Surrogate::rebuild() {
  auto t = static_cast<Eigen::Index>(reps.size());
  posteriorMean = prior.mean;
  posteriorVariance = priorVariance();
  beta.clear();
  if (t == 0)
    return;
  rows.resize(prior.mean.size(), t + kGrow);
  lower = Eigen::MatrixXd::Zero(t + kGrow, t + kGrow);
  Eigen::MatrixXd k(t, t);
  for (Eigen::Index j = 0; j < t; ++j) {
    rows.col(j) = covarianceRow(partsOf(size_t(j)));
    for (Eigen::Index i = 0; i < t; ++i)
      k(i, j) = double(rows(reps[size_t(i)], j));
  }
  double nugget = parameters[Hyper::Nugget];
  k.diagonal().array() += nugget * nugget + kJitter;
  Eigen::MatrixXd factor = Eigen::LLT<Eigen::MatrixXd>(k).matrixL();
  lower.topLeftCorner(t, t) = factor;
  Eigen::VectorXd rest(t);
  for (Eigen::Index i = 0; i < t; ++i)
    rest[i] = values[size_t(i)] - double(prior.mean[reps[size_t(i)]]);
  factor.triangularView<Eigen::Lower>().solveInPlace(rest);
  beta.assign(rest.begin(), rest.end());
  Eigen::MatrixXf single = factor.cast<float>();
  auto block = rows.leftCols(t);
  single.triangularView<Eigen::Lower>()
      .transpose()
      .solveInPlace<Eigen::OnTheRight>(block);
  posteriorMean += block * rest.cast<float>();
  posteriorVariance -= block.rowwise().squaredNorm();
}

/// log p(values | hyper) + log p(hyper), constants left out.
double Surrogate::logEvidence(const Hyper &hyper, const Evidence &e) const {
  auto square = [](double x) { return x * x; };
  Eigen::MatrixXd k =
      square(hyper[Hyper::Residual]) *
      matern(e.distance2.array() / square(hyper[Hyper::Length])).matrix();
  k.array() += kOffsetVariance;
  k += square(hyper[Hyper::Ensemble]) * e.ensemble +
       square(hyper[Hyper::Effect]) * e.effect;
  k.diagonal().array() += square(hyper[Hyper::Nugget]) + kJitter;
  Eigen::LLT<Eigen::MatrixXd> llt(k);
  if (llt.info() != Eigen::Success)
    return -1e300;
  double result = -0.5 * e.rest.dot(llt.solve(e.rest)) -
                  llt.matrixLLT().diagonal().array().log().sum();
  for (size_t i = 0; i < Hyper::Count; ++i)
    result -= 0.5 * square((hyper.log[i] - center.log[i]) / kDoubt[i]);
  return result;
}

std::vector<size_t> Surrogate::evidenceSample() const {
  std::vector<size_t> sample;
  size_t count = std::min(reps.size(), kEvidenceSize);
  for (size_t i = 0; i < count; ++i)
    sample.push_back(i * reps.size() / count);
  return sample;
}

Surrogate::Evidence Surrogate::evidenceOf(const std::vector<size_t> &sample) {
  Evidence e;
  auto t = static_cast<Eigen::Index>(sample.size());
  e.ensemble = e.effect = e.distance2 = Eigen::MatrixXd::Zero(t, t);
  e.rest.resize(t);
  for (Eigen::Index j = 0; j < t; ++j) {
    const Parts &p = partsOf(sample[size_t(j)]);
    e.rest[j] =
        values[sample[size_t(j)]] - double(prior.mean[reps[sample[size_t(j)]]]);
    for (Eigen::Index i = 0; i < t; ++i) {
      Rep rep = reps[sample[size_t(i)]];
      e.distance2(i, j) = double(p.distance2[rep]);
      e.ensemble(i, j) = p.ensemble.size() ? double(p.ensemble[rep]) : 0;
      e.effect(i, j) = p.effect.size() ? double(p.effect[rep]) : 0;
    }
  }
  return e;
}

/// Pattern search from where the last fit ended: the surface is smooth and the
/// prior keeps it from running away.
void Surrogate::fitHyper(const Evidence &e) {
  double best = logEvidence(parameters, e);
  for (double step : {0.8, 0.4, 0.2})
    for (size_t id = 0; id < Hyper::Count; ++id) {
      if ((id == Hyper::Ensemble && !prior.deviation.cols()) ||
          (id == Hyper::Effect && !effects.cols()))
        continue;
      for (double sign : {1.0, -1.0}) {
        Hyper trial = parameters;
        trial.log[id] += sign * step;
        double evidence = logEvidence(trial, e);
        if (evidence > best) {
          best = evidence;
          parameters = trial;
          break;
        }
      }
    }
}

/// The same search over the coordinates' weights (automatic relevance
/// determination: Rasmussen and Williams, ch. 5.1).
void Surrogate::fitWeights(const std::vector<size_t> &sample, Evidence &e) {
  auto t = static_cast<Eigen::Index>(sample.size());
  auto penalised = [&](const Eigen::VectorXd &weights) {
    return logEvidence(parameters, e) -
           0.5 * weights.squaredNorm() / (kWeightDoubt * kWeightDoubt);
  };
  Eigen::VectorXd before = logWeights;
  double best = penalised(logWeights);
  for (double step : {0.8, 0.4})
    for (Eigen::Index d = 0; d < coords.cols(); ++d) {
      Eigen::VectorXd x(t); // with the weight that it had before
      for (Eigen::Index i = 0; i < t; ++i)
        x[i] = double(coords(reps[sample[size_t(i)]], d));
      Eigen::MatrixXd apart =
          (x.replicate(1, t) - x.transpose().replicate(t, 1)).cwiseAbs2();
      for (double sign : {1.0, -1.0}) {
        double was = logWeights[d], now = was + sign * step;
        Eigen::MatrixXd distance2 = e.distance2;
        e.distance2 += (std::exp(2 * (now - before[d])) -
                        std::exp(2 * (was - before[d]))) *
                       apart;
        logWeights[d] = now;
        if (double evidence = penalised(logWeights); evidence > best) {
          best = evidence;
          break;
        }
        logWeights[d] = was;
        e.distance2 = std::move(distance2);
      }
    }
  if (logWeights == before)
    return;
  for (Eigen::Index d = 0; d < coords.cols(); ++d)
    coords.col(d) *= float(std::exp(logWeights[d] - before[d]));
  for (size_t i = 0; i < parts.size(); ++i)
    parts[i].distance2 = squaredDistance(partsReps[i]);
}

void Surrogate::refit() {
  std::vector<size_t> sample = evidenceSample();
  Evidence evidence = evidenceOf(sample);
  fitHyper(evidence);
  if (sample.size() >= kWeightsFrom)
    fitWeights(sample, evidence);
  rebuild();
}

} // namespace hwtune
