//===- TuneModule.h - search for every operation of a module ----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_TUNEMODULE_H
#define HWTUNE_TRANSFORMS_TUNEMODULE_H

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
  uint64_t seed = 0;
  std::string strategy = "model";
  std::string objective = "latency";
  std::string db;
  bool requireHit = false;
  std::string toolDir;
  bool allowOtherGpu = false;
  CancelToken cancel; ///< set by a program: stop and keep the best so far
};

struct TuneModuleResult {
  unsigned tuned = 0; ///< operations that got a configuration
  unsigned kept = 0;  ///< operations that had one
  std::string table;  ///< for people
};

/// Sets `hwtune.config` and `hwtune.result` on every linalg operation of
/// `module` that can be tuned and has no configuration. Equal workloads are
/// searched once. An operation that cannot be tuned gets a remark.
Expected<TuneModuleResult> tuneModule(mlir::ModuleOp module,
                                      const TargetSpec &target,
                                      const TuneModuleOptions &options);

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_TUNEMODULE_H
