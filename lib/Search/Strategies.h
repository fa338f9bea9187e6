//===- Strategies.h - constructors of the strategies ----*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SEARCH_STRATEGIES_H
#define HWTUNE_LIB_SEARCH_STRATEGIES_H

#include "hwtune/Search/Strategy.h"

namespace hwtune {

using StrategyPtr = std::unique_ptr<Strategy>;

StrategyPtr makeExhaustive(const SearchProblem &, const StrategyOptions &);
StrategyPtr makeRandom(const SearchProblem &, const StrategyOptions &);
StrategyPtr makeModel(const SearchProblem &, const StrategyOptions &);
StrategyPtr makeAnnealing(const SearchProblem &, const StrategyOptions &);
StrategyPtr makeGenetic(const SearchProblem &, const StrategyOptions &);
StrategyPtr makeBayes(const SearchProblem &, const StrategyOptions &);
StrategyPtr makeAuto(const SearchProblem &, const StrategyOptions &);

} // namespace hwtune

#endif // HWTUNE_LIB_SEARCH_STRATEGIES_H
