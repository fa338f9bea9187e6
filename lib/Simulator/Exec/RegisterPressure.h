//===- RegisterPressure.h - registers that a schedule needs -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of PTX says little about registers: compilers emit loads long
// before their use and leave the order to the assembler. So each basic block
// is scheduled, from its end: of the instructions that may come last, the one
// that leaves the fewest values alive.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_REGISTERPRESSURE_H
#define HWTUNE_LIB_SIMULATOR_EXEC_REGISTERPRESSURE_H

#include "Folding.h"

namespace hwtune::exec {

struct ScheduleGoal {
  /// Instructions between a load and its first use, where there are so many.
  unsigned loadDistance = 0;
  /// Iterations of a loop of one block that are scheduled together.
  unsigned unroll = 1;
};

/// Loads wait for their address only as long as the pipeline needs.
inline constexpr ScheduleGoal kLeastRegisters{4, 1};
/// About what hides a load from shared memory behind one warp's own work; the
/// assembler unrolls small loops four times.
inline constexpr ScheduleGoal kHiddenLatency{64, 4};

/// Most 32-bit registers live at once, over the blocks of a function.
unsigned registerPressure(const FlowGraph &flow, const Folding &folding,
                          ScheduleGoal goal);

} // namespace hwtune::exec

#endif // HWTUNE_LIB_SIMULATOR_EXEC_REGISTERPRESSURE_H
