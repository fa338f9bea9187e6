//===- TuneModule.cpp - search for every operation of a module ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/TuneModule.h"

#include "Bufferise.h"
#include "TuneMachine.h"
#include "TuneRequest.h"

#include "hwtune/Codegen/Reference.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Support/Text.h"
#include "hwtune/Transforms/ConfigConversion.h"
#include "hwtune/Transforms/DeviceMemory.h"
#include "hwtune/Transforms/Normalise.h"
#include "hwtune/Tuner/Progress.h"

#include "mlir/IR/Builders.h"

#include <fmt/format.h>

#include <map>
#include <span>

using namespace mlir;
using namespace hwtune;

namespace {

/// What stands on the operation.
struct Annotation {
  ConfigAttr config;
  ResultAttr result;
};

/// Six digits: more than any time is worth, and the same whether it comes from
/// a run or from its record.
double rounded(double value) {
  return parseDouble(fmt::format("{:.6g}", value)).value_or(value);
}

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
  if (result.run.tunedMJ)
    numbers.emplace_back("energy_mj", *result.run.tunedMJ);
  if (result.run.genericMJ)
    numbers.emplace_back("generic_energy_mj", *result.run.genericMJ);
  // Where they come from is in the name.
  bool assembled = tuned.trial.registerBasis == "ptxas";
  if (tuned.trial.registers)
    numbers.emplace_back(assembled ? "registers_ptxas" : "registers_estimate",
                         double(*tuned.trial.registers));
  if (tuned.trial.spillBytes && assembled)
    numbers.emplace_back("spill_bytes", double(*tuned.trial.spillBytes));
  if (tuned.trial.sharedBytes)
    numbers.emplace_back("shared_bytes", double(*tuned.trial.sharedBytes));
  for (auto &[name, value] : numbers)
    value = rounded(value);
  auto label = symbolizeTimeLabel(std::string(toString(tuned.trial.label)));
  return {toConfigAttr(context, tuned.trial.schedule, space, tuned.config),
          ResultAttr::get(context, label.value_or(TimeLabel::Predicted), device,
                          toNumbersAttr(context, numbers))};
}

/// The searches of one module: one for each different workload.
class ModuleTuner {
public:
  ModuleTuner(const TargetSpec &target, const TuneModuleOptions &options,
              const OpTuneOptions &opTuning, const TuneMachine &machine)
      : target(target), options(options), opTuning(opTuning), machine(machine) {
  }

  /// What the operation gets; searched for where no equal one was before.
  Expected<Annotation> annotate(const TunableOp &tunable,
                                const Schedule &schedule);
  /// Why nothing further is to be tuned, "" if it is.
  const std::string &interrupted() const { return whyInterrupted; }
  std::span<const TuneResult> results() const { return done; }

private:
  void noteInterruption(const Workload &w, const std::string &reason);

  const TargetSpec &target;
  const TuneModuleOptions &options;
  const OpTuneOptions &opTuning;
  const TuneMachine &machine;
  std::map<std::string, Annotation> byKey;
  std::vector<TuneResult> done;
  std::string whyInterrupted;
};

void ModuleTuner::noteInterruption(const Workload &w,
                                   const std::string &reason) {
  whyInterrupted = fmt::format(
      "{} while {} was being tuned; {}",
      options.cancel.cancelled() ? "interrupted" : reason, w.opName,
      machine.environment().database
          ? "what was measured is in the records, the next run goes on from it"
          : "without a database nothing of it is kept");
}

