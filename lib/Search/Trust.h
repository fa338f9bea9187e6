//===- Trust.h - how far the model is followed ----------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trial follows the model or does without it, by a coin whose bias is
// learned. Where the model claims large differences it is followed until what
// was tried without it does better; where it calls much of the space as good as
// its favourites, their order says little and others are tried at once. What
// counts as a difference is learned too: the model's error so far.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SEARCH_TRUST_H
#define HWTUNE_LIB_SEARCH_TRUST_H

#include "Prior.h"

namespace hwtune {

/// The standard deviation of what the model misses, in log time: the usual one
/// as a prior of two observations, then what is seen. Their common scale is not
/// an error.
class ModelError {
public:
  /// `residual`: log of a measured over a predicted time.
  void add(double residual);
  double value() const;

private:
  double count = 0, mean = 0, squares = 0; ///< squares about the mean
};

/// Share of the classes (0..1) that the model cannot tell from the middle one
/// of `favourites`, its error given; 0 without a model.
double indistinctShare(const Prior &prior, const std::vector<Rep> &favourites,
                       double error);

class Trust {
public:
  /// `start`: of the doubt, from the model alone. 0: never without it. The
  /// first `following` trials follow it.
  Trust(uint64_t seed, double start, size_t following = 1)
      : seed(seed), start(start), following(following) {}

  /// Whether trial number `trial` (from 0) does without the model.
  bool doesWithout(size_t trial) const;
  /// The chance of that now: the share of trials without the model that beat
  /// the middle one of those that followed it, `start` counted as one such
  /// trial, a draw as half; twice this, as they spread wider and equal middles
  /// hide a better best. Neither side ever stops.
  double doubt() const;
  /// Outcomes in order: what a trial counts as follows from its number and the
  /// outcomes before it.
  void add(const Seen &seen);
  /// A better word on the doubt from the model alone.
  void setStart(double share) { start = share; }
  size_t trialsWithout() const { return without.size(); }

private:
  uint64_t seed;
  double start;
  size_t following;
  std::vector<double> with, without; ///< log times, infinite where failed
};

} // namespace hwtune

#endif // HWTUNE_LIB_SEARCH_TRUST_H
