//===- Normalise.cpp - operations into the form that is tuned -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/Normalise.h"

#include "Generalise.h"
#include "UnitWindows.h"

#include "hwtune/IR/Dialect.h"
#include "hwtune/IR/WorkloadExtraction.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/IRMapping.h"
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
    FailureOr<linalg::GenericOp> generic = hwtune::generalised(rewriter, op);
    if (succeeded(generic)) // else refused later, by what its body uses
      addInputs(rewriter, *generic, numbers);
  }
}

//===----------------------------------------------------------------------===//
// Long reductions to few results
//===----------------------------------------------------------------------===//

/// A reduction along rows has one block for each result or few results: a few
/// dozen blocks that only read keep the memory of any GPU busy, and two more
/// launches cost more than the blocks of a short reduction.
constexpr int64_t kFewResults = 32, kLongReduction = 1 << 17;
/// One along columns has one block for some tens of results, and each thread
/// reads one element of a row.
constexpr int64_t kFewColumns = 512, kLongColumns = 1 << 15;
/// A matrix product has one block for a tile of results, and computes: fewer
/// results than these leave most of any GPU idle.
constexpr int64_t kFewProducts = 1 << 14;
/// Partial results, and iterations of each, that are worth a second kernel.
constexpr int64_t kLeastParts = 32, kLeastPartLength = 256;

/// Where a long reduction is cut: at the only reduction loop, whose first
/// `length` iterations become `parts` of equal length, or (0 parts) between one
/// of several loops, whose iterations are the parts, and the rest.
struct Cut {
  unsigned loop;
  int64_t parts, length;
};

/// The number of parts is the divisor of `extent` nearest to its square root;
/// where it has none, a power of two, and some iterations are left.
std::optional<Cut> cutOf(unsigned loop, int64_t extent) {
  if (extent < kLeastParts * kLeastPartLength)
    return std::nullopt;
  int64_t best = 0, power = kLeastParts;
  for (int64_t parts = kLeastParts; parts * kLeastPartLength <= extent; ++parts)
    if (extent % parts == 0 && parts * parts <= extent)
      best = parts;
  if (best)
    return Cut{loop, best, extent};
  constexpr int64_t kVector = 8; // elements of the widest access
  while (4 * power * power <= extent)
    power *= 2;
  return Cut{loop, power, extent - extent % (power * kVector)};
}

bool isMatrixProduct(linalg::LinalgOp op) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->m.empty() && !dims->n.empty();
}

/// Dimensions of the first input of the highest rank: most of what is read.
AffineMap mainInput(linalg::LinalgOp op) {
  AffineMap main;
  for (OpOperand *input : op.getDpsInputOperands())
    if (AffineMap map = op.getMatchingIndexingMap(input);
        !main || map.getNumResults() > main.getNumResults())
      main = map;
  return main;
}

/// The first of `loops` in the order of the dimensions of the main input.
unsigned outermost(linalg::LinalgOp op, ArrayRef<unsigned> loops) {
  for (AffineExpr expr : mainInput(op).getResults())
    for (unsigned loop : loops)
      if (expr.isFunctionOfDim(loop))
        return loop;
  return loops.front();
}

/// Whether neighbours of the main input in memory are of different results.
bool reducesColumns(linalg::LinalgOp op) {
  ArrayRef<AffineExpr> dimensions = mainInput(op).getResults();
  if (dimensions.empty())
    return false;
  auto fastest = dyn_cast<AffineDimExpr>(dimensions.back());
  return fastest && linalg::isParallelIterator(
                        op.getIteratorTypesArray()[fastest.getPosition()]);
}

/// Whether the schedule of `op` has fewer blocks than keep a GPU busy, and each
/// of them much to do.
bool leavesGpuIdle(linalg::LinalgOp op, int64_t results, int64_t reduced) {
  if (isMatrixProduct(op))
    return results < kFewProducts;
  return reducesColumns(op)
             ? results < kFewColumns && reduced >= kLongColumns
             : results < kFewResults && reduced >= kLongReduction;
}

