//===- Transfer.cpp - another GPU's times as a prior ----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Search/Transfer.h"

#include "hwtune/Search/Complete.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace hwtune {

namespace {

// Log seconds of what cannot run on the source by the model.
constexpr double kHopeless = 50;
// Measured before learning starts. What belongs to the source alone (a family
// of kernels that one GPU likes) stands in the carried list beside its
// variants, so that few of it are measured before the target has a word.
constexpr size_t kStart = 3;
// Of the doubt about an estimate: what the source never measured may be better
// than its neighbours say, and its own best are better by selection.
constexpr double kOptimism = 0.5;

/// Candidates by their mean log time, one of a class.
std::vector<size_t> listOf(const SearchProblem &p) {
  const Table &log = p.logTime;
  std::vector<double> mean(log.rows);
  std::vector<size_t> order(log.rows), list;
  for (size_t i = 0; i < log.rows; ++i)
    mean[i] = std::accumulate(log.row(i), log.row(i) + log.columns, 0.0);
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return mean[a] < mean[b]; });
  std::set<uint32_t> met;
  for (size_t i : order)
    if (p.classes.empty() || met.insert(p.classes[i]).second)
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

} // namespace

Status transferPrior(SearchProblem &problem, const TransferSource &source) {
  problem.start.clear();
  if (source.alpha <= 0)
    return success();
  std::vector<size_t> own = listOf(problem);
  // The same candidates as the source runs them, to fill what it lacks.
  SearchProblem onSource = problem;
  onSource.logTime = source.predicted;
  Expected<CompletedTimes> times = completeTimes(onSource, source.measured);
  if (!times)
    return times.error();
  Table &log = problem.logTime;
  double trust = std::sqrt(source.alpha);
  for (size_t i = 0; i < log.rows; ++i) {
    double doubt =
        std::isnan(source.measured[i]) ? kOptimism * times->irregularity : 0;
    for (size_t m = 0; m < log.columns; ++m) {
      double onTarget = double(log.at(i, m));
      if (!std::isfinite(onTarget))
        continue;
      double there = std::min(double(source.predicted.at(i, m)), kHopeless);
      double carried =
          times->logTime[i] + source.alpha * (onTarget - there) - doubt;
      log.at(i, m) = float((1 - trust) * onTarget + trust * carried);
    }
  }
  problem.start = interleave(listOf(problem), own, problem.classes);
  return success();
}

} // namespace hwtune
