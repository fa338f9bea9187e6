//===- Genetic.cpp - genetic search ---------------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steady state: the population is the best of what was measured; a child takes
// each parameter from one of two parents and now and then mutates. No
// guarantee; fails where parameters only work in combination, and draws now and
// then from everywhere for the sake of what the population has lost.
//
//===----------------------------------------------------------------------===//

#include "Neighbours.h"
#include "Strategies.h"

#include <algorithm>

namespace hwtune {

namespace {

constexpr size_t kPopulation = 16;
constexpr size_t kUnknownBudget = 200;
constexpr int kTries = 64;
constexpr double kMutation = 0.5; // children that take a step as well
constexpr size_t kJumpEvery = 3;  // trials; one is drawn from everywhere

class Genetic final : public HistoryStrategy {
public:
  Genetic(const SearchProblem &problem, const StrategyOptions &options)
      : HistoryStrategy("genetic", problem, options), index(problem) {
    size_t budget = options.budget ? options.budget : kUnknownBudget;
    sample = std::clamp<size_t>(budget / 4, 1, kPopulation);
  }

protected:
  Rep propose() override {
    Random random = randomOfTrial();
    if (trial() < sample || population.size() < 2 || trial() % kJumpEvery == 0)
      return randomUntried(random);
    for (int i = 0; i < kTries; ++i) {
      ParameterIndex::Code child = index.code(candidateOf[parent(random)]);
      ParameterIndex::Code other = index.code(candidateOf[parent(random)]);
      for (size_t j = 0; j < child.size(); ++j)
        if (random.next() & 1)
          child[j] = other[j];
      // The longer nothing new comes out, the wilder.
      for (int wild = 0; wild <= i / 16; ++wild)
        if (wild || random.uniform() < kMutation)
          index.step(child, random);
      std::optional<size_t> candidate = index.find(child);
      if (candidate && !tried[repOf[*candidate]])
        return repOf[*candidate];
    }
    return randomUntried(random);
  }

  void learned() override {
    const Seen &last = seen.back();
    if (!last.ok)
      return;
    auto place = std::upper_bound(
        population.begin(), population.end(), last,
        [](const Seen &a, const Seen &b) { return a.logValue < b.logValue; });
    population.insert(place, last);
    if (population.size() > kPopulation)
      population.pop_back();
  }

private:
  /// The better of two.
  Rep parent(Random &random) const {
    uint64_t a = random.below(population.size());
    uint64_t b = random.below(population.size());
    return population[std::min(a, b)].rep;
  }

  ParameterIndex index;
  size_t sample = 1;
  std::vector<Seen> population; ///< best first
};

} // namespace

StrategyPtr makeGenetic(const SearchProblem &p, const StrategyOptions &o) {
  return std::make_unique<Genetic>(p, o);
}

} // namespace hwtune