/// Where to cut the reduction of `op`; none where it is better left whole.
std::optional<Cut> cutOf(linalg::LinalgOp op) {
  int64_t results = 1, reduced = 1;
  SmallVector<unsigned> reductions;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (ShapedType::isDynamic(extents[loop]))
      return std::nullopt;
    bool parallel = kind == utils::IteratorType::parallel;
    (parallel ? results : reduced) *= extents[loop];
    if (!parallel)
      reductions.push_back(loop);
  }
  if (!leavesGpuIdle(op, results, reduced))
    return std::nullopt;
  if (reductions.size() == 1)
    return cutOf(reductions[0], reduced);
  llvm::erase_if(reductions, [&](unsigned loop) {
    return extents[loop] < kLeastParts ||
           reduced / extents[loop] < kLeastPartLength;
  });
  if (reductions.empty())
    return std::nullopt;
  unsigned loop = outermost(op, reductions);
  return Cut{loop, 0, extents[loop]};
}

/// Whether parts may start from the neutral element of the one operation that
/// combines, the body does not read its position, and every dimension of an
/// operand is indexed by one loop.
bool canSplit(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
      op.getNumDpsInputs() == 0 || op.hasIndexSemantics())
    return false;
  if (!llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return false;
  SmallVector<Operation *> combiners;
  return matchReduction(op.getRegionOutputArgs(), 0, combiners) &&
         combiners.size() == 1 &&
         llvm::is_contained(combiners.front()->getOperands(),
                            op.getRegionOutputArgs()[0]) &&
         arith::getNeutralElement(combiners.front()).has_value();
}

/// A tensor of `type` that holds the neutral element of `combiner`.
Value filledWithNeutral(RewriterBase &rewriter, Location loc,
                        RankedTensorType type, Operation *combiner) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  Value neutral = arith::ConstantOp::create(
      rewriter, loc, *arith::getNeutralElement(combiner));
  return linalg::FillOp::create(rewriter, loc, neutral, empty).getResult(0);
}

/// Adds up the first dimension of `partial` on top of what `op` starts from.
Value combined(RewriterBase &rewriter, linalg::GenericOp op, Value partial,
               Operation *combiner) {
  Value init = op.getDpsInits()[0];
  unsigned rank = cast<RankedTensorType>(partial.getType()).getRank();
  AffineMap all = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  kinds.front() = utils::IteratorType::reduction;
  BlockArgument accumulator = op.getRegionOutputArgs()[0];
  auto body = [&](OpBuilder &b, Location loc, ValueRange arguments) {
    IRMapping mapping;
    for (Value operand : combiner->getOperands())
      mapping.map(operand, arguments[operand == accumulator ? 1 : 0]);
    linalg::YieldOp::create(b, loc, b.clone(*combiner, mapping)->getResults());
  };
  return linalg::GenericOp::create(
             rewriter, op.getLoc(), init.getType(), partial, init,
             ArrayRef{all, all.dropResult(0)}, kinds, body)
      .getResult(0);
}

/// The iterations of one reduction loop become partial results.
void splitAt(RewriterBase &rewriter, linalg::GenericOp op, unsigned loop) {
  Location loc = op.getLoc();
  SmallVector<Operation *> combiners;
  matchReduction(op.getRegionOutputArgs(), 0, combiners);
  OpOperand &init = op.getDpsInitsMutable()[0];
  auto type = cast<RankedTensorType>(init.get().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), op.getStaticLoopRanges()[loop]);
  AffineMap map = op.getMatchingIndexingMap(&init);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.back() = map.insertResult(rewriter.getAffineDimExpr(loop), 0);
  auto kinds = op.getIteratorTypesArray();
  kinds[loop] = utils::IteratorType::parallel;
  rewriter.setInsertionPoint(op);
  auto partialType = RankedTensorType::get(shape, type.getElementType());
  auto partial = linalg::GenericOp::create(
      rewriter, loc, partialType, op.getInputs(),
      filledWithNeutral(rewriter, loc, partialType, combiners.front()), maps,
      kinds, /*bodyBuild=*/nullptr,
      getPrunedAttributeList(op, op.getAttributeNames()));
  rewriter.cloneRegionBefore(op.getRegion(), partial.getRegion(),
                             partial.getRegion().begin());
  rewriter.replaceOp(
      op, combined(rewriter, op, partial.getResult(0), combiners.front()));
}

