//===- MmaContraction.cpp - matrix units ----------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragment layouts of mma.m16n8k16 and ldmatrix: PTX ISA, "Matrix fragments for
// mma.m16n8k16 with floating point type" and "Warp-level matrix load
// instruction". Upstream's conversion from vectors knows neither bf16 nor
// outputs at the edges.
//
//===----------------------------------------------------------------------===//

#include "TransformUtils.h"
#include "hwtune/IR/TransformOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace hwtune {
namespace {

constexpr int64_t kWarp = 32;
/// m16n8k16; one ldmatrix brings a 16 x 16 piece of an input.
constexpr int64_t kRows = 16, kColumns = 8, kDepth = 16, kPiece = 16;

/// What plays which part in the op.
struct Parts {
  Value a, b, c;
  bool aAlongK = false, bAlongK = false; ///< rows of the input run along k
  int64_t m = 0, n = 0;
};

/// The loop that indexes each dimension of `operand`.
SmallVector<unsigned> loopsOf(linalg::LinalgOp op, OpOperand &operand) {
  SmallVector<unsigned> loops;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  return loops;
}

bool isInput(Value value, Type element) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && type.getRank() == 2 && type.getElementType() == element &&
         (element.isF16() || element.isBF16()) &&
         gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

/// Why `op` is not of the form; "" and `parts` where it is.
std::string match(linalg::LinalgOp op, Parts &parts) {
  if (!op.hasPureBufferSemantics() || !linalg::isaContractionOpInterface(op) ||
      op.getNumLoops() != 3)
    return "expected a contraction of three loops on memrefs";
  OpOperand &first = op->getOpOperand(0), &second = op->getOpOperand(1),
            &out = op->getOpOperand(2);
  Type element = getElementTypeOrSelf(first.get().getType());
  if (!isInput(first.get(), element) || !isInput(second.get(), element))
    return "expected two inputs of f16 or bf16 in workgroup memory";
  auto type = cast<MemRefType>(out.get().getType());
  Type sum = type.getElementType();
  if (type.getRank() != 2 || (!sum.isF32() && sum != element))
    return "expected an output of rank 2, of f32 or of the inputs' type";
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  unsigned m = loopsOf(op, out)[0], n = loopsOf(op, out)[1], k = 3 - m - n;
  if (extents[k] != kDepth)
    return "expected " + std::to_string(kDepth) + " values of k, found " +
           std::to_string(extents[k]);
  bool swapped = llvm::is_contained(loopsOf(op, first), n);
  OpOperand &a = swapped ? second : first, &b = swapped ? first : second;
  parts = {a.get(),
           b.get(),
           out.get(),
           loopsOf(op, a).back() == k,
           loopsOf(op, b).back() == k,
           extents[m],
           extents[n]};
  return "";
}

class Emitter {
public:
  Emitter(ImplicitLocOpBuilder &b, const Parts &parts,
          ArrayRef<int64_t> warpTile)
      : b(b), parts(parts), rows(warpTile[0]), columns(warpTile[1]),
        element(getElementTypeOrSelf(parts.a.getType())) {}
  void run();

private:
  Value index(int64_t n) { return arith::ConstantIndexOp::create(b, n); }
  /// x + scale * y + constant.
  Value sum(Value x, Value y, int64_t scale, int64_t constant) {
    AffineExpr d0, d1;
    bindDims(b.getContext(), d0, d1);
    return getValueOrCreateConstantIndexOp(
        b, b.getLoc(),
        affine::makeComposedFoldedAffineApply(b, b.getLoc(),
                                              d0 + d1 * scale + constant,
                                              ArrayRef<OpFoldResult>{x, y}));
  }
  void locate();
  Value loadPiece(Value memref, bool alongK, Value start, int64_t offset,
                  Value outerHalf, Value innerHalf);
  SmallVector<Value> registersOf(Value piece);
  void multiply(ArrayRef<Value> a, ArrayRef<Value> bRegisters, Value row,
                Value column);

