//===- ExpectedTime.h - what the ensemble expects --------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MODEL_EXPECTEDTIME_H
#define HWTUNE_MODEL_EXPECTEDTIME_H

#include "hwtune/Model/Cost.h"

namespace hwtune {

/// Seconds of one launch before anything is measured: the geometric mean over
/// the ensemble; infinite where it cannot run. Everything that is labelled
/// `predicted` is this.
double expectedSeconds(const KernelFeatures &features,
                       const ModelTarget &target, const Ensemble &ensemble,
                       const CostWeights &weights = {});

} // namespace hwtune

#endif // HWTUNE_MODEL_EXPECTEDTIME_H
