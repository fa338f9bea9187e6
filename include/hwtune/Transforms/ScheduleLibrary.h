//===- ScheduleLibrary.h - configurations as transform IR -------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_SCHEDULELIBRARY_H
#define HWTUNE_TRANSFORMS_SCHEDULELIBRARY_H

#include "hwtune/Codegen/UserSchedules.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Target/TargetSpec.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace hwtune {

/// Text of a transform-dialect module with one named sequence for each
/// different `hwtune.config` in `module`, and a `@__transform_main` that
/// applies each to the functions whose operation has it.
Expected<std::string> scheduleLibrary(mlir::ModuleOp module,
                                      const TargetSpec &target,
                                      const UserSchedules &schedules);

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_SCHEDULELIBRARY_H
