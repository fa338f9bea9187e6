//===- Tuner.h - the loop: measure, learn, decide ------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that must hold whatever is compiled and measured: the default
// first and last, no configuration twice, one bad candidate never ends a run, a
// wrong one never wins, every trial on disk before the next, a killed run
// resumes, one seed gives one result. Compiling and measuring are callbacks, so
// that it is tested with neither.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TUNER_TUNER_H
#define HWTUNE_TUNER_TUNER_H

#include "hwtune/Records/Database.h"
#include "hwtune/Search/Objective.h"
#include "hwtune/Search/Stop.h"
#include "hwtune/Search/Strategy.h"
#include "hwtune/Space/Space.h"
#include "hwtune/Support/CancelToken.h"

#include <functional>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hwtune {

/// A compiled kernel, or why there is none.
struct Artifact {
  TrialStatus status = TrialStatus::Ok; ///< Ok, Constraint, Compile(Timeout)
  std::string reason;
  /// No further compile can work either (the worker program is missing).
  bool fatal = false;
  std::string folder;     ///< where `launch.json` and the PTX lie
  std::string launchFile; ///< path of `launch.json`
  std::string hash;       ///< SHA-256 of the PTX
  std::optional<int64_t> registers, spillBytes, sharedBytes;
  std::string registerBasis;
  std::optional<double> occupancy;
  double compileMs = 0;
};

struct MeasureRequest {
  TrialRole role = TrialRole::Candidate;
  /// Seconds after which the run is killed; 0 = no limit is known yet (the
  /// default itself): the callback's own.
  double limitSeconds = 0;
};

/// What the device said.
struct Measurement {
  TrialStatus status = TrialStatus::Ok;
  std::string reason; ///< the driver's own words
  /// No further measurement can work either (the device is gone).
  bool fatal = false;
  Label label = Label::Measured;
  std::vector<double> seconds;    ///< one per sample
  Measured measured;              ///< `seconds` is the number that is compared
  std::optional<double> q20, q80; ///< seconds; taken from the samples if absent
  std::optional<double> clockMHz;
  // of the output; absent = not checked
  std::optional<double> maxAbs, maxRel;
  std::optional<int64_t> checkedElements;
};

/// Whether the very kernel that would win is right.
struct Verification {
  bool ok = false;
  /// Unless ok: Wrong, or why nothing could be compared.
  TrialStatus status = TrialStatus::Wrong;
  std::string reason; ///< unless ok: what differs, or why it could not be told
  /// Nothing further can be compared either (the disk is full).
  bool fatal = false;
  std::optional<double> maxAbs, maxRel;
  std::optional<int64_t> checkedElements;
  std::string note; ///< what was left out of the check, "" if nothing was
};

struct TuneCallbacks {
  /// Starts compiling; called in the order of proposal, several before the
  /// first is waited for.
  std::function<std::future<Artifact>(const Config &)> compile;
  /// Runs on the device. Called from one thread at a time unless
  /// `TuneOptions::parallelMeasures` > 1.
  std::function<Measurement(const Config &, const Artifact &,
                            const MeasureRequest &)>
      measure;
  /// Full check of the winner, and of a small shape with tails. Absent: what
  /// `measure` checked counts, and without that nothing is verified.
  std::function<Verification(const Config &, const Artifact &)> verify;
};

/// A moment of a run, for people.
struct TuneProgress {
  std::string op;
  size_t done = 0, total = 0; ///< trials; total 0 = no budget in trials
  double elapsedSeconds = 0;
  std::optional<double> etaSeconds;
  /// Times of the best by the objective, and of the default.
  std::optional<double> bestSeconds, genericSeconds;
  Label label = Label::Measured;
  std::map<TrialStatus, size_t> failures;
};

struct TuneResult;

/// Sees a run as it goes. Called from the thread that tunes.
class TuneObserver {
public:
  virtual ~TuneObserver() = default;
  virtual void started(const TuneProgress &) {}
  virtual void trial(const TrialRecord &, const TuneProgress &) {}
  /// Something begins that may take long: "verifying {block_m = 128, ...}".
  virtual void activity(const std::string &) {}
  virtual void warning(const std::string &) {}
  virtual void finished(const TuneResult &) {}
};

