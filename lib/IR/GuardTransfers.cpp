//===- GuardTransfers.cpp - transform.hwtune.guard_transfers --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransformUtils.h"
#include "hwtune/IR/TransformOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/VectorInterfaces.h"

using namespace mlir;

namespace hwtune {
namespace {

bool isWorkgroup(Value memref) {
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
      cast<MemRefType>(memref.getType()));
}

/// Whether an index along dimension `d` of `source` may lie outside.
bool needsCheck(MemRefType source, MemRefType actual, int64_t d) {
  return actual.isDynamicDim(d) || actual.getDimSize(d) != source.getDimSize(d);
}

/// `in_bounds` of a transfer whose source is really `actual`.
SmallVector<bool> inBounds(VectorTransferOpInterface transfer,
                           MemRefType actual) {
  auto source = cast<MemRefType>(transfer.getBase().getType());
  SmallVector<bool> result;
  for (auto [i, expr] :
       llvm::enumerate(transfer.getPermutationMap().getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    result.push_back(!dim || (transfer.isDimInBounds(i) &&
                              !needsCheck(source, actual, dim.getPosition())));
  }
  return result;
}

TypedAttr paddingFor(Type element, std::optional<ArrayAttr> padding,
                     OpBuilder &b) {
  for (Attribute value : padding.value_or(ArrayAttr::get(b.getContext(), {})))
    if (auto typed = dyn_cast<TypedAttr>(value);
        typed && typed.getType() == element)
      return typed;
  return b.getZeroAttr(element);
}

void guardTransfer(RewriterBase &b, VectorTransferOpInterface transfer,
                   std::optional<ArrayAttr> padding) {
  Value source = transfer.getBase();
  Value actual = trueMemref(source) ? trueMemref(source) : source;
  SmallVector<bool> bounds =
      inBounds(transfer, cast<MemRefType>(actual.getType()));
  if (actual == source && !llvm::is_contained(bounds, false))
    return;
  Location loc = transfer.getLoc();
  b.setInsertionPoint(transfer);
  if (auto read = dyn_cast<vector::TransferReadOp>(transfer.getOperation())) {
    Value pad = arith::ConstantOp::create(
        b, loc, paddingFor(read.getVectorType().getElementType(), padding, b));
    b.replaceOpWithNewOp<vector::TransferReadOp>(
        read, read.getVectorType(), actual, read.getIndices(),
        std::optional<Value>(pad), read.getPermutationMap(),
        std::optional<ArrayRef<bool>>(bounds));
    return;
  }
  auto write = cast<vector::TransferWriteOp>(transfer.getOperation());
  b.replaceOpWithNewOp<vector::TransferWriteOp>(
      write, write.getVector(), actual, write.getIndices(),
      write.getPermutationMap(), std::optional<ArrayRef<bool>>(bounds));
}

/// Null where nothing needs a check.
Value scalarCondition(OpBuilder &b, Location loc, Value source, Value actual,
                      ValueRange indices) {
  Value condition;
  for (auto [d, index] : llvm::enumerate(indices)) {
    if (!needsCheck(cast<MemRefType>(source.getType()),
                    cast<MemRefType>(actual.getType()), d))
      continue;
    Value size = memref::DimOp::create(b, loc, actual, d);
    Value inside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, size);
    condition =
        condition ? arith::AndIOp::create(b, loc, condition, inside).getResult()
                  : inside;
  }
  return condition;
}

void guardScalar(RewriterBase &b, Operation *op, Value source,
                 ValueRange indices, std::optional<ArrayAttr> padding) {
  Value actual = trueMemref(source) ? trueMemref(source) : source;
  Location loc = op->getLoc();
  b.setInsertionPoint(op);
  Value condition = scalarCondition(b, loc, source, actual, indices);
  if (!condition) {
    b.modifyOpInPlace(op, [&] { op->replaceUsesOfWith(source, actual); });
    return;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    memref::StoreOp::create(b, loc, store.getValue(), actual, indices);
    b.eraseOp(op);
    return;
  }
  Type element = op->getResult(0).getType();
  auto branch = scf::IfOp::create(b, loc, element, condition, true);
  b.setInsertionPointToStart(branch.thenBlock());
  Value loaded = memref::LoadOp::create(b, loc, actual, indices);
  scf::YieldOp::create(b, loc, loaded);
  b.setInsertionPointToStart(branch.elseBlock());
  Value pad =
      arith::ConstantOp::create(b, loc, paddingFor(element, padding, b));
  scf::YieldOp::create(b, loc, pad);
  b.replaceOp(op, branch.getResults());
}

/// A copy that is out of bounds brings zeros: it reads no element.
void guardAsyncCopy(RewriterBase &b, nvgpu::DeviceAsyncCopyOp copy) {
  Value source = copy.getSrc();
  Value actual = trueMemref(source) ? trueMemref(source) : source;
  auto sourceType = cast<MemRefType>(source.getType());
  auto type = cast<MemRefType>(actual.getType());
  int64_t last = type.getRank() - 1;
  Location loc = copy.getLoc();
  b.setInsertionPoint(copy);
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(b, loc, v);
  };
  int64_t width = copy.getDstElements().getSExtValue();
  Value condition =
      scalarCondition(b, loc, source, actual, copy.getSrcIndices());
  Value elements = constant(width);
  Value index = copy.getSrcIndices()[last];
  int64_t rows = type.isDynamicDim(last) ? dynamicRowMultiple(copy, type)
                                         : type.getDimSize(last);
  bool whole = width == 1 ||
               (rows % width == 0 && knownPowerOfTwoFactor(index) % width == 0);
  if (needsCheck(sourceType, type, last) && !whole) {
    Value size = memref::DimOp::create(b, loc, actual, last);
    Value rest = arith::SubIOp::create(b, loc, size, index);
    elements = arith::MinSIOp::create(b, loc, elements, rest);
  }
  if (condition)
    elements =
        arith::SelectOp::create(b, loc, condition, elements, constant(0));
  b.modifyOpInPlace(copy, [&] {
    copy.getSrcMutable().assign(actual);
    if (condition)
      copy.getSrcElementsMutable().assign(elements);
  });
}

