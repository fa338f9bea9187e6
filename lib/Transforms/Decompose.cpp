//===- Decompose.cpp - aggregate operations into linalg ones --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/Decompose.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

LogicalResult hwtune::decomposeAggregates(ModuleOp module) {
  SmallVector<linalg::AggregatedOpInterface> aggregates;
  module.walk([&](linalg::AggregatedOpInterface op) {
    // On buffers there is no result to replace: such an operation stays.
    if (!isa<linalg::LinalgOp>(op.getOperation()) && op->getNumResults() != 0)
      aggregates.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (linalg::AggregatedOpInterface op : aggregates) {
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (succeeded(results))
      rewriter.replaceOp(op, *results);
  }
  return success();
}
