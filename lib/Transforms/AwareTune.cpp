//===- AwareTune.cpp - hw-aware-tune --------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole path as one pass, so that its options are declared where all others
// are. Works on a copy: a module in which nothing can be tuned is returned
// exactly as it came.
//
//===----------------------------------------------------------------------===//

#include "PassOptions.h"

#include "hwtune/IR/Dialect.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Transforms/ConfigConversion.h"
#include "hwtune/Transforms/Normalise.h"
#include "hwtune/Transforms/Passes.h"
#include "hwtune/Transforms/Registration.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#define DEBUG_TYPE "hw-aware-tune"

using namespace mlir;

namespace hwtune {
#define GEN_PASS_DEF_HWAWARETUNE
#include "hwtune/Transforms/Passes.h.inc"
} // namespace hwtune

using namespace hwtune;

namespace {

class AwareTune final
    : public WithApplyOptions<
          WithTuneOptions<hwtune::impl::HWAwareTuneBase<AwareTune>>> {
public:
  using Base::Base;
  explicit AwareTune(CancelToken cancel) : cancel(std::move(cancel)) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    hwtune::Status good = checkTuneOptions(tuneOptions(cancel));
    if (good)
      good = checkApplyOptions(applyOptions(*context, cancel));
    if (!good)
      return emitError(UnknownLoc::get(context)) << good.error().str();
    return mlir::success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OwningOpRef<ModuleOp> copy = module.clone();
    normaliseLinalg(*copy);
    if (!hasTunable(*copy)) {
      for (const TunableOp &op : collectLinalgOps(*copy))
        emitRemark(op.op->getLoc())
            << "cannot be tuned: " << op.workload.error().message;
      emitWarning(module.getLoc())
          << "nothing in the module can be tuned: it has no linalg operation "
             "that a schedule matches; it is left unchanged";
      return;
    }
    // The copy is tuned in the place of the module, for the pass manager only
    // lets a pass change what it was given.
    OwningOpRef<ModuleOp> original = module.clone();
    replaceWith(*copy);
    OpPassManager attach(ModuleOp::getOperationName());
    OpPassManager rest(ModuleOp::getOperationName());
    addAttach(attach);
    addTuneAndApply(rest);
    if (failed(runPipeline(attach, module)) || failed(checkTarget()) ||
        failed(runPipeline(rest, module))) {
      replaceWith(*original);
      return signalPassFailure();
    }
  }

private:
  void replaceWith(ModuleOp other) {
    getOperation().getBodyRegion().takeBody(other.getBodyRegion());
    getOperation()->setAttrs(other->getAttrDictionary());
  }

  static bool hasTunable(ModuleOp module) {
    return llvm::any_of(collectLinalgOps(module),
                        [](const TunableOp &op) { return bool(op.workload); });
  }

  /// Before the search, for what only the rewrite needs.
  LogicalResult checkTarget() {
    FailureOr<TargetSpec> spec = moduleTarget(getOperation());
    if (failed(spec))
      return failure();
    std::string why = whyNoPtx(*spec);
    if (why.empty() || emit == "config" || emit == "loops")
      return mlir::success();
    return emitError(getOperation().getLoc())
           << "option 'emit' is '" << emit << "', which makes PTX: " << why
           << "; expected config or loops";
  }

  void addAttach(OpPassManager &pipeline) {
    HWAttachTargetOptions attach;
    bool open = target.empty() &&
                !getOperation()->hasAttr(HWTuneDialect::kTargetAttrName);
    attach.target = open && !targets.empty() ? *targets.begin() : target;
    attach.device = deviceToDescribe();
    pipeline.addPass(createHWAttachTarget(attach));
  }

  void addTuneAndApply(OpPassManager &pipeline) {
    HWTunePassOptions tune;
    tune.targets.assign(targets.begin(), targets.end());
    tune.device = device;
    tune.trials = trials;
    tune.seconds = seconds;
    tune.patience = patience;
    tune.seed = seed;
    tune.strategy = strategy;
    tune.objective = objective;
    tune.weight = weight;
    tune.db = db;
    tune.requireHit = requireHit;
    tune.schedules = schedules;
    tune.toolDir = toolDir;
    tune.ptxas = ptxas;
    tune.allowOtherGpu = allowOtherGpu;
    pipeline.addPass(createCancellableTune(tune, cancel));
    HWApplyOptions apply;
    apply.emit = emit;
    apply.memory = memory;
    apply.schedules = schedules;
    apply.runnerDir = runnerDir;
    apply.toolDir = toolDir;
    pipeline.addPass(createCancellableApply(apply, cancel));
  }

  /// A module without a target is tuned for the GPU that will time it.
  std::string deviceToDescribe() {
    bool open = target.empty() && targets.empty() &&
                !getOperation()->hasAttr(HWTuneDialect::kTargetAttrName);
    return open && StringRef(device).starts_with("cuda:") ? device.getValue()
                                                          : std::string();
  }

  CancelToken cancel;
};

} // namespace

std::unique_ptr<Pass> hwtune::createCancellableAwareTune(CancelToken cancel) {
  return std::make_unique<AwareTune>(std::move(cancel));
}
