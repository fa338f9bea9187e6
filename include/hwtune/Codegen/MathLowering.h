//===- MathLowering.h - math ops without a device library -------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stock lowering turns most of the math dialect into calls of `__nv_*`, which
// exist only where CUDA is installed, or aborts. The pass `hw-lower-math`
// replaces every such op by arith, scf and `llvm.call_intrinsic`, so that the
// PTX calls nothing and is the same on every machine. `docs/math.md` states
// the error bounds.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_CODEGEN_MATHLOWERING_H
#define HWTUNE_CODEGEN_MATHLOWERING_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <optional>

namespace hwtune {

/// Rewrites every op of the math dialect, and `arith.remf`, `maxnumf` and
/// `minnumf`, under `root`. An op of a type that is not supported (f80, f8,
/// complex) is an error at the op that names both.
mlir::LogicalResult lowerMath(mlir::Operation *root);

/// The pass form; runs on any op, before `convert-scf-to-cf` and
/// `convert-gpu-to-nvvm`.
std::unique_ptr<mlir::Pass> createLowerMathPass();
void registerLowerMathPass();

/// Greatest error of `opName` ("math.exp") as lowered, in units in the last
/// place of `type`; 0 for exact ops, none where the op is not known.
std::optional<double> mathUlpBound(llvm::StringRef opName, mlir::Type type);

} // namespace hwtune

#endif // HWTUNE_CODEGEN_MATHLOWERING_H
