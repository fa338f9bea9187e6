//===- Transfer.cpp - from one GPU's times to another's ---------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transfer.h"

#include "hwtune/Model/Score.h"
#include "hwtune/Search/Complete.h"
#include "hwtune/Search/Strategy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace hwtune::replay {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A configuration that failed on the source: this much slower than its worst.
constexpr double kFailedLog = 0.7;
// Log seconds of what cannot run on the source by the model.
constexpr double kHopeless = 50;
// Measured before learning starts: as many as the list that moving the
// source's top ten would measure.
constexpr size_t kStart = 10;
// Of the doubt about an estimate: what the source never measured may be better
// than its neighbours say, and its own best are better by selection.
constexpr double kOptimism = 0.5;

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

/// Candidates by their mean log time, one of a class.
std::vector<size_t> listOf(const ReplayProblem &p) {
  const Table &log = p.search.logTime;
  std::vector<double> mean(log.rows);
  std::vector<size_t> order(log.rows), list;
  for (size_t i = 0; i < log.rows; ++i)
    mean[i] = std::accumulate(log.row(i), log.row(i) + log.columns, 0.0);
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return mean[a] < mean[b]; });
  std::set<uint32_t> met;
  for (size_t i : order)
    if (p.search.classes.empty() || met.insert(p.search.classes[i]).second)
      list.push_back(i);
  return list;
}

/// The first picks: two of `carried`, one of the target's own model, in turn.
/// Where the source's best were never measured there, the model finds them.
std::vector<size_t> interleave(const std::vector<size_t> &carried,
                               const std::vector<size_t> &own,
                               const std::vector<uint32_t> &classes) {
  std::vector<size_t> list;
  std::set<size_t> met;
  size_t next[2] = {0, 0};
  while (list.size() < std::min(kStart, carried.size())) {
    bool useOwn = list.size() % 3 == 2;
    const std::vector<size_t> &from = useOwn ? own : carried;
    size_t pick = from[next[useOwn]++];
    if (met.insert(classes.empty() ? pick : classes[pick]).second)
      list.push_back(pick);
  }
  return list;
}

/// The prior of `to`, as log times of an ensemble, and where to start.
Status setPrior(ReplayProblem &from, ReplayProblem &to, const Known &known,
                double alpha, const Ensemble &ensemble) {
  addModel(from, ensemble);
  addModel(to, ensemble);
  to.search.start.clear();
  std::vector<size_t> own = listOf(to);
  Table &log = to.search.logTime;
  // The same candidates as the source runs them, to fill what it lacks.
  SearchProblem onSource = to.search;
  ModelTarget source = ModelTarget::from(from.target);
  for (size_t i = 0; i < to.rows.size(); ++i)
    for (size_t m = 0; m < log.columns; ++m)
      onSource.logTime.at(i, m) =
          float(std::log(predict(to.features[i], source, ensemble[m]).seconds));
  Expected<CompletedTimes> times = completeTimes(onSource, known.logTime);
  if (!times)
    return times.error();
  double trust = std::sqrt(alpha);
  for (size_t i = 0; i < to.rows.size(); ++i)
    for (size_t m = 0; m < log.columns; ++m) {
      double onTarget = double(log.at(i, m));
      if (!std::isfinite(onTarget))
        continue;
      double onOther = std::min(double(onSource.logTime.at(i, m)), kHopeless);
      // transferScore is of scores, which are minus log times.
      double carried =
          -transferScore(-times->logTime[i], onOther, onTarget, alpha);
      double doubt =
          std::isnan(known.logTime[i]) ? kOptimism * times->irregularity : 0;
      log.at(i, m) = float((1 - trust) * onTarget + trust * (carried - doubt));
    }
  to.search.start = interleave(listOf(to), own, to.search.classes);
  return success();
}

Expected<std::vector<double>> search(const ReplayProblem &to, uint64_t seed,
                                     size_t budget) {
  std::vector<double> best = {over(to, to.search.start.front())};
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
  std::vector<double> lists;
  for (size_t i = 0; i < options.seeds; ++i) {
    uint64_t seed = options.firstSeed + i;
    if (Status status = setPrior(from, to, known, r.alpha,
                                 makeEnsemble(options.ensemble, seed));
        !status)
      return status.error();
    double listed = kInfinity;
    for (size_t candidate : to.search.start)
      listed = std::min(listed, over(to, candidate));
    lists.push_back(listed);
    Expected<std::vector<double>> best = search(to, seed, most);
    if (!best)
      return best.error();
    for (size_t k = 0; k < after.size(); ++k)
      after[k].push_back(
          (*best)[std::min(transferOptions.counts[k], best->size() - 1)]);
  }
  for (const std::vector<double> &values : after)
    r.after.push_back(quartiles(values));
  r.list = quartiles(lists);
  to.search.start.clear();
  return r;
}

} // namespace hwtune::replay
