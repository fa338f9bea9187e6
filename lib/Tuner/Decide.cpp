//===- Decide.cpp - the winner, and what is said of it --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "hwtune/Search/Objective.h"
#include "hwtune/Support/Text.h"
#include "hwtune/Tuner/Candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <set>

namespace hwtune {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Config &Session::configOf(const Entry &entry) const {
  return entry.candidate ? task.candidates[*entry.candidate] : task.generic;
}

double Session::predictedOf(const Entry &entry) const {
  if (!entry.candidate)
    return task.predictedGeneric.value_or(kInfinity);
  return task.predicted.empty() ? kInfinity : task.predicted[*entry.candidate];
}

/// Times closer than this are equal.
/// Relative: what is nearer than this to the time of `trial` is as good.
static double noiseOf(const TrialRecord &trial, const TuneOptions &options) {
  return std::max(options.minNoise,
                  std::min(options.maxNoise, relativeNoise(trial)));
}

double Session::noiseOf(const Entry &best) const {
  return hwtune::noiseOf(best.trial, options);
}

/// Usable candidates, the best first. Those within noise of the fastest are
/// ordered by predicted cost, then by index: what noise cannot tell apart must
/// not be told apart by noise.
std::vector<size_t> Session::ranked() const {
  std::vector<size_t> order;
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].usable && entries[i].candidate)
      order.push_back(i);
  auto byValue = [&](size_t a, size_t b) {
    return std::pair(entries[a].value, *entries[a].candidate) <
           std::pair(entries[b].value, *entries[b].candidate);
  };
  std::sort(order.begin(), order.end(), byValue);
  if (order.empty())
    return order;
  const Entry &best = entries[order[0]];
  double limit = best.value * (1 + noiseOf(best));
  auto end = std::find_if(order.begin(), order.end(),
                          [&](size_t i) { return entries[i].value > limit; });
  std::sort(order.begin(), end, [&](size_t a, size_t b) {
    return std::pair(predictedOf(entries[a]), *entries[a].candidate) <
           std::pair(predictedOf(entries[b]), *entries[b].candidate);
  });
  return order;
}

TunePoint Session::point(const Entry &entry) const {
  return {configOf(entry), entry.trial, entry.value,
          reportedSeconds(options.objective, entry.trial)};
}

Expected<bool> Session::verify(size_t index) {
  Entry &entry = entries[index];
  if (!callbacks.verify)
    return true;
  announce("verifying", configOf(entry));
  const Artifact &artifact = artifactOf(configOf(entry));
  Verification verification;
  if (artifact.status != TrialStatus::Ok)
    verification = {false, artifact.status,
                    "it does not compile again: " + artifact.reason,
                    artifact.fatal};
  else
    verification = callbacks.verify(configOf(entry), artifact);
  if (artifact.status == TrialStatus::Ok && !entry.trial.artifact.empty() &&
      artifact.hash != entry.trial.artifact)
    warn(fmt::format("{} compiles to another PTX than the one that was "
                     "measured",
                     configText(entry.trial.config)));
  if (verification.ok) {
    if (!verification.note.empty())
      warn(fmt::format("{}: {}", configText(entry.trial.config),
                       verification.note));
    entry.trial.maxAbs = verification.maxAbs;
    entry.trial.maxRel = verification.maxRel;
    entry.trial.checkedElements = verification.checkedElements;
    return true;
  }
  if (cancelled())
    return false;
  if (verification.fatal)
    return Error{verification.reason, ""};
  entry.usable = false;
  TrialRecord trial = newTrial(configOf(entry), TrialRole::Final);
  fillArtifact(trial, artifact);
  trial.label = entry.trial.label;
  trial.status = verification.status;
  trial.reason = shortened(verification.reason, kMaxReasonBytes);
  trial.lesson = fmt::format(
      "excluded: it {}, but {}",
      result.tuned ? "is on the front" : "would have won",
      trial.status == TrialStatus::Wrong ? "is wrong" : "cannot be checked");
  if (Status status = store(trial); !status)
    return status.error();
  countFailure(trial);
  warn(fmt::format("{} is excluded, 1 of {} measured: {}",
                   configText(trial.config), result.tried, trial.reason));
  return false;
}

