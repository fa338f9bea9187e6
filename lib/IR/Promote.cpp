//===- Promote.cpp - workgroup buffers and cooperative copies -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransformUtils.h"
#include "hwtune/IR/TransformOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace hwtune {
namespace {

/// Alignment of every workgroup buffer: that of the widest access.
constexpr int64_t kBufferAlignment = 16;
/// On copies: the number of the operand whose buffer they fill.
constexpr llvm::StringLiteral kBufferMark = "hwtune.buffer";

/// A view of shape `shape` on the first of `count` new workgroup buffers, whose
/// rows are `pad` elements longer.
Value makeBuffer(RewriterBase &b, Location loc, Operation *user,
                 ArrayRef<int64_t> shape, Type element, int64_t pad,
                 int64_t count) {
  Operation *module = SymbolTable::getNearestSymbolTable(user);
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  SmallVector<int64_t> stored(shape);
  stored.back() += pad;
  if (count > 1)
    stored.insert(stored.begin(), count);
  auto type = MemRefType::get(stored, element, AffineMap(), space);

  OpBuilder::InsertionGuard guard(b);
  SymbolTable symbols(module);
  b.setInsertionPointToStart(&module->getRegion(0).front());
  auto global = memref::GlobalOp::create(b, loc, "workgroup_buffer",
                                         b.getStringAttr("private"), type,
                                         b.getUnitAttr(), /*constant=*/false,
                                         b.getI64IntegerAttr(kBufferAlignment));
  symbols.insert(global); // renames it where the name is taken
  b.setInsertionPoint(user);
  Value buffer = memref::GetGlobalOp::create(b, loc, type, global.getSymName());
  if (pad == 0 && count == 1)
    return buffer;
  SmallVector<OpFoldResult> offsets(stored.size(), b.getIndexAttr(0)),
      strides(stored.size(), b.getIndexAttr(1)), sizes;
  if (count > 1) {
    // A value, so that a pipeline can put another number in its place.
    offsets[0] = arith::ConstantIndexOp::create(b, loc, 0).getResult();
    sizes.push_back(b.getIndexAttr(1));
  }
  for (int64_t extent : shape)
    sizes.push_back(b.getIndexAttr(extent));
  auto view = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, cast<MemRefType>(view), buffer,
                                   offsets, sizes, strides);
}

} // namespace

DiagnosedSilenceableFailure
PromoteOp::applyToOne(transform::TransformRewriter &rewriter, Operation *target,
                      transform::ApplyToEachResultList &results,
                      transform::TransformState &) {
  auto op = dyn_cast<linalg::LinalgOp>(target);
  if (!op || !op.hasPureBufferSemantics())
    return emitDefiniteFailure() << "expected a linalg op on memrefs, found '"
                                 << target->getName() << "'";
  if (static_cast<int64_t>(getOperand()) < 0 ||
      static_cast<int64_t>(getOperand()) >= op.getNumDpsInputs())
    return emitDefiniteFailure()
           << "expected an input in [0, " << op.getNumDpsInputs() << "), found "
           << getOperand();
  if (static_cast<int64_t>(getPad()) < 0)
    return emitDefiniteFailure() << "pad " << getPad() << " < 0";
  if (static_cast<int64_t>(getBuffers()) < 1)
    return emitDefiniteFailure() << "buffers " << getBuffers() << " < 1";
  Value source = op->getOperand(getOperand());
  auto type = dyn_cast<MemRefType>(source.getType());
  if (!type || !type.hasStaticShape() || type.getRank() == 0)
    return emitDefiniteFailure()
           << "expected an operand of static shape, found " << source.getType();
  rewriter.setInsertionPoint(target);
  Location loc = target->getLoc();
  Value buffer = makeBuffer(rewriter, loc, target, type.getShape(),
                            type.getElementType(), getPad(), getBuffers());
  auto copy = linalg::CopyOp::create(rewriter, loc, source, buffer);
  copy->setAttr(kBufferMark, rewriter.getI64IntegerAttr(getOperand()));
  rewriter.modifyOpInPlace(target,
                           [&] { target->setOperand(getOperand(), buffer); });
  results.push_back(target);
  results.push_back(copy);
  return DiagnosedSilenceableFailure::success();
}

