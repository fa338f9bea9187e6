//===- VectorizeContraction.cpp - transform.hwtune.vectorize_contraction --===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stock way (vectorize, reduction_to_contract, lower_contraction,
// lower_outerproduct) ends at the same multiply-adds, but takes several pattern
// drivers over the whole kernel, and does not form a contraction where the
// inputs are widened first.
//
//===----------------------------------------------------------------------===//

#include "BodyAnalysis.h"
#include "TransformUtils.h"
#include "hwtune/IR/TransformOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace hwtune {
namespace {

/// A whole operand in registers.
struct Fragment {
  Value vector;
  AffineMap map;

  /// Position in the vector of the loop values `at`.
  SmallVector<int64_t> position(ArrayRef<int64_t> at) const {
    SmallVector<int64_t> result;
    for (AffineExpr expr : map.getResults())
      result.push_back(at[cast<AffineDimExpr>(expr).getPosition()]);
    return result;
  }
  Value element(OpBuilder &b, Location loc, ArrayRef<int64_t> at) const {
    return vector::ExtractOp::create(b, loc, vector, position(at));
  }
  /// All elements along `loop`, the other loops at `at`.
  Value row(OpBuilder &b, Location loc, unsigned loop, int64_t extent,
            ArrayRef<int64_t> at) const {
    auto last = cast<AffineDimExpr>(map.getResults().back());
    auto type = cast<VectorType>(vector.getType());
    if (last.getPosition() == loop) {
      SmallVector<int64_t> outer = position(at);
      outer.pop_back();
      return outer.empty()
                 ? vector
                 : vector::ExtractOp::create(b, loc, vector, outer).getResult();
    }
    SmallVector<Value> elements;
    SmallVector<int64_t> here(at);
    for (here[loop] = 0; here[loop] < extent; ++here[loop])
      elements.push_back(element(b, loc, here));
    return vector::FromElementsOp::create(
        b, loc, VectorType::get({extent}, type.getElementType()), elements);
  }
};

Fragment readFragment(OpBuilder &b, linalg::LinalgOp op, OpOperand &operand) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(operand.get().getType());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value pad =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  SmallVector<bool> inBounds(type.getRank(), true);
  Value vector = vector::TransferReadOp::create(
      b, loc, VectorType::get(type.getShape(), type.getElementType()),
      operand.get(), SmallVector<Value>(type.getRank(), zero),
      std::optional<Value>(pad), std::optional<ArrayRef<bool>>(inBounds));
  return {vector, op.getMatchingIndexingMap(&operand)};
}

/// `vector`, each element converted as `cast` converts a number; null: as it
/// is.
Value convert(OpBuilder &b, Value vector, Operation *cast) {
  if (!cast)
    return vector;
  OperationState state(cast->getLoc(), cast->getName());
  state.addOperands(vector);
  state.addTypes(
      VectorType::get(mlir::cast<VectorType>(vector.getType()).getShape(),
                      cast->getResult(0).getType()));
  state.addAttributes(cast->getAttrs());
  return b.create(state)->getResult(0);
}

/// An input as it enters the multiplication.
Fragment readInput(OpBuilder &b, linalg::LinalgOp op, unsigned number,
                   Operation *cast) {
  Fragment f = readFragment(b, op, op->getOpOperand(number));
  // No lowering turns elementwise operations on 1 x n vectors into 1-D ones.
  f.vector = dropLeadingOnes(b, f.vector);
  f.map = f.map.getMinorSubMap(
      mlir::cast<VectorType>(f.vector.getType()).getRank());
  f.vector = convert(b, f.vector, cast);
  return f;
}

Value multiplyAdd(OpBuilder &b, Location loc, Value scalar, Value row,
                  Value sum) {
  Value spread = vector::BroadcastOp::create(b, loc, row.getType(), scalar);
  if (isa<FloatType>(getElementTypeOrSelf(sum.getType())))
    return vector::FMAOp::create(b, loc, spread, row, sum);
  Value product = arith::MulIOp::create(b, loc, spread, row);
  return arith::AddIOp::create(b, loc, sum, product);
}

/// Visits all values of `loops`, the last one fastest.
void forEach(ArrayRef<unsigned> loops, ArrayRef<int64_t> extents,
             SmallVectorImpl<int64_t> &at, function_ref<void()> visit) {
  if (loops.empty())
    return visit();
  for (int64_t i = 0; i < extents[loops.front()]; ++i) {
    at[loops.front()] = i;
    forEach(loops.drop_front(), extents, at, visit);
  }
  at[loops.front()] = 0;
}

bool hasForm(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !op.hasPureBufferSemantics())
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || !type.hasStaticShape() || type.getRank() == 0 ||
        !op.getMatchingIndexingMap(&operand).isProjectedPermutation())
      return false;
  }
  return true;
}

} // namespace

DiagnosedSilenceableFailure VectorizeContractionOp::applyToOne(
    transform::TransformRewriter &rewriter, Operation *target,
    transform::ApplyToEachResultList &, transform::TransformState &) {
  auto op = dyn_cast<linalg::LinalgOp>(target);
  std::optional<MultiplyAccumulate> body;
  if (op && hasForm(op))
    body = matchMultiplyAccumulate(op);
  if (!body)
    return emitDefiniteFailure()
           << "expected a multiply-add of two memrefs of static shape, indexed "
              "by projected permutations, found '"
           << target->getName() << "'";
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  OpOperand &init = op.getDpsInitsMutable()[0];
  Fragment inputs[2];
  for (unsigned i : {0, 1})
    inputs[body->input[i]] =
        readInput(rewriter, op, body->input[i], body->convert[i]);
  Fragment sum = readFragment(rewriter, op, init);

  // Rows run along the last dimension of the output; one input has that loop.
  unsigned along =
      cast<AffineDimExpr>(sum.map.getResults().back()).getPosition();
  auto isAlong = [&](unsigned input) {
    return op.getMatchingIndexingMap(&target->getOpOperand(input))
        .isFunctionOfDim(along);
  };
  bool firstHasIt = isAlong(0);
  const Fragment &rows = inputs[firstHasIt ? 0 : 1],
                 &scalars = inputs[firstHasIt ? 1 : 0];
  if (firstHasIt == isAlong(1))
    return emitDefiniteFailure()
           << "the last loop of the output must index exactly one input";
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> outer, reductions;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (loop != along)
      (kind == utils::IteratorType::reduction ? reductions : outer)
          .push_back(loop);

  Value result = sum.vector;
  SmallVector<int64_t> at(extents.size(), 0);
  forEach(outer, extents, at, [&] {
    Value row = sum.row(rewriter, loc, along, extents[along], at);
    forEach(reductions, extents, at, [&] {
      row =
          multiplyAdd(rewriter, loc, scalars.element(rewriter, loc, at),
                      rows.row(rewriter, loc, along, extents[along], at), row);
    });
    SmallVector<int64_t> position = sum.position(at);
    position.pop_back();
    result = position.empty() ? row
                              : vector::InsertOp::create(rewriter, loc, row,
                                                         result, position)
                                    .getResult();
  });
  auto type = cast<MemRefType>(init.get().getType());
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  SmallVector<bool> inBounds(type.getRank(), true);
  vector::TransferWriteOp::create(rewriter, loc, result, init.get(),
                                  SmallVector<Value>(type.getRank(), zero),
                                  std::optional<ArrayRef<bool>>(inBounds));
  rewriter.eraseOp(op);
  return DiagnosedSilenceableFailure::success();
}

} // namespace hwtune
