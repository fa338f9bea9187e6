//===- History.cpp - what a strategy remembers ----------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "History.h"

#include <cmath>
#include <unordered_map>

namespace hwtune {

HistoryStrategy::HistoryStrategy(std::string_view name,
                                 const SearchProblem &problem,
                                 const StrategyOptions &options)
    : problem(problem), options(options), label(name) {
  repOf.resize(problem.size());
  std::unordered_map<uint32_t, Rep> byClass;
  for (size_t i = 0; i < problem.size(); ++i) {
    Rep next = static_cast<Rep>(candidateOf.size());
    Rep rep = problem.classes.empty()
                  ? next
                  : byClass.try_emplace(problem.classes[i], next).first->second;
    if (rep == next)
      candidateOf.push_back(i);
    repOf[i] = rep;
  }
  tried.resize(candidateOf.size());
  told.resize(candidateOf.size());
}

void HistoryStrategy::mark(Rep rep) {
  triedCount += !tried[rep];
  tried[rep] = true;
}

std::vector<size_t> HistoryStrategy::ask(size_t count) {
  std::vector<size_t> result;
  while (result.size() < count && untriedCount() > 0) {
    Rep rep = propose();
    if (rep == kNoRep)
      break;
    mark(rep);
    pending.push_back(rep);
    result.push_back(candidateOf[rep]);
  }
  return result;
}

void HistoryStrategy::tell(const Observation &observation) {
  if (observation.candidate >= repOf.size())
    return;
  Rep rep = repOf[observation.candidate];
  if (told[rep])
    return;
  told[rep] = true;
  mark(rep);
  std::erase(pending, rep);
  // A time of zero or less is a failed measurement, whatever it claims.
  bool ok = observation.ok && std::isfinite(observation.value) &&
            observation.value > 0;
  seen.push_back({rep, ok, ok ? std::log(observation.value) : 0});
  learned();
}

Rep HistoryStrategy::randomUntried(Random &random) const {
  if (untriedCount() == 0)
    return kNoRep;
  uint64_t skip = random.below(untriedCount());
  for (Rep rep = 0; rep < repCount(); ++rep)
    if (!tried[rep] && skip-- == 0)
      return rep;
  return kNoRep;
}

} // namespace hwtune