Expected<std::optional<TunePoint>> Session::remeasure(const Entry &entry) {
  announce("measuring once more", configOf(entry));
  const Artifact &artifact = artifactOf(configOf(entry));
  Outcome outcome = measureOne(configOf(entry), artifact, TrialRole::Final);
  if (cancelled())
    return std::optional<TunePoint>();
  if (!outcome.fatal.empty())
    return Error{outcome.fatal, ""};
  TrialRecord &trial = outcome.trial;
  if (!trial.ok()) {
    trial.lesson = "it ran before and does not now";
    if (Status status = store(trial); !status)
      return status.error();
    countFailure(trial);
    return std::optional<TunePoint>();
  }
  trial.predictedNs = entry.trial.predictedNs;
  trial.lesson = "measured once more at the end";
  if (Status status = store(trial); !status)
    return status.error();
  Expected<double> value = valueOf(trial);
  if (!value)
    return value.error();
  // What verification found belongs to the same PTX.
  trial.maxAbs = entry.trial.maxAbs, trial.maxRel = entry.trial.maxRel;
  trial.checkedElements = entry.trial.checkedElements;
  return std::optional<TunePoint>(
      TunePoint{configOf(entry), trial, *value,
                reportedSeconds(options.objective, trial)});
}

/// The default and the winner by turns; where the default has drifted, once
/// more, and the last pair counts: both under the same conditions.
Expected<bool> Session::compareAgain(size_t index) {
  for (int round = 0; round < 2; ++round) {
    Expected<std::optional<TunePoint>> generic = remeasure(entries[0]);
    if (!generic)
      return generic.error();
    Expected<std::optional<TunePoint>> winner = remeasure(entries[index]);
    if (!winner)
      return winner.error();
    if (cancelled()) // the first measurements stand
      return true;
    if (!*winner) {
      entries[index].usable = false;
      return false;
    }
    if (!*generic)
      break;
    double moved = (*generic)->value / result.generic->value - 1;
    bool drifted = std::abs(moved) > options.driftWarning;
    if (round == 0)
      result.drift = moved;
    if (drifted && round == 0)
      warn(fmt::format("the generic schedule's time moved by {:+.1f} % during "
                       "the run ({} to {}): the device is not steady",
                       moved * 100, formatTime(result.generic->seconds),
                       formatTime((*generic)->seconds)));
    result.generic = **generic;
    result.tuned = **winner;
    if (!drifted)
      break;
  }
  return !result.generic || !result.tuned ||
         result.tuned->value < result.generic->value;
}

static std::string noneIsBetter(Objective objective) {
  if (objective == Objective::Latency || objective == Objective::Throughput)
    return "no candidate is faster";
  return fmt::format("no candidate is better by objective={}",
                     toString(objective));
}

/// It is wrong: nothing is compared with it.
void Session::dropGeneric() {
  result.generic.reset();
  for (Entry &entry : entries)
    entry.usable &= configOf(entry) != task.generic;
}

/// The default wins, if it is right; else it is out, as a base too.
Status Session::keepGeneric(const std::string &why) {
  assert(!entries.empty() && entries[0].usable);
  Expected<bool> right = verify(0);
  if (!right)
    return right.error();
  if (!*right && !cancelled()) {
    dropGeneric();
    return success();
  }
  result.verified =
      *right && (callbacks.verify || entries[0].trial.checkedElements);
  result.tuned = result.generic;
  result.keptGeneric = true;
  warn("the generic schedule is kept: " + why);
  return success();
}

