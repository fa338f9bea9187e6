//===- ApplyModule.h - annotated module to rewritten module -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_APPLYMODULE_H
#define HWTUNE_TRANSFORMS_APPLYMODULE_H

#include "hwtune/Codegen/UserSchedules.h"
#include "hwtune/Support/CancelToken.h"
#include "hwtune/Transforms/Kernelize.h"

#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace hwtune {

struct ApplyOptions {
  EmitForm emit = EmitForm::Gpu;
  MemoryMode memory = MemoryMode::Copy;
  std::string runnerDir;
  std::string toolDir;     ///< of hwtune-compile; "" = beside this library
  UserSchedules schedules; ///< that an annotation may name
  CancelToken cancel;      ///< ends what waits for hwtune-compile
};

/// The rewritten copy of `module`. A function that cannot be rewritten stays as
/// it was and has got a warning with the reason. An error, with an empty
/// message where it has been reported at an operation, for an annotation that
/// cannot be.
Expected<mlir::OwningOpRef<mlir::ModuleOp>>
applyToModule(mlir::ModuleOp module, const TargetSpec &target,
              const ApplyOptions &options);

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_APPLYMODULE_H