/// Sizes that no rounding changed are asked of the memref itself: those that
/// are static are constants by now.
void resizeFromActual(RewriterBase &b, Operation *root) {
  root->walk([&](memref::DimOp size) {
    auto rounded = dyn_cast<MemRefType>(size.getSource().getType());
    std::optional<int64_t> d = size.getConstantIndex();
    Value actual = trueMemref(size.getSource());
    if (actual && rounded && d && rounded.isDynamicDim(*d))
      b.modifyOpInPlace(size, [&] { size.getSourceMutable().assign(actual); });
  });
}

} // namespace

DiagnosedSilenceableFailure GuardTransfersOp::applyToOne(
    transform::TransformRewriter &rewriter, Operation *target,
    transform::ApplyToEachResultList &, transform::TransformState &) {
  SmallVector<Operation *> accesses;
  target->walk([&](Operation *op) {
    if (isa<vector::TransferReadOp, vector::TransferWriteOp, memref::LoadOp,
            memref::StoreOp, nvgpu::DeviceAsyncCopyOp>(op))
      accesses.push_back(op);
  });
  for (Operation *op : accesses) {
    if (auto transfer = dyn_cast<VectorTransferOpInterface>(op)) {
      if (isa<MemRefType>(transfer.getBase().getType()) &&
          !isWorkgroup(transfer.getBase()))
        guardTransfer(rewriter, transfer, getPadding());
    } else if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op)) {
      guardAsyncCopy(rewriter, copy);
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (!isWorkgroup(load.getMemRef()))
        guardScalar(rewriter, op, load.getMemRef(), load.getIndices(),
                    getPadding());
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      if (!isWorkgroup(store.getMemRef()))
        guardScalar(rewriter, op, store.getMemRef(), store.getIndices(),
                    getPadding());
    }
  }
  resizeFromActual(rewriter, target);
  // What is left of a rounding cast would surface as a failed conversion far
  // from its cause.
  WalkResult left = target->walk([&](UnrealizedConversionCastOp cast) {
    if (cast->use_empty()) {
      rewriter.eraseOp(cast);
      return WalkResult::advance();
    }
    return isa<MemRefType>(cast.getResult(0).getType())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (left.wasInterrupted())
    return emitDefiniteFailure()
           << "an access still goes through a view of a rounded-up memref: "
              "fold memref aliases first";
  return DiagnosedSilenceableFailure::success();
}

} // namespace hwtune