/// Takes the entry for the winner if it is right and still better.
Status Session::choose(size_t index) {
  if (configOf(entries[index]) == task.generic && entries[0].usable)
    return keepGeneric(noneIsBetter(options.objective));
  Expected<bool> right = verify(index);
  if (!right)
    return right.error();
  if (!*right)
    return success(); // the next one, or cancelled
  result.tuned = point(entries[index]);
  result.verified =
      bool(callbacks.verify || entries[index].trial.checkedElements);
  // Times that cannot change are not measured again, if they are of this PTX.
  const std::string &timed = entries[index].trial.artifact;
  bool steady =
      entries[index].trial.label != Label::Measured &&
      (timed.empty() || timed == artifactOf(configOf(entries[index])).hash);
  if (!entries[0].usable)
    return success();
  bool better = result.tuned->value < result.generic->value;
  if (better && !steady) {
    Expected<bool> stays = compareAgain(index);
    if (!stays)
      return stays.error();
    better = *stays;
    if (!entries[index].usable) {
      result.tuned.reset();
      return success();
    }
  }
  if (better)
    return success();
  result.tuned.reset();
  return keepGeneric(noneIsBetter(options.objective));
}

Status Session::decide() {
  result.interrupted = cancelled() || fatal.has_value();
  if (!entries.empty() && entries[0].usable)
    result.generic = point(entries[0]);
  for (const Entry &entry : entries)
    if (entry.candidate == task.heuristic && entry.usable)
      result.heuristic = point(entry);
  while (!result.tuned) {
    std::vector<size_t> order = ranked();
    if (order.empty())
      break;
    if (result.interrupted) {
      // No time to check again: what was checked when it ran counts.
      result.tuned = point(entries[order[0]]);
      result.verified = entries[order[0]].trial.checkedElements.has_value();
      if (result.generic && result.generic->value <= result.tuned->value) {
        result.tuned = result.generic;
        result.keptGeneric = true;
      }
      break;
    }
    const Entry &best = entries[order[0]];
    double noise = noiseOf(best), fastest = kInfinity;
    for (size_t i : order)
      fastest = std::min(fastest, entries[i].value);
    result.tieOf =
        size_t(std::count_if(order.begin(), order.end(), [&](size_t i) {
          return entries[i].value <= fastest * (1 + noise);
        }));
    if (Status status = choose(order[0]); !status)
      return status;
    result.interrupted |= cancelled();
  }
  if (!result.tuned && result.interrupted && result.generic) {
    result.tuned = result.generic;
    result.keptGeneric = true;
  }
  if (!result.tuned && !result.interrupted && entries[0].usable)
    if (Status status =
            keepGeneric("no candidate works: " + describeFailures());
        !status)
      return status;
  if (!result.tuned && !result.interrupted)
    return Error{fmt::format("nothing works: the generic schedule and {} "
                             "candidates tried, {}; {}",
                             result.tried, describeFailures(),
                             describeCounts(task.counts)),
                 ""};
  if (fatal && !result.tuned)
    return Error{*fatal, ""};
  if (options.objective == Objective::Pareto && !result.interrupted)
    if (Status status = verifyFront(); !status) { // the winner stands
      result.interrupted = true;
      result.stopReason = status.error().message;
    }
  fillRun();
  // Without its end a run is no hit, but what it found is kept.
  if (runId)
    return options.database->finishRun(*runId, result.run);
  return success();
}

std::string Session::describeFailures() const {
  std::string text;
  for (const auto &[status, count] : result.failures) {
    auto first = result.firstFailure.find(status);
    text += fmt::format(
        "{}{} {} ({})", text.empty() ? "" : ", ", count, toString(status),
        first == result.firstFailure.end() ? "" : first->second);
  }
  return text.empty() ? "no failure" : text;
}

