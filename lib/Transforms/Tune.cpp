//===- Tune.cpp - hw-tune -------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/Dialect.h"
#include "hwtune/Transforms/ConfigConversion.h"
#include "hwtune/Transforms/Passes.h"
#include "hwtune/Transforms/Registration.h"
#include "hwtune/Transforms/TuneModule.h"

#include "llvm/Support/raw_ostream.h"

#define DEBUG_TYPE "hw-tune"

using namespace mlir;

namespace hwtune {
#define GEN_PASS_DEF_HWTUNEPASS
#include "hwtune/Transforms/Passes.h.inc"
} // namespace hwtune

using namespace hwtune;

namespace {

class Tune final : public hwtune::impl::HWTunePassBase<Tune> {
public:
  using Base::Base;
  Tune(HWTunePassOptions options, CancelToken cancel)
      : Base(std::move(options)), cancel(std::move(cancel)) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry); // of what `schedules=` names
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<TargetSpec> target = moduleTarget(module);
    if (failed(target))
      return signalPassFailure();
    Expected<UserSchedules> own = UserSchedules::read(getContext(), schedules);
    if (!own) {
      emitError(module.getLoc()) << own.error().str();
      return signalPassFailure();
    }
    Expected<TuneModuleResult> result =
        tuneModule(module, *target, *own, optionsAsWritten());
    if (!result) {
      emitError(module.getLoc()) << result.error().str();
      return signalPassFailure();
    }
    llvm::errs() << result->table;
    if (!result->interrupted.empty()) {
      emitError(module.getLoc()) << result->interrupted;
      return signalPassFailure();
    }
    if (result->tuned + result->kept == 0)
      emitWarning(module.getLoc()) << "nothing in the module can be tuned";
  }

private:
  TuneModuleOptions optionsAsWritten() const {
    TuneModuleOptions options;
    options.device = device;
    options.trials = trials;
    options.seconds = seconds;
    options.patience = patience;
    options.seed = seed;
    options.strategy = strategy;
    options.objective = objective;
    options.weight = weight;
    options.db = db;
    options.requireHit = requireHit;
    options.toolDir = toolDir;
    options.ptxas = ptxas;
    options.allowOtherGpu = allowOtherGpu;
    options.cancel = cancel;
    return options;
  }

  CancelToken cancel;
};

} // namespace

std::unique_ptr<Pass> hwtune::createCancellableTune(HWTunePassOptions options,
                                                    CancelToken cancel) {
  return std::make_unique<Tune>(std::move(options), std::move(cancel));
}
