//===- TileToGrid.cpp - transform.hwtune.tile_to_grid ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles always have their full static size. Where a tile overhangs a static
// extent, the operand goes through an opaque cast to rounded-up extents with
// the true strides, or the verifier of memref.subview would refuse the tile
// once its offset is constant. A dynamic extent needs no cast.
//
//===----------------------------------------------------------------------===//

#include "TransformUtils.h"
#include "hwtune/IR/TransformOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <array>

using namespace mlir;

namespace hwtune {
namespace {

/// Limits of grid.y and grid.z that every CUDA device has.
constexpr int64_t kMaxGridYZ = 65535;

/// Blocks along each tiled loop, and how they lie in the launch grid.
struct Grid {
  SmallVector<unsigned> loops;      ///< that are tiled, in order
  SmallVector<OpFoldResult> blocks; ///< along each of them
  bool linear = false;              ///< all in x, else x, y and the rest in z
  std::array<OpFoldResult, 3> size; ///< of the launch
};

OpFoldResult product(OpBuilder &b, Location loc,
                     ArrayRef<OpFoldResult> factors) {
  OpFoldResult result = b.getIndexAttr(1);
  AffineExpr d0, d1;
  bindDims(b.getContext(), d0, d1);
  for (OpFoldResult factor : factors) {
    // A product of two values is not affine.
    std::optional<int64_t> l = getConstantIntValue(result),
                           r = getConstantIntValue(factor);
    if (l && r)
      result = b.getIndexAttr(*l * *r);
    else if (l && *l == 1)
      result = factor;
    else if (!r || *r != 1)
      result = arith::MulIOp::create(
                   b, loc, getValueOrCreateConstantIndexOp(b, loc, result),
                   getValueOrCreateConstantIndexOp(b, loc, factor))
                   .getResult();
  }
  return result;
}

OpFoldResult ceilDiv(OpBuilder &b, Location loc, OpFoldResult extent,
                     int64_t tile) {
  AffineExpr d0 = b.getAffineDimExpr(0);
  return affine::makeComposedFoldedAffineApply(b, loc, d0.ceilDiv(tile),
                                               {extent});
}

/// Blocks along a loop: one also where a dynamic extent is 0 at run time, for
/// which there is no launch. All its points lie outside and are guarded.
OpFoldResult blocksAlong(OpBuilder &b, Location loc, OpFoldResult extent,
                         int64_t tile) {
  OpFoldResult blocks = ceilDiv(b, loc, extent, tile);
  if (getConstantIntValue(blocks))
    return blocks;
  return arith::MaxSIOp::create(b, loc,
                                getValueOrCreateConstantIndexOp(b, loc, blocks),
                                arith::ConstantIndexOp::create(b, loc, 1))
      .getResult();
}

Grid makeGrid(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> extents,
              ArrayRef<int64_t> tileSizes) {
  Grid grid;
  bool isStatic = true;
  for (auto [loop, tile] : llvm::enumerate(tileSizes)) {
    if (tile == 0)
      continue;
    OpFoldResult blocks = blocksAlong(b, loc, extents[loop], tile);
    isStatic &= getConstantIntValue(blocks).has_value();
    grid.loops.push_back(loop);
    grid.blocks.push_back(blocks);
  }
  ArrayRef<OpFoldResult> blocks(grid.blocks);
  size_t n = blocks.size();
  OpFoldResult one = b.getIndexAttr(1);
  grid.size = {n > 0 ? blocks[n - 1] : one, n > 1 ? blocks[n - 2] : one,
               n > 2 ? product(b, loc, blocks.drop_back(2)) : one};
  // y and z have room for fewer blocks; what is not known to fit goes to x.
  grid.linear =
      n > 1 && (!isStatic || *getConstantIntValue(grid.size[1]) > kMaxGridYZ ||
                *getConstantIntValue(grid.size[2]) > kMaxGridYZ);
  if (grid.linear)
    grid.size = {product(b, loc, blocks), one, one};
  return grid;
}

/// Tile number along each tiled loop, inside the launch.
SmallVector<Value> blockCoordinates(OpBuilder &b, Location loc,
                                    gpu::LaunchOp launch, const Grid &grid,
                                    ArrayRef<OpFoldResult> blocksInside) {
  size_t n = grid.loops.size();
  gpu::KernelDim3 ids = launch.getBlockIds();
  if (n == 0)
    return {};
  SmallVector<Value> counts;
  for (OpFoldResult count : blocksInside)
    counts.push_back(getValueOrCreateConstantIndexOp(b, loc, count));
  if (grid.linear || n == 1)
    return splitIndex(b, loc, ids.x, counts);
  SmallVector<Value> coordinates;
  if (n > 2)
    coordinates = splitIndex(b, loc, ids.z, ValueRange(counts).drop_back(2));
  coordinates.push_back(ids.y);
  coordinates.push_back(ids.x);
  return coordinates;
}

gpu::LaunchOp makeLaunch(OpBuilder &b, Location loc, const Grid &grid,
                         int64_t threads) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value block = arith::ConstantIndexOp::create(b, loc, threads);
  SmallVector<Value> sizes;
  for (OpFoldResult size : grid.size)
    sizes.push_back(getValueOrCreateConstantIndexOp(b, loc, size));
  auto launch = gpu::LaunchOp::create(b, loc, sizes[0], sizes[1], sizes[2],
                                      block, one, one);
  b.setInsertionPointToEnd(&launch.getBody().front());
  gpu::TerminatorOp::create(b, loc);
  b.setInsertionPointToStart(&launch.getBody().front());
  return launch;
}

/// `value` seen with static extents large enough for loops of `extents`.
Value roundUp(OpBuilder &b, Location loc, Value value, AffineMap map,
              ArrayRef<int64_t> extents) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return value;
  SmallVector<int64_t> shape(type.getShape());
  for (auto [d, expr] : llvm::enumerate(map.getResults())) {
    if (ShapedType::isDynamic(shape[d]))
      continue;
    SmallVector<AffineExpr> last;
    for (int64_t extent : extents)
      last.push_back(b.getAffineConstantExpr(std::max<int64_t>(extent, 1) - 1));
    AffineExpr bound = expr.replaceDims(last);
    if (auto constant = dyn_cast<AffineConstantExpr>(bound))
      shape[d] = std::max(shape[d], constant.getValue() + 1);
  }
  if (ArrayRef<int64_t>(shape) == type.getShape())
    return value;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return {};
  auto rounded =
      MemRefType::get(shape, type.getElementType(),
                      StridedLayoutAttr::get(b.getContext(), offset, strides),
                      type.getMemorySpace());
  return UnrealizedConversionCastOp::create(b, loc, rounded, value)
      .getResult(0);
}

