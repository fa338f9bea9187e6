//===- ApplyModule.cpp - annotated module to rewritten module -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Check the annotations, bufferise, then one function at a time: its linalg
// operations become kernels in a copy of the function, which replaces it only
// if all of them do.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/ApplyModule.h"

#include "Bufferise.h"

#include "hwtune/IR/OpIsolation.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Transforms/ConfigConversion.h"
#include "hwtune/Transforms/Normalise.h"
#include "hwtune/Transforms/Runner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace hwtune;

/// Reported at an operation already.
static Error reported() { return Error{"", ""}; }

/// Why `config` cannot be applied to `op`, "" if it can.
static std::string whyNot(ConfigAttr config, Operation *op,
                          const TargetSpec &target,
                          const UserSchedules &schedules) {
  Expected<Workload> workload = extractWorkload(op);
  if (!workload)
    return workload.error().message;
  auto resolved = resolveConfig(config, op, *workload, target, schedules);
  return resolved ? "" : resolved.error().message;
}

/// The same for the operation with its body folded, as bufferisation leaves it:
/// what is dead or does nothing can hide what the operation is.
static std::string whyNotFolded(ConfigAttr config, Operation *op,
                                const TargetSpec &target,
                                const UserSchedules &schedules) {
  OwningOpRef<ModuleOp> isolated = isolateOp(op);
  PassManager pm(op->getContext());
  pm.addPass(createCanonicalizerPass());
  Operation *folded = nullptr;
  if (succeeded(pm.run(*isolated)))
    isolated->walk([&](linalg::LinalgOp inner) { folded = inner; });
  return folded ? whyNot(config, folded, target, schedules)
                : std::string("it does nothing");
}

/// Marks an operation in a copy of the module with its number.
static constexpr llvm::StringLiteral kAnnotatedMark = "hwtune.annotated";

static SmallVector<Operation *> annotatedOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op->getAttrOfType<ConfigAttr>(HWTuneDialect::kConfigAttrName))
      ops.push_back(op);
  });
  return ops;
}

/// Marks of the operations of `buffers` that can have the configuration of
/// their annotation; the marks are removed.
static llvm::DenseSet<int64_t>
takeFittingMarks(ModuleOp buffers, const TargetSpec &target,
                 const UserSchedules &schedules) {
  llvm::DenseSet<int64_t> fitting;
  buffers.walk([&](Operation *op) {
    auto mark = op->getAttrOfType<IntegerAttr>(kAnnotatedMark);
    if (!mark)
      return;
    op->removeDiscardableAttr(kAnnotatedMark);
    auto config = op->getAttrOfType<ConfigAttr>(HWTuneDialect::kConfigAttrName);
    if (config && whyNot(config, op, target, schedules).empty())
      fitting.insert(mark.getInt());
  });
  return fitting;
}

/// Every annotation names a schedule that fits and a legal configuration: for
/// the operation as it stands, or for what it is on buffers (`onBuffers`, by
/// number), where a slice has its real strides.
static Status checkAnnotations(ModuleOp module, const TargetSpec &target,
                               const UserSchedules &schedules,
                               const llvm::DenseSet<int64_t> &onBuffers) {
  bool good = true;
  for (auto [i, op] : llvm::enumerate(annotatedOps(module))) {
    auto config = op->getAttrOfType<ConfigAttr>(HWTuneDialect::kConfigAttrName);
    if (onBuffers.contains(int64_t(i)))
      continue;
    std::string why = whyNot(config, op, target, schedules);
    if (why.empty() || (extractWorkload(op) &&
                        whyNotFolded(config, op, target, schedules).empty()))
      continue;
    emitError(op->getLoc()) << "'hwtune.config' cannot be applied: " << why;
    good = false;
  }
  return good ? hwtune::success() : Status(reported());
}

