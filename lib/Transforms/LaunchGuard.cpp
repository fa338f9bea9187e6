//===- LaunchGuard.cpp - what a kernel assumes of its buffers -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchGuard.h"
#include "hwtune/IR/OpIsolation.h"
#include "hwtune/IR/WorkloadExtraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <algorithm>

using namespace mlir;
using namespace hwtune;

/// Every element type is at least aligned to its own size.
static int64_t naturalAlignment(Operation *op) {
  int64_t bytes = 16;
  for (Type type : op->getOperandTypes())
    if (auto memref = dyn_cast<MemRefType>(type))
      bytes = std::min<int64_t>(
          bytes, std::max<int64_t>(1, memref.getElementTypeBitWidth() / 8));
  return bytes;
}

/// Whether the extents of rows of `type` are known at run time only.
static bool hasDynamicRows(MemRefType type) {
  return type.getRank() > 0 && type.isDynamicDim(type.getRank() - 1);
}

LaunchGuard hwtune::guardFor(Operation *op, MemoryMode memory, bool wholeRows) {
  LaunchGuard guard;
  guard.assumed.wholeRows = wholeRows;
  guard.otherwise = {/*noAlias=*/false, naturalAlignment(op)};
  auto isOutside = [&](Value root) {
    return memory == MemoryMode::Device && isa<BlockArgument>(root);
  };
  auto linalgOp = cast<linalg::LinalgOp>(op);
  SmallVector<OpOperand *> buffers;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()))
      buffers.push_back(&operand);
  for (OpOperand *operand : buffers) {
    if (isOutside(rootBuffer(operand->get())))
      guard.aligned.push_back(operand->getOperandNumber());
    if (wholeRows && hasDynamicRows(cast<MemRefType>(operand->get().getType())))
      guard.rows.push_back(operand->getOperandNumber());
  }
  for (OpOperand *output : buffers) {
    if (!linalgOp.isDpsInit(output))
      continue;
    Value root = rootBuffer(output->get());
    for (OpOperand *other : buffers) {
      if (other == output)
        continue;
      Value otherRoot = rootBuffer(other->get());
      if (root == otherRoot)
        guard.assumed.noAlias = false; // in place: known, no test can help
      else if (isOutside(root) && isOutside(otherRoot))
        guard.disjoint.emplace_back(output->getOperandNumber(),
                                    other->getOperandNumber());
    }
  }
  if (!guard.assumed.noAlias)
    guard.disjoint.clear();
  guard.atRunTime =
      !guard.aligned.empty() || !guard.rows.empty() || !guard.disjoint.empty();
  return guard;
}

/// An i1: the last extent of `buffer` is a multiple of `kRowBytes`.
static Value buildRowTest(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Value size = memref::DimOp::create(b, loc, buffer, type.getRank() - 1);
  Value mask = arith::ConstantIndexOp::create(b, loc, rowElements(type) - 1);
  Value rest = arith::AndIOp::create(b, loc, size, mask);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                               arith::ConstantIndexOp::create(b, loc, 0));
}

static Value asValue(OpBuilder &b, Location loc, OpFoldResult number) {
  return getValueOrCreateConstantIndexOp(b, loc, number);
}

/// First byte and one past the last byte of a buffer; the same where it has no
/// elements.
static std::pair<Value, Value> addressRange(OpBuilder &b, Location loc,
                                            Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  Value bytes = arith::ConstantIndexOp::create(
      b, loc, std::max<int64_t>(1, type.getElementTypeBitWidth() / 8));
  auto parts = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value elements = one;
  for (auto [size, stride] : llvm::zip(parts.getConstifiedMixedSizes(),
                                       parts.getConstifiedMixedStrides())) {
    Value steps = arith::SubIOp::create(b, loc, asValue(b, loc, size), one);
    Value span = arith::MulIOp::create(b, loc, steps, asValue(b, loc, stride));
    elements = arith::AddIOp::create(b, loc, elements, span);
  }
  Value first = arith::MulIOp::create(
      b, loc, asValue(b, loc, parts.getConstifiedMixedOffset()), bytes);
  start = arith::AddIOp::create(b, loc, start, first);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  elements = arith::MaxSIOp::create(b, loc, elements, zero);
  Value length = arith::MulIOp::create(b, loc, elements, bytes);
  return {start, arith::AddIOp::create(b, loc, start, length)};
}

Value hwtune::buildDisjoint(OpBuilder &b, Location loc, Value one,
                            Value other) {
  auto [start1, end1] = addressRange(b, loc, one);
  auto [start2, end2] = addressRange(b, loc, other);
  auto before = arith::CmpIPredicate::ule;
  Value left = arith::CmpIOp::create(b, loc, before, end1, start2);
  Value right = arith::CmpIOp::create(b, loc, before, end2, start1);
  return arith::OrIOp::create(b, loc, left, right);
}

Value hwtune::buildGuard(OpBuilder &b, Operation *op,
                         const LaunchGuard &guard) {
  Location loc = op->getLoc();
  Value holds = arith::ConstantIntOp::create(b, loc, 1, 1);
  auto require = [&](Value condition) {
    holds = arith::AndIOp::create(b, loc, holds, condition);
  };
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value mask =
      arith::ConstantIndexOp::create(b, loc, guard.assumed.alignment - 1);
  for (unsigned index : guard.aligned) {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(
        b, loc, op->getOperand(index));
    Value low = arith::AndIOp::create(b, loc, address, mask);
    require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, low, zero));
  }
  for (unsigned index : guard.rows)
    require(buildRowTest(b, loc, op->getOperand(index)));
  for (auto [first, second] : guard.disjoint)
    require(
        buildDisjoint(b, loc, op->getOperand(first), op->getOperand(second)));
  return holds;
}
