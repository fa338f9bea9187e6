//===- ChildRun.h - a run in a child process --------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MEASURE_CHILDRUN_H
#define HWTUNE_MEASURE_CHILDRUN_H

#include "hwtune/Measure/RunOutcome.h"
#include "hwtune/Support/CancelToken.h"

#include <string>
#include <vector>

namespace hwtune {

struct ChildRunRequest {
  std::string program;    ///< path of `hwtune-run` (see `findTool`)
  std::string device;     ///< "cuda:0", "sim:a100-sxm4-80gb", ...
  std::string launchFile; ///< path of launch.json
  /// Further options of `hwtune-run`: "--check-only", "--time-only", ...
  std::vector<std::string> options;
  /// Seconds until the child is killed; 0 = no limit.
  double limitSeconds = 0;
  CancelToken cancel;
};

/// Runs `hwtune-run` on the request. A child that hangs, crashes, or answers
/// nonsense gives an outcome like any other (run_timeout, sticky, launch).
/// `fatal` is set where no other candidate could run either.
RunOutcome runInChild(const ChildRunRequest &request);

} // namespace hwtune

#endif // HWTUNE_MEASURE_CHILDRUN_H
