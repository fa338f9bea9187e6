//===- History.h - what a strategy remembers ---------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Base of all strategies: merges inert classes, never proposes one twice, and
// keeps the order of observations, which with the seed decides everything.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SEARCH_HISTORY_H
#define HWTUNE_LIB_SEARCH_HISTORY_H

#include "hwtune/Search/Strategy.h"
#include "hwtune/Support/Random.h"

#include <optional>
#include <string>

namespace hwtune {

/// Index of a class; its representative is the candidate of lowest index.
using Rep = uint32_t;
inline constexpr Rep kNoRep = UINT32_MAX;

/// An observation by class.
struct Seen {
  Rep rep = 0;
  bool ok = false;
  double logValue = 0;
};

class HistoryStrategy : public Strategy {
public:
  HistoryStrategy(std::string_view name, const SearchProblem &problem,
                  const StrategyOptions &options);

  std::string_view name() const final { return label; }
  std::vector<size_t> ask(size_t count) final;
  void tell(const Observation &observation) final;

protected:
  /// An untried class; `kNoRep` only where none is left.
  virtual Rep propose() = 0;
  /// Called after `seen` has grown.
  virtual void learned() {}

  const SearchProblem &problem;
  const StrategyOptions options;
  std::vector<size_t> candidateOf; ///< representative of each class
  std::vector<Rep> repOf;          ///< class of each candidate
  std::vector<bool> tried;         ///< asked or told
  std::vector<Seen> seen;          ///< told, in order
  std::vector<Rep> pending;        ///< asked, not yet told, in order

  size_t repCount() const { return candidateOf.size(); }
  /// Asked or told so far: the number of the trial being proposed.
  size_t trial() const { return seen.size() + pending.size(); }
  Random randomOfTrial() const { return Random(options.seed, trial()); }
  /// An untried class, uniformly; bounded work.
  Rep randomUntried(Random &random) const;
  size_t untriedCount() const { return repCount() - triedCount; }

private:
  void mark(Rep rep);

  std::string label;
  std::vector<bool> told;
  size_t triedCount = 0;
};

} // namespace hwtune

#endif // HWTUNE_LIB_SEARCH_HISTORY_H