/// Tidies the host code; kernels stay as they were tuned.
static void simplifyHost(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  // Nothing depends on it: a failure leaves correct, longer code.
  (void)pm.run(module);
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

/// A name that no symbol of `symbols` has.
static std::string uniqueName(SymbolTable &symbols, const std::string &base) {
  std::string name = base;
  for (unsigned i = 1; symbols.lookup(name); ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

/// The schedule and configuration of `site`: those of its annotation, else the
/// generic ones.
static Status chooseConfig(ConfigAttr annotation, const TargetSpec &target,
                           const UserSchedules &schedules, KernelSite &site) {
  if (annotation) {
    auto resolved =
        resolveConfig(annotation, site.op, site.workload, target, schedules);
    if (resolved) {
      site.schedule = resolved->schedule;
      site.config = resolved->config;
      return hwtune::success();
    }
    // It was legal for the operation on tensors: what bufferisation makes of an
    // operand (a view with rows apart) can rule it out.
    emitRemark(site.op->getLoc())
        << "the generic configuration is used: on the buffers of this "
           "operation, 'hwtune.config' cannot be applied: "
        << resolved.error().message;
  }
  site.schedule = scheduleFor(site.workload);
  if (!site.schedule)
    return Error{"no schedule matches", ""};
  site.config = site.schedule->generic(site.workload, target);
  return hwtune::success();
}

/// Every linalg operation of `function` with the configuration it gets.
static Expected<std::vector<KernelSite>>
collectSites(func::FuncOp function, const TargetSpec &target,
             const UserSchedules &schedules, SymbolTable &symbols) {
  std::vector<KernelSite> sites;
  for (TunableOp &tunable : collectLinalgOps(function)) {
    std::string name = tunable.op->getName().getStringRef().str();
    if (!tunable.workload)
      return Error{"'" + name + "': " + tunable.workload.error().message, ""};
    KernelSite site;
    site.op = tunable.op;
    site.workload = std::move(*tunable.workload);
    auto config =
        tunable.op->getAttrOfType<ConfigAttr>(HWTuneDialect::kConfigAttrName);
    if (Status chosen = chooseConfig(config, target, schedules, site); !chosen)
      return Error{"'" + name + "': " + chosen.error().message, ""};
    site.name = uniqueName(symbols, function.getName().str() + "_kernel_" +
                                        std::to_string(sites.size()));
    sites.push_back(std::move(site));
  }
  return sites;
}

/// Folders for the kernels that `function` of `module` becomes, which was
/// rewritten in another copy. What cannot be written ends the run.
static Status writeRunners(ModuleOp module, StringRef function,
                           const TargetSpec &target,
                           const ApplyOptions &options) {
  auto host = module.lookupSymbol<func::FuncOp>(function);
  makeStridedCopiesKernels(host);
  SymbolTable symbols(module);
  auto sites = collectSites(host, target, options.schedules, symbols);
  if (!sites)
    return sites.error();
  auto writer = RunnerWriter::open(target, options.toolDir, options.cancel);
  if (!writer)
    return writer.error();
  for (const KernelSite &site : *sites)
    if (Status done = (*writer)->write(site, options.runnerDir); !done)
      return Error{"runner of '" + site.name + "': " + done.error().str(), ""};
  return hwtune::success();
}

static Status rewriteFunction(func::FuncOp function, const TargetSpec &target,
                              const ApplyOptions &options, ModuleOp module) {
  makeStridedCopiesKernels(function);
  if (std::string why = whyNotOffloadable(function); !why.empty())
    return Error{why, ""};
  // Nothing that calls is offloaded, so such a caller is host code.
  if (options.emit != EmitForm::Loops && options.memory == MemoryMode::Device &&
      !SymbolTable::symbolKnownUseEmpty(function, module))
    return Error{"it is called from this module, whose code passes host "
                 "memory, and memory=device takes device pointers",
                 ""};
  SymbolTable symbols(module);
  auto sites = collectSites(function, target, options.schedules, symbols);
  if (!sites)
    return sites.error();
  if (options.emit != EmitForm::Loops)
    placeOnDevice(function, options.memory);
  for (const KernelSite &site : *sites) {
    Status done = options.emit == EmitForm::Loops
                      ? emitLoops(site, target, module)
                      : emitLaunch(site, target, options.memory, module);
    if (!done)
      return Error{"schedule '" + std::string(site.schedule->name()) +
                       "': " + done.error().str(),
                   ""};
  }
  return hwtune::success();
}

/// Tries on a copy; `function` is replaced only by a whole one.
static Status replaceFunction(func::FuncOp function, const TargetSpec &target,
                              const ApplyOptions &options, ModuleOp module) {
  // The copy is a module, since kernels are added beside the function.
  OwningOpRef<ModuleOp> trial = module.clone();
  auto copy = trial->lookupSymbol<func::FuncOp>(function.getName());
  if (Status done = rewriteFunction(copy, target, options, *trial); !done)
    return done;
  FirstError first(module.getContext());
  if (failed(verify(*trial)))
    return Error{"the rewritten function does not verify: " + first.text, ""};
  module.getBodyRegion().takeBody(trial->getBodyRegion());
  module->setAttrs((*trial)->getAttrDictionary());
  return hwtune::success();
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static void removeAnnotations(ModuleOp module) {
  module.walk([](Operation *op) {
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      if (isa_and_nonnull<HWTuneDialect>(attribute.getNameDialect()))
        op->removeDiscardableAttr(attribute.getName());
  });
}

/// Kernels of `module` beside those named `before`, which are the user's own.
static SmallVector<gpu::GPUModuleOp>
newKernels(ModuleOp module, const llvm::StringSet<> &before) {
  SmallVector<gpu::GPUModuleOp> kernels;
  for (auto kernel : module.getOps<gpu::GPUModuleOp>())
    if (!before.contains(kernel.getName()))
      kernels.push_back(kernel);
  return kernels;
}

static Status finishModule(ModuleOp module, const TargetSpec &target,
                           const ApplyOptions &options,
                           const llvm::StringSet<> &before) {
  simplifyHost(module);
  if (options.emit == EmitForm::Loops)
    return hwtune::success();
  removeAnnotations(module);
  SmallVector<gpu::GPUModuleOp> kernels =
      shareEqualKernels(newKernels(module, before), module);
  setTargets(kernels, target);
  if (options.emit == EmitForm::Gpu) {
    module->setAttr(kLoweringAttrName,
                    StringAttr::get(module.getContext(), kLoweringPipeline));
  } else {
    if (Status done = emitBinaries(kernels); !done)
      return done;
  }
  return hwtune::success();
}

/// `module` as it was; for stock tools where the form is one for them.
static OwningOpRef<ModuleOp> unchanged(ModuleOp module, EmitForm emit) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (emit != EmitForm::Loops)
    removeAnnotations(*copy);
  return copy;
}

/// Operations that no function of the module itself holds are not rewritten.
static void warnOfNested(ModuleOp module) {
  module.walk([&](Operation *op) {
    auto function = op->getParentOfType<func::FuncOp>();
    if (op->hasAttr(HWTuneDialect::kConfigAttrName) &&
        (!function || function->getParentOp() != module))
      emitWarning(op->getLoc())
          << "stays on the host: it is in no function of the outer module";
  });
}

static bool hasConfiguredOp(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        return op->hasAttr(HWTuneDialect::kConfigAttrName)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

Expected<OwningOpRef<ModuleOp>>
hwtune::applyToModule(ModuleOp module, const TargetSpec &target,
                      const ApplyOptions &options) {
  OwningOpRef<ModuleOp> result = module.clone();
  Builder builder(module.getContext());
  for (auto [i, op] : llvm::enumerate(annotatedOps(*result)))
    op->setDiscardableAttr(kAnnotatedMark, builder.getI64IntegerAttr(i));
  normaliseLinalg(*result);
  std::optional<NotBufferised> failed = bufferise(*result);
  llvm::DenseSet<int64_t> fitting;
  if (!failed)
    fitting = takeFittingMarks(*result, target, options.schedules);
  if (Status good =
          checkAnnotations(module, target, options.schedules, fitting);
      !good)
    return good.error();
  if (std::string why = whyNoPtx(target);
      !why.empty() && options.emit != EmitForm::Loops)
    return Error{why, ""};
  warnOfNested(module);
  if (failed) {
    emitWarning(failed->location)
        << "module cannot be bufferised, it stays as it was: " << failed->why;
    return unchanged(module, options.emit);
  }
  llvm::StringSet<> before;
  for (auto kernel : module.getOps<gpu::GPUModuleOp>())
    before.insert(kernel.getName());
  SmallVector<std::string> names;
  for (auto function : result->getOps<func::FuncOp>())
    if (hasConfiguredOp(function))
      names.push_back(function.getName().str());
  unsigned rewritten = 0;
  for (const std::string &name : names) {
    auto function = result->lookupSymbol<func::FuncOp>(name);
    Location loc = function.getLoc();
    OwningOpRef<ModuleOp> host;
    if (options.emit == EmitForm::Runner)
      host = result->clone();
    if (Status done = replaceFunction(function, target, options, *result);
        !done) {
      emitWarning(loc) << "function '" << name
                       << "' stays on the host: " << done.error().str();
      continue;
    }
    ++rewritten;
    if (host)
      if (Status done = writeRunners(*host, name, target, options); !done)
        return done.error();
  }
  if (rewritten == 0)
    return unchanged(module, options.emit);
  if (Status done = finishModule(*result, target, options, before); !done)
    return done.error();
  return result;
}
