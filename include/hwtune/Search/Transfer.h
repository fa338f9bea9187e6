//===- Transfer.h - another GPU's times as a prior --------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SEARCH_TRANSFER_H
#define HWTUNE_SEARCH_TRANSFER_H

#include "hwtune/Search/SearchProblem.h"

#include <vector>

namespace hwtune {

/// What is known of a problem's candidates on another GPU, the source.
struct TransferSource {
  /// Natural log of the seconds that the model predicts there; the shape of
  /// `SearchProblem::logTime`.
  Table predicted;
  /// Natural log of the seconds measured there, one per candidate; NaN where
  /// nothing is known. What failed there counts as slow: the caller's choice.
  std::vector<double> measured;
  /// Trust in the model's difference between the two, 0 (nothing in common:
  /// nothing is transferred) .. 1 (equal targets).
  double alpha = 0;
};

/// Makes the source's times part of what is expected, for every vector of the
/// ensemble, w = sqrt(alpha):
///   log t = (1 - w) log t^_B + w (log t_A + alpha (log t^_B - log t^_A)),
/// and sets `start` to the first to measure: two of that list, then one of the
/// target's own model; then the search learns. Never copies one winner. Needs a
/// model and one known time.
Status transferPrior(SearchProblem &problem, const TransferSource &source);

} // namespace hwtune

#endif // HWTUNE_SEARCH_TRANSFER_H
