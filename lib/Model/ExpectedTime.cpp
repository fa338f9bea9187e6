//===- ExpectedTime.cpp - what the ensemble expects ------------------ ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Model/ExpectedTime.h"

#include <cmath>
#include <vector>

namespace hwtune {

double expectedSeconds(const KernelFeatures &features,
                       const ModelTarget &target, const Ensemble &ensemble,
                       const CostWeights &weights) {
  std::vector<double> times(ensemble.size());
  predictBatch({&features, 1}, target, ensemble, times, weights);
  double sum = 0;
  for (double time : times)
    sum += std::log(time);
  return std::exp(sum / double(times.size()));
}

} // namespace hwtune
