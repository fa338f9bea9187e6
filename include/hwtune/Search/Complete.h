//===- Complete.h - times of what was not measured --------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SEARCH_COMPLETE_H
#define HWTUNE_SEARCH_COMPLETE_H

#include "hwtune/Search/SearchProblem.h"

namespace hwtune {

struct CompletedTimes {
  std::vector<double> logTime; ///< one per candidate, none missing
  /// How far a measurement lies from what the others say of it (standard
  /// deviation, log): the doubt about an estimate.
  double irregularity = 0;
};

/// Estimates the log times that are missing (NaN in `logTime`, one per
/// candidate of `problem`) from the others: the model's mean and what a
/// Gaussian process on the parameters learns of its error. Rests on at most a
/// few hundred of the known times: the fastest, the model's favourites, and a
/// sample. Needs a model and one known time; a candidate of a class with a
/// known member gets that one's time.
Expected<CompletedTimes> completeTimes(const SearchProblem &problem,
                                       std::vector<double> logTime);

} // namespace hwtune

#endif // HWTUNE_SEARCH_COMPLETE_H
