//===- TransformOps.cpp - transform-dialect extension ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration, effects, and the ops of a few lines. The others have a file
// each.
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/TransformOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "hwtune/IR/TransformOps.cpp.inc"

namespace hwtune {
namespace {

class HWTuneTransformExtension
    : public transform::TransformDialectExtension<HWTuneTransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HWTuneTransformExtension)
  using Base::Base;

  void init() {
    declareGeneratedDialect<affine::AffineDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<gpu::GPUDialect>();
    declareGeneratedDialect<linalg::LinalgDialect>();
    declareGeneratedDialect<memref::MemRefDialect>();
    declareGeneratedDialect<NVVM::NVVMDialect>();
    declareGeneratedDialect<nvgpu::NVGPUDialect>();
    declareGeneratedDialect<scf::SCFDialect>();
    declareGeneratedDialect<ub::UBDialect>();
    declareGeneratedDialect<vector::VectorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "hwtune/IR/TransformOps.cpp.inc"
        >();
  }
};

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

} // namespace

void registerTransformExtension(DialectRegistry &registry) {
  registry.addExtensions<HWTuneTransformExtension>();
}

#define HWTUNE_CONSUMES(OP)                                                    \
  void OP::getEffects(Effects &effects) {                                      \
    Operation *op = getOperation();                                            \
    transform::consumesHandle(op->getOpOperands(), effects);                   \
    transform::producesHandle(op->getOpResults(), effects);                    \
    transform::modifiesPayload(effects);                                       \
  }
#define HWTUNE_MODIFIES(OP)                                                    \
  void OP::getEffects(Effects &effects) {                                      \
    transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);      \
    transform::modifiesPayload(effects);                                       \
  }
HWTUNE_CONSUMES(TileToGridOp)
HWTUNE_CONSUMES(TileLoopOp)
HWTUNE_CONSUMES(TileToThreadsOp)
HWTUNE_CONSUMES(PromoteOp)
HWTUNE_CONSUMES(DistributeCopyOp)
HWTUNE_CONSUMES(VectorizeContractionOp)
HWTUNE_CONSUMES(MmaContractionOp)
HWTUNE_CONSUMES(PipelineOp)
HWTUNE_MODIFIES(DynamicSharedOp)
HWTUNE_MODIFIES(BarrierOp)
HWTUNE_MODIFIES(GuardTransfersOp)
HWTUNE_MODIFIES(HoistAccumulatorsOp)
HWTUNE_MODIFIES(LowerTransfersOp)
#undef HWTUNE_CONSUMES
#undef HWTUNE_MODIFIES

DiagnosedSilenceableFailure
BarrierOp::applyToOne(transform::TransformRewriter &rewriter, Operation *target,
                      transform::ApplyToEachResultList &,
                      transform::TransformState &) {
  if (getAfter())
    rewriter.setInsertionPointAfter(target);
  else
    rewriter.setInsertionPoint(target);
  gpu::BarrierOp::create(rewriter, target->getLoc());
  return DiagnosedSilenceableFailure::success();
}

} // namespace hwtune
