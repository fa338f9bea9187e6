//===- Kernelize.cpp - linalg operations into GPU kernels -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation is isolated into a module of its own, exactly as it was when it
// was tuned, scheduled there, and what comes out is spliced back: so the kernel
// is the one that was timed, and a schedule cannot touch anything else.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/Kernelize.h"

#include "LaunchGuard.h"
#include "LaunchToLoops.h"

#include "hwtune/IR/OpIsolation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

#include <fmt/format.h>

using namespace mlir;
using namespace hwtune;

std::optional<EmitForm> hwtune::parseEmitForm(std::string_view text) {
  constexpr std::pair<std::string_view, EmitForm> kForms[] = {
      {"config", EmitForm::Config},
      {"loops", EmitForm::Loops},
      {"gpu", EmitForm::Gpu},
      {"binary", EmitForm::Binary},
      {"runner", EmitForm::Runner}};
  for (auto [name, form] : kForms)
    if (name == text)
      return form;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Splicing
//===----------------------------------------------------------------------===//

/// Clones the body of the isolated function of `isolated` to where `builder`
/// stands, on the operands of `op` with the sizes that the function knows.
static void inlineIsolated(OpBuilder &builder, ModuleOp isolated,
                           Operation *op) {
  auto function = isolated.lookupSymbol<func::FuncOp>(kIsolatedFunction);
  IRMapping mapping;
  for (auto [argument, operand] :
       llvm::zip(function.getArguments(), op->getOperands()))
    mapping.map(argument,
                operand.getType() == argument.getType()
                    ? operand
                    : memref::CastOp::create(builder, op->getLoc(),
                                             argument.getType(), operand)
                          .getResult());
  for (Operation &inner : function.getBody().front().without_terminator())
    builder.clone(inner, mapping);
}

/// Moves the only gpu.module of `isolated` into `module` under `name`. The
/// kernel in it keeps its name: the PTX is then, letter for letter, what was
/// tuned.
static Status moveKernel(ModuleOp isolated, ModuleOp module,
                         const std::string &name) {
  auto kernels = llvm::to_vector(isolated.getOps<gpu::GPUModuleOp>());
  SmallVector<gpu::LaunchFuncOp> launches;
  isolated.walk([&](gpu::LaunchFuncOp launch) { launches.push_back(launch); });
  if (kernels.size() != 1 || launches.size() != 1)
    return Error{fmt::format("{} kernels and {} launches were made, expected "
                             "one of each",
                             kernels.size(), launches.size()),
                 ""};
  kernels.front().setName(name);
  launches.front().setKernelAttr(SymbolRefAttr::get(
      StringAttr::get(module.getContext(), name),
      {FlatSymbolRefAttr::get(launches.front().getKernelName())}));
  kernels.front()->moveBefore(module.getBody(), module.getBody()->begin());
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  UnitAttr::get(module.getContext()));
  return hwtune::success();
}

/// Moves the buffers that `isolated` declares into `module`, renamed after
/// `name`.
static Status moveGlobals(ModuleOp isolated, ModuleOp module,
                          const std::string &name) {
  unsigned count = 0;
  for (auto global : llvm::to_vector(isolated.getOps<memref::GlobalOp>())) {
    auto renamed = StringAttr::get(module.getContext(),
                                   fmt::format("{}_buffer_{}", name, count++));
    if (failed(SymbolTable::replaceAllSymbolUses(global, renamed, isolated)))
      return Error{"a buffer of the schedule cannot be renamed", ""};
    global.setName(renamed);
    global->moveBefore(module.getBody(), module.getBody()->begin());
  }
  return hwtune::success();
}

