//===- StaticSizes.cpp - sizes that other operands tell -------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/StaticSizes.h"

using namespace mlir;

llvm::SmallVector<int64_t> hwtune::staticShape(linalg::LinalgOp op,
                                               OpOperand &operand) {
  SmallVector<int64_t> extents(op.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &other : op->getOpOperands())
    for (auto [index, extent] :
         llvm::zip(op.getMatchingIndexingMap(&other).getResults(),
                   op.getShape(&other)))
      if (auto loop = dyn_cast<AffineDimExpr>(index);
          loop && !ShapedType::isDynamic(extent))
        extents[loop.getPosition()] = extent;
  SmallVector<int64_t> shape(op.getShape(&operand));
  for (auto [index, extent] :
       llvm::zip(op.getMatchingIndexingMap(&operand).getResults(), shape))
    if (auto loop = dyn_cast<AffineDimExpr>(index);
        loop && ShapedType::isDynamic(extent))
      extent = extents[loop.getPosition()];
  return shape;
}

bool hwtune::hasUntoldSizes(linalg::LinalgOp op) {
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return staticShape(op, operand) != op.getShape(&operand);
  });
}
