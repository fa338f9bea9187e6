//===- Decompose.h - aggregate operations into linalg ones ------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_DECOMPOSE_H
#define HWTUNE_TRANSFORMS_DECOMPOSE_H

#include "mlir/IR/BuiltinOps.h"

namespace hwtune {

/// Replaces every operation with the AggregatedOpInterface that is no LinalgOp
/// itself (`linalg.softmax`, ...) by what it is made of. One that says it
/// cannot be decomposed stays.
mlir::LogicalResult decomposeAggregates(mlir::ModuleOp module);

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_DECOMPOSE_H
