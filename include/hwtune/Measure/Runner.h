//===- Runner.h - load, launch, check and time a kernel ---------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs inside the child process (`hwtune-run`): nothing here defends against a
// kernel that hangs or takes the process down. The protocol is described in
// docs/measuring.md; every choice of it is in the record.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MEASURE_RUNNER_H
#define HWTUNE_MEASURE_RUNNER_H

#include "hwtune/Driver/DriverTable.h"
#include "hwtune/Measure/LaunchDescription.h"
#include "hwtune/Measure/RunOutcome.h"
#include "hwtune/Target/TargetSpec.h"

#include <functional>
#include <string>

namespace hwtune {

/// A launch description with the files it names.
struct RunInput {
  LaunchDescription launch;
  std::string ptx;
  std::string expected; ///< bytes of expected.bin, "" if there is none
};
/// Reads `path` and the files beside it. Errors carry the file's name.
Expected<RunInput> loadRunInput(const std::string &path);

/// What the runner is at; for whoever has to explain a hang.
enum class RunPhase { Start, Compile, Run };

struct RunPolicy {
  bool check = true; ///< compare with the expected values
  bool time = true;
  /// Run PTX made for another architecture than the device's.
  bool allowOtherGpu = false;
  int warmups = 3;
  int samples = 20;
  int maxSamples = 100;
  /// Timing ends early after this many seconds, with three samples or more.
  double budgetSeconds = 10;
  /// A sample spans at least this many ticks of the timer: more launches in
  /// one sample (warm), or more samples (cold).
  double minTicks = 50;
  /// Each sample one launch from idle with nothing in L2 (latency), else
  /// launches back to back (throughput).
  bool coldCache = true;
  /// (q80 - q20) / median above which a time is called noisy.
  double maxSpread = 0.5;
  /// Bytes on each side of every buffer that no kernel may write; 0 = none,
  /// where the device itself checks bounds.
  int64_t guardBytes = 4096;
  std::function<void(RunPhase)> onPhase;
};

/// Runs `input` on device `ordinal`, described by `target`. Never throws; what
/// goes wrong is in the outcome, in the driver's own words.
RunOutcome runLaunch(const DriverTable &driver, int ordinal,
                     const TargetSpec &target, const RunInput &input,
                     const RunPolicy &policy);

/// The architecture of a PTX module: the first word of `.target`; "" if none.
std::string ptxTarget(std::string_view ptx);

} // namespace hwtune

#endif // HWTUNE_MEASURE_RUNNER_H
