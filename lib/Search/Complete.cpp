//===- Complete.cpp - times of what was not measured -------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Search/Complete.h"

#include "Coordinates.h"
#include "History.h"
#include "Surrogate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hwtune {

namespace {

// Of the known times: the fastest, the model's favourites, and a sample.
constexpr size_t kFastest = 160, kFavourites = 80, kSample = 80;

/// Classes and what is known of them.
struct Known {
  std::vector<size_t> candidateOf;
  std::vector<Rep> repOf;
  std::vector<double> logTime; ///< per class; NaN = not known
};

Known byClass(const SearchProblem &problem,
              const std::vector<double> &logTime) {
  // The merging of inert parameters is the strategies' own.
  struct Classes final : HistoryStrategy {
    explicit Classes(const SearchProblem &p)
        : HistoryStrategy("classes", p, {}) {}
    Rep propose() override { return kNoRep; }
    using HistoryStrategy::candidateOf;
    using HistoryStrategy::repOf;
  } classes(problem);
  Known k{std::move(classes.candidateOf), std::move(classes.repOf), {}};
  k.logTime.assign(k.candidateOf.size(), NAN);
  for (size_t i = 0; i < logTime.size(); ++i)
    if (double &mine = k.logTime[k.repOf[i]];
        std::isfinite(logTime[i]) && !(mine <= logTime[i]))
      mine = logTime[i];
  return k;
}

std::vector<Rep> trainingSet(const Known &known, const Prior &prior) {
  std::vector<Rep> all;
  for (Rep rep : prior.order)
    if (std::isfinite(known.logTime[rep]) && !prior.hopeless[rep])
      all.push_back(rep);
  std::vector<Rep> chosen(
      all.begin(), all.begin() + ptrdiff_t(std::min(all.size(), kFavourites)));
  for (size_t i = 0; i < std::min(all.size(), kSample); ++i)
    chosen.push_back(all[i * all.size() / std::min(all.size(), kSample)]);
  std::sort(all.begin(), all.end(), [&](Rep a, Rep b) {
    return known.logTime[a] != known.logTime[b]
               ? known.logTime[a] < known.logTime[b]
               : a < b;
  });
  all.resize(std::min(all.size(), kFastest));
  chosen.insert(chosen.end(), all.begin(), all.end());
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

} // namespace

Expected<CompletedTimes> completeTimes(const SearchProblem &problem,
                                       std::vector<double> logTime) {
  if (problem.logTime.empty() || logTime.size() != problem.size())
    return Error{"times can be completed only with a model's predictions and "
                 "one entry per candidate",
                 problem.name};
  Known known = byClass(problem, logTime);
  Prior prior = Prior::of(problem, known.candidateOf);
  std::vector<Rep> chosen = trainingSet(known, prior);
  if (chosen.empty())
    return Error{"no time is known, expected at least one", problem.name};
  Eigen::MatrixXf branches;
  Eigen::MatrixXf coordinates =
      parameterCoordinates(problem, known.candidateOf, &branches);
  Surrogate surrogate(prior, coordinates, branches, /*hasModel=*/true);
  for (Rep rep : chosen)
    surrogate.add(rep, known.logTime[rep]);
  surrogate.refit();
  for (size_t i = 0; i < logTime.size(); ++i) {
    Rep rep = known.repOf[i];
    if (std::isnan(logTime[i]))
      logTime[i] = std::isfinite(known.logTime[rep])
                       ? known.logTime[rep]
                       : double(surrogate.mean()[rep]);
  }
  return CompletedTimes{std::move(logTime), surrogate.hyper()[Hyper::Nugget]};
}

} // namespace hwtune
