//===- Ops.h - the families of instructions ---------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_OPS_H
#define HWTUNE_LIB_SIMULATOR_EXEC_OPS_H

#include "Machine.h"

namespace hwtune::exec {

#define HWTUNE_FAMILIES                                                        \
  void addIntOps(Registry &registry);                                          \
  void addLogicOps(Registry &registry);                                        \
  void addCompareOps(Registry &registry);                                      \
  void addFloatOps(Registry &registry);                                        \
  void addConvertOps(Registry &registry);                                      \
  void addMoveOps(Registry &registry);                                         \
  void addMemoryOps(Registry &registry);                                       \
  void addMatrixOps(Registry &registry);                                       \
  void addHalfVectorOps(Registry &registry);

namespace avx2 {
HWTUNE_FAMILIES
}
namespace avx512 {
HWTUNE_FAMILIES
}
namespace plain {
HWTUNE_FAMILIES
}
// Built once, for any host that one of the above runs on.
void addHalfOps(Registry &registry);
void addAnyConversion(Registry &registry);
void addSpecialOps(Registry &registry);
void addRoundingOps(Registry &registry);
void addVideoOps(Registry &registry);
void addControlOps(Registry &registry);
void addMbarrierOps(Registry &registry);
void addWarpOps(Registry &registry);
void addAtomicOps(Registry &registry);
void addModeOps(Registry &registry);
void addBuiltinOps(Registry &registry);

} // namespace hwtune::exec

#endif // HWTUNE_LIB_SIMULATOR_EXEC_OPS_H
