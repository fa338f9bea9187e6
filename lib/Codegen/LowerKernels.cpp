//===- LowerKernels.cpp - gpu.module to the LLVM and NVVM dialects --------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "hwtune/Codegen/Compile.h"
#include "hwtune/Codegen/MathLowering.h"

#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace hwtune {

static constexpr llvm::StringLiteral kSimplify =
    "gpu.module(convert-nvgpu-to-nvvm,expand-strided-metadata,lower-affine,"
    "canonicalize,cse,convert-scf-to-cf)";

/// `convert-vector-to-llvm` is left out on purpose: on gpu address spaces it
/// fails with a message and succeeds; `convert-gpu-to-nvvm` converts vectors.
static constexpr llvm::StringLiteral kConvert =
    "gpu.module(convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},"
    "reconcile-unrealized-casts)";

/// Vector ops that the conversion of 1-D vectors to LLVM does not know.
static LogicalResult lowerVectors(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(
      patterns, vector::VectorTransposeLowering::EltWise);
  vector::populateVectorMultiReductionLoweringPatterns(
      patterns, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

static Status runPasses(ModuleOp module, llvm::StringRef pipeline) {
  DiagnosticCapture capture(*module.getContext());
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (failed(parsePassPipeline(pipeline, pm, stream)))
    return Error{"the kernel pipeline does not parse: " + message, ""};
  if (failed(pm.run(module)))
    return capture.error("the kernel cannot be lowered");
  return success();
}

Status lowerKernels(ModuleOp module) {
  DiagnosticCapture capture(*module.getContext());
  if (failed(lowerMath(module)))
    return capture.error("a math op cannot be lowered");
  if (Status done = runPasses(module, kSimplify); !done)
    return done;
  // After the canonicaliser, which makes broadcasts of insertions again.
  if (failed(lowerVectors(module)))
    return capture.error("a vector op cannot be lowered");
  return runPasses(module, kConvert);
}

} // namespace hwtune
