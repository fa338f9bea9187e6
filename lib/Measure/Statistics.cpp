//===- Statistics.cpp -----------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/Statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace hwtune;

double hwtune::quantile(std::span<const double> samples, double q) {
  if (samples.empty())
    return 0;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  double at = q * static_cast<double>(sorted.size() - 1);
  size_t below = static_cast<size_t>(std::floor(at));
  size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above],
                   at - static_cast<double>(below));
}