/// What is worth choosing from, by time.
std::vector<size_t> Session::paretoFrontOf() const {
  std::vector<std::array<double, 2>> points;
  std::vector<size_t> places;
  for (size_t i = 0; i < entries.size(); ++i) {
    const TrialRecord &trial = entries[i].trial;
    if (!entries[i].usable || !trial.medianNs || !trial.energyMJ)
      continue;
    points.push_back({*trial.medianNs, *trial.energyMJ});
    places.push_back(i);
  }
  std::vector<size_t> front;
  for (size_t i : paretoFront(points))
    front.push_back(places[i]);
  return front;
}

/// Whoever picks from the front later measures nothing: all of it is checked as
/// the winner is, and what is wrong leaves it.
Status Session::verifyFront() {
  std::set<size_t> checked;
  for (bool isFinal = false; !isFinal && !cancelled();) {
    isFinal = true;
    for (size_t i : paretoFrontOf()) {
      if (configOf(entries[i]) == result.tuned->config ||
          !checked.insert(i).second)
        continue;
      Expected<bool> right = verify(i);
      if (!right)
        return right.error();
      isFinal &= *right; // others may come in its place
      if (!*right && !cancelled() && configOf(entries[i]) == task.generic)
        dropGeneric();
    }
  }
  result.interrupted |= cancelled();
  return success();
}

/// What is stored of the schedule that `trial` ran.
static void storeSchedule(RunRecord &run, const TrialRecord &trial) {
  run.schedule = trial.schedule;
  run.config = trial.config;
  run.registers = trial.registers;
  run.spillBytes = trial.spillBytes;
  run.sharedBytes = trial.sharedBytes;
  run.registerBasis = trial.registerBasis;
  run.occupancy = trial.occupancy;
  run.artifact = trial.artifact;
}

void Session::fillRun() {
  RunRecord &run = result.run;
  result.converged = stop.converged() || exhausted;
  if (result.interrupted && result.stopReason.empty())
    result.stopReason = "interrupted";
  run.seen = task.counts.product;
  run.legal = task.counts.legal;
  run.rejected.assign(task.counts.rejected.begin(), task.counts.rejected.end());
  run.trials = int64_t(result.tried);
  run.converged = result.converged;
  run.verified = result.verified;
  run.stopReason = result.stopReason;
  run.budgetTrials = int64_t(options.stop.trials);
  // A search that gave up spares no later one that asks for more.
  if (equalFailures())
    run.budgetTrials = int64_t(std::max<size_t>(result.tried, 1));
  run.budgetSeconds = options.stop.seconds;
  run.objective = toString(options.objective);
  run.tieOf = int64_t(result.tieOf);
  if (options.objective == Objective::Pareto)
    for (size_t i : paretoFrontOf())
      run.front.push_back({entries[i].trial.config, *entries[i].trial.medianNs,
                           *entries[i].trial.energyMJ});
  if (task.learner)
    run.weights = task.learner->weights();
  if (result.generic) {
    run.genericNs = result.generic->seconds * 1e9;
    run.genericMJ = result.generic->trial.energyMJ;
  }
  if (result.heuristic) {
    run.heuristicNs = result.heuristic->seconds * 1e9;
    run.heuristicConfig = result.heuristic->trial.config;
  }
  if (result.tuned) {
    const TrialRecord &trial = result.tuned->trial;
    run.label = trial.label;
    run.tunedNs = result.tuned->seconds * 1e9;
    run.tunedMJ = trial.energyMJ;
    storeSchedule(run, trial);
  }
  // What is reported is what is stored, to the last digit, so that a hit later
  // gives the same output.
  for (auto &[point, ns] : {std::pair(&result.generic, &run.genericNs),
                            std::pair(&result.heuristic, &run.heuristicNs),
                            std::pair(&result.tuned, &run.tunedNs)})
    if (*point && *ns)
      (*point)->seconds = **ns * 1e-9;
  if (run.genericNs && run.tunedNs && *run.tunedNs > 0)
    result.speedup = *run.genericNs / *run.tunedNs;
  if (!result.interrupted)
    run.finished = now();
}

//===----------------------------------------------------------------------===//
// Results from records
//===----------------------------------------------------------------------===//

