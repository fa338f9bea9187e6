//===- HoistAccumulators.cpp - transform.hwtune.hoist_accumulators --------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stock `hoist_redundant_vector_transfers` does nothing, and says nothing,
// where the memref is a view, as every dynamic one is here.
//
//===----------------------------------------------------------------------===//

#include "TransformUtils.h"
#include "hwtune/IR/TransformOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace hwtune {
namespace {

struct Accumulator {
  vector::TransferReadOp read;
  vector::TransferWriteOp write;
  /// The only use of what is read, and what makes what is written, where they
  /// convert between the same two types; else null.
  arith::ExtFOp widen = nullptr;
  arith::TruncFOp narrow = nullptr;
};

/// Finds `widen` and `narrow`, behind changes of leading unit dimensions.
void matchWide(Accumulator &pair) {
  Value read = pair.read.getVector();
  if (read.hasOneUse())
    if (auto row = dyn_cast<vector::ExtractOp>(*read.user_begin()))
      read = row.getResult();
  Value written = pair.write.getVector();
  if (auto whole = written.getDefiningOp<vector::BroadcastOp>())
    written = whole.getSource();
  auto narrow = written.getDefiningOp<arith::TruncFOp>();
  auto widen = read.hasOneUse() ? dyn_cast<arith::ExtFOp>(*read.user_begin())
                                : arith::ExtFOp();
  if (!narrow || !widen || narrow.getType() != widen.getIn().getType() ||
      narrow.getType() != withoutLeadingOnes(pair.read.getVectorType()) ||
      narrow.getIn().getType() != widen.getType())
    return;
  pair.widen = widen;
  pair.narrow = narrow;
}

bool samePlace(vector::TransferReadOp read, vector::TransferWriteOp write) {
  return read.getBase() == write.getBase() &&
         read.getIndices() == write.getIndices() &&
         read.getPermutationMap() == write.getPermutationMap() &&
         read.getVectorType() == write.getVectorType() &&
         read.getInBounds() == write.getInBounds() && !read.getMask() &&
         !write.getMask();
}

bool isInvariant(vector::TransferReadOp read, scf::ForOp loop) {
  return loop.isDefinedOutsideOfLoop(read.getBase()) &&
         llvm::all_of(read.getIndices(), [&](Value index) {
           return loop.isDefinedOutsideOfLoop(index);
         });
}

/// Pairs in the body of `loop` on memrefs that nothing else in it touches.
SmallVector<Accumulator> findAccumulators(scf::ForOp loop) {
  SmallVector<Accumulator> pairs;
  llvm::DenseMap<Value, unsigned> inPairs;
  SmallVector<vector::TransferWriteOp> writes(
      loop.getBody()->getOps<vector::TransferWriteOp>());
  for (auto read : loop.getBody()->getOps<vector::TransferReadOp>()) {
    if (!isInvariant(read, loop))
      continue;
    SmallVector<vector::TransferWriteOp> same;
    for (vector::TransferWriteOp write : writes)
      if (samePlace(read, write))
        same.push_back(write);
    if (same.size() != 1 || same[0]->isBeforeInBlock(read))
      continue;
    pairs.push_back({read, same[0]});
    matchWide(pairs.back());
    inPairs[read.getBase()] += 2;
  }
  llvm::erase_if(pairs, [&](Accumulator &pair) {
    unsigned users = 0;
    for (Operation *user : pair.read.getBase().getUsers())
      users += loop->isProperAncestor(user);
    return users != inPairs[pair.read.getBase()];
  });
  return pairs;
}

/// A value without leading dimensions of size 1 as a vector of `type` again.
Value withLeadingOnes(OpBuilder &b, Value value, VectorType type) {
  if (value.getType() == type)
    return value;
  return vector::BroadcastOp::create(b, value.getLoc(), type, value);
}

/// What `loop` is to carry for `pair`: the value read, before the loop. Its
/// leading dimensions of size 1 are left out: lowerings keep the type of what a
/// loop carries, and those of the stock pipeline want 1-D vectors.
Value hoistRead(RewriterBase &rewriter, scf::ForOp loop, Accumulator &pair) {
  rewriter.moveOpBefore(pair.read, loop);
  rewriter.setInsertionPoint(loop);
  Value carried = dropLeadingOnes(rewriter, pair.read.getVector());
  if (pair.widen) {
    carried = arith::ExtFOp::create(rewriter, pair.widen.getLoc(),
                                    pair.widen.getType(), carried);
    Operation *row = pair.widen.getIn().getDefiningOp();
    rewriter.replaceOp(pair.widen, carried);
    if (row != pair.read) // else a use that hides the pair from outer loops
      rewriter.eraseOp(row);
    return carried;
  }
  rewriter.setInsertionPointToStart(loop.getBody());
  Value inside = withLeadingOnes(rewriter, carried, pair.read.getVectorType());
  rewriter.replaceUsesWithIf(
      pair.read.getVector(), inside,
      [&](OpOperand &use) { return loop->isProperAncestor(use.getOwner()); });
  return carried;
}

scf::ForOp hoist(RewriterBase &rewriter, scf::ForOp loop,
                 SmallVector<Accumulator> pairs) {
  SmallVector<Value> inits;
  for (Accumulator &pair : pairs)
    inits.push_back(hoistRead(rewriter, loop, pair));
  auto yields = [&](OpBuilder &b, Location, ArrayRef<BlockArgument>) {
    SmallVector<Value> values;
    for (Accumulator &pair : pairs)
      values.push_back(pair.narrow
                           ? pair.narrow.getIn()
                           : dropLeadingOnes(b, pair.write.getVector()));
    return values;
  };
  unsigned before = loop.getNumResults();
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/true, yields);
  if (failed(replaced))
    return loop;
  auto result = cast<scf::ForOp>(replaced->getOperation());
  for (auto [i, pair] : llvm::enumerate(pairs)) {
    rewriter.moveOpAfter(pair.write, result);
    rewriter.setInsertionPoint(pair.write);
    Value value = result.getResult(before + i);
    if (pair.narrow)
      value = arith::TruncFOp::create(rewriter, pair.narrow.getLoc(),
                                      pair.narrow.getType(), value);
    value = withLeadingOnes(rewriter, value, pair.write.getVectorType());
    rewriter.modifyOpInPlace(
        pair.write, [&] { pair.write.getValueToStoreMutable().assign(value); });
  }
  return result;
}

} // namespace

DiagnosedSilenceableFailure HoistAccumulatorsOp::applyToOne(
    transform::TransformRewriter &rewriter, Operation *target,
    transform::ApplyToEachResultList &, transform::TransformState &) {
  SmallVector<scf::ForOp> loops;
  // Post-order: inner loops first, so that their accumulators go on outwards.
  target->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    moveLoopInvariantCode(loop);
    SmallVector<Accumulator> pairs = findAccumulators(loop);
    if (!pairs.empty())
      hoist(rewriter, loop, std::move(pairs));
  }
  return DiagnosedSilenceableFailure::success();
}

} // namespace hwtune
