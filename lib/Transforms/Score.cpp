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
    if (!compare.empty() && !StringRef(compare).contains(" vs ")) {
      emitError(getOperation().getLoc())
          << "option 'compare' is '" << compare << "', expected 'A vs B'";
      return signalPassFailure();
    }
    misfits.clear();
    bool anyCompared = false;
    for (const TunableOp &tunable : collectLinalgOps(getOperation()))
      anyCompared |= annotate(tunable, *spec, *own);
    // What fits some operations is meant for these; what fits none is a
    // mistake.
    for (const auto &[op, reason] : misfits) {
      if (anyCompared)
        emitRemark(op->getLoc()) << "not compared: " << reason;
      else
        emitError(op->getLoc()) << "option 'compare': " << reason;
    }
    if (!misfits.empty() && !anyCompared)
      signalPassFailure();
  }

private:
  /// Whether what `compare` names was compared.
  bool annotate(const TunableOp &tunable, const TargetSpec &spec,
                const UserSchedules &known) {
    if (!tunable.workload) {
      emitRemark(tunable.op->getLoc())
          << "cannot be tuned: " << tunable.workload.error().message;
      return false;
    }
    const Workload &w = *tunable.workload;
    const Schedule *schedule = known.scheduleFor(tunable.op, w);
    if (!schedule) {
      emitRemark(tunable.op->getLoc())
          << "cannot be tuned: no schedule matches";
      return false;
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
    auto against = [&](const RankedConfig &a, const RankedConfig &b) {
      return hwtune::explain(
          schedule->features(w, spec, a.config), a.prediction,
          schedule->features(w, spec, b.config), b.prediction);
    };
    if (explain && !ranking.best.empty())
      emitRemark(tunable.op->getLoc())
          << "best against generic: "
          << against(ranking.best.front(), ranking.generic);
    if (compare.empty())
      return false;
    auto [first, second] = StringRef(compare).split(" vs ");
    auto named = [&](StringRef text) {
      return configNamed(text.trim(), ranking, *schedule, w, spec);
    };
    Expected<RankedConfig> a = named(first), b = named(second);
    if (!a || !b) {
      misfits.emplace_back(tunable.op, (a ? b : a).error().message);
      return false;
    }
    emitRemark(tunable.op->getLoc())
        << space.toText(a->config) << " against " << space.toText(b->config)
        << ": " << against(*a, *b);
    return true;
  }

  /// Operations that what `compare` names does not fit, and why.
  SmallVector<std::pair<Operation *, std::string>> misfits;
};

} // namespace
