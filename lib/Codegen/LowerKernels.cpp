//===- LowerKernels.cpp - gpu.module to NVVM to PTX -----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX is made here and not by `gpu-module-to-binary`, which links libdevice
// silently where a CUDA toolkit is installed: the text must not depend on that.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "hwtune/Codegen/Compile.h"
#include "hwtune/Codegen/MathLowering.h"

#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;

namespace hwtune {

static constexpr llvm::StringLiteral kSimplify =
    "gpu.module(convert-nvgpu-to-nvvm,expand-strided-metadata,lower-affine,"
    "canonicalize,cse,convert-scf-to-cf)";

/// `convert-vector-to-llvm` is left out on purpose: on gpu address spaces it
/// fails with a message and succeeds; `convert-gpu-to-nvvm` converts vectors.
static constexpr llvm::StringLiteral kConvert =
    "gpu.module(convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},"
    "canonicalize,cse,reconcile-unrealized-casts)";

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

static void initializeBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

static std::unique_ptr<llvm::TargetMachine>
makeTargetMachine(const std::string &arch, std::string &message) {
  initializeBackend();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, arch, "", llvm::TargetOptions(), std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

Expected<std::string> toPtx(gpu::GPUModuleOp module, const TargetSpec &target,
                            unsigned optLevel) {
  if (!target.isNvidia())
    return Error{"target '" + target.id + "' (" + target.vendor +
                     ") takes no PTX; PTX needs an NVIDIA target",
                 ""};
  DiagnosticCapture capture(*module.getContext());
  std::string message;
  std::unique_ptr<llvm::TargetMachine> machine =
      makeTargetMachine(target.arch, message);
  if (!machine)
    return Error{"no PTX back end: " + message, ""};
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, llvmContext, module.getName(),
                              /*disableVerification=*/true);
  if (!llvmModule)
    return capture.error("the kernel has no LLVM form");
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  if (llvm::Error error = makeOptimizingTransformer(
          optLevel, /*sizeLevel=*/0, machine.get())(llvmModule.get()))
    return Error{"optimising failed: " + llvm::toString(std::move(error)), ""};
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager emit;
  if (machine->addPassesToEmitFile(emit, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return Error{"the back end writes no text for " + target.arch, ""};
  emit.run(*llvmModule);
  std::string ptx = text.str().str();
  PtxStats stats = ptxStats(ptx);
  if (!stats.externFunction.empty())
    return Error{"the kernel calls '" + stats.externFunction +
                     "', which PTX does not define",
                 ""};
  return ptx;
}

} // namespace hwtune
