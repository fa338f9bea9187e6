//===- TuneMachine.h - the device and programs of a tuning run --*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TRANSFORMS_TUNEMACHINE_H
#define HWTUNE_LIB_TRANSFORMS_TUNEMACHINE_H

#include "hwtune/Support/TemporaryFolder.h"
#include "hwtune/Transforms/TuneModule.h"
#include "hwtune/Tuner/OpTuner.h"

#include <memory>
#include <string>
#include <vector>

namespace hwtune {

/// Everything a run needs beside the operation; frees it at the end.
class TuneMachine {
public:
  /// Chooses and opens the device. `notes` get one line for people for each
  /// choice that was made for them. Errors: a device that does not answer, that
  /// is not the target (unless allowed), a missing program, a `ptxas` that is
  /// none, a database that cannot be opened.
  static Expected<std::unique_ptr<TuneMachine>>
  open(const TargetSpec &target, const TuneModuleOptions &options,
       std::vector<std::string> &notes);

  const TuneEnvironment &environment() const { return parts; }
  /// As the user knows it: "cuda:0", "sim:a100-sxm4-80gb", "model".
  const std::string &deviceName() const { return shownDevice; }
  /// What compiles, by version: "hwtune 0.1.0, llvm 22.1.8, ptxas 13.0.88".
  const std::string &toolchain() const { return shownToolchain; }

private:
  TuneMachine() = default;
  Status openDatabase(const TuneModuleOptions &options);
  Status chooseDevice(const TargetSpec &target,
                      const TuneModuleOptions &options,
                      std::vector<std::string> &notes);
  Status openPrograms(const TargetSpec &target,
                      const TuneModuleOptions &options);
  Status openPtxas(const TargetSpec &target, const TuneModuleOptions &options,
                   std::vector<std::string> &notes);

  TuneEnvironment parts;
  std::string shownDevice, shownToolchain;
  std::unique_ptr<TemporaryFolder> folder; ///< outlives who works in it
  std::unique_ptr<WorkerPool> workers;
  std::unique_ptr<Database> database;
  std::unique_ptr<TuneObserver> observer;
};

} // namespace hwtune

#endif // HWTUNE_LIB_TRANSFORMS_TUNEMACHINE_H
