//===- OpTuner.cpp - tune one operation on one device ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Tuner/OpTuner.h"

#include "hwtune/Measure/ChildRun.h"
#include "hwtune/Search/Transfer.h"
#include "hwtune/Support/Sha256.h"
#include "hwtune/Support/Text.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Target/Occupancy.h"
#include "hwtune/Target/TargetFields.h"
#include "hwtune/Tuner/Candidates.h"
#include "hwtune/Tuner/EarlierTimes.h"
#include "hwtune/Tuner/RecordedTimes.h"

#include "CostLearner.h"
#include "Session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <thread>

namespace hwtune {

//===----------------------------------------------------------------------===//
// Keys and labels
//===----------------------------------------------------------------------===//

Label labelOf(const DeviceName &device) {
  switch (device.kind) {
  case DeviceName::Kind::Cuda:
  case DeviceName::Kind::Library: // a driver says what it is in each run
    return Label::Measured;
  case DeviceName::Kind::Sim:
    return Label::Simulated;
  case DeviceName::Kind::Replay:
    return Label::Replayed;
  case DeviceName::Kind::Model:
    break;
  }
  return Label::Predicted;
}

static std::string featureVersion() {
  return fmt::format("feature version {}", kFeatureVersion);
}

/// The factor of that name; 1 where it is not there.
static double
factorOf(const std::vector<std::pair<std::string, double>> &weights,
         std::string_view name) {
  for (const auto &[term, factor] : weights)
    if (term == name && factor > 0)
      return factor;
  return 1;
}

CostWeights rememberedWeights(std::span<const Database::StoredRun> runs,
                              std::string_view opKind, std::string_view gpu,
                              std::string_view state, Label least) {
  const RunRecord *last = nullptr;
  for (const Database::StoredRun &stored : runs) {
    const RunRecord &run = stored.run;
    if (run.opKind == opKind && run.key.gpu == gpu && run.finished &&
        launchStateOf(run.key.policy) == state &&
        (run.key.policy + ",").find(featureVersion() + ",") !=
            std::string::npos &&
        run.label && *run.label != Label::Predicted && *run.label >= least &&
        !run.weights.empty() && run.weights.back().first == kScaleName &&
        (!last || *last->finished <= *run.finished))
      last = &run;
  }
  CostWeights weights;
  for (unsigned k = 0; last && k < kNumTerms; ++k)
    weights.eta[k] = factorOf(last->weights, termName(Term(k)));
  if (last)
    weights.scale = factorOf(last->weights, kScaleName);
  return weights;
}

std::string measuringPolicy(const OpTuneOptions &options) {
  // The weight picks from what was measured, and is no part of how it was.
  return fmt::format("objective {}, {}, {}", toString(options.objective),
                     options.objective == Objective::Latency ? kFromIdle
                                                             : kBackToBack,
                     featureVersion());
}

/// ", description 0123456789ab" where `target` is not what its id names: times
/// of another description are no times of this one.
static std::string ownDescription(const TargetSpec &target) {
  std::string text = toJson(target);
  Expected<TargetSpec> known = knownTarget(target.id);
  if (known && toJson(*known) == text)
    return "";
  return ", description " + sha256Hex(text).substr(0, 12);
}

RecordKey recordKey(const OpTuneRequest &request,
                    const OpTuneOptions &options) {
  return {request.workload.key, request.target.id, request.target.arch,
          request.toolchain,
          measuringPolicy(options) + ownDescription(request.target)};
}

/// "64x?x8" of each shaped operand, inputs before outputs.
static std::string shapesText(const Workload &w) {
  std::vector<std::string> parts;
  for (const Operand &op : w.operands) {
    std::vector<std::string> extents;
    for (int64_t extent : op.shape)
      extents.push_back(extent == kDynamic ? "?" : std::to_string(extent));
    if (!op.isScalar)
      parts.push_back(join(extents, "x"));
  }
  return join(parts, ",");
}

static std::string typesText(const Workload &w) {
  std::vector<std::string> parts;
  for (const Operand &op : w.operands)
    parts.push_back(std::string(toString(op.type)));
  return join(parts, ",");
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Artifact artifactFrom(const WorkerReply &reply, const TargetSpec &target) {
  Artifact artifact;
  artifact.status = reply.status == WorkerReply::Status::TimedOut
                        ? TrialStatus::CompileTimeout
                        : TrialStatus::Compile;
  artifact.reason = reply.reason;
  artifact.fatal = reply.status == WorkerReply::Status::Unavailable;
  if (reply.status != WorkerReply::Status::Answered)
    return artifact;
  Expected<CompileReply> compiled = CompileReply::fromJson(reply.body);
  if (!compiled) {
    artifact.reason = compiled.error().message;
    return artifact;
  }
  artifact.reason = compiled->diagnostics;
  artifact.fatal = compiled->fatal;
  artifact.compileMs = compiled->milliseconds;
  if (!compiled->ok)
    return artifact;
  artifact.status = TrialStatus::Ok;
  artifact.launchFile = compiled->launchFile;
  artifact.hash = compiled->ptxHash;
  if (compiled->registers > 0) // else nobody knows
    artifact.registers = compiled->registers;
  artifact.spillBytes = compiled->spillBytes;
  artifact.sharedBytes = compiled->sharedBytes;
  artifact.registerBasis = compiled->registerBasis;
  BlockNeeds needs;
  needs.threads = compiled->block[0] * compiled->block[1] * compiled->block[2];
  needs.registersPerThread = compiled->registers;
  needs.sharedBytes = compiled->sharedBytes;
  Occupancy fit = occupancy(target, needs);
  artifact.occupancy = fit.occupancy;
  // An estimate of registers may be wrong; only what is certain rejects.
  if (fit.blocksPerSM == 0 && compiled->registerBasis == "ptxas") {
    artifact.status = TrialStatus::Constraint;
    artifact.reason = "no block fits an SM: " + fit.whyNone;
  }
  return artifact;
}

static TrialStatus statusFrom(RunStatus status) {
  // The names are the same by contract.
  return parseTrialStatus(toString(status)).value_or(TrialStatus::Launch);
}

Measurement measurementFrom(const RunOutcome &outcome, Label ofDevice) {
  Measurement m;
  m.status = statusFrom(outcome.status);
  m.reason = outcome.reason;
  m.fatal = outcome.fatal;
  m.label = parseLabel(outcome.label).value_or(ofDevice);
  if (outcome.timing) {
    const TimingRecord &timing = *outcome.timing;
    m.seconds = timing.seconds;
    m.measured.seconds = timing.median;
    if (timing.cache == "cold")
      m.measured.coldSeconds = timing.median;
    m.measured.joules = timing.joules;
    if (timing.joules && timing.median > 0)
      m.measured.watts = *timing.joules / timing.median;
    m.q20 = timing.q20, m.q80 = timing.q80;
  }
  if (outcome.verify) {
    m.maxAbs = outcome.verify->maxAbs;
    m.maxRel = outcome.verify->maxRel;
    m.checkedElements = outcome.verify->checked;
  }
  return m;
}

//===----------------------------------------------------------------------===//
// Compiling and running
//===----------------------------------------------------------------------===//

namespace {

class OpTuner {
public:
  OpTuner(const OpTuneRequest &request, const OpTuneOptions &options,
          const TuneEnvironment &environment)
      : request(request), options(options), environment(environment),
        targetText(toJson(request.target)) {}

  Expected<TuneResult> run();
  Expected<double> timeOf(const Config &config);

private:
  bool isModel() const {
    return environment.device.kind == DeviceName::Kind::Model;
  }
  bool isReplay() const {
    return environment.device.kind == DeviceName::Kind::Replay;
  }
  Status check() const;
  RunRecord describe() const;
  Status pickAgain(RunRecord &run) const;
  /// A stored result that spares the run; an error where one was required.
  Expected<std::optional<TuneResult>> stored();
  TuneCallbacks callbacks(const Candidates &candidates,
                          const CollectOptions &collect) const;
  TuneCallbacks modelCallbacks(const Candidates &candidates,
                               const CollectOptions &collect) const;
  TuneCallbacks replayCallbacks() const;
  Status readRecording();
  /// What another GPU, or this one earlier, took for this op.
  Expected<std::optional<EarlierTimes>> earlier() const;
  /// Makes it the prior of the search.
  Status transferFrom(const EarlierTimes &other, const CollectOptions &collect,
                      Candidates &candidates) const;
  /// The loop's task, but for who searches and who learns.
  TuneTask taskOf(const Candidates &candidates,
                  const CollectOptions &collect) const;
  TuneOptions loopOptions() const;
  /// What candidates are collected by, with what earlier runs have learnt.
  Expected<CollectOptions> collectOptions() const;

  /// `kind` names the purpose: each has a folder of its own.
  std::future<Artifact> compile(const Config &config, const char *kind,
                                const std::string &module,
                                const std::vector<std::vector<int64_t>> &shapes,
                                bool expected) const;
  RunOutcome execute(const std::string &launchFile,
                     const std::vector<std::string> &what,
                     double limitSeconds) const;
  Verification verify(const Config &config, const Artifact &measured) const;
  /// Compiles with expected values and compares; adds to `result`, which is ok
  /// as long as all is right.
  void compare(const Config &config, const char *kind,
               const std::string &module,
               const std::vector<std::vector<int64_t>> &shapes,
               const std::string &hash, Verification &result) const;

  const OpTuneRequest &request;
  const OpTuneOptions &options;
  const TuneEnvironment &environment;
  std::string targetText;
  RecordedTimes recorded; ///< of a `replay` device
};

Status OpTuner::check() const {
  if (request.workload.key.empty())
    return Error{"the workload has no key", ""};
  if (environment.device.runs() && !environment.workers)
    return Error{"there are no compile workers", ""};
  return success();
}

RunRecord OpTuner::describe() const {
  RunRecord run;
  run.key = recordKey(request, options);
  run.opName = request.workload.opName;
  run.opKind = toString(request.workload.kind);
  run.shapes = shapesText(request.workload);
  run.types = typesText(request.workload);
  run.uuid = isModel()                      ? "model-only"
             : environment.deviceId.empty() ? environment.device.str()
                                            : environment.deviceId;
  run.target = targetText;
  run.toolVersion = environment.toolVersion;
  run.seed = options.seed;
  run.strategy = options.strategy;
  return run;
}

/// Makes what the weight asked for picks the winner of a stored run.
Status OpTuner::pickAgain(RunRecord &run) const {
  Expected<std::vector<Database::StoredRun>> runs =
      environment.database->runs();
  if (!runs)
    return runs.error();
  auto stored = std::find_if(runs->begin(), runs->end(), [&](const auto &s) {
    return s.run.uid == run.uid;
  });
  if (stored == runs->end())
    return success();
  Expected<std::vector<TrialRecord>> trials =
      environment.database->trials(stored->id);
  if (!trials)
    return trials.error();
  pickFromFront(run, *trials, options.weight);
  return success();
}

Expected<std::optional<TuneResult>> OpTuner::stored() {
  std::string nearest = "there is no database";
  if (environment.database) {
    HitRule rule{labelOf(environment.device), int64_t(options.trials),
                 options.seconds, request.schedule};
    // A device of its own is not needed to use what another one measured.
    if (options.requireHit)
      rule.label = Label::Predicted;
    Expected<Lookup> found =
        environment.database->lookup(recordKey(request, options), rule);
    if (!found)
      return found.error();
    bool otherGpu = found->match == Lookup::Match::SameArch;
    if (found->match == Lookup::Match::SameGpu ||
        (otherGpu && options.requireHit)) {
      if (options.objective == Objective::Pareto)
        if (Status status = pickAgain(found->run); !status)
          return status.error();
      Expected<TuneResult> result = resultFromRecord(found->run, request.space);
      if (result && otherGpu)
        result->warnings.push_back(
            fmt::format("taken from {}, which has the same architecture; not "
                        "tuned for {}",
                        found->run.key.gpu, request.target.id));
      if (result)
        return std::optional<TuneResult>(std::move(*result));
      // What does not fit any more is tuned again.
      nearest = result.error().message;
    } else if (!found->nearest.empty()) {
      nearest = found->nearest;
    } else {
      nearest = "it holds no run of this operation";
    }
  }
  if (options.requireHit)
    return Error{fmt::format("no record for {} on {}: {}",
                             request.workload.opName, request.target.id,
                             nearest),
                 ""};
  return std::optional<TuneResult>();
}

std::future<Artifact> OpTuner::compile(
    const Config &config, const char *kind, const std::string &module,
    const std::vector<std::vector<int64_t>> &shapes, bool expected) const {
  CompileRequest job;
  job.module = module;
  job.target = targetText;
  job.schedule = request.schedule;
  job.config = request.space.toText(config);
  if (request.script)
    job.script = request.script(config);
  // Ops of one run share the work folder.
  std::string name =
      sha256Hex(request.workload.key + request.schedule + job.config);
  job.folder =
      fmt::format("{}/{}-{}", environment.workFolder, kind, name.substr(0, 24));
  job.shapes = shapes;
  job.seed = options.seed;
  job.expected = expected;
  job.ptxas = environment.ptxas;
  std::error_code failed;
  std::filesystem::create_directories(job.folder, failed);
  if (failed) {
    std::promise<Artifact> promise;
    Artifact artifact;
    artifact.status = TrialStatus::Compile;
    artifact.reason = fmt::format("cannot create the folder '{}': {}",
                                  job.folder, failed.message());
    artifact.fatal = true;
    promise.set_value(artifact);
    return promise.get_future();
  }
  auto reply =
      std::make_shared<std::future<WorkerReply>>(environment.workers->submit(
          job.toJson(), expected ? kReferenceLimitSeconds : 0));
  // The pool works already; only the conversion waits for it.
  return std::async(std::launch::async, [this, reply, folder = job.folder] {
    Artifact artifact = artifactFrom(reply->get(), request.target);
    artifact.folder = folder;
    return artifact;
  });
}

RunOutcome OpTuner::execute(const std::string &launchFile,
                            const std::vector<std::string> &what,
                            double limitSeconds) const {
  ChildRunRequest run;
  run.program = environment.runProgram;
  run.device = environment.device.str();
  run.launchFile = launchFile;
  run.options = environment.runOptions;
  run.options.insert(run.options.end(), what.begin(), what.end());
  if (options.allowOtherGpu)
    run.options.push_back("--allow-other-gpu");
  run.limitSeconds = limitSeconds;
  run.cancel = environment.cancel;
  return runInChild(run);
}

/// Where no limit is known yet, and for a check, which may run far longer than
/// a launch.
constexpr double kOpenLimitSeconds = 600;

void OpTuner::compare(const Config &config, const char *kind,
                      const std::string &module,
                      const std::vector<std::vector<int64_t>> &shapes,
                      const std::string &hash, Verification &result) const {
  auto fail = [&](TrialStatus status, std::string reason, bool fatal = false) {
    result.ok = false;
    result.status = status;
    result.reason = std::move(reason);
    result.fatal = fatal;
  };
  Artifact artifact = compile(config, kind, module, shapes, true).get();
  if (artifact.fatal)
    return fail(artifact.status, artifact.reason, true);
  if (artifact.status != TrialStatus::Ok)
    return fail(artifact.status,
                fmt::format("the check ({}) does not compile: {}", kind,
                            artifact.reason));
  if (!hash.empty() && artifact.hash != hash)
    return fail(TrialStatus::Wrong,
                "compiling again gives another PTX than the one that was "
                "measured");
  RunOutcome outcome =
      execute(artifact.launchFile, {"--check-only"}, kOpenLimitSeconds);
  if (!outcome.ok())
    return fail(statusFrom(outcome.status),
                fmt::format("the check ({}) fails ({}): {}", kind,
                            toString(outcome.status), outcome.reason),
                outcome.fatal);
  if (!outcome.verify || outcome.verify->checked == 0)
    return fail(TrialStatus::Wrong,
                fmt::format("the check ({}) compared nothing", kind));
  result.checkedElements =
      result.checkedElements.value_or(0) + outcome.verify->checked;
  result.maxAbs = std::max(result.maxAbs.value_or(0), outcome.verify->maxAbs);
  result.maxRel = std::max(result.maxRel.value_or(0), outcome.verify->maxRel);
}

Verification OpTuner::verify(const Config &config,
                             const Artifact &measured) const {
  Verification result;
  result.ok = true;
  compare(config, "full", request.module, request.shapes, measured.hash,
          result);
  TailCheck tail = request.tail ? request.tail(config) : TailCheck();
  if (result.ok && !tail.module.empty())
    compare(config, "tail", tail.module, tail.shapes, "", result);
  result.note = tail.missing;
  return result;
}

TuneCallbacks OpTuner::callbacks(const Candidates &candidates,
                                 const CollectOptions &collect) const {
  if (isModel())
    return modelCallbacks(candidates, collect);
  if (isReplay())
    return replayCallbacks();
  TuneCallbacks result;
  result.compile = [this](const Config &config) {
    return compile(config, "trial", request.module, request.shapes, false);
  };
  result.measure = [this](const Config &, const Artifact &artifact,
                          const MeasureRequest &measure) {
    double limit =
        measure.limitSeconds > 0 ? measure.limitSeconds : kOpenLimitSeconds;
    std::vector<std::string> what{"--time-only"};
    if (options.objective != Objective::Latency)
      what.push_back("--warm");
    return measurementFrom(execute(artifact.launchFile, what, limit),
                           labelOf(environment.device));
  };
  result.verify = [this](const Config &config, const Artifact &artifact) {
    return verify(config, artifact);
  };
  return result;
}

/// No device: what the model expects, and nothing is verified.
TuneCallbacks OpTuner::modelCallbacks(const Candidates &candidates,
                                      const CollectOptions &collect) const {
  TuneCallbacks result;
  result.compile = [](const Config &) {
    std::promise<Artifact> promise;
    promise.set_value({});
    return promise.get_future();
  };
  auto target =
      std::make_shared<ModelTarget>(ModelTarget::from(request.target));
  std::map<Config, double> known;
  for (size_t i = 0; i < candidates.configs.size(); ++i)
    known.emplace(candidates.configs[i], candidates.predicted[i]);
  result.measure = [this, target, known, collect](const Config &config,
                                                  const Artifact &,
                                                  const MeasureRequest &) {
    Measurement m;
    m.label = Label::Predicted;
    auto at = known.find(config);
    double seconds =
        at != known.end()
            ? at->second
            : candidatesTime(request.features(config), *target, collect);
    if (!std::isfinite(seconds)) {
      m.status = TrialStatus::Constraint;
      m.reason = "the model finds it infeasible on this target";
      return m;
    }
    m.seconds = {seconds};
    m.measured.seconds = m.measured.coldSeconds = seconds;
    return m;
  };
  return result;
}

Status OpTuner::readRecording() {
  RecordedTimesQuery query{
      request.workload.key, request.target.id, options.allowOtherGpu,
      request.schedule, std::string(launchStateOf(measuringPolicy(options)))};
  Expected<RecordedTimes> times =
      readRecordedTimes(environment.device.argument, query, request.space);
  if (!times)
    return times.error();
  recorded = std::move(*times);
  return success();
}

/// What was found then stands for what would be found now.
TuneCallbacks OpTuner::replayCallbacks() const {
  TuneCallbacks result;
  result.compile = [this](const Config &config) {
    Artifact artifact;
    if (auto at = recorded.find(config); at != recorded.end()) {
      const TrialRecord &trial = at->second;
      artifact.hash = trial.artifact;
      artifact.registers = trial.registers;
      artifact.spillBytes = trial.spillBytes;
      artifact.sharedBytes = trial.sharedBytes;
      artifact.registerBasis = trial.registerBasis;
      artifact.occupancy = trial.occupancy;
    }
    std::promise<Artifact> promise;
    promise.set_value(artifact);
    return promise.get_future();
  };
  result.measure = [this](const Config &config, const Artifact &,
                          const MeasureRequest &) {
    Measurement m;
    m.label = Label::Replayed;
    auto at = recorded.find(config);
    if (at == recorded.end()) {
      m.status = TrialStatus::Constraint;
      m.reason = "the recording has no time of it";
      return m;
    }
    const TrialRecord &trial = at->second;
    m.status = trial.status;
    m.reason = trial.reason;
    for (double ns : trial.timesNs)
      m.seconds.push_back(ns * 1e-9);
    m.measured = measuredOf(trial);
    m.maxAbs = trial.maxAbs, m.maxRel = trial.maxRel;
    m.checkedElements = trial.checkedElements;
    return m;
  };
  return result;
}

Expected<CollectOptions> OpTuner::collectOptions() const {
  CollectOptions collect{options.keep, kSearchEnsembleSize, options.seed, {}};
  if (environment.database) {
    Expected<std::vector<Database::StoredRun>> runs =
        environment.database->runs();
    if (!runs)
      return runs.error();
    collect.weights = rememberedWeights(
        *runs, toString(request.workload.kind), request.target.id,
        launchStateOf(measuringPolicy(options)), labelOf(environment.device));
  }
  return collect;
}

Expected<std::optional<EarlierTimes>> OpTuner::earlier() const {
  if (!environment.database || isReplay())
    return std::optional<EarlierTimes>();
  return earlierTimes(*environment.database, request.workload.key,
                      request.schedule,
                      std::string(toString(options.objective)), request.target,
                      labelOf(environment.device), request.space);
}

Status OpTuner::transferFrom(const EarlierTimes &other,
                             const CollectOptions &collect,
                             Candidates &candidates) const {
  TransferSource source;
  source.alpha = other.alpha;
  size_t n = candidates.configs.size();
  ModelTarget there = ModelTarget::from(other.target);
  Ensemble ensemble = makeEnsemble(collect.ensemble, collect.seed);
  std::vector<double> seconds(ensemble.size());
  source.predicted = Table(n, ensemble.size());
  for (size_t i = 0; i < n; ++i) {
    const Config &config = candidates.configs[i];
    KernelFeatures features = request.features(config);
    predictBatch({&features, 1}, there, ensemble, seconds, collect.weights);
    for (size_t m = 0; m < seconds.size(); ++m)
      source.predicted.at(i, m) = float(std::log(seconds[m]));
    auto known = other.logSeconds.find(config);
    source.measured.push_back(known == other.logSeconds.end() ? NAN
                                                              : known->second);
  }
  bool anyKnown = std::any_of(source.measured.begin(), source.measured.end(),
                              [](double time) { return !std::isnan(time); });
  return anyKnown ? transferPrior(candidates.problem, source) : success();
}

Expected<double> OpTuner::timeOf(const Config &config) {
  if (Status status = check(); !status)
    return status.error();
  Expected<CollectOptions> collect = collectOptions();
  if (!collect)
    return collect.error();
  if (isReplay())
    if (Status status = readRecording(); !status)
      return status.error();
  TuneCallbacks calls = callbacks({}, *collect);
  Artifact artifact = calls.compile(config).get();
  TrialRecord trial;
  fillArtifact(trial, artifact);
  if (trial.ok())
    fillMeasurement(trial,
                    calls.measure(config, artifact, {TrialRole::Candidate, 0}));
  if (!trial.ok())
    return Error{fmt::format("{}: {}", toString(trial.status), trial.reason),
                 ""};
  return reportedSeconds(options.objective, trial);
}

/// Another GPU's fastest that are candidates in any case.
constexpr size_t kMoved = 32;

TuneTask OpTuner::taskOf(const Candidates &candidates,
                         const CollectOptions &collect) const {
  TuneTask task;
  task.run = describe();
  task.label = labelOf(environment.device);
  task.space = &request.space;
  task.schedule = request.schedule;
  task.generic = request.generic;
  task.candidates = candidates.configs;
  task.predicted = candidates.predicted;
  task.predictedGeneric =
      candidatesTime(request.features(request.generic),
                     ModelTarget::from(request.target), collect);
  task.heuristic = candidates.best;
  task.counts = candidates.counts;
  return task;
}

TuneOptions OpTuner::loopOptions() const {
  TuneOptions loop;
  loop.stop.trials = isModel() ? 1 : options.trials;
  loop.stop.seconds = options.seconds;
  loop.stop.patience = options.patience;
  loop.objective = options.objective;
  loop.weight = options.weight;
  loop.database = environment.database;
  loop.cancel = environment.cancel;
  loop.observer = environment.observer;
  if (environment.device.kind == DeviceName::Kind::Sim)
    loop.parallelMeasures =
        environment.parallelMeasures
            ? environment.parallelMeasures
            : std::max(1u, std::thread::hardware_concurrency());
  return loop;
}

Expected<TuneResult> OpTuner::run() {
  if (Status status = check(); !status)
    return status.error();
  Expected<std::optional<TuneResult>> hit = stored();
  if (!hit)
    return hit.error();
  if (*hit) {
    if (environment.observer)
      environment.observer->finished(**hit);
    return std::move(**hit);
  }
  Expected<CollectOptions> collected = collectOptions();
  if (!collected)
    return collected.error();
  CollectOptions &collect = *collected;
  if (isReplay()) {
    if (Status status = readRecording(); !status)
      return status.error();
    for (const auto &[config, trial] : recorded)
      collect.only.push_back(config);
  }
  Expected<std::optional<EarlierTimes>> other = earlier();
  if (!other)
    return other.error();
  // Where nothing is measured there is no search that they could begin.
  bool isPrior = *other && environment.device.runs();
  if (isPrior)
    collect.also = (*other)->fastest(kMoved);
  Expected<Candidates> candidates =
      collectCandidates(request.space, request.target, request.features,
                        collect, environment.cancel);
  if (!candidates)
    return candidates.error();
  if (isPrior)
    if (Status status = transferFrom(**other, collect, *candidates); !status)
      return status.error();
  Expected<std::unique_ptr<Strategy>> strategy = makeStrategy(
      options.strategy, candidates->problem, {options.seed, options.trials});
  if (!strategy)
    return strategy.error();
  TuneTask task = taskOf(*candidates, collect);
  task.strategy = strategy->get();
  CostLearner learner(request.space, ModelTarget::from(request.target),
                      request.features, collect);
  // Features that say nothing of a configuration teach the model nothing.
  if (!request.script)
    task.learner = &learner;
  Expected<TuneResult> result =
      tune(task, callbacks(*candidates, collect), loopOptions());
  if (result && *other && (isPrior || (*other)->alpha == 0))
    result->prior = (*other)->note();
  if (result && isReplay() && recorded.begin()->second.label < Label::Replayed)
    result->warnings.push_back(fmt::format(
        "the recorded times are {}", toString(recorded.begin()->second.label)));
  return result;
}

} // namespace

Expected<TuneResult> tuneOp(const OpTuneRequest &request,
                            const OpTuneOptions &options,
                            const TuneEnvironment &environment) {
  return OpTuner(request, options, environment).run();
}

Expected<double> timeOf(const OpTuneRequest &request, const Config &config,
                        const OpTuneOptions &options,
                        const TuneEnvironment &environment) {
  return OpTuner(request, options, environment).timeOf(config);
}

} // namespace hwtune
