//===- Apply.cpp - hw-apply -----------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites functions that have an annotated operation. All work is done on a
// copy of the module, which takes the module's place only when it is whole: a
// failure half way leaves nothing half rewritten.
//
//===----------------------------------------------------------------------===//

#include "PassOptions.h"

#include "hwtune/Transforms/ConfigConversion.h"
#include "hwtune/Transforms/Passes.h"
#include "hwtune/Transforms/Registration.h"

#define DEBUG_TYPE "hw-apply"

using namespace mlir;

namespace hwtune {
#define GEN_PASS_DEF_HWAPPLY
#include "hwtune/Transforms/Passes.h.inc"
} // namespace hwtune

using namespace hwtune;

namespace {

class Apply final : public WithApplyOptions<hwtune::impl::HWApplyBase<Apply>> {
public:
  using Base::Base;
  Apply(HWApplyOptions options, CancelToken cancel)
      : Base(std::move(options)), cancel(std::move(cancel)) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    if (hwtune::Status good = checkApplyOptions(applyOptions(*context, cancel));
        !good)
      return emitError(UnknownLoc::get(context)) << good.error().str();
    return mlir::success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Expected<ApplyOptions> options = applyOptions(getContext(), cancel);
    if (!options)
      return fail(options.error());
    if (options->emit == EmitForm::Config)
      return;
    if (!hasAnnotation(module)) {
      emitWarning(module.getLoc())
          << "no operation has 'hwtune.config', nothing is rewritten";
      return;
    }
    FailureOr<TargetSpec> target = moduleTarget(module);
    if (failed(target))
      return signalPassFailure();
    Expected<OwningOpRef<ModuleOp>> rewritten =
        applyToModule(module, *target, *options);
    if (!rewritten)
      return fail(rewritten.error());
    module.getBodyRegion().takeBody((*rewritten)->getBodyRegion());
    module->setAttrs((*rewritten)->getOperation()->getAttrDictionary());
  }

private:
  void fail(const Error &error) {
    if (!error.message.empty())
      emitError(getOperation().getLoc()) << error.str();
    signalPassFailure();
  }

  static bool hasAnnotation(ModuleOp module) {
    return module
        .walk([](Operation *op) {
          return op->hasAttr(HWTuneDialect::kConfigAttrName)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  CancelToken cancel;
};

} // namespace

std::unique_ptr<Pass> hwtune::createCancellableApply(HWApplyOptions options,
                                                     CancelToken cancel) {
  return std::make_unique<Apply>(std::move(options), std::move(cancel));
}
