//===- RunOutcome.h - what became of one run --------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The outcome of a candidate is a value, whatever happened; its JSON form is
// the one line that `hwtune-run` prints.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MEASURE_RUNOUTCOME_H
#define HWTUNE_MEASURE_RUNOUTCOME_H

#include "hwtune/Support/Expected.h"
#include "hwtune/Support/Json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune {

/// The statuses of a trial record, by the same names.
enum class RunStatus {
  Ok,
  Constraint,     ///< the device cannot take such a launch, by its limits
  Compile,        ///< the driver refused the PTX
  CompileTimeout, ///< the driver did not end compiling
  Launch,         ///< the driver refused the launch or memory for it
  RunTimeout,     ///< the kernel did not end in its time limit
  Sticky,         ///< it broke the device context, or the process
  Wrong,          ///< its output is wrong
  Noisy,          ///< no time could be told from its samples
};
/// "ok", "constraint", "compile", "compile_timeout", "launch", "run_timeout",
/// "sticky", "wrong", "noisy".
std::string_view toString(RunStatus status);
std::optional<RunStatus> parseRunStatus(std::string_view text);

/// How the samples were taken; all of it is recorded.
struct TimingRecord {
  std::vector<double> seconds; ///< one per sample, of one launch sequence
  double median = 0, q20 = 0, q80 = 0;
  double spread = 0;     ///< (q80 - q20) / median
  double resolution = 0; ///< seconds, of the event timer
  int warmups = 0;
  int launchesPerSample = 1; ///< back to back inside one event pair
  /// "cold": a launch from idle that finds nothing in L2; "warm": launches back
  /// to back, L2 as the one before left it.
  std::string cache = "cold";
  int64_t flushBytes = 0; ///< written to empty L2; 0 on a simulated device
  std::optional<double> joules; ///< of one launch; absent: it cannot tell
};

struct VerifyRecord {
  int64_t checked = 0, bad = 0;
  double maxAbs = 0, maxRel = 0;
  /// Every element of every output was compared, not a sample.
  bool complete = false;
};

struct RunOutcome {
  RunStatus status = RunStatus::Ok;
  std::string reason; ///< of a failure: the driver's own words, or what differs
  /// No other candidate can work either: the device or its driver is gone.
  bool fatal = false;
  std::string label;  ///< "measured" or "simulated"
  std::string device; ///< the driver's name of it
  std::string target; ///< id of the device's description
  std::string uuid;
  int driverVersion = 0;
  std::optional<int64_t> registers, localBytes, sharedBytes; ///< as loaded
  std::optional<VerifyRecord> verify; ///< absent: nothing was compared
  std::optional<TimingRecord> timing;
  double wallSeconds = 0;

  static RunOutcome failure(RunStatus status, std::string reason);
  bool ok() const { return status == RunStatus::Ok; }

  /// One line.
  std::string toJson() const;
  static Expected<RunOutcome> fromJson(std::string_view text);
  /// For people: "ok: 0.123 ms (measured, A100, ...)".
  std::string summary() const;
};

} // namespace hwtune

#endif // HWTUNE_MEASURE_RUNOUTCOME_H
