//===- Pipeline.cpp - transform.hwtune.pipeline ---------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With S buffers the copies run S - 1 turns ahead. A turn writes the buffer
// that the turn before it read: the barrier at the start of the turn, after
// every thread has finished the turn before, is the only one needed. Past the
// end the copies are left out but their (empty) groups are not, so that the
// number of groups in flight is the same in every turn.
//
//===----------------------------------------------------------------------===//

#include "TransformUtils.h"
#include "hwtune/IR/TransformOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace hwtune {
namespace {

/// The copies of a loop body and the ops they are made of, in order.
struct Copies {
  SmallVector<linalg::CopyOp> copies;
  SmallVector<memref::SubViewOp> buffers; ///< the views that they fill
  SmallVector<Operation *> slice;
};

bool isBufferView(memref::SubViewOp view) {
  return view && !view.getOffsets().empty() &&
         gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(view.getSourceType());
}

std::optional<Copies> findCopies(scf::ForOp loop) {
  Copies result;
  llvm::SetVector<Operation *> needed;
  for (auto copy : loop.getBody()->getOps<linalg::CopyOp>()) {
    auto view = copy.getOutputs()[0].getDefiningOp<memref::SubViewOp>();
    if (!isBufferView(view))
      return std::nullopt;
    result.copies.push_back(copy);
    result.buffers.push_back(view);
    needed.insert(copy);
  }
  for (size_t i = 0; i < needed.size(); ++i) {
    Operation *op = needed[i];
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        if (def->getBlock() == loop.getBody())
          needed.insert(def);
  }
  for (Operation &op : *loop.getBody())
    if (needed.contains(&op))
      result.slice.push_back(&op);
  return result;
}

void setBuffer(memref::SubViewOp view, Value number) {
  view.getOffsetsMutable()[0].assign(number);
}

/// The copies of the turn at `iv`, into buffers `number`, where `iv` is a turn.
void emitCopies(OpBuilder &b, scf::ForOp loop, const Copies &copies, Value iv,
                Value number) {
  Location loc = loop.getLoc();
  Value isTurn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, iv,
                                       loop.getUpperBound());
  auto branch = scf::IfOp::create(b, loc, isTurn, /*withElse=*/false);
  OpBuilder inside = branch.getThenBodyBuilder();
  IRMapping map;
  map.map(loop.getInductionVar(), iv);
  for (Operation *op : copies.slice) {
    Operation *clone = inside.clone(*op, map);
    auto view = dyn_cast<memref::SubViewOp>(op);
    if (view && llvm::is_contained(copies.buffers, view))
      setBuffer(cast<memref::SubViewOp>(clone), number);
  }
}

/// Closes the group of the copies so far. Not
/// `nvgpu.device_async_create_group`: without tokens (guarded copies lie in
/// regions) its text does not parse back, since the parser takes the next
/// line's result for an operand.
void createGroup(OpBuilder &b, Location loc) {
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

/// `number` + `step` in the ring of `stages` buffers; step is 1 or -1.
Value turnRing(OpBuilder &b, Location loc, Value number, int64_t stages,
               int64_t step) {
  auto constant = [&](int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v).getResult();
  };
  Value end = constant(step > 0 ? stages - 1 : 0);
  Value start = constant(step > 0 ? 0 : stages - 1);
  Value atEnd =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number, end);
  Value next = arith::AddIOp::create(b, loc, number, constant(step));
  return arith::SelectOp::create(b, loc, atEnd, start, next);
}

Value ahead(OpBuilder &b, scf::ForOp loop, Value iv, int64_t turns) {
  Location loc = loop.getLoc();
  Value count = arith::ConstantIndexOp::create(b, loc, turns);
  Value distance = arith::MulIOp::create(b, loc, loop.getStep(), count);
  return arith::AddIOp::create(b, loc, iv, distance);
}

} // namespace

DiagnosedSilenceableFailure
PipelineOp::applyToOne(transform::TransformRewriter &rewriter,
                       Operation *target, transform::ApplyToEachResultList &,
                       transform::TransformState &) {
  auto loop = dyn_cast<scf::ForOp>(target);
  int64_t stages = getStages();
  if (!loop || stages < 2)
    return emitDefiniteFailure()
           << "expected a scf.for and at least 2 stages, found '"
           << target->getName() << "' and " << stages;
  std::optional<Copies> copies = findCopies(loop);
  if (!copies || copies->copies.empty())
    return emitDefiniteFailure()
           << "the loop has no copies to workgroup buffers made with " << stages
           << " buffers";
  Location loc = loop.getLoc();

  rewriter.setInsertionPoint(loop);
  // Inside another loop, buffers are still read in its turn before.
  if (isa<scf::ForOp>(loop->getParentOp()))
    gpu::BarrierOp::create(rewriter, loc);
  for (int64_t s = 0; s + 1 < stages; ++s) {
    Value number = arith::ConstantIndexOp::create(rewriter, loc, s);
    emitCopies(rewriter, loop, *copies,
               ahead(rewriter, loop, loop.getLowerBound(), s), number);
    createGroup(rewriter, loc);
  }
  Value first = arith::ConstantIndexOp::create(rewriter, loc, 0);
  auto yields = [&](OpBuilder &b, Location at,
                    ArrayRef<BlockArgument> arguments) -> SmallVector<Value> {
    return {turnRing(b, at, arguments[0], stages, 1)};
  };
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, {first}, /*replaceInitOperandUsesInLoop=*/false, yields);
  if (failed(replaced))
    return emitDefiniteFailure() << "the loop cannot carry a buffer number";
  loop = cast<scf::ForOp>(replaced->getOperation());

  Value reading = loop.getRegionIterArgs().back();
  rewriter.setInsertionPointToStart(loop.getBody());
  NVVM::CpAsyncWaitGroupOp::create(rewriter, loc, stages - 2);
  gpu::BarrierOp::create(rewriter, loc);
  emitCopies(rewriter, loop, *copies,
             ahead(rewriter, loop, loop.getInductionVar(), stages - 1),
             turnRing(rewriter, loc, reading, stages, -1));
  createGroup(rewriter, loc);
  for (memref::SubViewOp view : copies->buffers)
    rewriter.modifyOpInPlace(view, [&] { setBuffer(view, reading); });
  for (linalg::CopyOp copy : copies->copies)
    rewriter.eraseOp(copy);
  return DiagnosedSilenceableFailure::success();
}

} // namespace hwtune
