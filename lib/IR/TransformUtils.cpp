//===- TransformUtils.cpp - shared by the extension ops -------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransformUtils.h"
#include "hwtune/IR/OpIsolation.h"
#include "hwtune/Workload/Workload.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace hwtune {

VectorType withoutLeadingOnes(VectorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  while (shape.size() > 1 && shape.front() == 1)
    shape = shape.drop_front();
  return VectorType::get(shape, type.getElementType());
}

Value dropLeadingOnes(OpBuilder &b, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  int64_t ones = type.getRank() - withoutLeadingOnes(type).getRank();
  if (ones == 0)
    return vector;
  return vector::ExtractOp::create(b, vector.getLoc(), vector,
                                   SmallVector<int64_t>(ones, 0));
}

SmallVector<OpFoldResult> loopExtents(OpBuilder &b, Location loc,
                                      linalg::LinalgOp op,
                                      ValueRange operands) {
  SmallVector<OpFoldResult> sizes;
  for (Value operand : operands)
    if (auto type = dyn_cast<ShapedType>(operand.getType()))
      for (int64_t d = 0; d < type.getRank(); ++d)
        sizes.push_back(linalg::createFoldedDimOp(b, loc, operand, d));
  return affine::makeComposedFoldedMultiResultAffineApply(
      b, loc, op.getShapesToLoopsMap(), sizes);
}

linalg::LinalgOp tileAt(RewriterBase &b, linalg::LinalgOp op,
                        ValueRange operands, ArrayRef<OpFoldResult> offsets,
                        ArrayRef<int64_t> tileSizes) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes, starts(tileSizes.size());
  size_t next = 0;
  for (auto [loop, size] : llvm::enumerate(tileSizes)) {
    sizes.push_back(b.getIndexAttr(size));
    if (size != 0)
      starts[loop] = offsets[next++];
  }
  SmallVector<OpFoldResult> bounds = loopExtents(b, loc, op, operands);
  SmallVector<Value> tiles =
      linalg::makeTiledShapes(b, loc, op, operands, offsets, sizes, bounds,
                              /*omitPartialTileCheck=*/true);
  auto tiled = cast<linalg::LinalgOp>(
      mlir::clone(b, op.getOperation(), TypeRange(), tiles));
  linalg::offsetIndices(b, tiled, starts);
  return tiled;
}

/// The map of a memref operand that keeps no unit loop, and the dimensions of
/// the operand that vanish with them. Null map: not a projected permutation.
static AffineMap dropLoops(AffineMap map, const llvm::SmallBitVector &dropped,
                           llvm::SmallBitVector &gone) {
  unsigned next = 0;
  SmallVector<AffineExpr> position(map.getNumDims());
  for (unsigned d = 0; d < map.getNumDims(); ++d)
    if (!dropped.test(d))
      position[d] = getAffineDimExpr(next++, map.getContext());
  SmallVector<AffineExpr> results;
  gone.resize(map.getNumResults());
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return {};
    if (dropped.test(dim.getPosition()))
      gone.set(i);
    else
      results.push_back(position[dim.getPosition()]);
  }
  return AffineMap::get(next, 0, results, map.getContext());
}

linalg::GenericOp dropUnitLoops(RewriterBase &b, linalg::LinalgOp op,
                                const llvm::SmallBitVector &dropped) {
  if (op.hasIndexSemantics())
    return {};
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    llvm::SmallBitVector gone;
    AffineMap map =
        dropLoops(op.getMatchingIndexingMap(&operand), dropped, gone);
    if (!map)
      return {};
    maps.push_back(map);
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || gone.none()) {
      operands.push_back(operand.get());
      continue;
    }
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
        strides(type.getRank(), b.getIndexAttr(1)),
        sizes = memref::getMixedSizes(b, loc, operand.get());
    SmallVector<int64_t> shape;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (!gone.test(d))
        shape.push_back(type.getDimSize(d));
    auto reduced = memref::SubViewOp::inferRankReducedResultType(
        shape, type, offsets, sizes, strides);
    operands.push_back(
        memref::SubViewOp::create(b, loc, cast<MemRefType>(reduced),
                                  operand.get(), offsets, sizes, strides));
  }
  SmallVector<utils::IteratorType> iterators;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (!dropped.test(loop))
      iterators.push_back(kind);
  unsigned numInputs = op.getNumDpsInputs();
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange(), ValueRange(operands).take_front(numInputs),
      ValueRange(operands).drop_front(numInputs), maps, iterators);
  b.inlineRegionBefore(op->getRegion(0), generic.getRegion(),
                       generic.getRegion().begin());
  return generic;
}

