//===- EmitPtx.cpp - a lowered gpu.module to PTX --------------------------===//
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

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;

namespace hwtune {

/// The passes of LLVM's `-O2` that have something to do in a kernel: one
/// function, scheduled and unrolled, without calls. Whole, it takes half again
/// as long and the PTX is as long. Guards that follow from earlier ones go away
/// by `sccp`, `jump-threading` and `correlated-propagation`; `function-attrs`
/// finds what is only read, which `ld.global.nc` needs.
static constexpr llvm::StringLiteral kOptimise =
    "function<eager-inv>("
    "nvvm-intr-range,sroa<modify-cfg>,early-cse<memssa>,sccp,"
    "instcombine<no-verify-fixpoint>,"
    "speculative-execution<only-if-divergent-target>,jump-threading,"
    "correlated-propagation,simplifycfg<switch-range-to-icmp>,"
    "constraint-elimination,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,"
    "loop-rotate<header-duplication>,licm<allowspeculation>,"
    "simple-loop-unswitch<trivial>),"
    "simplifycfg<switch-range-to-icmp>,"
    "loop(indvars,loop-deletion,loop-unroll-full),"
    "sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
    "jump-threading,correlated-propagation,loop-mssa(licm<allowspeculation>),"
    "simplifycfg<hoist-common-insts;sink-common-insts;switch-range-to-icmp>,"
    "loop-unroll<O2>,infer-alignment,instcombine<no-verify-fixpoint>,"
    "loop-mssa(licm<allowspeculation>),"
    "simplifycfg<hoist-loads-stores-with-cond-faulting;"
    "speculate-unpredictables;switch-range-to-icmp>),"
    "cgscc(function-attrs)";

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
      llvm::CodeGenOptLevel::Default));
}

static Status optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, kOptimise))
    return Error{"optimising failed: " + llvm::toString(std::move(error)), ""};
  passes.run(module, modules);
  return success();
}

Expected<std::string> toPtx(gpu::GPUModuleOp module, const TargetSpec &target) {
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
  if (Status done = optimise(*llvmModule, *machine); !done)
    return done.error();
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager emit;
  if (machine->addPassesToEmitFile(emit, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile,
                                   /*DisableVerify=*/true))
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
