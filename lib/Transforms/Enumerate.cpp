//===- Enumerate.cpp - hw-enumerate ---------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports the space of each linalg operation as remarks. The counts come from
// the space itself, which counts whole rejected subtrees without building them.
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Schedule/Schedule.h"
#include "hwtune/Transforms/ConfigConversion.h"
#include "hwtune/Transforms/Passes.h"
#include "hwtune/Transforms/Registration.h"

#define DEBUG_TYPE "hw-enumerate"

using namespace mlir;

namespace hwtune {
#define GEN_PASS_DEF_HWENUMERATE
#include "hwtune/Transforms/Passes.h.inc"
} // namespace hwtune

using namespace hwtune;

namespace {

class Enumerate final : public hwtune::impl::HWEnumerateBase<Enumerate> {
public:
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry); // of what `schedules=` names
  }

  void runOnOperation() override {
    FailureOr<TargetSpec> spec = moduleTarget(getOperation());
    if (failed(spec))
      return signalPassFailure();
    Expected<UserSchedules> own = UserSchedules::read(getContext(), schedules);
    if (!own) {
      emitError(getOperation().getLoc()) << own.error().str();
      return signalPassFailure();
    }
    for (const TunableOp &tunable : collectLinalgOps(getOperation()))
      report(tunable, *spec, *own);
    markAllAnalysesPreserved();
  }

private:
  void report(const TunableOp &tunable, const TargetSpec &spec,
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
    SpaceCounts counts = space.count();
    InFlightDiagnostic remark = emitRemark(tunable.op->getLoc());
    remark << StringRef(toString(w.kind)) << ", schedule '"
           << StringRef(schedule->name()) << "': " << counts.product
           << " configurations, " << counts.legal << " legal";
    if (countOnly)
      return;
    for (const auto &[kind, count] : counts.rejected)
      remark.attachNote() << "rejected " << count << " by '" << kind << "'";
    unsigned left = list;
    space.forEach([&](const Config &config) {
      if (left == 0)
        return false;
      remark.attachNote() << space.toText(config);
      return --left != 0;
    });
  }
};

} // namespace