/// Whether the schedule's script is somebody else's.
static bool isFromFile(const KernelSite &site) {
  return !site.schedule->sourceHash().empty();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The op as scheduled loops where `builder` stands.
static Status emitLoopVariant(OpBuilder &builder, const KernelSite &site,
                              const std::string &script, ModuleOp module,
                              const std::string &name,
                              const LaunchAssumptions &assumed) {
  OwningOpRef<ModuleOp> isolated = isolateOp(site.op);
  if (assumed.wholeRows)
    markWholeRows(*isolated);
  if (Status s = applySchedule(*isolated, script, isFromFile(site)); !s)
    return s;
  SmallVector<gpu::LaunchOp> launches;
  isolated->walk([&](gpu::LaunchOp launch) { launches.push_back(launch); });
  for (gpu::LaunchOp launch : launches)
    if (Status s = launchToLoops(launch); !s)
      return s;
  if (Status s = moveGlobals(*isolated, module, name); !s)
    return s;
  inlineIsolated(builder, *isolated, site.op);
  return hwtune::success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static CompileOptions optionsFor(const LaunchAssumptions &assumed) {
  CompileOptions options;
  options.noAlias = assumed.noAlias;
  options.alignment = assumed.alignment;
  return options;
}

/// The generic schedule for the operation of `site` and arguments of any
/// alignment and extents of any size: wide accesses are made from what the
/// arguments have, and nothing is copied in the background, which needs aligned
/// addresses.
static Expected<std::string> guardedScript(const KernelSite &site,
                                           const TargetSpec &target,
                                           int64_t alignment) {
  MLIRContext *context = site.op->getContext();
  Workload workload = withoutPromises(site.workload);
  // A schedule from a file says nothing of such arguments.
  const Schedule &schedule =
      isFromFile(site) ? *scheduleFor(workload) : *site.schedule;
  auto script = parseModule(
      *context,
      schedule.script(workload, target, schedule.generic(workload, target)),
      "schedule");
  if (!script)
    return script.error();
  bool async = false;
  (*script)->walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    async |= name == "transform.hwtune.distribute_copy" && op->hasAttr("async");
    Builder builder(context);
    if (name == "transform.hwtune.lower_transfers")
      op->setAttr("alignment", builder.getI64IntegerAttr(alignment));
    if (auto widths = op->getAttrOfType<DenseI64ArrayAttr>("widths"))
      op->setAttr("widths", builder.getDenseI64ArrayAttr(
                                SmallVector<int64_t>(widths.size(), 1)));
    if (name == "transform.hwtune.launch_transpose")
      op->setAttr("width", builder.getI64IntegerAttr(1));
  });
  if (async)
    return Error{"the generic schedule copies asynchronously, which unaligned "
                 "arguments cannot have",
                 ""};
  std::string text;
  llvm::raw_string_ostream(text) << **script;
  return text;
}

/// One variant of the kernel, launched where `builder` stands.
static Status emitVariant(OpBuilder &builder, const KernelSite &site,
                          const std::string &script, ModuleOp module,
                          const std::string &name,
                          const LaunchAssumptions &assumed) {
  OwningOpRef<ModuleOp> isolated = isolateOp(site.op);
  if (assumed.wholeRows)
    markWholeRows(*isolated);
  if (Status s = applySchedule(*isolated, script, isFromFile(site)); !s)
    return s;
  if (Status s = outlineKernels(*isolated, optionsFor(assumed)); !s)
    return s;
  if (Status s = moveKernel(*isolated, module, name); !s)
    return s;
  inlineIsolated(builder, *isolated, site.op);
  return hwtune::success();
}

