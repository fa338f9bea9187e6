//===- PassOptions.h - options as passes have them --------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `hw-aware-tune` has the options of `hw-tune` and `hw-apply` under the same
// names, so that one reader serves all three.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TRANSFORMS_PASSOPTIONS_H
#define HWTUNE_LIB_TRANSFORMS_PASSOPTIONS_H

#include "hwtune/Support/File.h"
#include "hwtune/Transforms/ApplyModule.h"
#include "hwtune/Transforms/TuneModule.h"

#include <string>

namespace hwtune {

/// A pass with the options of `hw-tune`.
template <typename Pass> class WithTuneOptions : public Pass {
public:
  using Base = WithTuneOptions;
  using Pass::Pass;

protected:
  /// As written.
  TuneModuleOptions tuneOptions(const CancelToken &cancel) const {
    TuneModuleOptions options;
    options.device = this->device;
    options.trials = this->trials;
    options.seconds = this->seconds;
    options.patience = this->patience;
    options.seed = this->seed;
    options.strategy = this->strategy;
    options.objective = this->objective;
    options.weight = this->weight;
    options.db = this->db;
    options.requireHit = this->requireHit;
    options.toolDir = this->toolDir;
    options.ptxas = this->ptxas;
    options.allowOtherGpu = this->allowOtherGpu;
    options.cancel = cancel;
    return options;
  }
};

/// A pass with the options of `hw-apply`.
template <typename Pass> class WithApplyOptions : public Pass {
public:
  using Base = WithApplyOptions;
  using Pass::Pass;

protected:
  /// An error for a value that is none.
  Expected<ApplyOptions> applyOptions(mlir::MLIRContext &context,
                                      const CancelToken &cancel) const {
    ApplyOptions options;
    std::string emit = this->emit, memory = this->memory;
    std::optional<EmitForm> form = parseEmitForm(emit);
    if (!form)
      return Error{"option 'emit' is '" + emit +
                       "', expected config, loops, gpu, binary or runner",
                   ""};
    if (memory != "copy" && memory != "device")
      return Error{
          "option 'memory' is '" + memory + "', expected copy or device", ""};
    options.emit = *form;
    options.memory = memory == "copy" ? MemoryMode::Copy : MemoryMode::Device;
    options.runnerDir = this->runnerDir;
    options.toolDir = this->toolDir;
    options.cancel = cancel;
    if (*form == EmitForm::Runner && options.runnerDir.empty())
      return Error{"option 'runner-dir' is empty, expected the folder that "
                   "'emit=runner' writes",
                   ""};
    Expected<UserSchedules> own = UserSchedules::read(context, this->schedules);
    if (!own)
      return own.error();
    options.schedules = std::move(*own);
    return options;
  }
};

/// What can be said of `options` before anything is done: nobody wants to learn
/// of a wrong option after a search.
inline Status checkApplyOptions(const Expected<ApplyOptions> &options) {
  if (!options)
    return options.error();
  if (options->emit == EmitForm::Runner)
    if (Status good = checkFolderWritable(options->runnerDir); !good)
      return Error{"option 'runner-dir': " + good.error().message, ""};
  return success();
}

} // namespace hwtune

#endif // HWTUNE_LIB_TRANSFORMS_PASSOPTIONS_H
