//===- Transfer.cpp - from one GPU's times to another's ---------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transfer.h"

#include "hwtune/Model/Score.h"
#include "hwtune/Search/Strategy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace hwtune::replay {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A configuration that failed on the source: this much slower than its worst.
constexpr double kFailedLog = 0.7;
// Bandwidth of the residual's smoothing, in standardised parameters.
constexpr double kBandwidth2 = 0.5;

/// What is known of each candidate of `to` from the source.
struct Known {
  std::vector<size_t> source;  ///< candidate of `from`, or SIZE_MAX
  std::vector<double> logTime; ///< NaN where it is not known
  std::vector<size_t> fastest; ///< known candidates of `to`, best first
  size_t hidden = 0, shared = 0;
};

Known whatIsKnown(const ReplayProblem &from, const ReplayProblem &to,
                  double hideBest) {
  std::map<std::vector<double>, size_t> byValues;
  for (size_t i = 0; i < from.rows.size(); ++i)
    byValues[from.parameterValues[i]] = i;
  std::vector<double> times;
  for (double s : from.seconds)
    if (std::isfinite(s))
      times.push_back(s);
  std::sort(times.begin(), times.end());
  auto hidden = size_t(hideBest * double(times.size()));
  double edge = hidden ? times[hidden - 1] : 0;
  double failed = std::log(times.back()) + kFailedLog;
  Known k;
  k.hidden = hidden;
  for (size_t i = 0; i < to.rows.size(); ++i) {
    auto it = byValues.find(to.parameterValues[i]);
    k.source.push_back(it == byValues.end() ? SIZE_MAX : it->second);
    double seconds = it == byValues.end() ? NAN : from.seconds[it->second];
    bool isKnown = !std::isnan(seconds) && !(seconds <= edge);
    k.logTime.push_back(!isKnown                 ? NAN
                        : std::isfinite(seconds) ? std::log(seconds)
                                                 : failed);
    if (isKnown && std::isfinite(seconds))
      k.fastest.push_back(i);
  }
  k.shared = k.fastest.size();
  std::sort(k.fastest.begin(), k.fastest.end(), [&](size_t a, size_t b) {
    return k.logTime[a] != k.logTime[b] ? k.logTime[a] < k.logTime[b] : a < b;
  });
  return k;
}

/// Parameters of unit variance, for distances.
std::vector<std::vector<double>> standardised(const Table &table) {
  std::vector<std::vector<double>> rows(table.rows,
                                        std::vector<double>(table.columns));
  for (size_t j = 0; j < table.columns; ++j) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < table.rows; ++i)
      mean += double(table.at(i, j)) / double(table.rows);
    for (size_t i = 0; i < table.rows; ++i)
      square += std::pow(double(table.at(i, j)) - mean, 2) / double(table.rows);
    for (size_t i = 0; i < table.rows; ++i)
      rows[i][j] =
          square > 0 ? (double(table.at(i, j)) - mean) / std::sqrt(square) : 0;
  }
  return rows;
}

/// Fills unknown source times: prediction plus the neighbours' mean residual.
void fillUnknown(Known &k, const ReplayProblem &to,
                 const std::vector<double> &predicted) {
  std::vector<std::vector<double>> at = standardised(to.search.parameters);
  std::vector<size_t> known, unknown;
  for (size_t i = 0; i < k.logTime.size(); ++i)
    (std::isnan(k.logTime[i]) ? unknown : known).push_back(i);
  double offset = 0;
  for (size_t i : known)
    offset += (k.logTime[i] - predicted[i]) / double(known.size());
  for (size_t i : unknown) {
    double weights = 1e-3, sum = 1e-3 * offset;
    for (size_t j : known) {
      double distance2 = 0;
      for (size_t d = 0; d < at[i].size() && distance2 < 16; ++d)
        distance2 += (at[i][d] - at[j][d]) * (at[i][d] - at[j][d]);
      if (distance2 >= 16)
        continue;
      double weight = std::exp(-distance2 / (2 * kBandwidth2));
      weights += weight;
      sum += weight * (k.logTime[j] - predicted[j]);
    }
    k.logTime[i] = predicted[i] + sum / weights;
  }
}

