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
constexpr double kJitter = 1e-6;
constexpr Eigen::Index kGrow = 32;

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
                     const Eigen::MatrixXf &branchValues, bool hasModel)
    : prior(prior), coords(coordinates), branches(branchValues) {
  standardise(coords);
  double dims = double(std::max<Eigen::Index>(coords.cols(), 1));
  center.log[Hyper::Ensemble] = std::log(1.0);
  center.log[Hyper::Branch] = std::log(0.15);
  center.log[Hyper::Residual] = std::log(hasModel ? 0.25 : 0.7);
  center.log[Hyper::Length] = std::log(1.5 * std::sqrt(dims));
  center.log[Hyper::Nugget] = std::log(0.1);
  parameters = center;
  posteriorMean = prior.mean;
  posteriorVariance = priorVariance();
}

Eigen::VectorXf Surrogate::priorVariance() const {
  auto square = [](double x) { return x * x; };
  float flat =
      float(kOffsetVariance + square(parameters[Hyper::Residual]) +
            square(parameters[Hyper::Nugget]) +
            square(parameters[Hyper::Branch]) * double(branches.cols()));
  Eigen::VectorXf result = Eigen::VectorXf::Constant(prior.mean.size(), flat);
  if (prior.deviation.cols())
    result += float(square(parameters[Hyper::Ensemble])) *
              prior.deviation.rowwise().squaredNorm();
  return result;
}

Eigen::VectorXf Surrogate::residualCorrelation(Rep rep) const {
  Eigen::ArrayXf distance2 = Eigen::ArrayXf::Zero(prior.mean.size());
  for (Eigen::Index j = 0; j < coords.cols(); ++j)
    distance2 += (coords.col(j).array() - coords(rep, j)).square();
  float length = float(parameters[Hyper::Length]);
  return matern(distance2 / (length * length)).matrix();
}

Eigen::VectorXf Surrogate::covarianceRow(Rep rep) const {
  double residual = parameters[Hyper::Residual];
  Eigen::VectorXf row = float(residual * residual) * residualCorrelation(rep);
  row.array() += float(kOffsetVariance);
  if (prior.deviation.cols()) {
    double scale = parameters[Hyper::Ensemble];
    row.noalias() += prior.deviation * (float(scale * scale) *
                                        prior.deviation.row(rep).transpose());
  }
  double branch = parameters[Hyper::Branch];
  for (Eigen::Index j = 0; j < branches.cols(); ++j)
    row.array() +=
        (branches.col(j).array() == branches(rep, j))
            .select(float(branch * branch), Eigen::ArrayXf::Zero(row.size()));
  return row;
}

void Surrogate::add(Rep rep, double value) {
  auto t = static_cast<Eigen::Index>(reps.size());
  if (rows.cols() <= t) {
    rows.conservativeResize(prior.mean.size(), t + kGrow);
    lower.conservativeResize(t + kGrow, t + kGrow);
  }
  Eigen::VectorXf row = covarianceRow(rep);
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
  reps.push_back(rep);
  values.push_back(value);
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

void Surrogate::setValues(const std::vector<double> &newValues) {
  values = newValues;
}

void Surrogate::rebuild() {
  std::vector<Rep> oldReps = std::move(reps);
  std::vector<double> oldValues = std::move(values);
  truncate(0);
  posteriorMean = prior.mean;
  posteriorVariance = priorVariance();
  for (size_t i = 0; i < oldReps.size(); ++i)
    add(oldReps[i], oldValues[i]);
}

/// log p(values | hyper) + log p(hyper), constants left out.
double Surrogate::logEvidence(const Hyper &hyper,
                              const Eigen::MatrixXd &ensemble,
                              const Eigen::MatrixXd &branch,
                              const Eigen::MatrixXd &distance2) const {
  auto square = [](double x) { return x * x; };
  Eigen::MatrixXd k =
      square(hyper[Hyper::Residual]) *
      matern(distance2.array() / square(hyper[Hyper::Length])).matrix();
  k.array() += kOffsetVariance;
  k += square(hyper[Hyper::Ensemble]) * ensemble +
       square(hyper[Hyper::Branch]) * branch;
  k.diagonal().array() += square(hyper[Hyper::Nugget]) + kJitter;
  Eigen::LLT<Eigen::MatrixXd> llt(k);
  if (llt.info() != Eigen::Success)
    return -1e300;
  Eigen::VectorXd rest(static_cast<Eigen::Index>(values.size()));
  for (size_t i = 0; i < values.size(); ++i)
    rest[Eigen::Index(i)] = values[i] - double(prior.mean[reps[i]]);
  double result = -0.5 * rest.dot(llt.solve(rest)) -
                  llt.matrixLLT().diagonal().array().log().sum();
  for (size_t i = 0; i < Hyper::Count; ++i)
    result -= 0.5 * square((hyper.log[i] - center.log[i]) / kDoubt[i]);
  return result;
}

void Surrogate::refit() {
  auto t = static_cast<Eigen::Index>(reps.size());
  Eigen::MatrixXd ensemble = Eigen::MatrixXd::Zero(t, t), branch = ensemble,
                  distance2 = ensemble;
  for (Eigen::Index i = 0; i < t; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      Rep a = reps[size_t(i)], b = reps[size_t(j)];
      if (prior.deviation.cols())
        ensemble(i, j) =
            double(prior.deviation.row(a).dot(prior.deviation.row(b)));
      for (Eigen::Index p = 0; p < branches.cols(); ++p)
        branch(i, j) += branches(a, p) == branches(b, p);
      distance2(i, j) = double((coords.row(a) - coords.row(b)).squaredNorm());
      ensemble(j, i) = ensemble(i, j);
      branch(j, i) = branch(i, j);
      distance2(j, i) = distance2(i, j);
    }
  // Pattern search from where the last fit ended: the surface is smooth and
  // the prior keeps it from running away.
  double best = logEvidence(parameters, ensemble, branch, distance2);
  for (double step : {0.8, 0.4, 0.2})
    for (size_t id = 0; id < Hyper::Count; ++id) {
      if ((id == Hyper::Ensemble && !prior.deviation.cols()) ||
          (id == Hyper::Branch && !branches.cols()))
        continue;
      for (double sign : {1.0, -1.0}) {
        Hyper trial = parameters;
        trial.log[id] += sign * step;
        double evidence = logEvidence(trial, ensemble, branch, distance2);
        if (evidence > best) {
          best = evidence;
          parameters = trial;
          break;
        }
      }
    }
  rebuild();
}

} // namespace hwtune