namespace {

/// Where the `linear`-th vector of a tile starts, in the tile.
SmallVector<Value> vectorStart(OpBuilder &b, Location loc,
                               ArrayRef<int64_t> shape, int64_t vector,
                               Value linear) {
  SmallVector<Value> counts;
  for (auto [d, extent] : llvm::enumerate(shape))
    counts.push_back(arith::ConstantIndexOp::create(
        b, loc, d + 1 == shape.size() ? extent / vector : extent));
  SmallVector<Value> start = splitIndex(b, loc, linear, counts);
  start.back() = affine::makeComposedAffineApply(
      b, loc, b.getAffineDimExpr(0) * vector, {OpFoldResult(start.back())});
  return start;
}

/// The same after `rounds` turns of all threads, where one round advances
/// whole rows of the dimension before the last: no new division.
std::optional<SmallVector<Value>>
advanced(OpBuilder &b, Location loc, ArrayRef<int64_t> shape, int64_t vector,
         ArrayRef<Value> start, int64_t vectors) {
  int64_t perRow = shape.back() / vector;
  if (shape.size() != 2 || vectors % perRow != 0)
    return std::nullopt;
  SmallVector<Value> result(start);
  result[0] = affine::makeComposedAffineApply(
      b, loc, b.getAffineDimExpr(0) + vectors / perRow,
      {OpFoldResult(start[0])});
  return result;
}

void copyVector(OpBuilder &b, Location loc, Value from, Value to,
                ArrayRef<Value> at, int64_t vector) {
  auto type = cast<MemRefType>(from.getType());
  // As many dimensions as the memref has, so that every index can be checked.
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape.back() = vector;
  auto vectorType = VectorType::get(shape, type.getElementType());
  SmallVector<bool> inBounds(type.getRank(), true);
  Value pad =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  Value value = vector::TransferReadOp::create(
      b, loc, vectorType, from, at, std::optional<Value>(pad),
      std::optional<ArrayRef<bool>>(inBounds));
  vector::TransferWriteOp::create(b, loc, value, to, at,
                                  std::optional<ArrayRef<bool>>(inBounds));
}

void copyAsync(OpBuilder &b, Location loc, Value from, Value to,
               ArrayRef<Value> at, int64_t vector) {
  // Folding patterns do not see through the casts that constant offsets leave.
  SmallVector<Value> source(at), target(at);
  resolveViews(b, loc, from, source);
  resolveViews(b, loc, to, target);
  auto type = cast<MemRefType>(to.getType());
  int64_t bytes = vector * type.getElementTypeBitWidth() / 8;
  nvgpu::DeviceAsyncCopyOp::create(
      b, loc, nvgpu::DeviceAsyncTokenType::get(b.getContext()), to, target,
      from, source, b.getIndexAttr(vector), /*srcElements=*/Value(),
      bytes == kBufferAlignment ? b.getUnitAttr() : UnitAttr());
}

} // namespace

DiagnosedSilenceableFailure DistributeCopyOp::applyToOne(
    transform::TransformRewriter &rewriter, Operation *target,
    transform::ApplyToEachResultList &, transform::TransformState &) {
  auto copy = dyn_cast<linalg::CopyOp>(target);
  if (!copy || !copy.hasPureBufferSemantics())
    return emitDefiniteFailure() << "expected a linalg.copy of memrefs, found '"
                                 << target->getName() << "'";
  Value from = copy.getInputs()[0], to = copy.getOutputs()[0];
  auto type = cast<MemRefType>(to.getType());
  int64_t vector = getVector();
  if (!type.hasStaticShape() || type.getRank() == 0 || vector < 1 ||
      type.getShape().back() % vector != 0)
    return emitDefiniteFailure()
           << "a vector of " << vector << " elements does not divide the last "
           << "extent of " << type;
  std::optional<int64_t> threads = blockThreads(target);
  if (!threads)
    return emitDefiniteFailure() << "the copy is in no launch of known size";

  Location loc = target->getLoc();
  rewriter.setInsertionPoint(target);
  int64_t total = type.getNumElements() / vector;
  Value id = gpu::ThreadIdOp::create(rewriter, loc, gpu::Dimension::x);
  SmallVector<Value> first;
  for (int64_t done = 0; done < total; done += *threads) {
    OpBuilder::InsertionGuard guard(rewriter);
    if (total - done < *threads) {
      Value limit = arith::ConstantIndexOp::create(rewriter, loc, total - done);
      Value active = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::ult, id, limit);
      auto branch = scf::IfOp::create(rewriter, loc, active, false);
      rewriter.setInsertionPointToStart(branch.thenBlock());
    }
    std::optional<SmallVector<Value>> at;
    if (done == 0)
      at = first = vectorStart(rewriter, loc, type.getShape(), vector, id);
    else
      at = advanced(rewriter, loc, type.getShape(), vector, first, done);
    if (!at) {
      Value linear = affine::makeComposedAffineApply(
          rewriter, loc, rewriter.getAffineDimExpr(0) + done,
          {OpFoldResult(id)});
      at = vectorStart(rewriter, loc, type.getShape(), vector, linear);
    }
    if (getAsync())
      copyAsync(rewriter, loc, from, to, *at, vector);
    else
      copyVector(rewriter, loc, from, to, *at, vector);
  }
  rewriter.eraseOp(target);
  return DiagnosedSilenceableFailure::success();
}

} // namespace hwtune
