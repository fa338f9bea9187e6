//===- TuneModule.h - search for every operation of a module ----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_TUNEMODULE_H
#define HWTUNE_TRANSFORMS_TUNEMODULE_H

#include "hwtune/Codegen/UserSchedules.h"
#include "hwtune/Support/CancelToken.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Target/TargetSpec.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>

namespace hwtune {

/// The options of `hw-tune`, as written.
struct TuneModuleOptions {
  std::string device;
  unsigned trials = 48;
  double seconds = 0;
  unsigned patience = 0; ///< trials without a gain until converged; 0: never
  uint64_t seed = 0;
  std::string strategy = "auto";
  std::string objective = "latency";
  double weight = 0.5;
  std::string db;
  bool requireHit = false;
  std::string toolDir;
  std::string ptxas; ///< path; "" or "none": not asked
  bool allowOtherGpu = false;
  CancelToken cancel; ///< set by a program: stop and keep the best so far
};

/// What holds of the times of one of several targets: `device` names where the
/// first one's are taken, the others' where they would be by default. `model`
/// is for all.
TuneModuleOptions optionsFor(const TuneModuleOptions &options, bool first);

struct TuneModuleResult {
  unsigned tuned = 0; ///< operations that got a configuration
  unsigned kept = 0;  ///< operations that had one
  std::string table;  ///< for people
  /// Why the search ended before its time, "" if it did not. The operation that
  /// was being tuned has its best so far, those after it no configuration.
  std::string interrupted;
};

/// What can be said of `options` before there is a module: numbers out of
/// range; names of no objective, strategy or device.
Status checkTuneOptions(const TuneModuleOptions &options);

/// Sets `hwtune.config` and `hwtune.result` on every linalg operation of
/// `module` that can be tuned and has no configuration. Equal workloads are
/// searched once. An operation that cannot be tuned, and one that keeps what it
/// had, get a remark. An error has no message where it has been reported at the
/// operations.
Expected<TuneModuleResult> tuneModule(mlir::ModuleOp module,
                                      const TargetSpec &target,
                                      const UserSchedules &schedules,
                                      const TuneModuleOptions &options);

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_TUNEMODULE_H
