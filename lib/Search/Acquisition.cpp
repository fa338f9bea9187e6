//===- Acquisition.cpp - what is worth measuring --------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Acquisition.h"

#include <algorithm>
#include <cmath>

namespace hwtune {

double expectedImprovement(double best, double mean, double deviation) {
  double gain = best - mean;
  if (deviation <= 0)
    return std::max(0.0, gain);
  double z = gain / deviation;
  if (z < -8)
    return 0;
  constexpr double kInverseRoot2Pi = 0.3989422804014327;
  constexpr double kInverseRoot2 = 0.7071067811865476;
  double density = kInverseRoot2Pi * std::exp(-0.5 * z * z);
  double below = 0.5 * std::erfc(-z * kInverseRoot2);
  return gain * below + deviation * density;
}

} // namespace hwtune
