//===- Weights.h - weights corrected by measurements ------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MODEL_WEIGHTS_H
#define HWTUNE_MODEL_WEIGHTS_H

#include "hwtune/Model/Cost.h"

#include <span>

namespace hwtune {

/// eta_k that bring the predicted times nearest to the measured ones: least
/// squares of log(t) - log(scale * sum eta_k part_k), k over the terms and
/// part_k what they take of the predicted time (`secondsByTerm`), with a doubt
/// of `sigma` (of the logarithm) that holds eta near `start`, so that one
/// measurement moves them little and none leaves them there. The common scale
/// is all but free: clocks are rarely known. `predictions` are those with eta =
/// 1; infeasible ones and times that are not positive are passed over.
CostWeights correctWeights(std::span<const Prediction> predictions,
                           std::span<const double> seconds, double sigma = 0.3,
                           const CostWeights &start = {});

} // namespace hwtune

#endif // HWTUNE_MODEL_WEIGHTS_H
