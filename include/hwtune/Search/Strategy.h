//===- Strategy.h - which candidate to measure next -------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A strategy is asked for candidates and told what they gave. What it asks for
// next is a function of the problem, the options and the observations told so
// far: a run that was killed is resumed by telling a fresh strategy the old
// observations. It never proposes a class twice, and `ask` always ends.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SEARCH_STRATEGY_H
#define HWTUNE_SEARCH_STRATEGY_H

#include "hwtune/Search/SearchProblem.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace hwtune {

struct StrategyOptions {
  uint64_t seed = 0;
  /// Trials planned, 0 = not known. Cooling and the first sample follow it.
  size_t budget = 0;
  /// To judge `bayes` and `auto`: a random choice in place of the greatest
  /// expected improvement, all else the same.
  bool randomChoice = false;
  /// To judge `model`: its list, and no draws.
  bool listAlone = false;
};

class Strategy {
public:
  virtual ~Strategy() = default;
  virtual std::string_view name() const = 0;
  /// Up to `count` candidates to measure next; fewer, or none, where the
  /// untried classes run out. What was asked for and not yet told counts as
  /// tried.
  virtual std::vector<size_t> ask(size_t count = 1) = 0;
  /// Any candidate may be told, asked for or not, one observation each; a
  /// second one of the same class is ignored.
  virtual void tell(const Observation &observation) = 0;
};

/// "exhaustive", "random", "annealing", "genetic", "bayes", "model", "auto".
std::span<const std::string_view> strategyNames();

/// `problem` must outlive the strategy. An unknown name, a problem that fails
/// `check()`, and "model" without predictions are errors.
Expected<std::unique_ptr<Strategy>>
makeStrategy(std::string_view name, const SearchProblem &problem,
             const StrategyOptions &options = {});

} // namespace hwtune

#endif // HWTUNE_SEARCH_STRATEGY_H
