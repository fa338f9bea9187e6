//===- WorkloadExtraction.cpp - linalg operation to Workload --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Refusals come first, then the plain copy of loops and operands, then what the
// body does; the kind follows from these alone.
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/WorkloadExtraction.h"

#include "BodyAnalysis.h"

#include "hwtune/IR/OpIsolation.h"
#include "hwtune/IR/StaticSizes.h"
#include "hwtune/Workload/LaunchSizes.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using hwtune::ElementType;
using hwtune::LinearExpr;
using hwtune::Workload;
using hwtune::WorkloadKind;

std::optional<ElementType> hwtune::elementTypeOf(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return ElementType::F8E4M3;
  if (isa<Float8E5M2Type>(type))
    return ElementType::F8E5M2;
  if (type.isF64())
    return ElementType::F64;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || !integer.isSignless())
    return std::nullopt;
  switch (integer.getWidth()) {
  case 64:
    return ElementType::I64;
  case 32:
    return ElementType::I32;
  case 16:
    return ElementType::I16;
  case 8:
    return ElementType::I8;
  case 1:
    return ElementType::I1;
  default:
    return std::nullopt;
  }
}

template <typename T> static std::string print(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

/// Why the layout of `type` rules out tuning, "" if it does not.
static std::string refuseLayout(MemRefType type, bool isOutput) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return "is not strided, expected an offset and strides";
  for (auto [stride, extent] : llvm::zip(strides, type.getShape())) {
    if (!ShapedType::isDynamic(stride) && stride < 0)
      return "has the negative stride " + std::to_string(stride) +
             ", expected none";
    if (isOutput && stride == 0 && extent != 1)
      return "has stride 0 in an output, expected elements that do not overlap";
  }
  return "";
}

/// Why operand number `index` rules out tuning, "" if it does not.
static std::string refuseOperand(Value value, unsigned index, bool isOutput) {
  Type type = value.getType();
  std::string where = "operand " + std::to_string(index) + ": ";
  if (isa<UnrankedTensorType, UnrankedMemRefType>(type))
    return where + "type " + print(type) +
           " has no rank, expected a ranked one";
  if (isa<VectorType>(getElementTypeOrSelf(type)) || isa<VectorType>(type))
    return where + "type " + print(type) + " holds vectors, expected numbers";
  Type element = getElementTypeOrSelf(type);
  if (!hwtune::elementTypeOf(element))
    return where + "element type " + print(element) +
           " is not supported, expected f64, f32, f16, bf16, f8E4M3FN, f8E5M2 "
           "or a signless i64, i32, i16, i8, i1";
  if (auto memref = dyn_cast<MemRefType>(type)) {
    if (std::string why = refuseLayout(memref, isOutput); !why.empty())
      return where + "layout of " + print(type) + " " + why;
    if (memref.getMemorySpace())
      return where + "memory space of " + print(type) +
             " is not the default one";
  }
  if (auto tensor = dyn_cast<RankedTensorType>(type);
      tensor && tensor.getEncoding())
    return where + "encoding of " + print(type) +
           " is not supported, expected a dense tensor";
  return "";
}

/// A type of less than 16 bits that `op` computes with: PTX has no arithmetic
/// on it, and nothing here expands it.
static Type narrowFloatOf(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                SmallVector<Type>(op->getResultTypes())))
    if (auto real = dyn_cast<FloatType>(type); real && real.getWidth() < 16)
      return type;
  return {};
}

