//===- Score.cpp - hw-score -----------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Annotates the best-scored configurations. What is predicted rests on the
// target alone; nothing is compiled.
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Transforms/ConfigConversion.h"
#include "hwtune/Transforms/ModelRanking.h"
#include "hwtune/Transforms/Passes.h"
#include "hwtune/Transforms/Registration.h"

#define DEBUG_TYPE "hw-score"

using namespace mlir;

namespace hwtune {
#define GEN_PASS_DEF_HWSCORE
#include "hwtune/Transforms/Passes.h.inc"
} // namespace hwtune

using namespace hwtune;

namespace {

class ScorePass final : public hwtune::impl::HWScoreBase<ScorePass> {
public:
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry); // of what `schedules=` names
  }

  void runOnOperation() override {
    FailureOr<TargetSpec> spec = moduleTarget(getOperation());
    if (failed(spec))
      return signalPassFailure();
    if (top == 0) {
      emitError(getOperation().getLoc(),
                "option 'top' is 0, expected at least one candidate");
      return signalPassFailure();
    }
    Expected<UserSchedules> own = UserSchedules::read(getContext(), schedules);
    if (!own) {
      emitError(getOperation().getLoc()) << own.error().str();
      return signalPassFailure();
    }
    for (const TunableOp &tunable : collectLinalgOps(getOperation()))
      annotate(tunable, *spec, *own);
  }

private:
  void annotate(const TunableOp &tunable, const TargetSpec &spec,
                const UserSchedules &known) {
    if (!tunable.workload) {
      emitRemark(tunable.op->getLoc())
          << "cannot be tuned: " << tunable.workload.error().message;
      return;
    }
    const Workload &w = *tunable.workload;
    const Schedule *schedule = known.scheduleFor(tunable.op, w);
    if (!schedule) {
      emitRemark(tunable.op->getLoc())
          << "cannot be tuned: no schedule matches";
      return;
    }
    Space space = schedule->space(w, spec);
    Ranking ranking = rankByModel(*schedule, w, spec, top);
    SmallVector<Attribute> candidates;
    for (const RankedConfig &ranked : ranking.best)
      candidates.push_back(CandidateAttr::get(
          &getContext(),
          toConfigAttr(&getContext(), schedule->name(), space, ranked.config),
          toNumbersAttr(&getContext(), termsOf(ranked))));
    tunable.op->setAttr(HWTuneDialect::kCandidatesAttrName,
                        ArrayAttr::get(&getContext(), candidates));
    if (explain && !ranking.best.empty())
      emitRemark(tunable.op->getLoc())
          << "best against generic: "
          << hwtune::explain(ranking.best.front().prediction,
                             ranking.generic.prediction);
  }
};

} // namespace