SmallVector<Value> splitIndex(OpBuilder &b, Location loc, Value linear,
                              ValueRange counts) {
  // 32 bits: a division by 64-bit values costs the GPU several times more.
  Type i32 = b.getI32Type();
  auto narrow = [&](Value v) -> Value {
    if (std::optional<int64_t> c = constantOf(v))
      return arith::ConstantIntOp::create(b, loc, i32, *c);
    return arith::IndexCastUIOp::create(b, loc, i32, v);
  };
  auto widen = [&](Value v) -> Value {
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), v);
  };
  SmallVector<Value> digits(counts.size());
  if (counts.size() == 1) {
    digits[0] = linear;
    return digits;
  }
  Value rest = narrow(linear);
  for (size_t i = counts.size(); i-- > 0;) {
    if (i == 0) {
      digits[i] = widen(rest);
      break;
    }
    Value count = narrow(counts[i]);
    digits[i] = widen(arith::RemUIOp::create(b, loc, rest, count));
    rest = arith::DivUIOp::create(b, loc, rest, count);
  }
  return digits;
}

std::optional<int64_t> blockThreads(Operation *op) {
  auto launch = op->getParentOfType<gpu::LaunchOp>();
  if (!launch)
    return std::nullopt;
  int64_t product = 1;
  for (Value size : {launch.getBlockSizeX(), launch.getBlockSizeY(),
                     launch.getBlockSizeZ()}) {
    std::optional<int64_t> c = constantOf(size);
    if (!c)
      return std::nullopt;
    product *= *c;
  }
  return product;
}

void resolveViews(OpBuilder &b, Location loc, Value &memref,
                  SmallVectorImpl<Value> &indices) {
  AffineExpr index, offset, stride;
  bindDims(b.getContext(), index);
  bindSymbols(b.getContext(), offset, stride);
  for (;;) {
    if (auto cast = memref.getDefiningOp<memref::CastOp>()) {
      memref = cast.getSource();
      continue;
    }
    auto view = memref.getDefiningOp<memref::SubViewOp>();
    if (!view)
      return;
    llvm::SmallBitVector dropped = view.getDroppedDims();
    SmallVector<Value> outer;
    size_t next = 0;
    for (auto [d, start] : llvm::enumerate(view.getMixedOffsets())) {
      OpFoldResult inner = b.getIndexAttr(0);
      if (!dropped.test(d))
        inner = indices[next++];
      outer.push_back(getValueOrCreateConstantIndexOp(
          b, loc,
          affine::makeComposedFoldedAffineApply(
              b, loc, offset + index * stride,
              {inner, start, view.getMixedStrides()[d]})));
    }
    indices.assign(outer.begin(), outer.end());
    memref = view.getSource();
  }
}

Value trueMemref(Value rounded) {
  auto cast = rounded.getDefiningOp<UnrealizedConversionCastOp>();
  if (!cast || cast.getInputs().size() != 1 ||
      !isa<MemRefType>(cast.getInputs()[0].getType()))
    return {};
  return cast.getInputs()[0];
}

std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

static constexpr int64_t kLargestFactor = int64_t(1) << 30;

int64_t powerOfTwoIn(int64_t constant) {
  if (constant == 0)
    return kLargestFactor;
  uint64_t bits = uint64_t(constant); // whose negation is always defined
  return int64_t(std::min(bits & -bits, uint64_t(kLargestFactor)));
}

static int64_t factorOf(AffineExpr expr, ArrayRef<Value> dims,
                        ArrayRef<Value> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return powerOfTwoIn(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return knownPowerOfTwoFactor(dims[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return knownPowerOfTwoFactor(symbols[symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = factorOf(binary.getLHS(), dims, symbols);
  int64_t rhs = factorOf(binary.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mod:
    return std::min(lhs, rhs);
  case AffineExprKind::Mul:
    return std::min(lhs * rhs, kLargestFactor);
  default:
    return 1;
  }
}

int64_t knownPowerOfTwoFactor(Value value) {
  if (std::optional<int64_t> constant = constantOf(value))
    return powerOfTwoIn(*constant);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop =
        dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || loop.getInductionVar() != argument)
      return 1;
    return std::min(knownPowerOfTwoFactor(loop.getLowerBound()),
                    knownPowerOfTwoFactor(loop.getStep()));
  }
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<Value> operands(apply.getMapOperands());
    ArrayRef<Value> all(operands);
    unsigned numDims = apply.getAffineMap().getNumDims();
    return factorOf(apply.getAffineMap().getResult(0), all.take_front(numDims),
                    all.drop_front(numDims));
  }
  if (isa<arith::IndexCastUIOp, arith::IndexCastOp>(op))
    return knownPowerOfTwoFactor(op->getOperand(0));
  if (isa<arith::AddIOp, arith::SubIOp, arith::RemUIOp, arith::RemSIOp>(op))
    return std::min(knownPowerOfTwoFactor(op->getOperand(0)),
                    knownPowerOfTwoFactor(op->getOperand(1)));
  if (isa<arith::MulIOp>(op))
    return std::min(knownPowerOfTwoFactor(op->getOperand(0)) *
                        knownPowerOfTwoFactor(op->getOperand(1)),
                    kLargestFactor);
  return 1;
}

int64_t dynamicRowMultiple(Operation *op, MemRefType type) {
  auto function = op->getParentOfType<func::FuncOp>();
  if (!function || !function->hasAttr(kWholeRowsMark))
    return 1;
  return rowElements(type);
}

} // namespace hwtune
