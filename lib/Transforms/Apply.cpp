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

#include "hwtune/Transforms/ApplyModule.h"
#include "hwtune/Transforms/ConfigConversion.h"
#include "hwtune/Transforms/Passes.h"
#include "hwtune/Transforms/Registration.h"

#include "llvm/Support/FileSystem.h"

#define DEBUG_TYPE "hw-apply"

using namespace mlir;

namespace hwtune {
#define GEN_PASS_DEF_HWAPPLY
#include "hwtune/Transforms/Passes.h.inc"
} // namespace hwtune

using namespace hwtune;

namespace {

class Apply final : public hwtune::impl::HWApplyBase<Apply> {
public:
  using Base::Base;
  Apply(HWApplyOptions options, CancelToken cancel)
      : Base(std::move(options)), cancel(std::move(cancel)) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry);
  }

  /// Before any pass of the pipeline runs: nobody wants to learn of a wrong
  /// option after a search.
  LogicalResult initialize(MLIRContext *context) override {
    Expected<ApplyOptions> options = parseOptions(*context);
    if (!options)
      return emitError(UnknownLoc::get(context)) << options.error().str();
    if (options->emit == EmitForm::Runner)
      if (std::error_code error = makeWritable(options->runnerDir))
        return emitError(UnknownLoc::get(context))
               << "option 'runner-dir': folder '" << options->runnerDir
               << "' cannot be written: " << error.message();
    return mlir::success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Expected<ApplyOptions> options = parseOptions(getContext());
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
  static std::error_code makeWritable(const std::string &folder) {
    if (std::error_code error = llvm::sys::fs::create_directories(folder))
      return error;
    return llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write);
  }

  Expected<ApplyOptions> parseOptions(MLIRContext &context) {
    ApplyOptions options;
    std::optional<EmitForm> form = parseEmitForm(std::string(emit));
    if (!form)
      return Error{"option 'emit' is '" + std::string(emit) +
                       "', expected config, loops, gpu, binary or runner",
                   ""};
    options.emit = *form;
    if (memory != "copy" && memory != "device")
      return Error{"option 'memory' is '" + std::string(memory) +
                       "', expected copy or device",
                   ""};
    options.memory = memory == "copy" ? MemoryMode::Copy : MemoryMode::Device;
    options.runnerDir = runnerDir;
    options.toolDir = toolDir;
    options.cancel = cancel;
    if (*form == EmitForm::Runner && runnerDir.empty())
      return Error{"option 'runner-dir' is empty, expected the folder that "
                   "'emit=runner' writes",
                   ""};
    Expected<UserSchedules> own = UserSchedules::read(context, schedules);
    if (!own)
      return own.error();
    options.schedules = std::move(*own);
    return options;
  }

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
