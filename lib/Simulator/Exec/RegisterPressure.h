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

/// Most 32-bit registers live at once, over the blocks of a function.
struct RegisterPressure {
  /// In the order that leaves few values alive, loads no earlier than the
  /// pipeline needs.
  uint32_t least = 0;
  /// The same with loads early enough to hide the latency of shared memory
  /// behind one warp's own work, and small loops unrolled four times.
  uint32_t hoisted = 0;
  /// As `least`, where long blocks are cut in windows that the assembler
  /// schedules one by one.
  uint32_t windows = 0;
  /// Whether it is the loads of such a block that make it too long.
  bool loadsMakeWindows = false;
};

RegisterPressure registerPressure(const FlowGraph &flow,
                                  const Folding &folding);

} // namespace hwtune::exec

#endif // HWTUNE_LIB_SIMULATOR_EXEC_REGISTERPRESSURE_H
