//===- ModelList.cpp - the model's list, and draws beside it ---------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `model`: walks the classes by the model's mean log time. A share of the
// trials draws at random instead, as large as the model's doubt and what the
// draws have found so far say (Trust.h). The order of the list is never
// learned: a model that is right costs its few draws, one that is wrong is
// little worse than drawing.
//
//===----------------------------------------------------------------------===//

#include "History.h"
#include "Prior.h"
#include "Strategies.h"
#include "Trust.h"

namespace hwtune {

namespace {

// Of the list, to compare the rest with: as many as `auto` starts with.
constexpr size_t kFavourites = 8;

class ModelList final : public HistoryStrategy {
public:
  ModelList(const SearchProblem &problem, const StrategyOptions &options)
      : HistoryStrategy("model", problem, options),
        prior(Prior::of(problem, candidateOf)),
        favourites(prior.order.begin(),
                   prior.order.begin() +
                       ptrdiff_t(std::min(kFavourites, prior.order.size()))),
        trust(options.seed, doubt()) {}

protected:
  Rep propose() override {
    if (trust.doesWithout(trial())) {
      Random random = randomOfTrial();
      return randomUntried(random);
    }
    while (next < prior.order.size() && tried[prior.order[next]])
      ++next;
    return next < prior.order.size() ? prior.order[next] : kNoRep;
  }

  void learned() override {
    const Seen &last = seen.back();
    trust.add(last);
    if (!last.ok)
      return;
    error.add(last.logValue - double(prior.mean[last.rep]));
    trust.setStart(doubt());
  }

private:
  double doubt() const {
    return options.listAlone
               ? 0
               : indistinctShare(prior, favourites, error.value());
  }

  Prior prior;
  std::vector<Rep> favourites;
  ModelError error;
  Trust trust;
  size_t next = 0;
};

} // namespace

StrategyPtr makeModel(const SearchProblem &p, const StrategyOptions &o) {
  return std::make_unique<ModelList>(p, o);
}

} // namespace hwtune
