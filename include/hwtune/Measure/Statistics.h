//===- Statistics.h - of samples of a time ----------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MEASURE_STATISTICS_H
#define HWTUNE_MEASURE_STATISTICS_H

#include <span>

namespace hwtune {

/// The `q`-quantile (0..1) of samples in any order, between two samples by
/// linear interpolation; 0 where there are none.
double quantile(std::span<const double> samples, double q);

} // namespace hwtune

#endif // HWTUNE_MEASURE_STATISTICS_H
