//===- Passes.h - the passes of hwtune --------------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_PASSES_H
#define HWTUNE_TRANSFORMS_PASSES_H

#include "hwtune/Support/CancelToken.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace hwtune {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "hwtune/Transforms/Passes.h.inc"

/// The same passes, which end early with the best so far when a program sets
/// `cancel`.
std::unique_ptr<mlir::Pass> createCancellableTune(HWTunePassOptions options,
                                                  CancelToken cancel);
std::unique_ptr<mlir::Pass> createCancellableApply(HWApplyOptions options,
                                                   CancelToken cancel);
std::unique_ptr<mlir::Pass> createCancellableAwareTune(CancelToken cancel);

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_PASSES_H
