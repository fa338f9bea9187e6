//===- LaunchOps.cpp - linalg op to gpu.launch in one step ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes to parameters, and registration. The work is in Points.cpp,
// Reduction.cpp and Transpose.cpp.
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/LaunchOps.h"

#include "Emit.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "hwtune/IR/LaunchOps.cpp.inc"

namespace hwtune {
namespace {

class LaunchExtension
    : public transform::TransformDialectExtension<LaunchExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LaunchExtension)
  using Base::Base;

  void init() {
    declareGeneratedDialect<affine::AffineDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<gpu::GPUDialect>();
    declareGeneratedDialect<LLVM::LLVMDialect>();
    declareGeneratedDialect<::mlir::math::MathDialect>();
    declareGeneratedDialect<memref::MemRefDialect>();
    declareGeneratedDialect<scf::SCFDialect>();
    declareGeneratedDialect<vector::VectorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "hwtune/IR/LaunchOps.cpp.inc"
        >();
  }
};

using Emit = llvm::function_ref<std::string(launch::Builder &, launch::Nest &)>;

/// Builds the launch in front of `target` and erases it, or leaves both the
/// error and a launch that the caller's module is lost with.
DiagnosedSilenceableFailure
replaceByLaunch(Operation *transform, transform::TransformRewriter &rewriter,
                linalg::LinalgOp target, ArrayRef<int64_t> collapse,
                transform::ApplyToEachResultList &results, Emit emit) {
  launch::Builder b(target.getLoc(), target);
  launch::Nest nest;
  std::string problem = nest.initialise(b, target, collapse);
  if (problem.empty())
    problem = emit(b, nest);
  if (!problem.empty())
    return emitDefiniteFailure(transform) << problem;
  rewriter.eraseOp(target);
  results.push_back(nest.launch);
  return DiagnosedSilenceableFailure::success();
}

SmallVector<int64_t> listOf(std::optional<ArrayRef<int64_t>> values) {
  return values ? SmallVector<int64_t>(*values) : SmallVector<int64_t>();
}

} // namespace

void registerLaunchExtension(DialectRegistry &registry) {
  registry.addExtensions<LaunchExtension>();
}

DiagnosedSilenceableFailure LaunchPointsOp::applyToOne(
    transform::TransformRewriter &rewriter, linalg::LinalgOp target,
    transform::ApplyToEachResultList &results, transform::TransformState &) {
  launch::PointsParams p;
  p.threads = getThreads();
  p.tile = SmallVector<int64_t>(getTile());
  p.perThread = getPerThread();
  p.unroll = getUnroll();
  p.order = listOf(getOrder());
  p.vectorLoop = getVectorLoop();
  p.widths = listOf(getWidths());
  return replaceByLaunch(getOperation(), rewriter, target, getCollapse(),
                         results, [&](launch::Builder &b, launch::Nest &n) {
                           return launch::emitPoints(b, n, p);
                         });
}

DiagnosedSilenceableFailure LaunchReductionOp::applyToOne(
    transform::TransformRewriter &rewriter, linalg::LinalgOp target,
    transform::ApplyToEachResultList &results, transform::TransformState &) {
  if (getAlong() != "reduction" && getAlong() != "parallel")
    return emitDefiniteFailure()
           << "'along' must be \"reduction\" or \"parallel\", not \""
           << getAlong() << "\"";
  launch::ReductionParams p;
  p.threads = getThreads();
  p.lanes = getLanes();
  p.alongReduction = getAlong() == "reduction";
  p.width = getWidth();
  p.unroll = getUnroll();
  p.widths = listOf(getWidths());
  return replaceByLaunch(getOperation(), rewriter, target, getCollapse(),
                         results, [&](launch::Builder &b, launch::Nest &n) {
                           return launch::emitReduction(b, n, p);
                         });
}

DiagnosedSilenceableFailure LaunchTransposeOp::applyToOne(
    transform::TransformRewriter &rewriter, linalg::LinalgOp target,
    transform::ApplyToEachResultList &results, transform::TransformState &) {
  if (getLoops().size() != 2 || getTile().size() != 2)
    return emitDefiniteFailure() << "'loops' and 'tile' must have two entries";
  launch::TransposeParams p;
  p.threads = getThreads();
  p.first = getLoops()[0];
  p.second = getLoops()[1];
  p.tileFirst = getTile()[0];
  p.tileSecond = getTile()[1];
  p.staged = SmallVector<int64_t>(getStaged());
  p.width = getWidth();
  p.pad = getPad();
  return replaceByLaunch(getOperation(), rewriter, target, getCollapse(),
                         results, [&](launch::Builder &b, launch::Nest &n) {
                           return launch::emitTranspose(b, n, p);
                         });
}

} // namespace hwtune