  ImplicitLocOpBuilder &b;
  const Parts &parts;
  int64_t rows, columns; ///< of a warp's tile
  Type element;
  Value warpRow, warpColumn;        ///< where that begins
  Value laneRow, low, high;         ///< lane = high * 16 + low * 8 + laneRow
  Value groupRow, columnPairOfLane; ///< lane = groupRow * 4 + columnPair
};

void Emitter::locate() {
  Value id = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  int64_t across = parts.n / columns;
  SmallVector<Value> counts = {index(parts.m / rows), index(across), index(2),
                               index(2), index(8)};
  SmallVector<Value> digits = splitIndex(b, b.getLoc(), id, counts);
  Value zero = index(0);
  warpRow = sum(zero, digits[0], rows, 0);
  warpColumn = sum(zero, digits[1], columns, 0);
  high = digits[2];
  low = digits[3];
  laneRow = digits[4];
  SmallVector<Value> byFour = {index(parts.m / rows), index(across), index(8),
                               index(4)};
  digits = splitIndex(b, b.getLoc(), id, byFour);
  groupRow = digits[2];
  columnPairOfLane = digits[3];
}

/// The 16 x 16 piece of an input that begins at `start` + `offset`, as four
/// 8 x 8 matrices: `outerHalf` and `innerHalf` (0 or 1 for each lane) say in
/// which half along m or n, and along k, the matrix of the lane's address lies.
Value Emitter::loadPiece(Value memref, bool alongK, Value start, int64_t offset,
                         Value outerHalf, Value innerHalf) {
  Value outer = sum(start, outerHalf, 8, offset);
  Value inner = sum(index(0), innerHalf, 8, 0);
  // A lane gives the address of one row of one matrix.
  (alongK ? outer : inner) = sum(alongK ? outer : inner, laneRow, 1, 0);
  SmallVector<Value> at = {outer, inner};
  if (!alongK)
    std::swap(at[0], at[1]);
  return nvgpu::LdMatrixOp::create(b, VectorType::get({4, 2}, element), memref,
                                   at, b.getBoolAttr(!alongK),
                                   b.getI32IntegerAttr(4));
}

/// The four 32-bit registers of a piece, of the types that `nvvm.mma.sync`
/// wants: pairs of f16 as they are, of bf16 as numbers.
SmallVector<Value> Emitter::registersOf(Value piece) {
  SmallVector<Value> registers;
  for (int64_t i = 0; i < 4; ++i) {
    Value pair = vector::ExtractOp::create(b, piece, i);
    if (element.isBF16()) {
      Value word = vector::BitCastOp::create(
          b, VectorType::get({1}, b.getI32Type()), pair);
      pair = vector::ExtractOp::create(b, word, int64_t(0));
    }
    registers.push_back(pair);
  }
  return registers;
}

/// c += a * b for one 16 x 8 tile of c at (`row`, `column`) of this lane.
void Emitter::multiply(ArrayRef<Value> a, ArrayRef<Value> bRegisters, Value row,
                       Value column) {
  // Of rank 2, so that both indices have a bound that can be checked.
  Type sumType = getElementTypeOrSelf(parts.c.getType());
  auto pairType = VectorType::get({1, 2}, sumType),
       rowType = VectorType::get(2, sumType);
  auto wideType = VectorType::get(2, b.getF32Type());
  bool inBounds[] = {true, true};
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
  SmallVector<Value> accumulators, rowsOfLane;
  for (int64_t half : {0, 1}) {
    Value at = sum(row, index(0), 0, 8 * half);
    rowsOfLane.push_back(at);
    Value pair = vector::TransferReadOp::create(
        b, pairType, parts.c, ValueRange{at, column},
        std::optional<Value>(zero), std::optional<ArrayRef<bool>>(inBounds));
    Value wide = vector::ExtractOp::create(b, pair, int64_t(0));
    if (!sumType.isF32())
      wide = arith::ExtFOp::create(b, wideType, wide);
    for (int64_t i : {0, 1})
      accumulators.push_back(vector::ExtractOp::create(b, wide, i));
  }
  auto type = element.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  auto result = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(4, b.getF32Type()));
  Value sums = NVVM::MmaOp::create(
      b, result, a, bRegisters, accumulators,
      ArrayRef<int64_t>{kRows, kColumns, kDepth}, std::nullopt, std::nullopt,
      std::array{type, type},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (int64_t half : {0, 1}) {
    SmallVector<Value> pair;
    for (int64_t i : {0, 1})
      pair.push_back(LLVM::ExtractValueOp::create(
          b, sums, ArrayRef<int64_t>{2 * half + i}));
    Value row = vector::FromElementsOp::create(b, wideType, pair);
    if (!sumType.isF32())
      row = arith::TruncFOp::create(b, rowType, row);
    Value vector = vector::BroadcastOp::create(b, pairType, row);
    vector::TransferWriteOp::create(b, vector, parts.c,
                                    ValueRange{rowsOfLane[half], column},
                                    std::optional<ArrayRef<bool>>(inBounds));
  }
}

void Emitter::run() {
  locate();
  // The four matrices of an A fragment go down before they go along k, those of
  // two B fragments along k first.
  SmallVector<SmallVector<Value>> a, bPieces;
  for (int64_t i = 0; i < rows; i += kPiece)
    a.push_back(
        registersOf(loadPiece(parts.a, parts.aAlongK, warpRow, i, low, high)));
  for (int64_t j = 0; j < columns; j += kPiece)
    bPieces.push_back(registersOf(
        loadPiece(parts.b, parts.bAlongK, warpColumn, j, high, low)));
  for (auto [i, left] : llvm::enumerate(a))
    for (int64_t j = 0; j < columns; j += kColumns) {
      Value row = sum(warpRow, groupRow, 1, int64_t(i) * kRows);
      Value column = sum(warpColumn, columnPairOfLane, 2, j);
      ArrayRef<Value> piece = bPieces[j / kPiece];
      multiply(left, piece.slice(j % kPiece == 0 ? 0 : 2, 2), row, column);
    }
}

} // namespace

DiagnosedSilenceableFailure MmaContractionOp::applyToOne(
    transform::TransformRewriter &rewriter, Operation *target,
    transform::ApplyToEachResultList &, transform::TransformState &) {
  auto op = dyn_cast<linalg::LinalgOp>(target);
  Parts parts;
  std::string why = op ? match(op, parts) : "expected a linalg op";
  if (!why.empty())
    return emitDefiniteFailure() << why << " ('" << target->getName() << "')";
  ArrayRef<int64_t> tile = getWarpTile();
  if (tile.size() != 2 || tile[0] < 1 || tile[0] % kPiece || tile[1] < 1 ||
      tile[1] % kPiece || parts.m % tile[0] || parts.n % tile[1])
    return emitDefiniteFailure()
           << "'warp_tile' must be two multiples of " << kPiece
           << " that divide the output's " << parts.m << " x " << parts.n;
  int64_t threads = parts.m / tile[0] * (parts.n / tile[1]) * kWarp;
  std::optional<int64_t> available = blockThreads(target);
  if (available != threads)
    return emitDefiniteFailure()
           << "needs exactly " << threads << " threads, the launch has "
           << available.value_or(0);
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Emitter(b, parts, tile).run();
  rewriter.eraseOp(op);
  return DiagnosedSilenceableFailure::success();
}

} // namespace hwtune
