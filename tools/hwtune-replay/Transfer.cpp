//===- Transfer.cpp - from one GPU's times to another's ---------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transfer.h"

#include "hwtune/Model/Score.h"
#include "hwtune/Search/Strategy.h"
#include "hwtune/Search/Transfer.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace hwtune::replay {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A configuration that failed on the source: this much slower than its worst.
constexpr double kFailedLog = 0.7;

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

double over(const ReplayProblem &p, size_t candidate) {
  return p.seconds[candidate] / p.optimum;
}

/// The prior of `to` and where to start.
Status setPrior(ReplayProblem &from, ReplayProblem &to, const Known &known,
                double alpha, const Ensemble &ensemble) {
  addModel(to, ensemble);
  TransferSource source;
  source.measured = known.logTime;
  source.alpha = alpha;
  source.predicted = Table(to.rows.size(), ensemble.size());
  ModelTarget there = ModelTarget::from(from.target);
  for (size_t i = 0; i < to.rows.size(); ++i)
    for (size_t m = 0; m < ensemble.size(); ++m)
      source.predicted.at(i, m) =
          float(std::log(predict(to.features[i], there, ensemble[m]).seconds));
  return transferPrior(to.search, source);
}

Expected<std::vector<double>> search(const ReplayProblem &to, uint64_t seed,
                                     size_t budget) {
  std::vector<double> best;
  Expected<std::unique_ptr<Strategy>> s =
      makeStrategy("auto", to.search, {seed, 0});
  if (!s)
    return s.error();
  double value = kInfinity;
  while (best.size() <= budget) {
    std::vector<size_t> next = (*s)->ask();
    if (next.empty())
      break;
    if (best.empty()) // the pick, untried
      best.push_back(over(to, next.front()));
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
    if (Status status = setPrior(from, to, known, r.alpha,
                                 makeEnsemble(options.ensemble, seed));
        !status)
      return status.error();
    Expected<std::vector<double>> best = search(to, seed, most);
    if (!best)
      return best.error();
    for (size_t k = 0; k < after.size(); ++k)
      after[k].push_back(
          (*best)[std::min(transferOptions.counts[k], best->size() - 1)]);
  }
  for (const std::vector<double> &values : after)
    r.after.push_back(quartiles(values));
  to.search.start.clear();
  return r;
}

} // namespace hwtune::replay
