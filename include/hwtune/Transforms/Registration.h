//===- Registration.h - dialect and passes in one call ----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_REGISTRATION_H
#define HWTUNE_TRANSFORMS_REGISTRATION_H

#include "hwtune/Support/CancelToken.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace hwtune {

/// The hwtune dialect, its transform-dialect extension, and what lowering to
/// PTX needs.
void registerDialects(mlir::DialectRegistry &registry);

/// All passes. A program that sets `cancel` ends their searches early; they
/// keep the best so far.
void registerPasses(const CancelToken &cancel = {});

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_REGISTRATION_H
