//===- Generalise.h - named operations as linalg.generic --------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TRANSFORMS_GENERALISE_H
#define HWTUNE_LIB_TRANSFORMS_GENERALISE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

namespace hwtune {

/// `op` as a `linalg.generic`, which takes its place if it is none yet.
inline mlir::FailureOr<mlir::linalg::GenericOp>
generalised(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op) {
  if (auto generic = llvm::dyn_cast<mlir::linalg::GenericOp>(op.getOperation()))
    return generic;
  rewriter.setInsertionPoint(op);
  return mlir::linalg::generalizeNamedOp(rewriter, op);
}

} // namespace hwtune

#endif // HWTUNE_LIB_TRANSFORMS_GENERALISE_H