/// The operands of `op` with extents rounded up to `round`; empty where one
/// has no strided layout.
SmallVector<Value> roundOperands(OpBuilder &b, linalg::LinalgOp op,
                                 ArrayRef<OpFoldResult> extents,
                                 ArrayRef<int64_t> round) {
  SmallVector<int64_t> rounded;
  for (auto [extent, multiple] : llvm::zip_equal(extents, round))
    rounded.push_back(
        llvm::alignTo(getConstantIntValue(extent).value_or(1),
                      static_cast<uint64_t>(std::max<int64_t>(multiple, 1))));
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    operands.push_back(roundUp(b, op.getLoc(), operand.get(),
                               op.getMatchingIndexingMap(&operand), rounded));
    if (!operands.back())
      return {};
  }
  return operands;
}

/// The op on the tile of this block.
linalg::LinalgOp tileOfBlock(RewriterBase &b, linalg::LinalgOp op,
                             gpu::LaunchOp launch, const Grid &grid,
                             ValueRange operands,
                             ArrayRef<OpFoldResult> extents,
                             ArrayRef<int64_t> tiles) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> blocks, offsets;
  for (unsigned loop : grid.loops)
    blocks.push_back(blocksAlong(b, loc, extents[loop], tiles[loop]));
  for (auto [loop, id] : llvm::zip_equal(
           grid.loops, blockCoordinates(b, loc, launch, grid, blocks)))
    offsets.push_back(affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0) * tiles[loop], {OpFoldResult(id)}));
  linalg::LinalgOp tiled = tileAt(b, op, operands, offsets, tiles);
  tiled->removeAttr("hwtune.op");
  return tiled;
}

} // namespace

DiagnosedSilenceableFailure TileToGridOp::applyToOne(
    transform::TransformRewriter &rewriter, Operation *target,
    transform::ApplyToEachResultList &results, transform::TransformState &) {
  auto op = dyn_cast<linalg::LinalgOp>(target);
  if (!op || !op.hasPureBufferSemantics())
    return emitDefiniteFailure() << "expected a linalg op on memrefs, found '"
                                 << target->getName() << "'";
  ArrayRef<int64_t> tiles = getTileSizes();
  ArrayRef<int64_t> round = getRoundTo().value_or(tiles);
  unsigned numLoops = op.getNumLoops();
  if (tiles.size() != numLoops || round.size() != numLoops)
    return emitDefiniteFailure()
           << "expected one tile size and one multiple for each of " << numLoops
           << " loops, found " << tiles.size() << " and " << round.size();
  if (static_cast<int64_t>(getThreads()) < 1)
    return emitDefiniteFailure() << "threads " << getThreads() << " < 1";

  Location loc = target->getLoc();
  rewriter.setInsertionPoint(target);
  Grid grid = makeGrid(
      rewriter, loc, loopExtents(rewriter, loc, op, op->getOperands()), tiles);
  gpu::LaunchOp launch = makeLaunch(rewriter, loc, grid, getThreads());
  rewriter.setInsertionPoint(launch.getBody().front().getTerminator());
  SmallVector<OpFoldResult> extents =
      loopExtents(rewriter, loc, op, op->getOperands());
  SmallVector<Value> operands = roundOperands(rewriter, op, extents, round);
  if (operands.empty())
    return emitDefiniteFailure() << "an operand has no strided layout";
  linalg::LinalgOp tiled =
      tileOfBlock(rewriter, op, launch, grid, operands, extents, tiles);

  if (getDropUnitLoops()) {
    llvm::SmallBitVector dropped(numLoops);
    for (unsigned loop = 0; loop < numLoops; ++loop)
      dropped[loop] = tiles[loop] == 1;
    linalg::GenericOp smaller = dropUnitLoops(rewriter, tiled, dropped);
    if (!smaller)
      return emitDefiniteFailure()
             << "drop_unit_loops needs projected permutations and no index "
                "in the body";
    rewriter.eraseOp(tiled);
    tiled = cast<linalg::LinalgOp>(smaller.getOperation());
  }
  rewriter.eraseOp(target);
  results.push_back(tiled);
  results.push_back(launch);
  return DiagnosedSilenceableFailure::success();
}

} // namespace hwtune
