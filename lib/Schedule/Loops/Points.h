//===- Points.h - the parameters of launch_points ---------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread for each tile of the parallel loops: what the elementwise, window
// and generic schedules, and the transpose without shared memory, have in
// common once their knobs are chosen.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SCHEDULE_LOOPS_POINTS_H
#define HWTUNE_LIB_SCHEDULE_LOOPS_POINTS_H

#include "LoopView.h"
#include "hwtune/Schedule/Schedule.h"

namespace hwtune::loops {

struct PointsPlan {
  LoopView view;
  int64_t threads = 256;
  std::vector<int64_t> tile; ///< of each group
  int64_t perThread = 1;
  int64_t unroll = 1;
  std::vector<int64_t>
      order; ///< parallel groups, the fastest last; empty: as is
  int64_t vectorLoop = -1;
  std::vector<int64_t> widths; ///< of each operand
};

/// Tiles along each parallel group, in grid order.
std::vector<int64_t> tileCounts(const PointsPlan &p);
int64_t blocksOf(const PointsPlan &p);
/// 32-bit registers of one thread, estimated.
double registersOf(const PointsPlan &p);
KernelFeatures featuresOf(const PointsPlan &p, const TargetSpec &t);
std::string scriptOf(const PointsPlan &p);
std::vector<PtxPromise> promisesOf(const PointsPlan &p);

} // namespace hwtune::loops

#endif // HWTUNE_LIB_SCHEDULE_LOOPS_POINTS_H
