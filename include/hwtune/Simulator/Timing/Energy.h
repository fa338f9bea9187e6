//===- Energy.h - energy from event counts ----------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_ENERGY_H
#define HWTUNE_SIMULATOR_TIMING_ENERGY_H

#include "hwtune/Simulator/Timing/Formula.h"
#include "hwtune/Simulator/Timing/Timing.h"

namespace hwtune::timing {

/// Joules of the launch: events times their energy, plus idle and static power
/// over its time; mean power is capped at the board's limit. Left at 0 where
/// the target has no energy facts.
void addEnergy(TimingReport &report, const GridWork &work,
               const TargetSpec &target);

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_ENERGY_H