Expected<Annotation> ModuleTuner::annotate(const TunableOp &tunable,
                                           const Schedule &schedule) {
  const Workload &w = *tunable.workload;
  // What a file's schedule matches is more than the workload.
  std::string key = w.key + std::string(schedule.name());
  if (auto known = byKey.find(key); known != byKey.end())
    return known->second;
  if (!schedule.sourceHash().empty())
    emitRemark(tunable.op->getLoc())
        << "schedule '" << StringRef(schedule.name())
        << "' comes from a file: the model does not tell its configurations "
           "apart, and 'generic' is the first option of every knob";
  Expected<TuneResult> result =
      tuneOp(tuneRequest(tunable.op, w, schedule, target, machine.toolchain()),
             opTuning, machine.environment());
  if (options.cancel.cancelled() || (result && result->interrupted))
    noteInterruption(w, result ? result->stopReason : "");
  if (!result)
    return result.error();
  if (!result->tuned)
    return Error{"interrupted before anything was measured", ""};
  Annotation annotation =
      annotationOf(tunable.op->getContext(), *result, machine.deviceName(),
                   schedule.space(w, target));
  byKey.emplace(key, annotation);
  done.push_back(std::move(*result));
  return annotation;
}

/// An operation without a configuration.
struct OpenOp {
  Operation *op;     ///< gets the annotation
  TunableOp tunable; ///< itself, or what it becomes on buffers
};

/// Marks an operation in a copy of the module with its number.
constexpr llvm::StringLiteral kOpenMark = "hwtune.open";

/// The operations of `copy` that carry each of `count` marks.
std::vector<SmallVector<TunableOp>> counterparts(ModuleOp copy, size_t count) {
  std::vector<SmallVector<TunableOp>> found(count);
  for (TunableOp &tunable : collectLinalgOps(copy))
    if (auto mark = tunable.op->getAttrOfType<IntegerAttr>(kOpenMark))
      found[size_t(mark.getInt())].push_back(std::move(tunable));
  return found;
}

/// Says, before anything is measured, which functions with something to tune
/// the rewrite would leave on the host, and why.
void remarkHostFunctions(ModuleOp buffers,
                         ArrayRef<SmallVector<TunableOp>> open) {
  llvm::DenseSet<Operation *> tuned;
  for (const SmallVector<TunableOp> &ops : open)
    for (const TunableOp &each : ops)
      if (each.workload)
        tuned.insert(each.op->getParentOfType<func::FuncOp>());
  for (auto function : buffers.getOps<func::FuncOp>()) {
    if (!tuned.contains(function))
      continue;
    makeStridedCopiesKernels(function);
    if (std::string why = whyNotOffloadable(function); !why.empty())
      emitRemark(function.getLoc())
          << "function '" << function.getName()
          << "' is tuned, but would stay on the host: " << why;
  }
}

/// What is rewritten later is tuned: the operations of `open` on the buffers
/// that their tensors become, whose rows may lie apart (a slice). The module
/// that is returned holds them. Where it cannot be bufferised, or an operation
/// has no counterpart there, it is taken as it is.
OwningOpRef<ModuleOp> moveToBuffers(ModuleOp module,
                                    std::vector<OpenOp> &open) {
  Builder builder(module.getContext());
  for (auto [i, each] : llvm::enumerate(open))
    each.op->setDiscardableAttr(kOpenMark, builder.getIndexAttr(int64_t(i)));
  OwningOpRef<ModuleOp> copy = module.clone();
  for (OpenOp &each : open)
    each.op->removeDiscardableAttr(kOpenMark);
  normaliseLinalg(*copy);
  std::vector<SmallVector<TunableOp>> tensors =
      counterparts(*copy, open.size());
  if (bufferise(*copy))
    return {};
  std::vector<SmallVector<TunableOp>> found = counterparts(*copy, open.size());
  remarkHostFunctions(*copy, found);
  // What rules a tensor out (an encoding) is not seen on its buffer.
  auto works = [](ArrayRef<TunableOp> ops) {
    return ops.size() == 1 && ops.front().workload;
  };
  for (auto [each, before, after] : llvm::zip_equal(open, tensors, found))
    if (works(before) && works(after))
      each.tunable = std::move(after.front());
  return copy;
}

/// Complains of what could not be tuned, each at its operation.
void report(std::span<const std::pair<Location, Error>> failures,
            bool areErrors) {
  for (const auto &[loc, why] : failures) {
    InFlightDiagnostic diagnostic =
        areErrors ? emitError(loc) : emitWarning(loc);
    diagnostic << "cannot be tuned: " << why.str();
  }
}

