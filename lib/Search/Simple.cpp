//===- Simple.cpp - exhaustive and random ---------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "History.h"
#include "Strategies.h"

#include <numeric>

namespace hwtune {

namespace {

/// Walks a fixed order of classes. Objective: none; guarantees every class
/// once. Next is the first untried, so a resumed run goes on where it stopped.
class ListStrategy final : public HistoryStrategy {
public:
  ListStrategy(std::string_view name, const SearchProblem &problem,
               const StrategyOptions &options)
      : HistoryStrategy(name, problem, options), order(repCount()) {
    std::iota(order.begin(), order.end(), Rep(0));
    if (name == "random") {
      Random random(options.seed);
      for (size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(i)]);
    }
  }

protected:
  Rep propose() override {
    while (next < order.size() && tried[order[next]])
      ++next;
    return next < order.size() ? order[next] : kNoRep;
  }

private:
  std::vector<Rep> order;
  size_t next = 0;
};

} // namespace

StrategyPtr makeExhaustive(const SearchProblem &p, const StrategyOptions &o) {
  return std::make_unique<ListStrategy>("exhaustive", p, o);
}
StrategyPtr makeRandom(const SearchProblem &p, const StrategyOptions &o) {
  return std::make_unique<ListStrategy>("random", p, o);
}

} // namespace hwtune
