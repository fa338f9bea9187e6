//===- LaunchSizes.h - sizes to launch an operation with --------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_WORKLOAD_LAUNCHSIZES_H
#define HWTUNE_WORKLOAD_LAUNCHSIZES_H

#include "hwtune/Workload/Workload.h"

#include <cstdint>
#include <vector>

namespace hwtune {

/// What stands for extents that are not known until run time: a usual size, or
/// small ones that no tile divides. Both are cut until no operand has more than
/// 2^22 elements (outer loops first), then until the launch has no more
/// iterations than a simulated GPU runs in about a second (longest loops
/// first), and to what known sizes hold.
enum class LaunchSizes { Usual, Tails };

/// Sizes of each memref operand, in order.
std::vector<std::vector<int64_t>>
launchShapes(const Workload &w, LaunchSizes sizes = LaunchSizes::Usual);

/// Sets `Loop::assumed` of every loop to what a launch of `LaunchSizes::Usual`
/// has: what is counted and scored is what is measured.
void assumeSizes(Workload &w);

} // namespace hwtune

#endif // HWTUNE_WORKLOAD_LAUNCHSIZES_H
