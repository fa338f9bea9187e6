//===- LowerTransfers.cpp - transform.hwtune.lower_transfers --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The widest access a GPU thread can make needs an address aligned to its
// width. LLVM proves that only sometimes, and falls back to scalars without a
// word; here it is computed from strides and indices and stated on the access.
//
//===----------------------------------------------------------------------===//

#include "TransformUtils.h"
#include "hwtune/IR/TransformOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/VectorInterfaces.h"
#include "llvm/Support/Alignment.h"

#include <algorithm>

using namespace mlir;

namespace hwtune {
namespace {

/// Bytes of the widest access of one thread.
constexpr int64_t kWidestAccess = 16;

/// One transfer taken apart into accesses of `width` elements.
class Lowering {
public:
  Lowering(RewriterBase &b, VectorTransferOpInterface transfer,
           int64_t baseAlignment);
  /// False where the transfer is of a form not handled here.
  bool supported();
  void run();

private:
  /// Bytes the address is known to be a multiple of, at the first element of
  /// each row of the vector.
  int64_t addressAlignment();
  int64_t chooseWidth();
  Value condition(ArrayRef<int64_t> position);
  SmallVector<Value> indicesAt(ArrayRef<int64_t> position);
  Value load(ArrayRef<int64_t> position);
  void store(ArrayRef<int64_t> position, Value piece);
  Value insert(Value into, Value piece, ArrayRef<int64_t> position);
  Value extract(ArrayRef<int64_t> position);
  void lowerRead(ArrayRef<SmallVector<int64_t>> positions);
  void lowerWrite(ArrayRef<SmallVector<int64_t>> positions);

  RewriterBase &b;
  VectorTransferOpInterface transfer;
  Location loc;
  MemRefType memref;
  VectorType vector;
  AffineMap map;
  int64_t baseAlignment;
  int64_t elementBytes;
  int64_t width = 1;
};

Lowering::Lowering(RewriterBase &b, VectorTransferOpInterface transfer,
                   int64_t baseAlignment)
    : b(b), transfer(transfer), loc(transfer.getLoc()),
      memref(cast<MemRefType>(transfer.getBase().getType())),
      vector(transfer.getVectorType()), map(transfer.getPermutationMap()),
      baseAlignment(baseAlignment),
      elementBytes(
          std::max<int64_t>(1, vector.getElementType().isIndex()
                                   ? 8
                                   : vector.getElementTypeBitWidth() / 8)) {}

bool Lowering::supported() {
  if (transfer.getMask() || isa<VectorType>(memref.getElementType()))
    return false;
  for (AffineExpr expr : map.getResults())
    if (!isa<AffineDimExpr, AffineConstantExpr>(expr))
      return false;
  return true;
}

int64_t Lowering::addressAlignment() {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset))
    return elementBytes;
  int64_t elements = offset == 0 ? kWidestAccess : (offset & -offset);
  auto row = map.getNumResults() > 0
                 ? dyn_cast<AffineDimExpr>(map.getResults().back())
                 : AffineDimExpr(nullptr);
  for (auto [d, index] : llvm::enumerate(transfer.getIndices())) {
    int64_t stride = ShapedType::isDynamic(strides[d])
                         ? dynamicRowMultiple(transfer, memref)
                     : strides[d] == 0 ? 1
                                       : powerOfTwoIn(strides[d]);
    bool walked = false; // by a dimension of the vector, other than the row
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      walked |= expr == getAffineDimExpr(d, b.getContext()) &&
                !(row && row.getPosition() == d) && vector.getDimSize(i) > 1;
    int64_t factor = walked ? 1 : knownPowerOfTwoFactor(index);
    elements = std::min(elements, factor * stride);
  }
  return std::min(baseAlignment, elements * elementBytes);
}

int64_t Lowering::chooseWidth() {
  if (vector.getRank() == 0)
    return 1;
  auto row = dyn_cast<AffineDimExpr>(map.getResults().back());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!row || failed(memref.getStridesAndOffset(strides, offset)) ||
      strides[row.getPosition()] != 1)
    return 1;
  int64_t widest = std::min(kWidestAccess, addressAlignment()) / elementBytes;
  int64_t last = vector.getShape().back();
  int64_t result = std::max<int64_t>(1, std::min(widest, last & -last));
  if (transfer.isDimInBounds(vector.getRank() - 1))
    return result;
  // Guarded as a whole only where an access is never cut by the bound.
  int64_t size = memref.getDimSize(row.getPosition());
  int64_t multiple = ShapedType::isDynamic(size)
                         ? dynamicRowMultiple(transfer, memref)
                         : powerOfTwoIn(size);
  int64_t factor =
      knownPowerOfTwoFactor(transfer.getIndices()[row.getPosition()]);
  return std::min({result, multiple, factor});
}

Value splat(OpBuilder &b, Location loc, VectorType type, Value scalar) {
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, constant));
  return vector::BroadcastOp::create(b, loc, type, scalar);
}

SmallVector<Value> Lowering::indicesAt(ArrayRef<int64_t> position) {
  SmallVector<Value> indices(transfer.getIndices());
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || position[i] == 0)
      continue;
    Value &index = indices[dim.getPosition()];
    index = affine::makeComposedAffineApply(
        b, loc, b.getAffineDimExpr(0) + position[i], {OpFoldResult(index)});
  }
  return indices;
}

