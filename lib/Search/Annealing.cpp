//===- Annealing.cpp - simulated annealing --------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Minimises log time by single steps, accepting worse ones with probability
// exp(-increase / T). T falls geometrically over the trial budget. No
// guarantee; fails where good regions are islands, hence the jumps and
// restarts.
//
//===----------------------------------------------------------------------===//

#include "Neighbours.h"
#include "Strategies.h"

#include <algorithm>
#include <cmath>

namespace hwtune {

namespace {

// First and last temperature, in log time: 40 % and 1 % slower are accepted
// about every third time.
constexpr double kHot = 0.35, kCold = 0.01;
constexpr size_t kUnknownBudget = 200;
constexpr size_t kFirstSample = 16; // at most; the best of it is the start
constexpr size_t kJumpEvery = 3;    // trials; one goes anywhere, not a step
constexpr int kTries = 64;          // steps tried for one proposal
constexpr size_t kPatience = 15;    // rejections before going back to the best

class Annealing final : public HistoryStrategy {
public:
  Annealing(const SearchProblem &problem, const StrategyOptions &options)
      : HistoryStrategy("annealing", problem, options), index(problem),
        budget(options.budget ? options.budget : kUnknownBudget),
        sample(std::clamp<size_t>(std::min(repCount(), budget / 2), 1,
                                  kFirstSample)) {}

protected:
  Rep propose() override {
    Random random = randomOfTrial();
    if (trial() < sample || current == kNoRep || trial() % kJumpEvery == 0)
      return randomUntried(random);
    // Further and further away from the current point, then anywhere.
    for (int i = 0; i < kTries; ++i) {
      ParameterIndex::Code code = index.code(candidateOf[current]);
      for (int steps = 1 + i / (kTries / 4); steps > 0; --steps)
        index.step(code, random);
      std::optional<size_t> candidate = index.find(code);
      if (candidate && !tried[repOf[*candidate]])
        return repOf[*candidate];
    }
    return randomUntried(random);
  }

  void learned() override {
    const Seen &last = seen.back();
    if (!last.ok)
      return;
    if (best == kNoRep || last.logValue < bestLog) {
      best = last.rep;
      bestLog = last.logValue;
    }
    double progress = std::min(1.0, double(seen.size()) / double(budget));
    double temperature = kHot * std::pow(kCold / kHot, progress);
    double increase = last.logValue - currentLog;
    bool starting = current == kNoRep || seen.size() <= sample;
    Random random(options.seed, ~uint64_t(seen.size()));
    if (increase <= 0 || current == kNoRep ||
        (!starting && random.uniform() < std::exp(-increase / temperature))) {
      current = last.rep;
      currentLog = last.logValue;
      rejected = 0;
    } else if (++rejected >= kPatience) {
      current = best;
      currentLog = bestLog;
      rejected = 0;
    }
  }

private:
  ParameterIndex index;
  size_t budget, sample, rejected = 0;
  Rep current = kNoRep, best = kNoRep;
  double currentLog = 0, bestLog = 0;
};

} // namespace

StrategyPtr makeAnnealing(const SearchProblem &p, const StrategyOptions &o) {
  return std::make_unique<Annealing>(p, o);
}

} // namespace hwtune
