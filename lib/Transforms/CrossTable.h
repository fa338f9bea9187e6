//===- CrossTable.h - winners of one target on another ----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TRANSFORMS_CROSSTABLE_H
#define HWTUNE_LIB_TRANSFORMS_CROSSTABLE_H

#include "hwtune/Transforms/TuneModule.h"

#include <span>
#include <string>

namespace hwtune {

/// A module that was tuned for `target`; all of a table are copies of one.
struct TunedFor {
  TargetSpec target;
  mlir::ModuleOp module;
};

/// Times each target's winner on every other target, as `options` say for that
/// one, and gives a table for people: time over that of the column's own
/// winner. A winner that cannot run there is a dash, with the reason below.
Expected<std::string> crossTable(std::span<const TunedFor> tuned,
                                 const UserSchedules &schedules,
                                 const TuneModuleOptions &options);

} // namespace hwtune

#endif // HWTUNE_LIB_TRANSFORMS_CROSSTABLE_H
