//===- Normalise.cpp - operations into the form that is tuned -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/Normalise.h"

#include "hwtune/IR/Dialect.h"
#include "hwtune/IR/WorkloadExtraction.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace {

/// The operations of `module` that are an `Op`, collected before any changes.
template <typename Op> SmallVector<Op> collect(ModuleOp module) {
  SmallVector<Op> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<transform::TransformOpInterface>(op))
      return WalkResult::skip();
    if (auto wanted = dyn_cast<Op>(op))
      ops.push_back(wanted);
    return WalkResult::advance();
  });
  return ops;
}

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

/// Takes every `Op` apart; where that fails, the operation stays as it is.
template <typename Op, typename TakeApart>
void takeApart(RewriterBase &rewriter, ModuleOp module,
               TakeApart takeApartOne) {
  for (auto op : collect<Op>(module)) {
    rewriter.setInsertionPoint(op);
    (void)takeApartOne(rewriter, op);
  }
}

void decomposeAggregates(RewriterBase &rewriter, ModuleOp module) {
  for (auto op : collect<linalg::AggregatedOpInterface>(module)) {
    // On buffers there is no result to replace: such an operation stays.
    if (isa<linalg::LinalgOp>(op.getOperation()) || op->getNumResults() == 0)
      continue;
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (succeeded(results))
      rewriter.replaceOp(op, *results);
  }
  takeApart<linalg::WinogradFilterTransformOp>(
      rewriter, module, linalg::decomposeWinogradFilterTransformOp);
  takeApart<linalg::WinogradInputTransformOp>(
      rewriter, module, linalg::decomposeWinogradInputTransformOp);
  takeApart<linalg::WinogradOutputTransformOp>(
      rewriter, module, linalg::decomposeWinogradOutputTransformOp);
  takeApart<linalg::PackOp>(rewriter, module, [](auto &rewriter, auto op) {
    return linalg::lowerPack(rewriter, op);
  });
  takeApart<linalg::UnPackOp>(rewriter, module, [](auto &rewriter, auto op) {
    return linalg::lowerUnPack(rewriter, op);
  });
}

//===----------------------------------------------------------------------===//
// Numbers from outside
//===----------------------------------------------------------------------===//

/// Numbers that the body of `op` uses from outside and that are no constants.
SmallVector<Value> capturedNumbers(linalg::LinalgOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::filter_to_vector(captured, [](Value value) {
    return (value.getType().isIndex() ||
            hwtune::elementTypeOf(value.getType())) &&
           !matchPattern(value, m_Constant());
  });
}

/// `op` with `numbers` as further inputs, which its body reads instead.
void addInputs(RewriterBase &rewriter, linalg::GenericOp op,
               ArrayRef<Value> numbers) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned first = inputs.size();
  AffineMap none = AffineMap::get(op.getNumLoops(), 0, op.getContext());
  for (Value number : numbers) {
    // An index has no size in memory; as a number of 64 bits it has one.
    inputs.push_back(number.getType().isIndex()
                         ? arith::IndexCastOp::create(
                               rewriter, loc, rewriter.getI64Type(), number)
                               .getResult()
                         : number);
    maps.insert(maps.begin() + inputs.size() - 1, none);
  }
  auto wider = linalg::GenericOp::create(
      rewriter, loc, op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray(), /*bodyBuild=*/nullptr,
      getPrunedAttributeList(op, op.getAttributeNames()));
  wider.getRegion().takeBody(op.getRegion());
  Block *body = wider.getBody();
  rewriter.setInsertionPointToStart(body);
  for (auto [i, number] : llvm::enumerate(numbers)) {
    Value inside = body->insertArgument(first + i, inputs[first + i].getType(),
                                        number.getLoc());
    if (number.getType().isIndex())
      inside = arith::IndexCastOp::create(rewriter, loc,
                                          rewriter.getIndexType(), inside);
    replaceAllUsesInRegionWith(number, inside, wider.getRegion());
  }
  rewriter.replaceOp(op, wider.getResults());
}

void liftNumbers(RewriterBase &rewriter, ModuleOp module) {
  for (auto op : collect<linalg::LinalgOp>(module)) {
    SmallVector<Value> numbers = capturedNumbers(op);
    if (numbers.empty())
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> made =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        continue; // refused later, by what its body uses
      generic = *made;
    }
    addInputs(rewriter, generic, numbers);
  }
}

//===----------------------------------------------------------------------===//
// Long reductions to few results
//===----------------------------------------------------------------------===//

/// A grid has one block for each result or few results. Below this many it
/// leaves most of any GPU idle.
constexpr int64_t kFewResults = 128;
/// Partial results, and iterations of each, that are worth a second kernel.
constexpr int64_t kLeastParts = 32, kLeastPartLength = 256;

/// Parts that a reduction of `extent` iterations is cut into: the divisor
/// nearest to its square root; 0 where none makes sense.
int64_t partsOf(int64_t extent) {
  int64_t best = 0;
  for (int64_t parts = kLeastParts; parts * kLeastPartLength <= extent; ++parts)
    if (extent % parts == 0 && parts * parts <= extent)
      best = parts;
  return best;
}

