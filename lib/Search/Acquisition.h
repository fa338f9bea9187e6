//===- Acquisition.h - what is worth measuring ----------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SEARCH_ACQUISITION_H
#define HWTUNE_LIB_SEARCH_ACQUISITION_H

namespace hwtune {

/// EI = E[max(0, best - y)] for y normal (Jones, Schonlau, Welch 1998, eq. 15);
/// on log time, so it is the expected relative gain.
double expectedImprovement(double best, double mean, double deviation);

} // namespace hwtune

#endif // HWTUNE_LIB_SEARCH_ACQUISITION_H
