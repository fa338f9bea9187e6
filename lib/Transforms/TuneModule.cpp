//===- TuneModule.cpp - search for every operation of a module ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/TuneModule.h"

#include "TuneMachine.h"

#include "hwtune/IR/OpIsolation.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Transforms/ConfigConversion.h"
#include "hwtune/Transforms/Runner.h"
#include "hwtune/Tuner/Progress.h"

#include "llvm/Config/llvm-config.h"

#include <fmt/format.h>

#include <map>

using namespace mlir;
using namespace hwtune;

namespace {

Expected<OpTuneOptions> opOptions(const TuneModuleOptions &options) {
  std::optional<Objective> objective = parseObjective(options.objective);
  if (!objective)
    return Error{fmt::format("objective '{}' is not known, expected latency, "
                             "throughput, energy, power, energy-delay or "
                             "pareto",
                             options.objective),
                 ""};
  OpTuneOptions result;
  result.trials = options.trials;
  result.seconds = options.seconds;
  result.seed = options.seed;
  result.strategy = options.strategy;
  result.objective = *objective;
  result.requireHit = options.requireHit;
  result.allowOtherGpu = options.allowOtherGpu;
  return result;
}

OpTuneRequest requestFor(Operation *op, const Workload &w,
                         const Schedule &schedule, const TargetSpec &target) {
  OpTuneRequest request;
  request.workload = w;
  request.target = target;
  request.space = schedule.space(w, target);
  request.schedule = std::string(schedule.name());
  request.generic = schedule.generic(w, target);
  request.features = [&schedule, w, target](const Config &config) {
    return schedule.features(w, target, config);
  };
  request.module = isolatedText(op);
  request.shapes = launchShapes(w);
  // The kernel of a dynamic op runs for all sizes, so it is checked on others.
  if (w.isDynamic()) {
    request.tailModule = request.module;
    request.tailShapes = launchShapes(w, LaunchSizes::Tails);
  }
  request.toolchain = "llvm " LLVM_VERSION_STRING ", ptxas none";
  return request;
}

/// What stands on the operation.
struct Annotation {
  ConfigAttr config;
  ResultAttr result;
};

/// Six digits: more than any time is worth, and the same whether it comes from
/// a run or from its record.
double rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }

Annotation annotationOf(MLIRContext *context, const TuneResult &result,
                        const std::string &device, const Space &space) {
  const TunePoint &tuned = *result.tuned;
  std::vector<std::pair<std::string, double>> numbers = {
      {"time_us", tuned.seconds * 1e6}};
  if (result.generic)
    numbers.emplace_back("generic_us", result.generic->seconds * 1e6);
  if (result.heuristic)
    numbers.emplace_back("heuristic_us", result.heuristic->seconds * 1e6);
  if (result.speedup)
    numbers.emplace_back("speedup", *result.speedup);
  for (auto &[name, value] : numbers)
    value = rounded(value);
  auto label = symbolizeTimeLabel(std::string(toString(tuned.trial.label)));
  return {toConfigAttr(context, tuned.trial.schedule, space, tuned.config),
          ResultAttr::get(context, label.value_or(TimeLabel::Predicted), device,
                          toNumbersAttr(context, numbers))};
}

} // namespace

Expected<TuneModuleResult>
hwtune::tuneModule(ModuleOp module, const TargetSpec &target,
                   const TuneModuleOptions &options) {
  TuneModuleResult summary;
  std::vector<TunableOp> open;
  for (TunableOp &tunable : collectLinalgOps(module)) {
    bool annotated = tunable.op->hasAttr(HWTuneDialect::kConfigAttrName);
    summary.kept += annotated;
    if (!annotated)
      open.push_back(std::move(tunable));
  }
  if (open.empty())
    return summary;

  Expected<OpTuneOptions> opTuning = opOptions(options);
  if (!opTuning)
    return opTuning.error();
  std::string note;
  auto machine = TuneMachine::open(target, options, note);
  if (!machine)
    return machine.error();
  if (!note.empty())
    emitRemark(module.getLoc()) << note;
  std::map<std::string, Annotation> byKey;
  std::vector<TuneResult> results;
  std::optional<Error> firstFailure;
  for (const TunableOp &tunable : open) {
    const Schedule *schedule =
        tunable.workload ? scheduleFor(*tunable.workload) : nullptr;
    if (!schedule) {
      emitRemark(tunable.op->getLoc())
          << "cannot be tuned: "
          << (tunable.workload ? "no schedule matches"
                               : tunable.workload.error().message);
      continue;
    }
    const Workload &w = *tunable.workload;
    auto known = byKey.find(w.key);
    if (known == byKey.end()) {
      Expected<TuneResult> result =
          tuneOp(requestFor(tunable.op, w, *schedule, target), *opTuning,
                 (*machine)->environment());
      if (!result || !result->tuned) {
        Error why = result
                        ? Error{"interrupted before anything was measured", ""}
                        : result.error();
        emitWarning(tunable.op->getLoc()) << "cannot be tuned: " << why.str();
        if (!firstFailure)
          firstFailure = Error{w.opName + ": " + why.message, why.where};
        continue;
      }
      Annotation annotation =
          annotationOf(module.getContext(), *result, (*machine)->deviceName(),
                       schedule->space(w, target));
      known = byKey.emplace(w.key, annotation).first;
      results.push_back(std::move(*result));
    }
    tunable.op->setAttr(HWTuneDialect::kConfigAttrName, known->second.config);
    tunable.op->setAttr(HWTuneDialect::kResultAttrName, known->second.result);
    ++summary.tuned;
  }
  // What stops every operation is no trouble of one operation.
  if (firstFailure && (results.empty() || options.requireHit))
    return *firstFailure;
  summary.table = resultTable(results);
  return summary;
}