/// The prior of `to` as log times of an ensemble.
void setPrior(ReplayProblem &from, ReplayProblem &to, Known known, double alpha,
              const Ensemble &ensemble) {
  addModel(from, ensemble);
  addModel(to, ensemble);
  Table &log = to.search.logTime;
  size_t vectors = log.columns;
  // Predictions of the source's time, at the candidates of `to`. Where the
  // source lacks a configuration the features are the same kernel's.
  ModelTarget source = ModelTarget::from(from.target);
  std::vector<double> mean(to.rows.size());
  std::vector<std::vector<double>> onSource(to.rows.size());
  for (size_t i = 0; i < to.rows.size(); ++i)
    for (size_t m = 0; m < vectors; ++m) {
      double value =
          known.source[i] == SIZE_MAX
              ? std::log(predict(to.features[i], source, ensemble[m]).seconds)
              : double(from.search.logTime.at(known.source[i], m));
      value = std::min(value, 50.0); // infeasible there
      onSource[i].push_back(value);
      mean[i] += value / double(vectors);
    }
  fillUnknown(known, to, mean);
  for (size_t i = 0; i < to.rows.size(); ++i)
    for (size_t m = 0; m < vectors; ++m) {
      double onTarget = double(log.at(i, m));
      if (!std::isfinite(onTarget))
        continue;
      // transferScore is of scores, which are minus log times.
      log.at(i, m) = float(
          -transferScore(-known.logTime[i], onSource[i][m], onTarget, alpha));
    }
}

double over(const ReplayProblem &p, size_t candidate) {
  return p.seconds[candidate] / p.optimum;
}

/// The prior's pick, without a measurement.
size_t pick(const ReplayProblem &p) {
  const Table &log = p.search.logTime;
  size_t best = 0;
  double bestMean = kInfinity;
  for (size_t i = 0; i < log.rows; ++i) {
    double mean = std::accumulate(log.row(i), log.row(i) + log.columns, 0.0);
    if (mean < bestMean) {
      bestMean = mean;
      best = i;
    }
  }
  return best;
}

Expected<std::vector<double>> search(const ReplayProblem &to, uint64_t seed,
                                     size_t budget) {
  std::vector<double> best = {over(to, pick(to))};
  Expected<std::unique_ptr<Strategy>> s =
      makeStrategy("auto", to.search, {seed, 0});
  if (!s)
    return s.error();
  double value = kInfinity;
  while (best.size() <= budget) {
    std::vector<size_t> next = (*s)->ask();
    if (next.empty())
      break;
    (*s)->tell(to.measure(next.front()));
    value = std::min(value, over(to, next.front()));
    best.push_back(value);
  }
  return best;
}

} // namespace

Expected<TransferSummary> transfer(ReplayProblem &from, ReplayProblem &to,
                                   const ReplayOptions &options,
                                   const TransferOptions &transferOptions) {
  TransferSummary r;
  r.from = from.search.name;
  r.to = to.search.name;
  r.alpha = transferOptions.alpha >= 0
                ? transferOptions.alpha
                : transferAlpha(similarity(from.target, to.target));
  Known known = whatIsKnown(from, to, transferOptions.hideBest);
  r.hidden = known.hidden;
  r.shared = known.shared;
  if (known.fastest.empty())
    return Error{"no configuration of it ran on the source too: nothing to "
                 "transfer",
                 r.to};
  r.winner = over(to, known.fastest.front());
  r.topTen = kInfinity;
  for (size_t i = 0; i < std::min<size_t>(10, known.fastest.size()); ++i)
    r.topTen = std::min(r.topTen, over(to, known.fastest[i]));
  size_t most = *std::max_element(transferOptions.counts.begin(),
                                  transferOptions.counts.end());
  std::vector<std::vector<double>> after(transferOptions.counts.size());
  for (size_t i = 0; i < options.seeds; ++i) {
    uint64_t seed = options.firstSeed + i;
    setPrior(from, to, known, r.alpha, makeEnsemble(options.ensemble, seed));
    Expected<std::vector<double>> best = search(to, seed, most);
    if (!best)
      return best.error();
    for (size_t k = 0; k < after.size(); ++k)
      after[k].push_back(
          (*best)[std::min(transferOptions.counts[k], best->size() - 1)]);
  }
  for (const std::vector<double> &values : after)
    r.after.push_back(quartiles(values));
  return r;
}

} // namespace hwtune::replay