/// Parts of the only reduction loop of `op`, 0 where it is better left whole.
int64_t partsOf(linalg::LinalgOp op) {
  int64_t results = 1, reduced = 0;
  for (auto [extent, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (ShapedType::isDynamic(extent))
      return 0;
    if (kind == utils::IteratorType::parallel)
      results *= extent;
    else
      reduced = extent;
  }
  return results < kFewResults ? partsOf(reduced) : 0;
}

/// Fails where the body is not one associative operation: then it stays.
LogicalResult split(RewriterBase &rewriter, linalg::LinalgOp op,
                    int64_t parts) {
  rewriter.setInsertionPoint(op);
  linalg::LinalgOp generic = op;
  if (!isa<linalg::GenericOp>(op.getOperation())) {
    auto made = linalg::generalizeNamedOp(rewriter, op);
    if (failed(made))
      return failure();
    generic = cast<linalg::LinalgOp>(made->getOperation());
  }
  return linalg::splitReduction(rewriter, generic, [&](linalg::LinalgOp) {
    return linalg::SplitReductionOptions{parts, /*index=*/0,
                                         /*innerParallel=*/false};
  });
}

/// Whether the loop can be cut in two: the body does not read its position, and
/// every dimension of an operand is indexed by one loop.
bool canSplit(linalg::LinalgOp op) {
  return op.getNumReductionLoops() == 1 && op.getNumDpsInits() == 1 &&
         !op.hasIndexSemantics() &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// Whether the body combines by one operation that parts may start from the
/// neutral element of: what `split` asks for.
bool isAssociative(linalg::LinalgOp op) {
  SmallVector<Operation *> combiners;
  return matchReduction(op.getRegionOutputArgs(), 0, combiners) &&
         combiners.size() == 1 &&
         arith::getNeutralElement(combiners.front()).has_value();
}

/// Whether each operand is a whole buffer or a number.
bool isOnPlainBuffers(linalg::LinalgOp op) {
  return op.hasPureBufferSemantics() &&
         llvm::all_of(op->getOperandTypes(), [](Type type) {
           auto memref = dyn_cast<MemRefType>(type);
           return !memref ||
                  (memref.getLayout().isIdentity() && !memref.getMemorySpace());
         });
}

/// Before `op`, the same on tensors that are its buffers, and its result put
/// where `op` would: bufferisation gives the buffers back. Only tensors can be
/// split.
linalg::LinalgOp onTensors(RewriterBase &rewriter, linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    operands.push_back(type ? bufferization::ToTensorOp::create(
                                  rewriter, loc,
                                  memref::getTensorTypeFromMemRefType(type),
                                  operand.get(), /*restrict=*/true,
                                  /*writable=*/op.isDpsInit(&operand))
                                  .getResult()
                            : operand.get());
  }
  Value init = op.getDpsInits()[0];
  auto tensors = cast<linalg::LinalgOp>(
      mlir::clone(rewriter, op, operands.back().getType(), operands));
  bufferization::MaterializeInDestinationOp::create(
      rewriter, loc, /*result=*/Type(), tensors->getResult(0), init,
      /*restrict=*/true, /*writable=*/true);
  return tensors;
}

/// Two operations: partial results by a full grid, then their combination. The
/// order is fixed, so the result is the same in every run.
void splitLongReductions(RewriterBase &rewriter, ModuleOp module) {
  for (auto op : collect<linalg::LinalgOp>(module)) {
    if (!canSplit(op) || op->hasAttr(hwtune::HWTuneDialect::kConfigAttrName))
      continue;
    int64_t parts = partsOf(op);
    if (parts == 0)
      continue;
    if (op.hasPureTensorSemantics()) {
      (void)split(rewriter, op, parts);
    } else if (isOnPlainBuffers(op) && isAssociative(op)) {
      if (succeeded(split(rewriter, onTensors(rewriter, op), parts)))
        rewriter.eraseOp(op);
    }
  }
}

//===----------------------------------------------------------------------===//
// Operations that do nothing
//===----------------------------------------------------------------------===//

void removeEmpty(RewriterBase &rewriter, ModuleOp module) {
  for (auto op : collect<linalg::LinalgOp>(module)) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    auto *zero = llvm::find(extents, 0);
    if (zero == extents.end())
      continue;
    emitRemark(op.getLoc())
        << "'" << op->getName().getStringRef() << "' does nothing: its loop "
        << zero - extents.begin() << " has 0 iterations";
    if (op.hasPureTensorSemantics())
      rewriter.replaceOp(op, op.getDpsInits());
    else
      rewriter.eraseOp(op);
  }
}

} // namespace

void hwtune::liftCaptures(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  liftNumbers(rewriter, module);
}

void hwtune::normaliseLinalg(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  decomposeAggregates(rewriter, module);
  liftNumbers(rewriter, module);
  removeEmpty(rewriter, module);
  splitLongReductions(rewriter, module);
}