static TunePoint storedPoint(const RunRecord &run, double ns,
                             const OrderedJson &config,
                             std::optional<double> energyMJ = {}) {
  TunePoint point;
  point.seconds = point.value = ns * 1e-9;
  point.trial.schedule = run.schedule;
  point.trial.config = config;
  point.trial.medianNs = ns;
  point.trial.energyMJ = energyMJ;
  point.trial.label = *run.label;
  point.trial.origin = run.origin;
  return point;
}

Expected<TuneResult> resultFromRecord(const RunRecord &run,
                                      const Space &space) {
  if (!run.tunedNs || !run.label)
    return Error{fmt::format("the stored run {} found nothing", run.uid), ""};
  Expected<Config> config = configFromJson(space, run.config);
  if (!config)
    return Error{fmt::format("the stored configuration {} does not fit: {}",
                             configText(run.config), config.error().message),
                 ""};
  if (std::optional<Rejection> rejection = space.reject(*config, true))
    return Error{fmt::format("the stored configuration {} is not legal here: "
                             "{}",
                             configText(run.config), rejection->message()),
                 ""};
  TuneResult result;
  result.run = run;
  result.fromRecords = true;
  result.tuned = storedPoint(run, *run.tunedNs, run.config, run.tunedMJ);
  result.tuned->config = *config;
  result.tuned->trial.registers = run.registers;
  result.tuned->trial.spillBytes = run.spillBytes;
  result.tuned->trial.sharedBytes = run.sharedBytes;
  result.tuned->trial.registerBasis = run.registerBasis;
  result.tuned->trial.occupancy = run.occupancy;
  result.tuned->trial.artifact = run.artifact;
  if (run.genericNs) {
    result.generic =
        storedPoint(run, *run.genericNs, OrderedJson::object(), run.genericMJ);
    result.speedup = *run.genericNs / *run.tunedNs;
  }
  if (run.heuristicNs) {
    result.heuristic = storedPoint(run, *run.heuristicNs, run.heuristicConfig);
    if (Expected<Config> c = configFromJson(space, run.heuristicConfig))
      result.heuristic->config = *c;
  }
  result.counts.product = run.seen;
  result.counts.legal = run.legal;
  for (const auto &[kind, count] : run.rejected)
    result.counts.rejected[kind] = count;
  result.tried = size_t(run.trials);
  result.tieOf = size_t(run.tieOf);
  result.converged = run.converged;
  result.verified = run.verified;
  result.stopReason = run.stopReason;
  return result;
}

void pickFromFront(RunRecord &run, std::span<const TrialRecord> trials,
                   double weight) {
  std::vector<std::array<double, 2>> points;
  std::vector<size_t> all;
  for (const FrontPoint &point : run.front) {
    all.push_back(points.size());
    points.push_back({point.timeNs, point.energyMJ});
  }
  std::optional<size_t> picked = pickByWeight(points, all, weight);
  if (!picked)
    return;
  const FrontPoint &point = run.front[*picked];
  auto trial = std::find_if(trials.begin(), trials.end(), [&](const auto &t) {
    return t.ok() && t.role != TrialRole::Final && t.config == point.config;
  });
  if (trial == trials.end() || point.config == run.config)
    return; // what it needs is not known
  // The winner as it was when the front was made, not when measured again.
  auto winner =
      std::find_if(run.front.begin(), run.front.end(),
                   [&](const FrontPoint &p) { return p.config == run.config; });
  if (winner != run.front.end()) {
    double over = weight * std::log(winner->timeNs / point.timeNs) +
                  (1 - weight) * std::log(winner->energyMJ / point.energyMJ);
    if (over <= std::log1p(noiseOf(*trial, TuneOptions())))
      return;
  }
  run.tunedNs = point.timeNs;
  run.tunedMJ = point.energyMJ;
  run.tieOf = 1;
  storeSchedule(run, *trial);
}

} // namespace hwtune
