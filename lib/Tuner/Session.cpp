//===- Session.cpp - the loop: measure and learn --------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "hwtune/Support/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>

namespace hwtune {

static double steadySeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
static double unixSeconds() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Session::Session(const TuneTask &task, const TuneCallbacks &callbacks,
                 const TuneOptions &options)
    : task(task), callbacks(callbacks), options(options),
      clock(options.clock ? options.clock : steadySeconds),
      now(options.now ? options.now : unixSeconds), stop(options.stop) {}

Expected<TuneResult> Session::run() {
  startTime = clock();
  if (Status status = check(); !status)
    return status.error();
  result.run = task.run;
  result.run.started = now();
  result.counts = task.counts;
  Status status = openRun();
  if (status && options.observer)
    options.observer->started(progress());
  if (status)
    status = measureGeneric();
  if (status)
    status = search();
  if (status)
    status = decide();
  if (!status)
    return status.error();
  if (options.observer)
    options.observer->finished(result);
  return std::move(result);
}

Status Session::check() const {
  if (!task.space || !task.strategy || !callbacks.compile || !callbacks.measure)
    return Error{"a tuning task lacks its space, strategy or callbacks", ""};
  if (task.candidates.empty())
    return Error{"there is no candidate to tune", ""};
  if (task.heuristic >= task.candidates.size())
    return Error{fmt::format("the untuned pick is candidate {}, but there are "
                             "{}",
                             task.heuristic, task.candidates.size()),
                 ""};
  if (!task.predicted.empty() &&
      task.predicted.size() != task.candidates.size())
    return Error{fmt::format("{} predictions for {} candidates",
                             task.predicted.size(), task.candidates.size()),
                 ""};
  return success();
}

/// Whether another try would end the same way: not what a busy device, another
/// process on it or little memory may have caused.
static bool isLasting(const TrialRecord &trial) {
  switch (trial.status) {
  case TrialStatus::Ok:
  case TrialStatus::Constraint:
  case TrialStatus::Compile:
  case TrialStatus::Wrong:
    return true;
  case TrialStatus::Sticky: // nobody else is on a simulated device
    return trial.label != Label::Measured;
  case TrialStatus::CompileTimeout:
  case TrialStatus::Launch:
  case TrialStatus::RunTimeout:
  case TrialStatus::Noisy:
    break;
  }
  return false;
}

Status Session::openRun() {
  if (!options.database)
    return success();
  if (options.resume) {
    Expected<std::vector<TrialRecord>> trials =
        options.database->pastTrials(task.run.key, task.run.seed, task.label);
    if (!trials)
      return trials.error();
    for (TrialRecord &trial : *trials)
      if ((trial.role == TrialRole::Candidate ||
           trial.role == TrialRole::Heuristic) &&
          isLasting(trial))
        past.emplace(trial.identity(), std::move(trial));
  }
  Expected<int64_t> id = options.database->beginRun(result.run);
  if (!id)
    return id.error();
  runId = *id;
  return success();
}

//===----------------------------------------------------------------------===//
// One trial
//===----------------------------------------------------------------------===//

Expected<double> Session::valueOf(const TrialRecord &trial) const {
  return objectiveValue(options.objective, measuredOf(trial), options.weight);
}

TrialRecord Session::newTrial(const Config &config, TrialRole role) const {
  TrialRecord trial;
  trial.role = role;
  trial.schedule = task.schedule;
  trial.config = configToJson(*task.space, config);
  return trial;
}

Artifact Session::await(std::future<Artifact> &pending) const {
  while (pending.wait_for(std::chrono::milliseconds(100)) !=
         std::future_status::ready)
    if (cancelled())
      return Artifact{TrialStatus::Compile, "cancelled"};
  return pending.get();
}

const Artifact &Session::artifactOf(const Config &config) {
  auto at = artifacts.find(config);
  if (at == artifacts.end()) {
    std::future<Artifact> pending = callbacks.compile(config);
    at = artifacts.emplace(config, await(pending)).first;
  }
  return at->second;
}

/// Runs a compiled configuration; a compile failure is an outcome like others.
Session::Outcome Session::measureOne(const Config &config,
                                     const Artifact &artifact,
                                     TrialRole role) const {
  Outcome outcome;
  outcome.trial = newTrial(config, role);
  fillArtifact(outcome.trial, artifact);
  outcome.trial.label = task.label; // also where nothing is measured
  if (artifact.fatal)
    outcome.fatal = artifact.reason;
  if (!outcome.trial.ok())
    return outcome;
  Measurement m = callbacks.measure(config, artifact, {role, limitSeconds});
  fillMeasurement(outcome.trial, m);
  if (m.fatal)
    outcome.fatal = m.reason;
  return outcome;
}

Status Session::store(TrialRecord &trial) {
  trial.index = int64_t(result.trials.size());
  if (trial.unixTime == 0)
    trial.unixTime = now();
  result.trials.push_back(trial);
  if (task.learner)
    task.learner->learn(trial);
  if (!runId)
    return success();
  return options.database->append(*runId, trial);
}

void Session::countFailure(const TrialRecord &trial) {
  if (trial.ok()) {
    equalRun = 0;
    lastFailure.clear();
    return;
  }
  ++result.failures[trial.status];
  result.firstFailure.emplace(trial.status, trial.reason);
  // Addresses and numbers differ between equal failures.
  std::string text(toString(trial.status));
  for (char c : trial.reason)
    if (!isdigit(uint8_t(c)))
      text += c;
  if (text != lastFailure) {
    equalRun = 0;
    firstOfRun = trial.reason;
  }
  lastFailure = text;
  ++equalRun;
}

/// Where nothing but the default has run, something is wrong with all
/// candidates. Where some have, a part of the space fails alike and its members
/// may stand together: the search goes on, unless there seems to be no other
/// part.
std::optional<std::string> Session::equalFailures() const {
  size_t limit = options.maxEqualFailures;
  if (anyCandidateRan)
    limit = std::max(10 * limit, result.tried * 3 / 4);
  if (!options.maxEqualFailures || equalRun < limit)
    return std::nullopt;
  return fmt::format("{} failures in a row with the same text: {}", equalRun,
                     firstOfRun);
}

//===----------------------------------------------------------------------===//
// The default
//===----------------------------------------------------------------------===//

Status Session::measureGeneric() {
  announce("measuring the generic schedule", task.generic);
  const Artifact &artifact = artifactOf(task.generic);
  double before = clock();
  Entry entry;
  // A callback that is cancelled reports a failure that means nothing.
  Outcome outcome = measureOne(task.generic, artifact, TrialRole::Generic);
  if (cancelled())
    return success();
  if (!outcome.fatal.empty())
    return Error{outcome.fatal, ""};
  entry.trial = std::move(outcome.trial);
  if (task.predictedGeneric && std::isfinite(*task.predictedGeneric))
    entry.trial.predictedNs = *task.predictedGeneric * 1e9;
  entry.usable = entry.trial.ok();
  if (entry.usable) {
    Expected<double> value = valueOf(entry.trial);
    if (!value) // the device cannot tell: true of every candidate
      return value.error();
    entry.value = *value;
    limitSeconds = std::max(options.minLimitSeconds,
                            options.limitFactor * (clock() - before));
  } else {
    limitSeconds = options.minLimitSeconds * options.limitFactor;
    result.failures[entry.trial.status]++;
    result.firstFailure.emplace(entry.trial.status, entry.trial.reason);
    warn(fmt::format("the generic schedule does not run ({}: {}), so there is "
                     "no speed-up to report",
                     toString(entry.trial.status), entry.trial.reason));
  }
  entry.trial.lesson = "the base of every speed-up";
  if (Status status = store(entry.trial); !status)
    return status;
  if (options.observer)
    options.observer->trial(entry.trial, progress());
  entries.push_back(std::move(entry));
  return success();
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

Status Session::search() {
  if (cancelled()) {
    result.stopReason = "interrupted";
    return success();
  }
  if (Status status = measureBatch({task.heuristic}); !status)
    return status;
  while (true) {
    std::optional<std::string> reason = stop.reached(elapsed());
    if (!reason)
      reason = fatal ? fatal : equalFailures();
    if (cancelled())
      reason = "interrupted";
    if (reason) {
      result.stopReason = *reason;
      return success();
    }
    size_t room = options.batch;
    if (options.stop.trials)
      room = std::min(room, options.stop.trials - stop.trials());
    std::vector<size_t> asked = task.strategy->ask(room);
    std::erase_if(asked, [&](size_t c) {
      return c >= task.candidates.size() || tried.count(c);
    });
    if (asked.empty()) {
      exhausted = true;
      result.stopReason = "every candidate was tried";
      return success();
    }
    if (Status status = measureBatch(asked); !status)
      return status;
  }
}

std::optional<TrialRecord> Session::knownTrial(size_t candidate) const {
  const Config &config = task.candidates[candidate];
  // The default itself has just been measured.
  if (config == task.generic && !entries.empty())
    return entries[0].trial;
  auto at = past.find(newTrial(config, TrialRole::Candidate).identity());
  if (at == past.end())
    return std::nullopt;
  return at->second;
}

Status Session::measureBatch(const std::vector<size_t> &candidates) {
  std::vector<std::future<Artifact>> pending(candidates.size());
  std::vector<std::optional<TrialRecord>> known;
  for (size_t i = 0; i < candidates.size(); ++i) {
    tried.insert(candidates[i]);
    known.push_back(knownTrial(candidates[i]));
    if (!known[i])
      pending[i] = callbacks.compile(task.candidates[candidates[i]]);
  }
  size_t width = std::max(1u, options.parallelMeasures);
  for (size_t begin = 0; begin < candidates.size(); begin += width) {
    size_t end = std::min(begin + width, candidates.size());
    std::vector<std::future<Outcome>> running(end - begin);
    for (size_t i = begin; i < end; ++i) {
      if (known[i])
        continue;
      const Config &config = task.candidates[candidates[i]];
      Artifact artifact = await(pending[i]);
      artifacts.insert_or_assign(config, artifact);
      TrialRole role = candidates[i] == task.heuristic ? TrialRole::Heuristic
                                                       : TrialRole::Candidate;
      running[i - begin] =
          std::async(width > 1 ? std::launch::async : std::launch::deferred,
                     [this, &config, artifact, role] {
                       return measureOne(config, artifact, role);
                     });
      if (width == 1)
        running[0].wait(); // before the stop rule is asked again
    }
    for (size_t i = begin; i < end; ++i) {
      bool resumed = known[i] && known[i]->role != TrialRole::Generic;
      Outcome outcome =
          known[i] ? Outcome{*known[i], ""} : running[i - begin].get();
      if (!outcome.fatal.empty() && !fatal)
        fatal = outcome.fatal;
      TrialRecord &trial = outcome.trial;
      // What was cut short says nothing of the candidate.
      if (cancelled() || fatal)
        continue;
      trial.role = candidates[i] == task.heuristic ? TrialRole::Heuristic
                                                   : TrialRole::Candidate;
      result.resumed += resumed;
      if (Status status = takeTrial(candidates[i], std::move(trial)); !status)
        return status;
      // What ran beside it counts as if it had not: one seed, one result, for
      // any number of measurements at once.
      if (equalFailures() || stop.reached(elapsed()))
        return success();
    }
    if (cancelled() || fatal)
      return success();
  }
  return success();
}

Status Session::takeTrial(size_t candidate, TrialRecord trial) {
  double predicted = task.learner
                         ? task.learner->expected(task.candidates[candidate])
                     : task.predicted.empty() ? INFINITY
                                              : task.predicted[candidate];
  if (std::isfinite(predicted))
    trial.predictedNs = predicted * 1e9;
  Entry entry;
  entry.candidate = candidate;
  if (trial.ok()) {
    Expected<double> value = valueOf(trial);
    if (!value) {
      trial.status = TrialStatus::Noisy;
      trial.reason = value.error().message;
      trial.medianNs.reset();
    } else {
      entry.value = *value;
    }
  }
  entry.usable = trial.ok();
  anyCandidateRan |= trial.ok() && task.candidates[candidate] != task.generic;
  trial.lesson =
      lessons.learn(trial, reportedSeconds(options.objective, trial));
  if (Status status = store(trial); !status)
    return status;
  countFailure(trial);
  entry.trial = trial;
  entries.push_back(std::move(entry));
  Observation observation{candidate, entries.back().usable,
                          entries.back().value};
  task.strategy->tell(observation);
  stop.tell(observation);
  ++result.tried;
  if (options.observer)
    options.observer->trial(trial, progress());
  return success();
}

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

TuneProgress Session::progress() const {
  TuneProgress p;
  p.op = task.run.opName;
  p.done = stop.trials();
  p.total = options.stop.trials;
  if (p.total)
    p.total = std::min(p.total, task.candidates.size());
  p.elapsedSeconds = elapsed();
  size_t paid = p.done - std::min(p.done, result.resumed);
  if (p.total && paid)
    p.etaSeconds = p.elapsedSeconds / double(paid) * double(p.total - p.done);
  if (options.stop.seconds > 0) {
    double left = std::max(0.0, options.stop.seconds - p.elapsedSeconds);
    p.etaSeconds = std::min(p.etaSeconds.value_or(left), left);
  }
  double best = INFINITY;
  for (const Entry &entry : entries) {
    if (!entry.usable)
      continue;
    double seconds = reportedSeconds(options.objective, entry.trial);
    if (!entry.candidate)
      p.genericSeconds = seconds;
    if (entry.value < best) {
      best = entry.value;
      p.bestSeconds = seconds;
    }
    p.label = entry.trial.label;
  }
  p.failures = result.failures;
  return p;
}

void Session::warn(const std::string &text) {
  result.warnings.push_back(text);
  if (options.observer)
    options.observer->warning(text);
}

void Session::announce(const std::string &what, const Config &config) const {
  if (options.observer)
    options.observer->activity(what + " " + task.space->toText(config));
}

Expected<TuneResult> tune(const TuneTask &task, const TuneCallbacks &callbacks,
                          const TuneOptions &options) {
  return Session(task, callbacks, options).run();
}

} // namespace hwtune
