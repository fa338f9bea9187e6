//===- RecordedTimes.h - measurements somebody made before ------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What answers in the place of a device with `device=replay:<file>`.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TUNER_RECORDEDTIMES_H
#define HWTUNE_TUNER_RECORDEDTIMES_H

#include "hwtune/Records/Record.h"
#include "hwtune/Space/Space.h"
#include "hwtune/Support/Expected.h"

#include <map>
#include <string>
#include <vector>

namespace hwtune {

/// The first trial of each configuration, failures included.
using RecordedTimes = std::map<Config, TrialRecord>;

struct RecordedTimesQuery {
  std::string op;       ///< `Workload::key`
  std::string gpu;      ///< target id
  bool anyGpu = false;  ///< also take what another GPU gave
  std::string schedule; ///< name
  std::string state;    ///< of the launches (`launchStateOf`)
};

/// Reads `path`, packed or not: a tuning database, its export as JSON lines, a
/// Kernel Tuner cache, KTT or T4 results. Of our own records those count that
/// are of this operation, GPU, schedule and state of the launches; the other
/// formats hold one operation, whose parameters must be named as the knobs of
/// `space`. An error where the file cannot be read, or nothing in it counts:
/// says what it holds instead.
Expected<RecordedTimes> readRecordedTimes(const std::string &path,
                                          const RecordedTimesQuery &query,
                                          const Space &space);

} // namespace hwtune

#endif // HWTUNE_TUNER_RECORDEDTIMES_H