/// Annotates every operation of `open`, until something interrupts. An error
/// where what stops one stops all.
Status annotateAll(ModuleTuner &tuner, std::span<const OpenOp> open,
                   const UserSchedules &schedules, bool requireHit,
                   bool verifies, TuneModuleResult &summary) {
  std::vector<std::pair<Location, Error>> failures;
  for (const auto &[op, tunable] : open) {
    Location loc = op->getLoc();
    const Schedule *schedule =
        tunable.workload ? schedules.scheduleFor(tunable.op, *tunable.workload)
                         : nullptr;
    if (!schedule) {
      emitRemark(loc) << "cannot be tuned: "
                      << (tunable.workload ? "no schedule matches"
                                           : tunable.workload.error().message);
      continue;
    }
    // Known before anything is measured: no winner could be verified.
    if (Status known = checkReferenceKnows(tunable.op); verifies && !known) {
      emitRemark(loc) << "cannot be tuned, for no result could be checked: "
                      << known.error().message;
      continue;
    }
    Expected<Annotation> annotation = tuner.annotate(tunable, *schedule);
    bool interrupted = !tuner.interrupted().empty();
    if (annotation) {
      op->setAttr(HWTuneDialect::kConfigAttrName, annotation->config);
      op->setAttr(HWTuneDialect::kResultAttrName, annotation->result);
      ++summary.tuned;
    } else if (!interrupted) {
      failures.emplace_back(loc, annotation.error());
    }
    if (interrupted)
      break;
  }
  bool stops = !failures.empty() && (tuner.results().empty() || requireHit);
  report(failures, stops);
  return stops ? Status(Error{}) : hwtune::success();
}

/// Says that an operation is not tuned because it has a configuration, and
/// where that comes from as far as it tells.
void remarkKept(Operation *op) {
  InFlightDiagnostic remark = emitRemark(op->getLoc())
                              << "keeps the configuration it has";
  if (auto result =
          op->getAttrOfType<ResultAttr>(HWTuneDialect::kResultAttrName))
    remark << " (" << stringifyTimeLabel(result.getLabel()) << " on '"
           << result.getDevice() << "')";
  remark << "; without 'hwtune.config' it would be tuned";
}

} // namespace

TuneModuleOptions hwtune::optionsFor(const TuneModuleOptions &options,
                                     bool first) {
  TuneModuleOptions result = options;
  if (!first && options.device != "model")
    result.device.clear();
  return result;
}

hwtune::Status hwtune::checkTuneOptions(const TuneModuleOptions &options) {
  if (Expected<OpTuneOptions> read = opTuneOptions(options); !read)
    return read.error();
  if (!options.device.empty())
    if (Expected<DeviceName> name = parseDeviceName(options.device); !name)
      return name.error();
  return hwtune::success();
}

Expected<TuneModuleResult>
hwtune::tuneModule(ModuleOp module, const TargetSpec &target,
                   const UserSchedules &schedules,
                   const TuneModuleOptions &options) {
  TuneModuleResult summary;
  std::vector<OpenOp> open;
  for (TunableOp &tunable : collectLinalgOps(module)) {
    bool annotated = tunable.op->hasAttr(HWTuneDialect::kConfigAttrName);
    summary.kept += annotated;
    if (annotated)
      remarkKept(tunable.op);
    else
      open.push_back({tunable.op, std::move(tunable)});
  }
  if (open.empty())
    return summary;
  OwningOpRef<ModuleOp> buffers = moveToBuffers(module, open);

  Expected<OpTuneOptions> opTuning = opTuneOptions(options);
  if (!opTuning)
    return opTuning.error();
  std::vector<std::string> notes;
  auto machine = TuneMachine::open(target, options, notes);
  if (!machine)
    return machine.error();
  for (const std::string &note : notes)
    emitRemark(module.getLoc()) << note;
  ModuleTuner tuner(target, options, *opTuning, **machine);
  if (Status s = annotateAll(tuner, open, schedules, options.requireHit,
                             (*machine)->environment().device.runs(), summary);
      !s)
    return s.error();
  summary.interrupted = tuner.interrupted();
  summary.table = resultTable(tuner.results());
  return summary;
}