Value Lowering::condition(ArrayRef<int64_t> position) {
  SmallVector<Value> indices = indicesAt(position);
  Value all;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (transfer.isDimInBounds(i))
      continue;
    unsigned d = cast<AffineDimExpr>(expr).getPosition();
    Value size = memref::DimOp::create(b, loc, transfer.getBase(), d);
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         indices[d], size);
    all = all ? arith::AndIOp::create(b, loc, all, inside).getResult() : inside;
  }
  return all;
}

Value Lowering::load(ArrayRef<int64_t> position) {
  SmallVector<Value> indices = indicesAt(position);
  if (width == 1)
    return memref::LoadOp::create(b, loc, transfer.getBase(), indices);
  return vector::LoadOp::create(
      b, loc, VectorType::get({width}, vector.getElementType()),
      transfer.getBase(), indices, false, llvm::Align(width * elementBytes));
}

void Lowering::store(ArrayRef<int64_t> position, Value piece) {
  SmallVector<Value> indices = indicesAt(position);
  if (width == 1)
    memref::StoreOp::create(b, loc, piece, transfer.getBase(), indices);
  else
    vector::StoreOp::create(b, loc, piece, transfer.getBase(), indices, false,
                            llvm::Align(width * elementBytes));
}

Value Lowering::insert(Value into, Value piece, ArrayRef<int64_t> position) {
  if (width == 1)
    return vector::InsertOp::create(b, loc, piece, into, position);
  if (width == vector.getShape().back())
    return vector.getRank() == 1
               ? piece
               : vector::InsertOp::create(b, loc, piece, into,
                                          position.drop_back())
                     .getResult();
  for (int64_t i = 0; i < width; ++i) {
    Value element = vector::ExtractOp::create(b, loc, piece, i);
    SmallVector<int64_t> at(position);
    at.back() += i;
    into = vector::InsertOp::create(b, loc, element, into, at);
  }
  return into;
}

Value Lowering::extract(ArrayRef<int64_t> position) {
  Value from =
      cast<vector::TransferWriteOp>(transfer.getOperation()).getVector();
  if (width == 1)
    return vector::ExtractOp::create(b, loc, from, position);
  if (width == vector.getShape().back())
    return vector.getRank() == 1
               ? from
               : vector::ExtractOp::create(b, loc, from, position.drop_back())
                     .getResult();
  auto type = VectorType::get({width}, vector.getElementType());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < width; ++i) {
    SmallVector<int64_t> at(position);
    at.back() += i;
    elements.push_back(vector::ExtractOp::create(b, loc, from, at));
  }
  return vector::FromElementsOp::create(b, loc, type, elements);
}

void Lowering::lowerRead(ArrayRef<SmallVector<int64_t>> positions) {
  auto read = cast<vector::TransferReadOp>(transfer.getOperation());
  Value pad = read.getPadding();
  Value result = arith::ConstantOp::create(b, loc, b.getZeroAttr(vector));
  Type pieceType =
      width == 1 ? vector.getElementType()
                 : Type(VectorType::get({width}, vector.getElementType()));
  for (ArrayRef<int64_t> position : positions) {
    Value piece;
    if (Value inside = condition(position)) {
      auto branch = scf::IfOp::create(b, loc, pieceType, inside, true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, loc, load(position));
      b.setInsertionPointToStart(branch.elseBlock());
      Value outside = pad;
      if (width > 1)
        outside = splat(b, loc, cast<VectorType>(pieceType), pad);
      scf::YieldOp::create(b, loc, outside);
      piece = branch.getResult(0);
    } else {
      piece = load(position);
    }
    result = insert(result, piece, position);
  }
  b.replaceOp(transfer, result);
}

void Lowering::lowerWrite(ArrayRef<SmallVector<int64_t>> positions) {
  for (ArrayRef<int64_t> position : positions) {
    Value piece = extract(position);
    if (Value inside = condition(position)) {
      auto branch = scf::IfOp::create(b, loc, inside, /*withElse=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      store(position, piece);
    } else {
      store(position, piece);
    }
  }
  b.eraseOp(transfer);
}

void Lowering::run() {
  b.setInsertionPoint(transfer);
  width = chooseWidth();
  SmallVector<SmallVector<int64_t>> positions = {{}};
  for (int64_t d = 0; d < vector.getRank(); ++d) {
    int64_t step = d + 1 == vector.getRank() ? width : 1;
    SmallVector<SmallVector<int64_t>> longer;
    for (const SmallVector<int64_t> &prefix : positions)
      for (int64_t i = 0; i < vector.getDimSize(d); i += step) {
        longer.push_back(prefix);
        longer.back().push_back(i);
      }
    positions = std::move(longer);
  }
  if (isa<vector::TransferReadOp>(transfer.getOperation()))
    lowerRead(positions);
  else
    lowerWrite(positions);
}

} // namespace

DiagnosedSilenceableFailure LowerTransfersOp::applyToOne(
    transform::TransformRewriter &rewriter, Operation *target,
    transform::ApplyToEachResultList &, transform::TransformState &) {
  SmallVector<VectorTransferOpInterface> transfers;
  target->walk([&](VectorTransferOpInterface transfer) {
    transfers.push_back(transfer);
  });
  for (VectorTransferOpInterface transfer : transfers) {
    if (!isa<MemRefType>(transfer.getBase().getType()))
      return emitDefiniteFailure() << "a vector transfer is still on a tensor";
    Lowering lowering(rewriter, transfer, getAlignment());
    if (!lowering.supported())
      return emitDefiniteFailure()
             << "a vector transfer has a mask or an indexing map that is no "
                "permutation with broadcasts";
    lowering.run();
  }
  return DiagnosedSilenceableFailure::success();
}

} // namespace hwtune