/// The model's memory: corrected after each trial. What it says follows from
/// the trials alone, so that a resumed run says the same.
class TuneLearner {
public:
  virtual ~TuneLearner() = default;
  /// Seconds expected of `config` by what was learned so far.
  virtual double expected(const Config &config) const = 0;
  /// Told each trial once, in order, those taken from records included.
  virtual void learn(const TrialRecord &trial) = 0;
  /// `RunRecord::weights` as they are now; empty where nothing was learned.
  virtual std::vector<std::pair<std::string, double>> weights() const = 0;
};

struct TuneTask {
  /// Key and description of the op; run-time fields are filled in here.
  RunRecord run;
  Label label = Label::Measured; ///< of the device's times
  const Space *space = nullptr;
  std::string schedule;
  Config generic; ///< the fixed default
  /// Candidates by index, as the strategy's problem numbers them.
  std::vector<Config> candidates;
  std::vector<double> predicted; ///< seconds, one per candidate; may be empty
  std::optional<double> predictedGeneric;
  size_t heuristic = 0; ///< the model's untuned pick
  SpaceCounts counts;
  Strategy *strategy = nullptr;
  /// What the trials correct of the model; may be null.
  TuneLearner *learner = nullptr;
};

struct TuneOptions {
  StopOptions stop; ///< trials and seconds; convergence
  Objective objective = Objective::Latency;
  double weight = 0.5; ///< of time against energy, for `Objective::Pareto`
  /// Candidates compiled ahead; part of what decides the result, so it does
  /// not follow the number of cores.
  size_t batch = 4;
  /// Measurements at once. More than 1 only where times do not suffer
  /// (simulated devices).
  unsigned parallelMeasures = 1;
  /// Time limit of a candidate: this multiple of the default's time, and at
  /// least `minLimitSeconds`.
  double limitFactor = 10, minLimitSeconds = 5;
  /// Stop after this many failures in a row with the same text, where nothing
  /// but the default has run; else after ten times as many that are three
  /// quarters of the trials. 0 = never.
  size_t maxEqualFailures = 12;
  double driftWarning = 0.03;
  /// Times are equal where they differ by less than this, or by less than the
  /// spread of the samples if that is larger (at most `maxNoise`).
  double minNoise = 0, maxNoise = 0.05;
  Database *database = nullptr;
  bool resume = true;
  CancelToken cancel;
  TuneObserver *observer = nullptr;
  /// Monotonic seconds; a test's own clock. Default: the system's.
  std::function<double()> clock;
  /// Unix seconds, for records. Default: the system's.
  std::function<double()> now;
};

/// One schedule with its time.
struct TunePoint {
  Config config;
  TrialRecord trial;
  double value = 0;   ///< of the objective, in its own unit: what is compared
  double seconds = 0; ///< cold for the latency objective, else back to back
};

/// All that the report and the rewrite need.
struct TuneResult {
  RunRecord run; ///< as stored
  std::optional<TunePoint> generic, heuristic, tuned;
  /// t_generic / t_tuned; absent where the default could not be measured.
  std::optional<double> speedup;
  /// The tuned schedule is the default itself: nothing was better.
  bool keptGeneric = false;
  std::vector<TrialRecord> trials; ///< in order
  std::map<TrialStatus, size_t> failures;
  std::map<TrialStatus, std::string> firstFailure; ///< in full
  SpaceCounts counts;
  size_t tried = 0;   ///< candidates, resumed ones included
  size_t resumed = 0; ///< taken from records
  size_t tieOf = 1;
  std::optional<double> drift; ///< of the default, last over first - 1
  std::string stopReason;
  bool converged = false, verified = false, interrupted = false;
  bool fromRecords = false; ///< a hit: nothing was measured
  std::string prior; ///< what another GPU's times were used for; "" = none
  std::vector<std::string> warnings;
};

/// Runs the loop. An error where nothing can be used at all: no candidate and
/// no default worked (with the reasons and counts), the database cannot be
/// written, a worker or device is missing. An interrupted run is a result.
Expected<TuneResult> tune(const TuneTask &task, const TuneCallbacks &callbacks,
                          const TuneOptions &options);

/// The result of a stored run, as if it had just been tuned. An error where
/// the stored configuration does not fit the space any more.
Expected<TuneResult> resultFromRecord(const RunRecord &run, const Space &space);

/// Makes the point of a stored run's front that `weight` picks its winner, what
/// is known of it from `trials`, those of the run. The winner stays where noise
/// does not tell the two apart, as it does for the weight it was found with.
void pickFromFront(RunRecord &run, std::span<const TrialRecord> trials,
                   double weight);

} // namespace hwtune

#endif // HWTUNE_TUNER_TUNER_H
