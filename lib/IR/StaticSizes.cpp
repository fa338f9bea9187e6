//===- StaticSizes.cpp - sizes that other operands tell -------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/StaticSizes.h"

using namespace mlir;

/// Calls `visit` with the loop and the extent of each dimension of `operand`
/// that one loop indexes alone.
static void
forEachLoopExtent(linalg::LinalgOp op, OpOperand &operand,
                  llvm::function_ref<void(unsigned, int64_t &)> visit,
                  MutableArrayRef<int64_t> shape) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [expr, extent] : llvm::zip(map.getResults(), shape))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      visit(loop.getPosition(), extent);
}

llvm::SmallVector<int64_t> hwtune::staticShape(linalg::LinalgOp op,
                                               OpOperand &operand) {
  SmallVector<int64_t> extents(op.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &other : op->getOpOperands()) {
    SmallVector<int64_t> shape(op.getShape(&other));
    forEachLoopExtent(
        op, other,
        [&](unsigned loop, int64_t &extent) {
          if (!ShapedType::isDynamic(extent))
            extents[loop] = extent;
        },
        shape);
  }
  SmallVector<int64_t> shape(op.getShape(&operand));
  forEachLoopExtent(
      op, operand,
      [&](unsigned loop, int64_t &extent) {
        if (ShapedType::isDynamic(extent))
          extent = extents[loop];
      },
      shape);
  return shape;
}

bool hwtune::hasUntoldSizes(linalg::LinalgOp op) {
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return staticShape(op, operand) != op.getShape(&operand);
  });
}
