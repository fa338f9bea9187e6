//===- Tune.cpp - hw-tune -------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrossTable.h"
#include "PassOptions.h"

#include "hwtune/IR/Dialect.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Transforms/ConfigConversion.h"
#include "hwtune/Transforms/Passes.h"
#include "hwtune/Transforms/Registration.h"

#include "llvm/Support/raw_ostream.h"

#define DEBUG_TYPE "hw-tune"

using namespace mlir;

namespace hwtune {
#define GEN_PASS_DEF_HWTUNEPASS
#include "hwtune/Transforms/Passes.h.inc"
} // namespace hwtune

using namespace hwtune;

namespace {

class Tune final : public WithTuneOptions<hwtune::impl::HWTunePassBase<Tune>> {
public:
  using Base::Base;
  Tune(HWTunePassOptions options, CancelToken cancel)
      : Base(std::move(options)), cancel(std::move(cancel)) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry); // of what `schedules=` names
  }

  LogicalResult initialize(MLIRContext *context) override {
    hwtune::Status good = checkTuneOptions(tuneOptions(cancel));
    if (!good)
      return emitError(UnknownLoc::get(context)) << good.error().str();
    return mlir::success();
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
    Expected<std::vector<TargetSpec>> further = furtherTargets(*target);
    if (!further) {
      emitError(module.getLoc()) << further.error().str();
      return signalPassFailure();
    }
    OwningOpRef<ModuleOp> untuned = module.clone();
    Expected<unsigned> found = tuneFor(module, *target, *own, true);
    if (!found) {
      if (!found.error().message.empty())
        emitError(module.getLoc()) << found.error().str();
      return signalPassFailure();
    }
    if (*found == 0)
      emitWarning(module.getLoc()) << "nothing in the module can be tuned";
    else if (!further->empty() &&
             failed(compare(*untuned, *target, *further, *own)))
      return signalPassFailure();
  }

private:
  /// Those of `targets` that are not `own`; each once.
  Expected<std::vector<TargetSpec>> furtherTargets(const TargetSpec &own) {
    std::vector<TargetSpec> result;
    for (const std::string &text : targets) {
      Expected<TargetSpec> spec = targetFromIdOrFile(text);
      if (!spec)
        return spec.error();
      auto isIt = [&](const TargetSpec &t) { return t.id == spec->id; };
      if (!isIt(own) && llvm::none_of(result, isIt))
        result.push_back(std::move(*spec));
    }
    return result;
  }

  /// Tunes `module`, prints its table; how many operations have a
  /// configuration. An error without a message has been reported.
  Expected<unsigned> tuneFor(ModuleOp module, const TargetSpec &target,
                             const UserSchedules &known, bool first) {
    Expected<TuneModuleResult> result = tuneModule(
        module, target, known, optionsFor(tuneOptions(cancel), first));
    if (!result)
      return result.error();
    if (!targets.empty())
      llvm::errs() << "target " << target.id << "\n";
    llvm::errs() << result->table;
    if (!result->interrupted.empty()) {
      if (!cancel.cancelled() || !result->tuned)
        return Error{result->interrupted, ""};
      emitWarning(module.getLoc())
          << result->interrupted << "; the best so far is used";
    }
    return result->tuned + result->kept;
  }

  /// Tunes copies of `untuned` for `further`; prints each winner on each
  /// target.
  LogicalResult compare(ModuleOp untuned, const TargetSpec &own,
                        ArrayRef<TargetSpec> further,
                        const UserSchedules &known) {
    std::vector<TunedFor> tuned = {{own, getOperation()}};
    std::vector<OwningOpRef<ModuleOp>> copies;
    for (const TargetSpec &target : further) {
      copies.push_back(untuned.clone());
      copies.back().get()->setAttr(HWTuneDialect::kTargetAttrName,
                                   TargetAttr::fromSpec(&getContext(), target));
      Expected<unsigned> found = tuneFor(*copies.back(), target, known, false);
      if (!found)
        return found.error().message.empty()
                   ? failure()
                   : emitError(untuned.getLoc())
                         << "for target '" << target.id
                         << "': " << found.error().str();
      if (cancel.cancelled()) // the module's own result stands
        return mlir::success();
      tuned.push_back({target, *copies.back()});
    }
    Expected<std::string> table = crossTable(tuned, known, tuneOptions(cancel));
    if (!table)
      return emitError(untuned.getLoc()) << table.error().str();
    llvm::errs() << *table;
    return mlir::success();
  }

  CancelToken cancel;
};

} // namespace

std::unique_ptr<Pass> hwtune::createCancellableTune(HWTunePassOptions options,
                                                    CancelToken cancel) {
  return std::make_unique<Tune>(std::move(options), std::move(cancel));
}
