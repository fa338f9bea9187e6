//===- TailCheck.h - a small launch to check a winner on --------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_TAILCHECK_H
#define HWTUNE_TRANSFORMS_TAILCHECK_H

#include "hwtune/Schedule/Schedule.h"
#include "hwtune/Tuner/OpTuner.h"

#include "mlir/IR/Operation.h"

namespace hwtune {

/// `op` on sizes that tiles do not divide, small enough to compare every
/// element. The kernel of a dynamic op runs for all sizes, so it is the same
/// kernel on others; a static op is made smaller along every loop, with the
/// factors of two that vectors need, and more of them where `config` is else
/// not legal. No module where it is legal for no smaller op and of a static op
/// where the schedule comes from a file, which may be for these sizes alone:
/// `missing` says so. Nor where the op is small already.
TailCheck tailCheck(mlir::Operation *op, const Workload &w,
                    const Schedule &schedule, const TargetSpec &target,
                    const Config &config);

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_TAILCHECK_H
