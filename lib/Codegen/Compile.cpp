//===- Compile.cpp - scheduled linalg op to PTX ---------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/Compile.h"
#include "hwtune/IR/OpIsolation.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <fmt/format.h>

using namespace mlir;

namespace hwtune {
namespace {

template <typename OpTy> Expected<OpTy> theOnly(ModuleOp module) {
  llvm::SmallVector<OpTy> found;
  module.walk([&](OpTy op) { found.push_back(op); });
  if (found.size() != 1)
    return Error{fmt::format("the schedule made {} of '{}', expected 1",
                             found.size(), OpTy::getOperationName().str()),
                 ""};
  return found.front();
}

/// Registers, spills and shared memory from `ptxas`, where it is to be asked.
Status assemble(CompiledKernel &kernel, const TargetSpec &target,
                const CompileOptions &options) {
  kernel.registerBasis = "estimate";
  kernel.sharedBytes =
      kernel.stats.staticSharedBytes + kernel.kernel.dynamicSharedBytes;
  if (options.ptxas.empty())
    return success();
  Expected<PtxasReport> report =
      runPtxas(options.ptxas, kernel.ptx, target.arch);
  if (!report)
    return report.error();
  kernel.registerBasis = "ptxas";
  kernel.registers = report->registers;
  kernel.spillBytes = report->spillStoreBytes + report->spillLoadBytes;
  kernel.sharedBytes =
      report->staticSharedBytes + kernel.kernel.dynamicSharedBytes;
  return success();
}

} // namespace

Expected<CompiledKernel> compileScript(ModuleOp module, std::string_view script,
                                       const TargetSpec &target,
                                       const CompileOptions &options) {
  OwningOpRef<ModuleOp> owned(module.clone());
  if (options.wholeRows)
    markWholeRows(*owned);
  if (Status done = applySchedule(*owned, script, options.checkHandles); !done)
    return done.error();
  if (Status done = outlineKernels(*owned, options); !done)
    return done.error();
  Expected<gpu::LaunchFuncOp> launch = theOnly<gpu::LaunchFuncOp>(*owned);
  if (!launch)
    return launch.error();
  CompiledKernel result;
  Expected<KernelDesc> kernel = describeLaunch(*launch, options);
  if (!kernel)
    return kernel.error();
  result.kernel = *kernel;
  if (Status done = lowerKernels(*owned); !done)
    return done.error();
  Expected<gpu::GPUModuleOp> gpuModule = theOnly<gpu::GPUModuleOp>(*owned);
  if (!gpuModule)
    return gpuModule.error();
  Expected<std::string> ptx = toPtx(*gpuModule, target);
  if (!ptx)
    return ptx.error();
  result.ptx = std::move(*ptx);
  result.stats = ptxStats(result.ptx);
  if (Status done = assemble(result, target, options); !done)
    return done.error();
  return result;
}

Expected<CompiledKernel>
compileKernel(ModuleOp module, const Schedule &schedule,
              const Workload &workload, const TargetSpec &target,
              const Config &config, const CompileOptions &options) {
  CompileOptions promised = options;
  promised.wholeRows = needsWholeRows(schedule, workload, target, config);
  if (promised.wholeRows && !hasWholeRows(workload, options.shapes))
    return Error{"the configuration relies on rows of whole 16-byte accesses, "
                 "which these shapes do not have",
                 "give a workload `withoutPromises`"};
  Expected<CompiledKernel> result = compileScript(
      module, schedule.script(workload, target, config), target, promised);
  if (!result)
    return result;
  std::vector<PtxPromise> promises =
      schedule.promises(workload, target, config);
  if (std::string broken = brokenPromise(result->stats, promises);
      !broken.empty())
    return Error{"schedule '" + std::string(schedule.name()) +
                     "' breaks a promise: " + broken,
                 ""};
  LaunchShape shape = schedule.shape(workload, target, config);
  const std::array<int64_t, 3> &block = result->kernel.block;
  int64_t threads = block[0] * block[1] * block[2];
  if (threads != shape.threadsPerBlock ||
      result->sharedBytes != shape.sharedBytes)
    return Error{fmt::format("schedule '{}' promises {} threads and {} bytes "
                             "of shared memory, the kernel has {} and {}",
                             schedule.name(), shape.threadsPerBlock,
                             shape.sharedBytes, threads, result->sharedBytes),
                 ""};
  if (result->registerBasis == "estimate")
    result->registers = static_cast<int64_t>(
        schedule.features(workload, target, config).registers);
  return result;
}

} // namespace hwtune
