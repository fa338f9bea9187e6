//===- Normalise.h - operations into the form that is tuned -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_NORMALISE_H
#define HWTUNE_TRANSFORMS_NORMALISE_H

#include "mlir/IR/BuiltinOps.h"

namespace hwtune {

/// Brings what a schedule could run into a form that one takes:
///   - operations with the AggregatedOpInterface that are no LinalgOp
///     (`linalg.softmax`, ...) and `linalg.pack` and `linalg.unpack` become
///     what they are made of;
///   - a number that a body uses from outside becomes an operand;
///   - a long reduction of static extents to few results, on tensors or packed
///     buffers, becomes one to partial results and one of these: a kernel has
///     a block for each result at most;
///   - an operation with a loop of 0 iterations is removed: it does nothing;
///   - windows of one element, and one window of a whole picture, are no loops;
///   - `memref.transpose` becomes `memref.reinterpret_cast`.
/// A remark says what was removed.
void normaliseLinalg(mlir::ModuleOp module);

/// Only the numbers: bufferisation makes such bodies of `tensor.pad`.
void liftCaptures(mlir::ModuleOp module);

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_NORMALISE_H