/// Replaces the op by a variant of its configuration and, where that assumes
/// what only the host can test, by a test and a guarded variant beside it.
template <typename EmitVariant>
static Status emitVariants(const KernelSite &site, const TargetSpec &target,
                           MemoryMode memory, ModuleOp module,
                           EmitVariant emitOne) {
  OpBuilder builder(site.op);
  LaunchGuard guard = guardFor(
      site.op, memory,
      needsWholeRows(*site.schedule, site.workload, target, site.config));
  std::string script =
      site.schedule->script(site.workload, target, site.config);
  if (guard.atRunTime) {
    Expected<std::string> guarded =
        guardedScript(site, target, guard.otherwise.alignment);
    if (!guarded)
      return guarded.error();
    Value holds = buildGuard(builder, site.op, guard);
    auto choice = scf::IfOp::create(builder, site.op->getLoc(), holds,
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(choice.elseBlock());
    if (Status s = emitOne(builder, site, *guarded, module,
                           site.name + "_guarded", guard.otherwise);
        !s)
      return s;
    builder.setInsertionPointToStart(choice.thenBlock());
  }
  if (Status s =
          emitOne(builder, site, script, module, site.name, guard.assumed);
      !s)
    return s;
  site.op->erase();
  return hwtune::success();
}

Status hwtune::emitLaunch(const KernelSite &site, const TargetSpec &target,
                          MemoryMode memory, ModuleOp module) {
  return emitVariants(site, target, memory, module, emitVariant);
}

Status hwtune::emitLoops(const KernelSite &site, const TargetSpec &target,
                         ModuleOp module) {
  // Arguments are taken as a host allocates them, aligned and apart; extents
  // are not.
  return emitVariants(site, target, MemoryMode::Copy, module, emitLoopVariant);
}

/// All that a kernel module is but its name.
static std::string textOfBody(gpu::GPUModuleOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (Operation &op : kernel.getBodyRegion().front())
    op.print(stream, OpPrintingFlags().useLocalScope());
  return text;
}

SmallVector<gpu::GPUModuleOp>
hwtune::shareEqualKernels(ArrayRef<gpu::GPUModuleOp> kernels, ModuleOp module) {
  llvm::StringMap<StringAttr> byText;
  llvm::DenseMap<StringAttr, StringAttr> others;
  SmallVector<gpu::GPUModuleOp> left;
  // Each kernel was put before the ones made earlier.
  for (gpu::GPUModuleOp kernel : llvm::reverse(kernels)) {
    auto [first, isNew] =
        byText.try_emplace(textOfBody(kernel), kernel.getNameAttr());
    if (isNew) {
      left.push_back(kernel);
      continue;
    }
    others[kernel.getNameAttr()] = first->second;
    kernel.erase();
  }
  module.walk([&](gpu::LaunchFuncOp launch) {
    auto other = others.find(launch.getKernelModuleName());
    if (other != others.end())
      launch.setKernelAttr(SymbolRefAttr::get(
          other->second, {FlatSymbolRefAttr::get(launch.getKernelName())}));
  });
  std::reverse(left.begin(), left.end());
  return left;
}

/// The optimisation level that kernels are tuned at.
static constexpr unsigned kOptLevel = 3;

static Attribute nvvmTarget(MLIRContext *context, const TargetSpec &target) {
  return NVVM::NVVMTargetAttr::get(context, kOptLevel, "nvptx64-nvidia-cuda",
                                   target.arch);
}

void hwtune::setTargets(ArrayRef<gpu::GPUModuleOp> kernels,
                        const TargetSpec &target) {
  for (gpu::GPUModuleOp kernel : kernels)
    kernel.setTargetsAttr(
        Builder(kernel.getContext())
            .getArrayAttr(nvvmTarget(kernel.getContext(), target)));
}

/// What `toPtx` reads of a target, from the `#nvvm.target` of `kernel`.
static Expected<TargetSpec> targetOf(gpu::GPUModuleOp kernel) {
  ArrayAttr targets = kernel.getTargetsAttr();
  auto nvvm = targets && targets.size() == 1
                  ? dyn_cast<NVVM::NVVMTargetAttr>(targets[0])
                  : NVVM::NVVMTargetAttr();
  if (!nvvm)
    return Error{"'gpu.module' " + kernel.getName().str() +
                     " has no single #nvvm.target",
                 ""};
  TargetSpec spec;
  spec.id = spec.arch = nvvm.getChip().str();
  spec.vendor = "nvidia";
  return spec;
}

Expected<std::string> hwtune::kernelPtx(gpu::GPUModuleOp kernel) {
  Expected<TargetSpec> target = targetOf(kernel);
  if (!target)
    return target.error();
  // Lowered in a module of its own: the host code stays as it is.
  OwningOpRef<ModuleOp> alone = ModuleOp::create(kernel.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(alone->getBody());
  auto clone = cast<gpu::GPUModuleOp>(builder.clone(*kernel));
  if (Status s = lowerKernels(*alone); !s)
    return s.error();
  return toPtx(clone, *target);
}

Status hwtune::emitBinaries(ArrayRef<gpu::GPUModuleOp> kernels) {
  for (gpu::GPUModuleOp kernel : kernels) {
    Expected<std::string> ptx = kernelPtx(kernel);
    if (!ptx)
      return ptx.error();
    OpBuilder builder(kernel);
    auto object = gpu::ObjectAttr::get(
        kernel.getContext(), kernel.getTargetsAttr()[0],
        gpu::CompilationTarget::Assembly, builder.getStringAttr(*ptx),
        /*properties=*/DictionaryAttr(), /*kernels=*/gpu::KernelTableAttr());
    gpu::BinaryOp::create(builder, kernel.getLoc(), kernel.getName(),
                          /*offloadingHandler=*/Attribute(),
                          builder.getArrayAttr({object}));
    kernel.erase();
  }
  return hwtune::success();
}