/// Why the body rules out tuning, "" if it does not.
static std::string refuseBody(linalg::LinalgOp op) {
  std::string reason;
  op.getBlock()->walk([&](Operation *inner) {
    if (inner->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    if (!isMemoryEffectFree(inner)) {
      reason = "body operation '" + inner->getName().getStringRef().str() +
               "' has side effects, expected pure operations";
      return WalkResult::interrupt();
    }
    if (Type narrow = narrowFloatOf(inner);
        narrow && !isa<arith::ConstantOp>(inner)) {
      llvm::raw_string_ostream(reason)
          << "body operation '" << inner->getName() << "' computes with "
          << narrow << ", which can only be moved";
      return WalkResult::interrupt();
    }
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentRegion()->getParentOp()) &&
          !matchPattern(operand, m_Constant())) {
        reason = "body operation '" + inner->getName().getStringRef().str() +
                 "' uses a value from outside the operation, expected an "
                 "operand or a constant";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return reason;
}

/// `expr` as a linear expression of `loops` loops; nullopt where it has a mod,
/// a division or a symbol.
static std::optional<LinearExpr> linearise(AffineExpr expr, unsigned loops,
                                           unsigned symbols) {
  SmallVector<int64_t> flat;
  // The columns are dims, symbols, one local per mod or division, constant.
  if (failed(getFlattenedAffineExpr(expr, loops, symbols, &flat)) ||
      flat.size() != loops + symbols + 1)
    return std::nullopt;
  for (unsigned i = 0; i < symbols; ++i)
    if (flat[loops + i] != 0)
      return std::nullopt;
  LinearExpr linear;
  linear.coefficients.assign(flat.begin(), flat.begin() + loops);
  linear.constant = flat.back();
  return linear;
}

/// A linear expression that is nowhere less than `expr`, for loops that count
/// up from 0; 0 where none is known.
static LinearExpr boundOf(AffineExpr expr, unsigned loops, unsigned symbols) {
  if (std::optional<LinearExpr> linear = linearise(expr, loops, symbols))
    return *linear;
  LinearExpr bound;
  bound.coefficients.assign(loops, 0);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return bound;
  LinearExpr left = boundOf(binary.getLHS(), loops, symbols);
  auto right = dyn_cast<AffineConstantExpr>(binary.getRHS());
  int64_t factor = right ? right.getValue() : 0;
  switch (expr.getKind()) {
  case AffineExprKind::Add: {
    LinearExpr other = boundOf(binary.getRHS(), loops, symbols);
    for (auto [sum, term] :
         llvm::zip_equal(left.coefficients, other.coefficients))
      sum += term;
    left.constant += other.constant;
    return left;
  }
  case AffineExprKind::Mul:
    if (factor <= 0)
      return bound;
    for (int64_t &coefficient : left.coefficients)
      coefficient *= factor;
    left.constant *= factor;
    return left;
  case AffineExprKind::Mod:
    bound.constant = std::max<int64_t>(0, factor - 1);
    return bound;
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    return left;
  default:
    return bound;
  }
}

/// Whether two elements of `type` may lie in one place, as far as its static
/// sizes and strides tell.
static bool mayOverlapItself(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset, span = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  SmallVector<std::pair<int64_t, int64_t>> steps; // stride, size
  for (auto [stride, size] : llvm::zip_equal(strides, type.getShape()))
    if (size > 1 && stride != ShapedType::kDynamic)
      steps.emplace_back(std::abs(stride), size);
  llvm::sort(steps);
  for (auto [stride, size] : steps) {
    if (stride <= span)
      return true;
    span += (size - 1) * stride;
  }
  return false;
}

/// Each iteration of the parallel loops has elements of an output of its own,
/// so that they can run in any order.
static std::string refuseOutputMap(linalg::LinalgOp op, OpOperand &output) {
  AffineMap map = op.getMatchingIndexingMap(&output);
  if (auto type = dyn_cast<MemRefType>(output.get().getType());
      type && mayOverlapItself(type))
    return "operand " + std::to_string(output.getOperandNumber()) +
           " is written and its rows overlap, expected one place for each "
           "element";
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  llvm::SmallBitVector used(map.getNumDims());
  // Each dimension has a loop of its own, at any stride and offset.
  auto isOwn = [&](AffineExpr expr) {
    std::optional<LinearExpr> linear =
        linearise(expr, map.getNumDims(), map.getNumSymbols());
    bool any = false;
    for (unsigned i = 0; linear && i < linear->coefficients.size(); ++i) {
      if (linear->coefficients[i] == 0)
        continue;
      if (any || used.test(i) || kinds[i] == utils::IteratorType::reduction)
        return false;
      used.set(i);
      any = true;
    }
    return linear.has_value();
  };
  for (AffineExpr expr : map.getResults())
    if (!isOwn(expr)) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "operand " << output.getOperandNumber() << " is written at index '"
          << expr
          << "', expected a parallel loop that indexes no other dimension";
      return text;
    }
  return "";
}

/// The buffer that `view` is of, through casts that change no element's place.
static Value withoutCasts(Value view) {
  while (auto cast = view.getDefiningOp<memref::CastOp>())
    view = cast.getSource();
  return view;
}

Value hwtune::rootBuffer(Value view) {
  while (auto op = view.getDefiningOp<ViewLikeOpInterface>())
    view = op.getViewSource();
  return view;
}

enum class Overlap { None, Same, Some };

/// How the elements of two buffers lie to each other, as far as views of one
/// buffer tell; what comes from two buffers is taken to be apart.
static Overlap overlapOf(Value a, Value b) {
  a = withoutCasts(a);
  b = withoutCasts(b);
  if (a == b)
    return Overlap::Same;
  if (hwtune::rootBuffer(a) != hwtune::rootBuffer(b))
    return Overlap::None;
  auto one = a.getDefiningOp<memref::SubViewOp>(),
       other = b.getDefiningOp<memref::SubViewOp>();
  if (!one || !other ||
      withoutCasts(one.getSource()) != withoutCasts(other.getSource()))
    return Overlap::Some;
  HyperrectangularSlice first(one), second(other);
  MLIRContext *context = one.getContext();
  FailureOr<bool> overlap =
      ValueBoundsConstraintSet::areOverlappingSlices(context, first, second);
  if (succeeded(overlap) && !*overlap)
    return Overlap::None;
  FailureOr<bool> same =
      ValueBoundsConstraintSet::areEquivalentSlices(context, first, second);
  return succeeded(same) && *same ? Overlap::Same : Overlap::Some;
}

/// An input that shares elements with an output is read where it is written:
/// other threads may have been there before.
static std::string refuseOverwriting(linalg::LinalgOp op) {
  for (OpOperand &output : op.getDpsInitsMutable())
    for (OpOperand &other : op->getOpOperands()) {
      if (&other == &output || !isa<MemRefType>(other.get().getType()))
        continue;
      Overlap overlap = overlapOf(other.get(), output.get());
      bool inPlace = !op.isDpsInit(&other) && overlap == Overlap::Same &&
                     op.getMatchingIndexingMap(&other) ==
                         op.getMatchingIndexingMap(&output);
      if (overlap != Overlap::None && !inPlace)
        return "operands " + std::to_string(other.getOperandNumber()) +
               " and " + std::to_string(output.getOperandNumber()) +
               (overlap == Overlap::Same
                    ? " are one buffer, which is written while it is read in "
                      "another order"
                    : " are views of one buffer that may overlap, expected "
                      "views that lie apart");
    }
  return "";
}

static std::string refuse(linalg::LinalgOp op) {
  bool tensors = op.hasPureTensorSemantics();
  if (!tensors && !op.hasPureBufferSemantics())
    return "operands mix tensors and memrefs, expected one of the two";
  for (OpOperand &operand : op->getOpOperands())
    if (std::string why = refuseOperand(
            operand.get(), operand.getOperandNumber(), op.isDpsInit(&operand));
        !why.empty())
      return why;
  for (auto [index, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (extent == 0)
      return "loop " + std::to_string(index) +
             " has 0 iterations, expected at least one";
  for (OpOperand &output : op.getDpsInitsMutable())
    if (std::string why = refuseOutputMap(op, output); !why.empty())
      return why;
  if (std::string why = refuseOverwriting(op); !why.empty())
    return why;
  return refuseBody(op);
}

//===----------------------------------------------------------------------===//
// Loops and operands
//===----------------------------------------------------------------------===//

static int64_t fromShaped(int64_t extent) {
  return ShapedType::isDynamic(extent) ? hwtune::kDynamic : extent;
}

hwtune::BufferLayout hwtune::layoutOf(MemRefType type) {
  BufferLayout layout;
  if (type.getLayout().isIdentity())
    return layout;
  auto [strides, offset] = type.getStridesAndOffset();
  for (int64_t stride : strides)
    layout.strides.push_back(fromShaped(stride));
  layout.offset = fromShaped(offset);
  return layout;
}

static hwtune::Operand describeOperand(linalg::LinalgOp op,
                                       OpOperand &operand) {
  hwtune::Operand result;
  result.isOutput = op.isDpsInit(&operand);
  result.readsInit =
      result.isOutput && op.payloadUsesValueFromOperand(&operand);
  Type type = operand.get().getType();
  result.type = *hwtune::elementTypeOf(getElementTypeOrSelf(type));
  auto shaped = dyn_cast<ShapedType>(type);
  result.isScalar = !shaped;
  if (!shaped)
    return result;
  for (int64_t extent : shaped.getShape())
    result.shape.push_back(fromShaped(extent));
  if (auto memref = dyn_cast<MemRefType>(type)) {
    hwtune::BufferLayout layout = hwtune::layoutOf(memref);
    result.strides = std::move(layout.strides);
    result.offset = layout.offset;
  }
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (AffineExpr expr : map.getResults()) {
    unsigned loops = map.getNumDims(), symbols = map.getNumSymbols();
    result.isLinear &= linearise(expr, loops, symbols).has_value();
    result.index.push_back(boundOf(expr, loops, symbols));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Kind
//===----------------------------------------------------------------------===//

/// The engine classifies by loops, indexing and counts; two facts that only
/// the body shows can make the result plainer.
static WorkloadKind classifyOp(linalg::LinalgOp op, const Workload &w,
                               const hwtune::BodyFacts &body) {
  if (body.usesIndex)
    return WorkloadKind::Generic;
  WorkloadKind kind = hwtune::classify(w);
  // What is never read (only its shape is used) crosses no lines.
  if (kind == WorkloadKind::Transpose) {
    Workload read = w;
    for (OpOperand &operand : llvm::reverse(op->getOpOperands()))
      if (!op.isDpsInit(&operand) && !op.payloadUsesValueFromOperand(&operand))
        read.operands.erase(read.operands.begin() + operand.getOperandNumber());
    kind = hwtune::classify(read);
  }
  bool needsProduct =
      kind == WorkloadKind::Contraction || kind == WorkloadKind::Convolution;
  return needsProduct && !body.isMultiplyAccumulate ? WorkloadKind::Generic
                                                    : kind;
}

/// Whether a launch can promise whole rows: a test of each dynamic last extent
/// is enough for all strides, and each is the extent of one loop.
static bool canPromiseWholeRows(const Workload &w) {
  bool any = false;
  for (const hwtune::Operand &op : w.operands) {
    if (!op.strides.empty())
      return false;
    if (op.shape.empty())
      continue;
    bool dynamic = llvm::is_contained(op.shape, hwtune::kDynamic);
    int64_t last = op.shape.back();
    if (dynamic && last != hwtune::kDynamic &&
        last * hwtune::sizeInBytes(op.type) % hwtune::kRowBytes != 0)
      return false;
    if (last != hwtune::kDynamic)
      continue;
    const LinearExpr &index = op.index.back();
    if (!op.isLinear || index.constant != 0 ||
        llvm::count_if(index.coefficients, [](int64_t c) { return c != 0; }) !=
            1 ||
        !llvm::is_contained(index.coefficients, 1))
      return false;
    any = true;
  }
  return any;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

hwtune::Expected<Workload> hwtune::extractWorkload(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return Error{"'" + op->getName().getStringRef().str() +
                     "' does not implement the LinalgOp interface" +
                     (isa<linalg::AggregatedOpInterface>(op)
                          ? "; on tensors, hw-aware-tune tunes its parts"
                          : ""),
                 ""};
  if (std::string why = refuse(linalgOp); !why.empty())
    return Error{why, ""};
  if (hasUntoldSizes(linalgOp)) {
    OwningOpRef<ModuleOp> told = isolateOp(op);
    Operation *clone = nullptr;
    told->walk([&](linalg::LinalgOp inner) { clone = inner; });
    return extractWorkload(clone);
  }

  Workload w;
  w.opName = op->getName().getStringRef().str();
  for (auto [kind, extent] : llvm::zip(linalgOp.getIteratorTypesArray(),
                                       linalgOp.getStaticLoopRanges()))
    w.loops.push_back({kind == utils::IteratorType::reduction
                           ? LoopKind::Reduction
                           : LoopKind::Parallel,
                       fromShaped(extent)});
  for (OpOperand *operand : linalgOp.getDpsInputOperands())
    w.operands.push_back(describeOperand(linalgOp, *operand));
  for (OpOperand &operand : linalgOp.getDpsInitsMutable())
    w.operands.push_back(describeOperand(linalgOp, operand));

  BodyFacts body = analyseBody(linalgOp);
  w.body = body.counts;
  w.combiner = body.combiner;
  w.accumulator = body.accumulator.value_or(w.operands.back().type);
  w.kind = classifyOp(linalgOp, w, body);
  w.wholeRows = canPromiseWholeRows(w);
  assumeSizes(w);
  auto digest =
      llvm::SHA256::hash(llvm::arrayRefFromStringRef(canonicalText(op)));
  w.key = llvm::toHex(digest, /*LowerCase=*/true);
  return w;
}

std::vector<hwtune::TunableOp> hwtune::collectLinalgOps(Operation *root) {
  std::vector<TunableOp> found;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != root && (isa<gpu::GPUModuleOp, gpu::LaunchOp>(op) ||
                       isa<transform::TransformOpInterface>(op)))
      return WalkResult::skip();
    if (!isa<linalg::LinalgOp>(op) &&
        !isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()))
      return WalkResult::advance();
    found.push_back({op, extractWorkload(op)});
    return WalkResult::skip();
  });
  return found;
}
