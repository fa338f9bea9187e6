//===- Options.h - the command line of hwtune-run ---------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TOOLS_HWTUNE_RUN_OPTIONS_H
#define HWTUNE_TOOLS_HWTUNE_RUN_OPTIONS_H

#include "hwtune/Measure/Device.h"
#include "hwtune/Measure/Runner.h"
#include "hwtune/Support/Expected.h"

#include <span>
#include <string>

namespace hwtune {

struct RunOptions {
  enum class Action {
    Run,
    Help,
    ListTargets,
    DescribeTarget,
    DescribeDevice
  } action = Action::Run;
  std::string device;
  std::string launchFile;
  std::string describe; ///< target id or file
  double limitSeconds = 0;
  RunPolicy policy;
  OpenOptions open;
};

/// Every argument must be known and well-formed.
Expected<RunOptions> parseRunOptions(std::span<const char *const> args);

extern const char *const kRunHelp;

} // namespace hwtune

#endif // HWTUNE_TOOLS_HWTUNE_RUN_OPTIONS_H
