//===- TileToThreads.cpp - tile_loop and tile_to_threads ------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransformUtils.h"
#include "hwtune/IR/TransformOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hwtune {

DiagnosedSilenceableFailure TileLoopOp::applyToOne(
    transform::TransformRewriter &rewriter, Operation *target,
    transform::ApplyToEachResultList &results, transform::TransformState &) {
  auto op = dyn_cast<linalg::LinalgOp>(target);
  if (!op || !op.hasPureBufferSemantics())
    return emitDefiniteFailure() << "expected a linalg op on memrefs, found '"
                                 << target->getName() << "'";
  unsigned numLoops = op.getNumLoops();
  if (getDim() < 0 || getDim() >= numLoops || getSize() < 1)
    return emitDefiniteFailure()
           << "expected dim in [0, " << numLoops << ") and size >= 1, found "
           << getDim() << " and " << getSize();
  Location loc = target->getLoc();
  rewriter.setInsertionPoint(target);
  SmallVector<OpFoldResult> extents =
      loopExtents(rewriter, loc, op, op->getOperands());
  auto index = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, v);
  };
  auto loop = scf::ForOp::create(rewriter, loc, index(rewriter.getIndexAttr(0)),
                                 index(extents[getDim()]),
                                 index(rewriter.getIndexAttr(getSize())));
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  SmallVector<int64_t> sizes(numLoops, 0);
  sizes[getDim()] = getSize();
  linalg::LinalgOp tiled =
      tileAt(rewriter, op, op->getOperands(), {loop.getInductionVar()}, sizes);
  if (getDropUnitLoop() && getSize() == 1) {
    llvm::SmallBitVector dropped(numLoops);
    dropped.set(getDim());
    linalg::GenericOp smaller = dropUnitLoops(rewriter, tiled, dropped);
    if (!smaller)
      return emitDefiniteFailure()
             << "drop_unit_loop needs projected permutations and no index in "
                "the body";
    rewriter.eraseOp(tiled);
    tiled = cast<linalg::LinalgOp>(smaller.getOperation());
  }
  rewriter.eraseOp(target);
  results.push_back(tiled);
  results.push_back(loop);
  return DiagnosedSilenceableFailure::success();
}

namespace {

/// How one loop is dealt to the threads.
struct Deal {
  unsigned loop;
  int64_t tile, threads, rounds;
};

/// Visits all combinations of rounds, the last loop fastest.
void forEachRound(ArrayRef<Deal> deals, SmallVectorImpl<int64_t> &round,
                  function_ref<void(ArrayRef<int64_t>)> visit) {
  if (round.size() == deals.size())
    return visit(round);
  for (int64_t r = 0; r < deals[round.size()].rounds; ++r) {
    round.push_back(r);
    forEachRound(deals, round, visit);
    round.pop_back();
  }
}

/// Start of a thread's tile: (round * threads + thread) * tile.
OpFoldResult tileStart(OpBuilder &b, Location loc, const Deal &deal,
                       int64_t round, Value thread) {
  if (deal.threads == 1)
    return b.getIndexAttr(round * deal.tile);
  AffineExpr id = b.getAffineDimExpr(0);
  return affine::makeComposedFoldedAffineApply(
      b, loc, id * deal.tile + round * deal.threads * deal.tile,
      {OpFoldResult(thread)});
}

/// The loops that are dealt, or why they cannot be.
std::optional<SmallVector<Deal>> dealLoops(ArrayRef<int64_t> extents,
                                           ArrayRef<int64_t> tiles,
                                           ArrayRef<int64_t> threads,
                                           std::string &why) {
  llvm::raw_string_ostream reason(why);
  if (tiles.size() != extents.size() || threads.size() != extents.size()) {
    reason << "expected one tile size and one thread count for each of "
           << extents.size() << " loops, found " << tiles.size() << " and "
           << threads.size();
    return std::nullopt;
  }
  SmallVector<Deal> deals;
  for (unsigned d = 0; d < extents.size(); ++d) {
    if (threads[d] == 0)
      continue;
    int64_t turn = tiles[d] * threads[d];
    if (turn <= 0 || ShapedType::isDynamic(extents[d]) ||
        extents[d] % turn != 0) {
      reason << "extent " << extents[d] << " of loop " << d
             << " is no multiple of " << threads[d] << " threads of tile "
             << tiles[d];
      return std::nullopt;
    }
    deals.push_back({d, tiles[d], threads[d], extents[d] / turn});
  }
  return deals;
}

/// The id of the thread among `used` ones; where the block has more, what
/// follows goes where the others do not come.
Value activeThread(OpBuilder &b, Location loc, int64_t used,
                   int64_t available) {
  Value id = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  if (used == available)
    return id;
  Value limit = arith::ConstantIndexOp::create(b, loc, used);
  Value active =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, id, limit);
  auto branch = scf::IfOp::create(b, loc, active, /*withElse=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  return id;
}

/// `op` on every tile of one thread.
void emitTiles(RewriterBase &b, linalg::LinalgOp op, ArrayRef<Deal> deals,
               Value id, SmallVectorImpl<Operation *> &all) {
  Location loc = op.getLoc();
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  SmallVector<Value> counts;
  for (const Deal &deal : deals) {
    sizes[deal.loop] = deal.tile;
    counts.push_back(arith::ConstantIndexOp::create(b, loc, deal.threads));
  }
  SmallVector<Value> ids = splitIndex(b, loc, id, counts);
  SmallVector<int64_t> round;
  forEachRound(deals, round, [&](ArrayRef<int64_t> r) {
    SmallVector<OpFoldResult> starts;
    for (size_t i = 0; i < deals.size(); ++i)
      starts.push_back(tileStart(b, loc, deals[i], r[i], ids[i]));
    all.push_back(tileAt(b, op, op->getOperands(), starts, sizes));
  });
}

} // namespace

DiagnosedSilenceableFailure
TileToThreadsOp::apply(transform::TransformRewriter &rewriter,
                       transform::TransformResults &results,
                       transform::TransformState &state) {
  SmallVector<Operation *> all;
  for (Operation *target : llvm::to_vector(state.getPayloadOps(getTarget()))) {
    auto op = dyn_cast<linalg::LinalgOp>(target);
    if (!op || !op.hasPureBufferSemantics())
      return emitDefiniteFailure() << "expected a linalg op on memrefs, found '"
                                   << target->getName() << "'";
    std::string why;
    std::optional<SmallVector<Deal>> deals = dealLoops(
        op.getStaticLoopRanges(), getTileSizes(), getNumThreads(), why);
    if (!deals)
      return emitDefiniteFailure() << why;
    int64_t used = 1;
    for (const Deal &deal : *deals)
      used *= deal.threads;
    std::optional<int64_t> available = blockThreads(target);
    if (!available || *available < used)
      return emitDefiniteFailure()
             << "needs " << used << " threads, the launch has "
             << available.value_or(0);
    rewriter.setInsertionPoint(target);
    Value id = activeThread(rewriter, target->getLoc(), used, *available);
    emitTiles(rewriter, op, *deals, id, all);
    rewriter.eraseOp(target);
  }
  results.set(cast<OpResult>(getTiled()), all);
  return DiagnosedSilenceableFailure::success();
}

} // namespace hwtune
