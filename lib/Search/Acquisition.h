//===- Acquisition.h - what is worth measuring ----------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SEARCH_ACQUISITION_H
#define HWTUNE_LIB_SEARCH_ACQUISITION_H

#include "History.h"

#include <Eigen/Core>

namespace hwtune {

/// EI = E[max(0, best - y)] for y normal (Jones, Schonlau, Welch 1998, eq. 15);
/// on log time, so it is the expected relative gain.
double expectedImprovement(double best, double mean, double deviation);

/// How likely each class is to run at all, from outcomes nearby: a kernel
/// average of successes and failures with a prior weight on success.
class Feasibility {
public:
  explicit Feasibility(size_t classes)
      : success(Eigen::VectorXf::Zero(Eigen::Index(classes))),
        failure(success) {}
  /// `nearness`: correlation of every class with the one observed.
  void add(const Eigen::VectorXf &nearness, bool ok);
  bool anyFailure() const { return failures > 0; }
  double probability(Rep rep) const;

private:
  Eigen::VectorXf success, failure;
  size_t failures = 0;
};

} // namespace hwtune

#endif // HWTUNE_LIB_SEARCH_ACQUISITION_H
