//===- TuneRequest.h - an operation as the tuner takes it -------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TRANSFORMS_TUNEREQUEST_H
#define HWTUNE_LIB_TRANSFORMS_TUNEREQUEST_H

#include "hwtune/Schedule/Schedule.h"
#include "hwtune/Transforms/TuneModule.h"
#include "hwtune/Tuner/OpTuner.h"

#include <string>

namespace hwtune {

/// The options of one search; an error where one has no sense.
Expected<OpTuneOptions> opTuneOptions(const TuneModuleOptions &options);

/// `op`, whose workload is `w`, for `target`. `schedule`, `target` and `op`
/// must outlive the result. `toolchain`: as `TuneMachine::toolchain`.
OpTuneRequest tuneRequest(mlir::Operation *op, const Workload &w,
                          const Schedule &schedule, const TargetSpec &target,
                          const std::string &toolchain);

} // namespace hwtune

#endif // HWTUNE_LIB_TRANSFORMS_TUNEREQUEST_H
