//===- StaticSizes.h - sizes that other operands tell -----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_IR_STATICSIZES_H
#define HWTUNE_IR_STATICSIZES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace hwtune {

/// The shape of `operand` (shaped, of `op`), with each dynamic dimension that
/// is the extent of a loop made static where any operand of `op` tells that
/// extent. Other sizes would be undefined behaviour of `op`.
llvm::SmallVector<int64_t> staticShape(mlir::linalg::LinalgOp op,
                                       mlir::OpOperand &operand);

/// Whether `staticShape` knows more of an operand than its type says.
bool hasUntoldSizes(mlir::linalg::LinalgOp op);

} // namespace hwtune

#endif // HWTUNE_IR_STATICSIZES_H
