//===- UnitWindows.cpp - windows that do not slide ------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitWindows.h"

#include "Generalise.h"

using namespace mlir;

/// Loops of one iteration that a map of `op` adds to another loop.
static SmallVector<unsigned> addedUnitLoops(linalg::LinalgOp op) {
  llvm::SmallBitVector added(op.getNumLoops());
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults())
      if (!isa<AffineDimExpr>(expr))
        expr.walk([&](AffineExpr part) {
          if (auto dim = dyn_cast<AffineDimExpr>(part))
            added.set(dim.getPosition());
        });
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  return llvm::filter_to_vector(
      added.set_bits(), [&](unsigned loop) { return extents[loop] == 1; });
}

/// Whether `size` is known to be all that `index` runs over: a picture may be
/// larger than what its windows cover, and a loop whose extent it gives must
/// not be.
static bool coversWhole(AffineExpr index, int64_t size,
                        ArrayRef<int64_t> extents) {
  auto loop = dyn_cast<AffineDimExpr>(index);
  return !ShapedType::isDynamic(size) &&
         size == (loop ? extents[loop.getPosition()] : 1);
}

/// Whether every dimension of an operand is indexed by one loop at most once
/// `loops` are gone, and where one of these was added to that, by the whole of
/// it.
static bool isPlainWithout(linalg::LinalgOp op, ArrayRef<unsigned> loops) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> left;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    left.push_back(llvm::is_contained(loops, loop)
                       ? getAffineConstantExpr(0, context)
                       : getAffineDimExpr(loop, context));
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    AffineMap plain = map.replaceDimsAndSymbols(left, {}, op.getNumLoops(), 0);
    if (map.getNumSymbols() != 0 ||
        !plain.isProjectedPermutation(/*allowZeroInResults=*/true))
      return false;
    for (auto [before, after, size] : llvm::zip_equal(
             map.getResults(), plain.getResults(), op.getShape(&operand)))
      if (!isa<AffineDimExpr>(before) && !coversWhole(after, size, extents))
        return false;
  }
  return true;
}

void hwtune::dropUnitWindows(RewriterBase &rewriter, linalg::LinalgOp op) {
  SmallVector<unsigned> loops = addedUnitLoops(op);
  if (loops.empty() || !isPlainWithout(op, loops) || op.hasIndexSemantics())
    return;
  FailureOr<linalg::GenericOp> generic = generalised(rewriter, op);
  if (failed(generic))
    return;
  rewriter.setInsertionPoint(*generic);
  linalg::ControlDropUnitDims options;
  options.controlFn = [&](Operation *) { return loops; };
  FailureOr<linalg::DropUnitDimsResult> dropped =
      linalg::dropUnitDims(rewriter, *generic, options);
  if (succeeded(dropped))
    rewriter.replaceOp(*generic, dropped->replacements);
}