/// `op` on `size` iterations of `loop` from `first` on, starting from `init`.
linalg::LinalgOp sliced(RewriterBase &rewriter, linalg::LinalgOp op,
                        unsigned loop, int64_t first, int64_t size,
                        Value init) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes(op.getNumLoops(), rewriter.getIndexAttr(0)),
      bounds = getAsIndexOpFoldResult(rewriter.getContext(),
                                      op.getStaticLoopRanges());
  sizes[loop] = rewriter.getIndexAttr(size);
  SmallVector<Value> operands = linalg::makeTiledShapes(
      rewriter, loc, op, op->getOperands(), {rewriter.getIndexAttr(first)},
      sizes, bounds, /*omitPartialTileCheck=*/true);
  operands.back() = init;
  return cast<linalg::LinalgOp>(
      mlir::clone(rewriter, op, op->getResultTypes(), operands));
}

/// Where the parts leave some iterations over, another operation does these.
linalg::LinalgOp withoutRest(RewriterBase &rewriter, linalg::LinalgOp op,
                             Cut cut) {
  int64_t rest = op.getStaticLoopRanges()[cut.loop] - cut.length;
  if (rest == 0)
    return op;
  rewriter.setInsertionPoint(op);
  auto most =
      sliced(rewriter, op, cut.loop, 0, cut.length, op.getDpsInits()[0]);
  auto last =
      sliced(rewriter, op, cut.loop, cut.length, rest, most->getResult(0));
  rewriter.replaceOp(op, last->getResults());
  return most;
}

LogicalResult split(RewriterBase &rewriter, linalg::LinalgOp op, Cut cut) {
  op = withoutRest(rewriter, op, cut);
  FailureOr<linalg::GenericOp> generic = hwtune::generalised(rewriter, op);
  if (failed(generic))
    return failure();
  if (cut.parts == 0) {
    splitAt(rewriter, *generic, cut.loop);
    return success();
  }
  rewriter.setInsertionPoint(*generic);
  return linalg::splitReduction(
      rewriter, cast<linalg::LinalgOp>(generic->getOperation()),
      [&](linalg::LinalgOp) {
        return linalg::SplitReductionOptions{cut.parts, /*index=*/0,
                                             /*innerParallel=*/false};
      });
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
    if (op->hasAttr(hwtune::HWTuneDialect::kConfigAttrName) || !canSplit(op))
      continue;
    std::optional<Cut> cut = cutOf(op);
    if (!cut)
      continue;
    if (op.hasPureTensorSemantics()) {
      (void)split(rewriter, op, *cut);
    } else if (isOnPlainBuffers(op)) {
      if (succeeded(split(rewriter, onTensors(rewriter, op), *cut)))
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

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// `memref.transpose` has no ViewLikeOpInterface: a cast that has it says the
/// same.
void recastTransposes(RewriterBase &rewriter, ModuleOp module) {
  for (auto op : collect<memref::TransposeOp>(module)) {
    rewriter.setInsertionPoint(op);
    auto parts = memref::ExtractStridedMetadataOp::create(rewriter, op.getLoc(),
                                                          op.getIn());
    auto permuted = [&](SmallVector<OpFoldResult> values) {
      return applyPermutationMap<OpFoldResult>(op.getPermutation(), values);
    };
    rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
        op, cast<MemRefType>(op.getType()), parts.getBaseBuffer(),
        parts.getConstifiedMixedOffset(),
        permuted(parts.getConstifiedMixedSizes()),
        permuted(parts.getConstifiedMixedStrides()));
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
  recastTransposes(rewriter, module);
  for (auto op : collect<linalg::LinalgOp>(module))
    if (!op->hasAttr(hwtune::HWTuneDialect::kConfigAttrName) &&
        (op.hasPureTensorSemantics() || isOnPlainBuffers(op)))
      hwtune::dropUnitWindows(rewriter, op);
  splitLongReductions(rewriter, module);
}
